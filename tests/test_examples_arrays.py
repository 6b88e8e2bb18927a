"""What is in memory is read as examples: labels, probabilities, label sets, groups, weights."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tallystick.errors import InputError, UsageError
from tallystick.kinds.labels import LABELS, find_scored
from tallystick.kinds.labels.label_columns import Output
from tallystick.kinds.labels.label_reader import Predictions
from tallystick.model.reading import Reading
from tallystick.model.systems import Systems
from tallystick.model.task import Task
from tallystick.reading.arrays import add_columns, read_arrays


def read(gold: Any, predictions: Any, task: Task | None = None) -> Systems:
    return read_arrays(gold, {"mine": predictions}, Reading(task=task or Task()))


def only(systems: Systems) -> Output:
    (output,) = LABELS.of(systems).outputs
    return output


@pytest.mark.parametrize(
    "scores",
    [
        [0.25, 0.75],
        (0.25, 0.75),
        np.array([0.25, 0.75]),
        np.array([0.25, 0.75], np.float32),
        np.array([0.25, 0.75], np.float16),
        np.array([0.25, 0.75], ">f8"),
        pa.array([0.25, 0.75]),
        pa.array([0.25, 0.75], pa.float32()),
        pa.chunked_array([[0.25], [0.75]]),
        pd.Series([0.25, 0.75]),
        pl.Series([0.25, 0.75], dtype=pl.Float32),
        Predictions(None, [0.25, 0.75]),
    ],
    ids=lambda scores: f"{type(scores).__module__}.{type(scores).__name__}",
)
def test_floats_are_probabilities(scores):
    output = only(read([0, 1], scores))

    assert [0.25, 0.75] == output.probabilities.tolist()
    assert [0, 1] == output.labels.codes.tolist()


@pytest.mark.parametrize(
    "labels",
    [
        [0, 1],
        [False, True],
        np.array([0, 1], np.uint8),
        pa.array([0, 1]),
        pd.Series([0, 1]),
        pl.Series([False, True]),
        Predictions([0.0, 1.0]),
    ],
    ids=lambda labels: f"{type(labels).__module__}.{type(labels).__name__}",
)
def test_whole_numbers_are_labels(labels):
    output = only(read([0, 1], labels))

    assert [0, 1] == output.labels.codes.tolist()
    assert output.probabilities is None


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16, int])
def test_matrix_has_a_probability_for_each_label(kind):
    matrix = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1]], kind)
    output = only(read(list("abc"), Predictions(None, matrix)))

    assert [1, 0, 2] == output.labels.codes.tolist()
    assert matrix.tolist() == output.probabilities.tolist()


@pytest.mark.parametrize(
    ("gold", "predictions"),
    [
        ([["a"], []], [["a", "b"], ["b"]]),
        ([("a",), ()], [("b", "a"), ("b",)]),
        ([{"a"}, set()], [{"a", "b"}, {"b"}]),
        (pa.array([["a"], []]), pa.array([["a", "b"], ["b"]])),
        (pl.Series([["a"], []]), pl.Series([["a", "b"], ["b"]])),
        ([[1], []], [[1, 2], [2]]),
        ([[np.int64(1)], []], [[np.int64(1), np.int64(2)], [np.int64(2)]]),
        (np.array([[1, 0], [0, 0]]), np.array([[1, 1], [0, 1]])),
        (np.array([[True, False], [False, False]]), np.array([[1.0, 1.0], [0.0, 1.0]])),
    ],
    ids=["lists", "tuples", "sets", "arrow", "polars", "integers", "numpy", "matrix", "booleans"],
)
def test_label_sets_are_read(gold, predictions):
    systems = read(gold, predictions)

    columns = (LABELS.of(systems).gold, only(systems).labels)
    a, b = columns[1].names

    assert [[[a], []], [[a, b], [b]]] == [[own.list_names(0), own.list_names(1)] for own in columns]


def test_labels_of_a_matrix_are_those_of_the_task():
    matrix = np.array([[1, 0]])

    assert ("x", "y") == read(matrix, matrix, Task(labels=("x", "y"))).labels
    assert (0, 1) == read(matrix, matrix).labels


@pytest.mark.parametrize(
    ("gold", "predictions", "kind", "message"),
    [
        ([0, 1], None, UsageError, "predictions are missing"),
        ([0, 1], "ab", InputError, "a column of values was expected, not str"),
        ([0, 1], np.ma.array([0.5, 0.5], mask=[0, 1]), InputError, "mine, row 2: the number is"),
        ([["a"], ["b"]], ["a", "b"], InputError, "mine holds single labels where label sets"),
        ([["a"], ["b"]], np.array([[1, 0], [0, 1]]), InputError, "mixed types: gold and predicted"),
        ([[1], [2]], [["1"], ["2"]], InputError, "mixed types: gold and predicted labels are text"),
        ([["a"]], Predictions(None, [[0.5]]), UsageError, "a multilabel task is scored from label"),
        (np.array([[0, 1]]), np.array([[0, 0.5]]), InputError, "0.5 stands where 0 or 1 was"),
        (np.array([[0, 1]]), np.array([[0, 1, 1]]), InputError, "2 labels need a matrix with as"),
    ],
)
def test_what_does_not_fit_is_told(gold, predictions, kind, message):
    with pytest.raises(kind) as caught:
        read(gold, predictions)

    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("by", "groups"),
    [
        (["y", "x"], ["y", "x"]),
        (np.array([10, 9]), [10, 9]),
        (pl.Series(["y", "x"], dtype=pl.Categorical), ["y", "x"]),
        (("y", "x"), ["y", "x"]),
        ((["y", "x"], [1, 2]), ["y/1", "x/2"]),
    ],
    ids=["list", "array", "polars", "tuple", "two-columns"],
)
def test_examples_are_grouped(by, groups):
    column = add_columns(read([0, 1], [0, 1]), by=by).groups

    assert groups == [column.names[code] for code in column.codes]


@pytest.mark.parametrize(
    "weights",
    [[1, 2.5], np.array([1, 2.5], np.float32), pa.array(["1", "2.5"]), pd.Series([1, 2.5])],
)
def test_examples_are_weighted(weights):
    systems = add_columns(read([0, 1], [0, 1]), weights=weights)

    assert [1, 2.5] == systems.weights.tolist()


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([1], "weights has 1 values for 2 examples"),
        ([1, -1], "weights, row 2: -1.0 is not a weight"),
        ([1, None], "weights, row 2: None is not a number"),
        ([1, float("nan")], "weights, row 2: nan is not a weight"),
    ],
)
def test_bad_weights_are_told(column, message):
    with pytest.raises(InputError) as caught:
        add_columns(read([0, 1], [0, 1]), weights=column)

    assert message == str(caught.value)[: len(message)]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (["x"], "by has 1 values for 2 examples"),
        (["x", None], "by, row 2: the value is missing"),
        ([0.5, 1.5], "by, row 1: 0.5 is not a label"),
    ],
)
def test_bad_groups_are_told(column, message):
    with pytest.raises(InputError) as caught:
        add_columns(read([0, 1], [0, 1]), by=column)

    assert message == str(caught.value)[: len(message)]


@pytest.mark.parametrize(
    "clusters", [["y", "x"], np.array([10, 9]), pl.Series(["y", "x"]), pa.array(["y", "x"])]
)
def test_examples_belong_to_clusters(clusters):
    systems = read([0, 1], [0, 1])
    column = add_columns(systems, clusters=clusters).clusters

    assert np.asarray(clusters).tolist() == [column.names[code] for code in column.codes]
    with pytest.raises(InputError, match="clusters has 1 values for 2 examples"):
        add_columns(systems, clusters=["x"])
    with pytest.raises(InputError, match="clusters, row 2: the value is missing"):
        add_columns(systems, clusters=["x", None])


def test_several_systems_share_gold_and_labels():
    outputs = {"one": ["a", "c"], "two": ["b", "b"], "three": ["d", "a"]}
    systems = read_arrays(["b", "a"], outputs)

    assert (("one", "two", "three"), 2) == (systems.names, len(systems))
    assert ("a", "b", "c", "d") == systems.labels
    assert list(outputs.values()) == [
        [systems.labels[code] for code in own.labels.codes] for own in LABELS.of(systems).outputs
    ]


def test_some_of_several_systems_are_taken():
    outputs = {"one": [0.25, 0.75], "two": [1, 1], "three": [0, 1]}
    systems = add_columns(read_arrays([0, 1], outputs), by=["x", "y"])
    some = systems.of("three", "one")

    assert (("three", "one"), ("one",)) == (some.names, find_scored(some))
    assert [[0, 1], [0, 1]] == [own.labels.codes.tolist() for own in LABELS.of(some).outputs]
    assert [None, [0.25, 0.75]] == [
        None if own.probabilities is None else own.probabilities.tolist()
        for own in LABELS.of(some).outputs
    ]
    assert (LABELS.of(systems).gold, systems.groups) == (LABELS.of(some).gold, some.groups)
