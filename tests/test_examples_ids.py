"""Examples are joined by id; columns of label sets, probabilities and weights are read."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import STEADY, label_sets
from tallystick.errors import InputError
from tallystick.kinds.labels.label_columns import LabelRows, from_lists, from_matrix, split_cells
from tallystick.model.codes import Label, row_of
from tallystick.model.ids import find_twice, join_ids, tell_twice
from tallystick.model.number_values import check_probabilities, check_weights, read_numbers

SOURCES = ("gold.csv", "mine.csv")
LACKING = (
    "; with `missing='wrong'` examples without one count as wrong, with exclude they are left out "
    "of that system's scores, and with common only examples are scored that all systems have"
)


@STEADY
@given(st.lists(st.text(min_size=1), min_size=1, unique=True), st.randoms(use_true_random=False))
def test_rows_are_found_in_any_order(ids, random):
    shuffled = random.sample(ids, len(ids))
    rows, _ = join_ids(pa.array(ids), pa.array(shuffled), SOURCES)
    assert ids == (shuffled if rows is None else [shuffled[row] for row in rows])
    assert (ids == shuffled) is (rows is None)


@pytest.mark.parametrize(
    "ids",
    [
        pa.array([12, 7]),
        pa.array(["12", "7"]),
        pa.array(["12", "7"], pa.large_string()),
        pa.array(["12", "7"]).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["12", "7"], pa.string_view())),
        pa.chunked_array([["12"], ["7"]]),
        pa.array(["0", "12", "7"])[1:],
    ],
    ids=["integer", "text", "large", "dictionary", "views", "chunks", "slice"],
)
def test_ids_of_any_type_are_the_same(ids):
    rows, _ = join_ids(pa.array(["7", "12"]), ids, SOURCES)
    assert [1, 0] == np.asarray(rows).tolist()


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        ("ab", "abb", "mine.csv contains the id b more than once"),
        ("ab", "aabb", "mine.csv contains 2 ids (a, b) more than once"),
        ("abc", "ab", f"mine.csv has no prediction for the id c of gold.csv{LACKING}"),
        ("ab", "abc", "mine.csv contains the id c that gold.csv does not have"),
        (
            "abcdefgh",
            "ab",
            f"mine.csv has no prediction for 6 ids (c, d, e, f, g, ...) of gold.csv{LACKING}",
        ),
        ("ab", "abcdefg", "mine.csv contains 5 ids (c, d, e, f, g) that gold.csv does not have"),
        ("ab", "ac", f"mine.csv has no prediction for the id b of gold.csv{LACKING}"),
    ],
)
def test_ids_that_do_not_match_are_told(gold, predicted, message):
    with pytest.raises(InputError) as caught:
        join_ids(pa.array(list(gold)), pa.array(list(predicted)), SOURCES)
    assert message == str(caught.value)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ("abb", "gold.csv contains the id b more than once; look"),
        ("aabb", "gold.csv contains 2 ids (a, b) more than once; look"),
    ],
)
def test_ids_that_stand_twice_in_one_table_are_told(ids, message):
    with pytest.raises(InputError) as caught:
        tell_twice(find_twice(pa.array(list(ids)), "gold.csv"), "gold.csv", lambda: "; look")
    assert message == str(caught.value)


@pytest.mark.parametrize("ids", [["a", None], ["", "b"], [None, ""]])
def test_empty_id_of_one_table_is_told(ids):
    with pytest.raises(InputError) as caught:
        find_twice(pa.array(ids), "gold.csv")
    what = "2 examples have" if not any(ids) else "1 example has"
    assert f"gold.csv: {what} no id" == str(caught.value)


def test_examples_may_lack_a_prediction_if_that_is_asked_for():
    rows, _ = join_ids(pa.array(list("abc")), pa.array(list("ca")), SOURCES, missing=True)
    assert [1, -1, 0] == np.asarray(rows).tolist()
    with pytest.raises(
        InputError, match=r"^mine\.csv contains the id x that gold\.csv does not have$"
    ):
        join_ids(pa.array(list("abc")), pa.array(list("xa")), SOURCES, missing=True)


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        (["a", None], ["a", "b"], "gold.csv: 1 example has no id"),
        (["a", ""], ["a", "b"], "gold.csv: 1 example has no id"),
        (["a", "b"], [None, None], "mine.csv: 2 examples have no id"),
        (["a", "b"], ["", None], "mine.csv: 2 examples have no id"),
    ],
)
def test_missing_ids_are_told(gold, predicted, message):
    with pytest.raises(InputError) as caught:
        join_ids(pa.array(gold), pa.array(predicted), SOURCES)
    assert message == str(caught.value)


WHERE = row_of("gold")


def spell(rows: LabelRows) -> list[list[Label]]:
    return list(map(rows.list_names, range(len(rows))))


@STEADY
@given(label_sets())
def test_matrix_and_lists_are_the_same(sample):
    lists = sample.sets(sample.gold)
    assert lists == spell(from_matrix(sample.gold, sample.labels, WHERE))
    assert lists == spell(from_lists(lists, WHERE, sample.labels))


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int64, np.float32, object])
def test_matrix_may_be_of_any_type(kind):
    matrix = np.array([[0, 1], [1, 1], [0, 0]]).astype(kind)
    assert [["b"], ["a", "b"], []] == spell(from_matrix(matrix, ("a", "b"), WHERE))


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, 1], [1, 2]], "gold, row 2, column 'b': expected 0 or 1, found 2"),
        ([[0, 0.5]], "gold, row 1, column 'b': expected 0 or 1, found 0.5"),
        ([[np.nan, 0]], "gold, row 1, column 'a': expected 0 or 1, found nan"),
        ([[0, 1, 1]], "2 labels need a matrix with as many columns, not the shape (1, 3)"),
        ([0, 1], "2 labels need a matrix with as many columns, not the shape (2,)"),
    ],
)
def test_bad_matrix_is_told(matrix, message):
    with pytest.raises(InputError) as caught:
        from_matrix(np.array(matrix), ("a", "b"), WHERE)
    assert message == str(caught.value)


def test_names_of_lists_are_those_that_occur():
    lists: list[list[Label]] = [["10", "9"], [], ["9"]]
    assert ("9", "10") == from_lists(lists, WHERE).names
    assert ("x", "10", "9") == from_lists(lists, WHERE, ("x", "10", "9")).names


@pytest.mark.parametrize(
    ("lists", "names", "message"),
    [
        ([["a"], ["b", "b"]], None, "gold, row 2: label 'b' occurs twice in one example"),
        ([["a"], ["c"]], ("a", "b"), "gold, row 2: label 'c' is not one of 'a', 'b'"),
        ([["a"], [1]], None, "gold, row 1: mixed types: labels are text or whole numbers"),
        ([["a"], [None]], None, "gold, row 2: None is not a label"),
        ([["a"], [1.5]], None, "gold, row 2: 1.5 is not a label"),
        ([["a"], [""]], None, "gold, row 2: '' is not a label"),
    ],
)
def test_bad_list_is_told(lists, names, message):
    with pytest.raises(InputError) as caught:
        from_lists(lists, WHERE, names)
    assert message == str(caught.value)[: len(message)]


@pytest.mark.parametrize(
    ("cell", "labels"),
    [
        ("sport|travel", ["sport", "travel"]),
        (" sport | travel ", ["sport", "travel"]),
        ("sport", ["sport"]),
        ("sport||travel|", ["sport", "travel"]),
        ("", []),
        (" ", []),
        ('["sport", "a|b"]', ["sport", "a|b"]),
        (" [1, 2]", ["1", "2"]),
        ("[]", []),
        ('["\\u732b"]', ["猫"]),
    ],
)
def test_cell_holds_labels(cell, labels):
    assert [labels] == split_cells([cell], "|", WHERE)


@pytest.mark.parametrize("cell", ["[1.5]", "[sport]", '["sport"', '[["a"]]', "[null]"])
def test_cell_that_is_no_list_is_told(cell):
    with pytest.raises(InputError, match=r"^gold, row 2: .* is not a JSON list of labels"):
        split_cells(["a", cell], "|", WHERE)


def test_sets_are_the_same_over_names_in_another_order():
    names = tuple(f"{place:02}" for place in range(70))
    rows = from_lists([["69", "00"], ["08"]], WHERE).recode(names[::-1])
    assert [["69", "00"], ["08"]] == spell(rows)
    assert [["08"], ["69", "00"]] == spell(rows.take(np.array([1, 0])))


NUMBERS = row_of("mine")


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
    numbers = read_numbers(values, NUMBERS)
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
    assert np.dtype(np.float32) == read_numbers(values, NUMBERS).dtype


@pytest.mark.parametrize(
    "values", [[0, 1], [False, True], np.array([0, 1], np.int8), pa.array([False, True])]
)
def test_whole_numbers_and_booleans_are_numbers(values):
    numbers = read_numbers(values, NUMBERS)
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
        read_numbers(values, NUMBERS)
    assert message == str(caught.value)[: len(message)]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("broken", [-1e-9, 1.0000002, np.nan, np.inf, -np.inf])
def test_probability_lies_between_0_and_1(kind, broken):
    values = np.array([0.0, 1.0, broken], kind)
    with pytest.raises(InputError, match=r"^mine, row 3: .* is not a probability between 0 and 1$"):
        check_probabilities(values, NUMBERS)


@pytest.mark.parametrize(
    "row", [[0.5, 0.5], [1.0, 0.0], [1 / 3, 2 / 3], [0.5, 0.5 + 9e-7]], ids=repr
)
def test_probabilities_of_an_example_sum_to_one(row):
    matrix = np.array([[0.5, 0.5], row])
    assert matrix is check_probabilities(matrix, NUMBERS)


@pytest.mark.parametrize("row", [[0.5, 0.4], [0.5, 0.502], [0.0, 0.0]], ids=repr)
def test_probabilities_that_do_not_sum_to_one_are_told(row):
    with pytest.raises(InputError, match=r"^mine, row 2: the probabilities of an example sum to 1"):
        check_probabilities(np.array([[0.5, 0.5], row]), NUMBERS)


def test_single_precision_sums_are_taken_in_double():
    matrix = np.asfortranarray(np.full((2, 100_000), 1e-5, np.float32))
    assert matrix is check_probabilities(matrix, NUMBERS)


@pytest.mark.parametrize("broken", [-0.5, np.nan, np.inf])
def test_weight_is_finite_and_not_negative(broken):
    with pytest.raises(
        InputError, match=r"^mine, row 2: .* is not a weight; weights must be finite"
    ):
        check_weights(np.array([1.0, broken]), NUMBERS)


@pytest.mark.parametrize(
    "values",
    [np.array([0.0, 3.0]), np.array([0, 3], np.float32), np.array([0.0, 9, 3.0])[::2]],
    ids=["double", "single", "strided"],
)
def test_weights_are_made_ready_for_counting(values):
    weights = check_weights(values, NUMBERS)
    assert [0.0, 3.0] == weights.tolist()
    assert np.dtype(np.float64) == weights.dtype
    assert weights.flags.c_contiguous
