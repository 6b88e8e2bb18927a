"""Columns of numbers: what is read as a probability or a weight, and what is neither."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tallystick.errors import InputError
from tallystick.model.codes import row_of
from tallystick.model.number_values import check_probabilities, check_weights, read_numbers

WHERE = row_of("mine")


@pytest.mark.parametrize(
    "values",
    [
        [0.5, 0.25],
        (0.5, 0.25),
        np.array([0.5, 0.25]),
        np.array([0.5, 0.25], ">f8"),
        np.array([0.5, 0.25], np.float16),
        np.array([0.5, 0.25], object),
        np.array([0.5, 9, 0.25, 9])[::2],
        pa.array([0.5, 0.25]),
        pa.array([9, 0.5, 0.25])[1:],
        pa.chunked_array([[0.5], [], [0.25]]),
        pa.array([0.5, 0.25]).dictionary_encode(),
        pa.array(["0.5", "0.25"]),
        pa.array(["5e-1", ".25"], pa.large_string()),
        pa.array(["0.5", "0.25"], pa.string_view()),
        pa.chunked_array([["0.5"], ["0.25"]]),
        pd.Series([0.5, 0.25]),
        pd.Series([0.5, 0.25], dtype="Float64"),
        pl.Series([0.5, 0.25]),
        pl.Series(["0.5", "0.25"]),
    ],
    ids=lambda values: f"{type(values).__module__}.{type(values).__name__}",
)
def test_numbers_are_read_from_anything(values):
    numbers = read_numbers(values, WHERE)

    assert [0.5, 0.25] == numbers.tolist()
    assert np.dtype(np.float64) == numbers.dtype


@pytest.mark.parametrize(
    "values",
    [
        np.array([0.1], np.float32),
        pa.array([0.1], pa.float32()),
        pl.Series([0.1], dtype=pl.Float32),
        pd.Series([0.1], dtype="float32"),
    ],
    ids=lambda values: type(values).__module__,
)
def test_single_precision_is_kept(values):
    assert np.dtype(np.float32) == read_numbers(values, WHERE).dtype


@pytest.mark.parametrize(
    "values", [[0, 1], [False, True], np.array([0, 1], np.int8), pa.array([False, True])]
)
def test_whole_numbers_and_booleans_are_numbers(values):
    numbers = read_numbers(values, WHERE)

    assert [0.0, 1.0] == numbers.tolist()
    assert np.dtype(np.float64) == numbers.dtype


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0.5, None], "mine, row 2: None is not a number"),
        ([0.5, "x"], "mine, row 2: 'x' is not a number"),
        (np.array([0.5, True], object), "mine, row 2: True is not a number"),
        (np.array([1j]), "mine, row 1: 1j is not a number"),
        (np.array(["2020-01-01"], "M8[D]"), "mine, row 1: datetime.date(2020, 1, 1) is not"),
        (np.array([1], "m8[D]"), "mine, row 1: datetime.timedelta(days=1) is not a number"),
        (pa.array([0.5, None]), "mine, row 2: the number is missing"),
        (pa.chunked_array([[0.5], [None]], pa.float64()), "mine, row 2: the number is missing"),
        (pd.Series([0.5, np.nan]), "mine, row 2: the number is missing"),
        (np.ma.array([0.5, 0.5], mask=[False, True]), "mine, row 2: the number is missing"),
        (pa.array(["0.5", "0,5"]), "mine, row 2: '0,5' is not a number"),
        (pa.array(["0.5", ""]), "mine, row 2: '' is not a number"),
        (pa.array(["0.5", " 0.5"]), "mine, row 2: ' 0.5' is not a number"),
        (pa.array([[0.5]]), "mine, row 1: "),
    ],
)
def test_what_is_no_number_is_told(values, message):
    with pytest.raises(InputError) as caught:
        read_numbers(values, WHERE)

    assert message == str(caught.value)[: len(message)]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("broken", [-1e-9, 1.0000002, np.nan, np.inf, -np.inf])
def test_probability_lies_between_0_and_1(kind, broken):
    values = np.array([0.0, 1.0, broken], kind)

    with pytest.raises(InputError, match=r"^mine, row 3: .* is not a probability between 0 and 1$"):
        check_probabilities(values, WHERE)


@pytest.mark.parametrize(
    "row", [[0.5, 0.5], [1.0, 0.0], [1 / 3, 2 / 3], [0.5, 0.5 + 9e-7]], ids=repr
)
def test_probabilities_of_an_example_sum_to_one(row):
    matrix = np.array([[0.5, 0.5], row])

    assert matrix is check_probabilities(matrix, WHERE)


@pytest.mark.parametrize("row", [[0.5, 0.4], [0.5, 0.502], [0.0, 0.0]], ids=repr)
def test_probabilities_that_do_not_sum_to_one_are_told(row):
    with pytest.raises(InputError, match=r"^mine, row 2: the probabilities of an example sum to 1"):
        check_probabilities(np.array([[0.5, 0.5], row]), WHERE)


def test_single_precision_sums_are_taken_in_double():
    matrix = np.asfortranarray(np.full((2, 100_000), 1e-5, np.float32))

    assert matrix is check_probabilities(matrix, WHERE)


@pytest.mark.parametrize("broken", [-0.5, np.nan, np.inf])
def test_weight_is_finite_and_not_negative(broken):
    with pytest.raises(
        InputError, match=r"^mine, row 2: .* is not a weight; weights must be finite"
    ):
        check_weights(np.array([1.0, broken]), WHERE)


@pytest.mark.parametrize(
    "values",
    [np.array([0.0, 3.0]), np.array([0, 3], np.float32), np.array([0.0, 9, 3.0])[::2]],
    ids=["double", "single", "strided"],
)
def test_weights_are_made_ready_for_counting(values):
    weights = check_weights(values, WHERE)

    assert [0.0, 3.0] == weights.tolist()
    assert np.dtype(np.float64) == weights.dtype
    assert weights.flags.c_contiguous
