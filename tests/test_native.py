"""Facts about the compiled kernels: they equal their slow twins, and refuse bad buffers."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from reference import kernels as slow
from tallystick import _native as fast

Array = NDArray[Any]


def flatten(results: Any) -> list[Any]:
    together = results if isinstance(results, tuple) else (results,)
    return [(array.dtype, array.shape, array.tolist()) for array in together]


@given(st.data(), st.integers(0, 200), st.integers(0, 10), st.integers(0, 255))
def test_grouped_rows_equal_the_slow_ones(data, n, width, most):
    rows = data.draw(arrays(np.uint8, (n, width), elements=st.integers(0, most)))

    assert flatten(slow.group_rows(rows)) == flatten(fast.group_rows(rows))


@given(st.data(), st.integers(0, 40), st.integers(0, 20), st.integers(1, 12))
def test_concordances_equal_the_slow_ones(data, n, n_resamples, n_ranks):
    ranks = arrays(np.int64, n, elements=st.integers(0, n_ranks - 1))
    left, right = np.sort(data.draw(ranks)), data.draw(ranks)
    weights = data.draw(arrays(np.int64, (n, n_resamples), elements=st.integers(0, 50))) / 8
    arguments = left, right, weights, n_ranks

    assert flatten(slow.count_concordance(*arguments)) == flatten(
        fast.count_concordance(*arguments)
    )


def test_many_distinct_rows_stay_distinct():
    rows = np.arange(50_000).astype(np.uint32).view(np.uint8).reshape(-1, 4)
    everywhere = np.arange(50_000)

    assert flatten((everywhere, everywhere)) == flatten(fast.group_rows(rows))


def test_read_only_buffers_are_welcome():
    rows = np.zeros((2, 1), np.uint8)
    rows.flags.writeable = False

    assert flatten((np.array([0]), np.zeros(2, np.int64))) == flatten(fast.group_rows(rows))


TWO_CODES = np.array([0, 1], np.uint8)
ONE_RUN = np.array([0, 2])
ONE_ZERO = np.array([0])


@pytest.mark.parametrize(
    ("kernel", "arguments", "message"),
    [
        (fast.group_rows, (np.zeros((4, 2), np.uint8)[::2],),
         "rows is strided or unaligned: pass numpy.ascontiguousarray of it."),
        (fast.count_concordance, (np.zeros(17, np.uint8)[1:].view(np.int64), ONE_RUN, ONE_RUN, 2),
         "left is strided or unaligned: pass numpy.ascontiguousarray of it."),
        (fast.count_concordance, (np.zeros((1, 2), np.int64), ONE_RUN, ONE_RUN, 2),
         "left has ndim 2: expected 1."),
        (fast.group_rows, (TWO_CODES,), "rows has ndim 1: expected 2."),
        (fast.count_concordance, (ONE_RUN, ONE_RUN, np.ones((2, 3)), 2),
         "right[1] is 2: expected a code below 2."),
        (fast.count_concordance, (ONE_RUN, ONE_ZERO, np.ones((2, 3)), 2),
         "right has length 1: expected 2."),
        (fast.count_concordance, (ONE_RUN, ONE_RUN, np.ones((3, 2)), 3),
         "weights has 3 rows: expected 2."),
    ],
)  # fmt: skip
def test_bad_values_are_refused(kernel, arguments, message):
    with pytest.raises(ValueError, match=r"\.$") as caught:
        kernel(*arguments)

    assert message == str(caught.value)


@pytest.mark.parametrize(
    ("kernel", "arguments", "message"),
    [
        (fast.count_concordance, (ONE_RUN.astype(np.int32), ONE_RUN, ONE_RUN, 2),
         "left has dtype int32: expected int64."),
        (fast.count_concordance, (ONE_RUN > 0, ONE_RUN, ONE_RUN, 2),
         "left has dtype bool: expected int64."),
        (fast.group_rows, (np.zeros((1, 1), np.int8), ), "rows has dtype int8: expected uint8."),
        (fast.count_concordance, (ONE_RUN, ONE_RUN, np.ones((2, 3), np.float32), 3),
         "weights has dtype float32: expected float64."),
    ],
)  # fmt: skip
def test_other_dtypes_are_refused(kernel, arguments, message):
    with pytest.raises(TypeError, match=r"\.$") as caught:
        kernel(*arguments)

    assert message == str(caught.value)
