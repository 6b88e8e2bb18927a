"""Columns of label sets: from matrices, lists, delimited cells and JSON, and what is none."""

import numpy as np
import pytest
from hypothesis import given

from strategies import STEADY, label_sets
from tallystick.errors import InputError
from tallystick.kinds.labels.label_columns import LabelRows, from_lists, from_matrix, split_cells
from tallystick.model.codes import Label, row_of

WHERE = row_of("gold")


def spell(rows: LabelRows) -> list[list[Label]]:
    return list(map(rows.list_names, range(len(rows))))


@STEADY
@given(label_sets())
def test_matrix_and_lists_are_the_same(sample):
    lists = sample.sets(sample.gold)
    matrix = from_matrix(sample.gold, sample.labels, WHERE)

    assert lists == spell(matrix)
    assert lists == spell(from_lists(lists, WHERE, sample.labels))


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int64, np.float32, object])
def test_matrix_may_be_of_any_type(kind):
    matrix = np.array([[0, 1], [1, 1], [0, 0]]).astype(kind)

    assert [["b"], ["a", "b"], []] == spell(from_matrix(matrix, ("a", "b"), WHERE))


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, 1], [1, 2]], "gold, row 2, column 'b': 2 stands where 0 or 1 was expected"),
        ([[0, 0.5]], "gold, row 1, column 'b': 0.5 stands where 0 or 1 was expected"),
        ([[np.nan, 0]], "gold, row 1, column 'a': nan stands where 0 or 1 was expected"),
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
