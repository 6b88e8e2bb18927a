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

CODE_TYPES = st.sampled_from([np.uint8, np.uint16, np.uint32])
SCORE_WIDTHS = st.sampled_from([32, 64])
N_LABELS = 3


def flatten(results: Any) -> list[Any]:
    together = results if isinstance(results, tuple) else (results,)
    return [(array.dtype, array.shape, array.tolist()) for array in together]


def weight_arrays(n: int) -> st.SearchStrategy[Array | None]:
    counts = arrays(np.int64, n, elements=st.integers(0, 50))
    return st.one_of(st.none(), counts, counts.map(lambda whole: whole / 8))


@st.composite
def coded_examples(draw: st.DrawFn) -> tuple[Array, Array, Array | None, Array | None]:
    n, dtype = draw(st.integers(0, 40)), draw(CODE_TYPES)
    codes = arrays(dtype, n, elements=st.integers(0, N_LABELS - 1))
    return draw(codes), draw(codes), draw(st.none() | codes), draw(weight_arrays(n))


@st.composite
def scores_in_cells(draw: st.DrawFn) -> tuple[Array, Array, int]:
    n, n_cells, width = draw(st.integers(0, 900)), draw(st.integers(1, 5)), draw(SCORE_WIDTHS)
    finite = st.floats(allow_nan=False, allow_infinity=False, width=width)
    scores = draw(arrays(f"float{width}", n, elements=finite))
    cells = draw(arrays(draw(CODE_TYPES), n, elements=st.integers(0, n_cells - 1)))
    return scores, cells, n_cells


@st.composite
def sorted_runs(draw: st.DrawFn) -> tuple[Array, Array | None, Array]:
    dtype = f"float{draw(SCORE_WIDTHS)}"
    ties = st.sampled_from([-1.5, 0.0, 0.1, 0.25, 1.0, 7e9])
    sizes = draw(st.lists(st.integers(0, 9), max_size=6))
    runs = [
        np.sort(draw(arrays(dtype, size, elements=ties.map(np.dtype(dtype).type))))
        for size in sizes
    ]
    scores = np.concatenate([np.zeros(0, dtype), *runs])
    return scores, draw(weight_arrays(len(scores))), np.cumsum([0, *sizes])


@given(coded_examples())
def test_confusion_counts_equal_the_slow_ones(examples):
    expected = slow.count_confusion(*examples, N_LABELS, N_LABELS)

    assert flatten(expected) == flatten(fast.count_confusion(*examples, N_LABELS, N_LABELS))


@given(scores_in_cells())
def test_split_runs_equal_the_slow_ones(arguments):
    expected = slow.split_runs(*arguments)

    assert flatten(expected) == flatten(fast.split_runs(*arguments))


@pytest.mark.parametrize("n", [1, 1000])
def test_negative_zero_comes_out_as_zero(n):
    scores, _ = fast.split_runs(np.full(n, -0.0), np.zeros(n, np.uint8), 1)

    assert not np.signbit(scores).any()


@given(sorted_runs(), st.data())
def test_merged_runs_equal_the_slow_ones(runs, data):
    columns = data.draw(arrays(np.int64, len(runs[2]) - 1, elements=st.integers(0, 2)))
    expected = slow.merge_runs(*runs, columns, 3)

    assert flatten(expected) == flatten(fast.merge_runs(*runs, columns, 3))


@given(sorted_runs(), st.data())
def test_rank_areas_equal_the_slow_ones(runs, data):
    sides = data.draw(arrays(np.int64, len(runs[2]) - 1, elements=st.integers(-1, 1)))

    assert slow.rank_area(*runs, sides) == fast.rank_area(*runs, sides)


def test_rank_areas_of_many_examples_are_exact():
    n = 200_000
    scores = np.concatenate([np.arange(n), np.arange(n)]).astype(np.float64)

    assert n * n / 2 == fast.rank_area(scores, None, np.array([0, n, 2 * n]), np.array([0, 1]))


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
    codes = np.zeros(2, np.uint8)
    codes.flags.writeable = False

    assert [[[2]]] == fast.count_confusion(codes, codes, None, None, 1, 1).tolist()


NO_CODES = np.zeros(0, np.uint8)
TWO_CODES = np.array([0, 1], np.uint8)
TWO_SCORES = np.array([0.25, 0.5])
ONE_RUN = np.array([0, 2])
ONE_ZERO = np.array([0])


@pytest.mark.parametrize(
    ("kernel", "arguments", "message"),
    [
        (fast.count_confusion, (TWO_CODES + np.uint8(2), TWO_CODES, None, None, 3, 1),
         "gold[1] is 3: expected a code below 3."),
        (fast.count_confusion, (TWO_CODES, TWO_CODES * np.uint8(9), None, None, 2, 1),
         "predicted[1] is 9: expected a code below 2."),
        (fast.count_confusion, (TWO_CODES, TWO_CODES, TWO_CODES, None, 2, 1),
         "groups[1] is 1: expected a code below 1."),
        (fast.count_confusion, (TWO_CODES, TWO_CODES[:1], None, None, 2, 1),
         "predicted has length 1: expected 2."),
        (fast.count_confusion, (TWO_CODES, TWO_CODES, NO_CODES, None, 2, 1),
         "groups has length 0: expected 2."),
        (fast.count_confusion, (TWO_CODES, TWO_CODES, None, TWO_SCORES[:1], 2, 1),
         "weights has length 1: expected 2."),
        (fast.count_confusion, (NO_CODES, NO_CODES, None, None, 2**32, 1),
         "An array of 4294967296 times 4294967296 cells is larger than memory."),
        (fast.split_runs, (np.array([0.5, np.nan]), TWO_CODES, 2),
         "scores[1] is nan: expected a finite number."),
        (fast.split_runs, (np.array([-np.inf, 0.5], np.float32), TWO_CODES, 2),
         "scores[0] is -inf: expected a finite number."),
        (fast.split_runs, (TWO_SCORES, TWO_CODES, 1), "cells[1] is 1: expected a code below 1."),
        (fast.split_runs, (np.zeros(4)[::2], TWO_CODES, 2),
         "scores is strided or unaligned: pass numpy.ascontiguousarray of it."),
        (fast.split_runs, (np.zeros(17, np.uint8)[1:].view(np.float64), TWO_CODES, 2),
         "scores is strided or unaligned: pass numpy.ascontiguousarray of it."),
        (fast.split_runs, (np.zeros((1, 2)), TWO_CODES, 2), "scores has ndim 2: expected 1."),
        (fast.merge_runs, (TWO_SCORES, None, np.zeros(0, np.int64), ONE_ZERO, 1),
         "offsets is empty: expected at least a 0."),
        (fast.merge_runs, (TWO_SCORES, None, np.array([1, 2]), ONE_ZERO, 1),
         "offsets[0] is 1: expected 0."),
        (fast.merge_runs, (TWO_SCORES, None, np.array([0, 3, 2]), np.array([0, 0]), 1),
         "offsets[2] is 2: expected at least 3."),
        (fast.merge_runs, (TWO_SCORES, None, np.array([0, 1]), ONE_ZERO, 1),
         "offsets[1] is 1: expected 2, the number of scores."),
        (fast.merge_runs, (TWO_SCORES, None, ONE_RUN, np.array([0, 0]), 1),
         "columns has length 2: expected 1."),
        (fast.merge_runs, (TWO_SCORES, None, ONE_RUN, np.array([1]), 1),
         "columns[0] is 1: expected at least 0 and below 1."),
        (fast.rank_area, (TWO_SCORES, None, ONE_RUN, np.array([-2])),
         "sides[0] is -2: expected at least -1 and below 2."),
        (fast.rank_area, (TWO_SCORES, np.zeros(3), ONE_RUN, ONE_ZERO),
         "weights has length 3: expected 2."),
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
        (fast.count_confusion, (TWO_SCORES, TWO_CODES, None, None, 2, 1),
         "gold has dtype float64: expected uint8 or uint16 or uint32."),
        (fast.count_confusion, (TWO_CODES, TWO_CODES.astype(np.uint16), None, None, 2, 1),
         "predicted has dtype uint16: expected uint8."),
        (fast.count_confusion, (TWO_CODES, TWO_CODES, None, TWO_SCORES.astype(np.float32), 2, 1),
         "weights has dtype float32: expected int64 or float64."),
        (fast.split_runs, (TWO_SCORES > 0, TWO_CODES, 2),
         "scores has dtype bool: expected float32 or float64."),
        (fast.rank_area, (TWO_SCORES, None, ONE_RUN.astype(np.int32), ONE_ZERO),
         "offsets has dtype int32: expected int64."),
        (fast.group_rows, (np.zeros((1, 1), np.int8), ), "rows has dtype int8: expected uint8."),
        (fast.count_concordance, (ONE_RUN, ONE_RUN, np.ones((2, 3), np.float32), 3),
         "weights has dtype float32: expected float64."),
    ],
)  # fmt: skip
def test_other_dtypes_are_refused(kernel, arguments, message):
    with pytest.raises(TypeError, match=r"\.$") as caught:
        kernel(*arguments)

    assert message == str(caught.value)
