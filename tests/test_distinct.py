"""Sums by place, of one row of numbers or of many resamples, in any layout of memory."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from strategies import STEADY
from tallystick.model.tallies.arrays.distinct import find_distinct, sum_by
from tallystick.model.tallies.arrays.units import draw_units

TYPES = (np.int32, np.int64, np.float64)


def sum_slowly(values: NDArray[Any], places: NDArray[Any], size: int) -> NDArray[Any]:
    sums = np.zeros((*values.shape[:-1], size), values.dtype)
    for item, place in enumerate(places.tolist()):
        if place >= 0:
            sums[..., place] += values[..., item]
    return sums


@STEADY
@given(
    st.integers(0, 999),
    st.sampled_from([(), (1,), (3,), (40,), (2, 40)]),
    st.integers(0, 90),
    st.integers(1, 12),
    st.sampled_from(TYPES),
    st.sampled_from("CF"),
)
def test_sums_are_those_of_single_numbers(seed, leading, items, size, kind, layout):
    rng = np.random.default_rng(seed)
    values = np.asarray(rng.integers(0, 9, (*leading, items)), kind, layout)
    places = rng.integers(-1, size, items)
    expected, found = sum_slowly(values, places, size), sum_by(values, places, size)

    assert expected.dtype == found.dtype
    assert np.array_equal(expected, found)


@STEADY
@given(st.integers(0, 999), st.sampled_from([(), (50,)]), st.integers(0, 60))
def test_items_can_have_several_places(seed, leading, places):
    rng = np.random.default_rng(seed)
    values, items = rng.integers(0, 9, (*leading, 7)), rng.integers(0, 7, places)
    where = rng.integers(0, 4, places)

    assert np.array_equal(sum_slowly(values[..., items], where, 4), sum_by(values, where, 4, items))


def test_resamples_of_sums_stand_side_by_side():
    found = sum_by(np.ones((40, 6), np.int32), np.arange(6) // 2, 3)

    assert (4, 160) == found.strides


@pytest.mark.parametrize("units", [1, 7, 300])
def test_owners_come_up_as_often_as_their_units(units):
    owners = np.arange(units) // 3
    plain = draw_units(units, 500, np.random.default_rng(1))
    owned = draw_units(units, 500, np.random.default_rng(1), owners)

    assert {units} == set(plain.sum(1).tolist())
    assert np.array_equal(sum_by(plain, owners, int(owners[-1]) + 1), owned)


@STEADY
@given(st.integers(0, 999), st.integers(0, 40), st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_distinct_keys_ascend_byte_by_byte(seed, rows, widths):
    rng = np.random.default_rng(seed)
    keys = [rng.choice(np.uint8([0, 7, 255]), (rows, width)) for width in widths]
    for key in keys:
        key[:, rng.random(key.shape[1]) < 0.6] = 9
    expected, places = np.unique(np.hstack(keys), axis=0, return_inverse=True)
    first, found = find_distinct(keys)

    assert np.array_equal(expected, np.hstack(keys)[first])
    assert np.array_equal(places.ravel(), found)
