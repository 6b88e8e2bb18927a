"""Sums of real numbers are exact, whatever the order and the parts in which they are added."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from strategies import STEADY
from tallystick.tallies.arrays.exact_sums import (
    add_terms,
    join_terms,
    multiply_exactly,
    square_exactly,
    sum_exactly,
)

REAL = st.floats(-(2.0**900), 2.0**900) | st.sampled_from([0.1, 1 / 3, 1e16, -1e16, 5e-324, 1e-300])
NUMBERS = st.lists(REAL, max_size=20)


def add(numbers: list[float]) -> NDArray[np.float64]:
    """The terms of one sum."""
    places = np.zeros(len(numbers), np.int64)
    return sum_exactly(np.array([numbers]), places, 1)[:, 0]


def add_fractions(numbers: Any) -> Fraction:
    """The sum without any rounding."""
    return sum(map(Fraction, np.ravel(numbers).tolist()), Fraction(0))


@STEADY
@given(NUMBERS)
def test_sums_are_correctly_rounded_and_nothing_is_lost(numbers):
    """The first term is the nearest float64, and all of them make the exact sum."""
    terms = add(numbers)

    assert float(add_fractions(numbers)) == terms[0]
    assert terms[1:].all()
    assert add_fractions(numbers) == add_fractions(terms)


@STEADY
@given(NUMBERS, st.lists(st.integers(0, 3), min_size=20, max_size=20), st.data())
def test_terms_are_the_same_for_all_parts(numbers, parts, data):
    """However numbers are dealt, and in whatever order sums are added, they have equal terms."""
    dealt = [[x for x, part in zip(numbers, parts, strict=False) if part == at] for at in range(4)]
    sums = [add(own)[:, None] for own in data.draw(st.permutations(dealt))]
    while len(sums) > 1:
        at = data.draw(st.integers(0, len(sums) - 2))
        joined = join_terms(sums[at : at + 2], -1)
        sums[at : at + 2] = [sum_exactly(joined, np.zeros(2, np.int64), 1)]

    assert add(numbers).tolist() == sums[0][:, 0].tolist()


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([1, 2.0**-53], 1),
        ([1, 2.0**-53, 2.0**-1000], 1 + 2.0**-52),
        ([1 + 2.0**-52, 2.0**-53], 1 + 2.0**-51),
        ([-1, -(2.0**-53), -(2.0**-1000)], -1 - 2.0**-52),
        ([1e16, 1, -1e16], 1),
    ],
)
def test_ties_go_to_the_even_number_unless_something_is_below(numbers, expected):
    """As in every addition of two float64."""
    assert expected == add(numbers)[0]


def test_infinity_stays():
    """Numbers beyond 1e297 are taken for infinity, whatever is added."""
    numbers = [1, 2.0**990, 0.1, -np.inf, 0]
    found = sum_exactly(np.array([numbers]), np.array([0, 0, 1, 2, 2]), 3)

    assert [np.inf, 0.1, -np.inf] == found[0].tolist()
    assert [[2, np.inf]] == multiply_exactly(np.array([1, np.inf]), np.array([2, 2])).tolist()
    assert np.isnan(square_exactly(np.array([[[1, 1e200]]]))).all()


@STEADY
@given(st.integers(1, 2), st.lists(REAL | st.sampled_from([-0.0, 2.0**990, -np.inf]), min_size=2))
def test_a_single_array_has_the_terms_of_its_sums(n, numbers):
    """The same ones, whichever way they are found: no zero is below 0, and infinity stays."""
    terms = np.array(numbers[: len(numbers) // n * n]).reshape(n, -1)
    size = terms.shape[1]
    found, expected = add_terms([terms]), sum_exactly(terms, np.arange(size), size)

    assert expected.tolist() == found.tolist()
    assert not np.signbit(found[found == 0]).any()


def test_no_numbers_have_the_sum_0():
    """There is one term."""
    assert [[0, 0]] == sum_exactly(np.zeros((1, 0)), np.zeros(0, np.int64), 2).tolist()


@pytest.mark.deep
def test_many_numbers_are_added_in_blocks():
    """Of several columns at once."""
    random = np.random.default_rng(1)
    numbers, places = random.random((1, 3, 300_000)), random.integers(0, 2, 300_000)
    found = sum_exactly(numbers, places, 2)

    expected = [[add_fractions(own[places == at]) for at in range(2)] for own in numbers[0]]
    assert expected == [[add_fractions(found[:, own, at]) for at in range(2)] for own in range(3)]


@STEADY
@given(st.lists(st.floats(0, 1e6), max_size=5), st.integers(1, 2**50))
def test_products_with_counts_are_exact(numbers, count):
    """A weight that stands for many examples is added as often, and not rounded."""
    terms = multiply_exactly(np.array(numbers), np.full(len(numbers), count))

    assert add_fractions(numbers) * count == add_fractions(terms)


def test_outer_products_are_exact():
    """Those of more rows than are multiplied at once too."""
    rows = np.random.default_rng(2).random((20_000, 2)) / 3
    found = square_exactly(rows[None])

    exact = [list(map(Fraction, column)) for column in rows.T.tolist()]
    for i, j in ((0, 0), (0, 1), (1, 0)):
        products = sum((a * b for a, b in zip(exact[i], exact[j], strict=True)), Fraction(0))
        assert products == add_fractions(found[:, i, j])
        assert float(products) == found[0, i, j]
