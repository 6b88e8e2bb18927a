"""Lists and arrays in memory read as examples."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallystick.errors import InputError, UsageError
from tallystick.examples.examples import Examples, align
from tallystick.examples.labels import Label, as_column, combine, encode, row_of
from tallystick.examples.probabilities import check_weights, read_numbers
from tallystick.examples.sets import LabelRows, from_lists, from_matrix
from tallystick.examples.task import Task

__all__ = ["Predictions", "add_clusters", "add_groups", "add_weights", "read_arrays"]


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """One system's predictions where there are both labels and probabilities.

    Attributes:
        labels: A column of predicted labels, or None to derive them from the probabilities.
        probabilities: The positive label's, of shape (examples,), or every label's, of shape
            (examples, labels) in the order of the task's labels.
    """

    labels: object = None
    probabilities: object = None


def read_arrays(gold: object, predictions: object, name: str, task: Task) -> tuple[Examples, Task]:
    """Reads gold and one system's predictions; `score` says what they may be."""
    where = (row_of("gold"), row_of(name))
    given = _split(predictions)
    column = as_column(gold)
    if _holds_sets(column):
        gold_rows = _read_rows(column, task, "gold")
        sets = predictions.labels if isinstance(predictions, Predictions) else predictions
        if sets is None:
            raise UsageError("a multilabel task is scored from label sets, not from probabilities")
        named = replace(task, labels=gold_rows.names) if _is_matrix(column) else task
        return align(gold_rows, _read_rows(sets, named, name), None, task, where)
    labels = None if given.labels is None else encode(given.labels, where[1])
    numbers = None if given.probabilities is None else read_numbers(given.probabilities, where[1])
    return align(encode(column, where[0]), labels, numbers, task, where)


def add_groups(examples: Examples, by: object) -> Examples:
    """The same examples, grouped by a column of values or by a tuple of such columns."""
    columns = by if isinstance(by, tuple) and all(map(_is_sequence, by)) else (by,)
    groups = combine([encode(column, row_of("by")) for column in columns])
    _check_length(len(groups), examples, "by")
    return replace(examples, groups=groups)


def add_clusters(examples: Examples, clusters: object) -> Examples:
    """The same examples, with a column of what each hangs together with."""
    names = encode(clusters, row_of("clusters"))
    _check_length(len(names), examples, "clusters")
    return replace(examples, clusters=names)


def add_weights(examples: Examples, weights: object) -> Examples:
    """The same examples, weighted by a column of numbers."""
    numbers = check_weights(read_numbers(weights, row_of("weights")), row_of("weights"))
    _check_length(len(numbers), examples, "weights")
    return replace(examples, weights=numbers)


def _split(predictions: object) -> Predictions:
    """Tells labels from probabilities, which are floats, unless both were given by name."""
    if isinstance(predictions, Predictions):
        return predictions
    if predictions is None:
        raise UsageError("predictions are missing; only a table can hold gold and predictions")
    column = as_column(predictions)
    if isinstance(column, list | tuple):
        floats = bool(column) and all(isinstance(value, float) for value in column)
    elif isinstance(column, np.ndarray):
        floats = column.dtype.kind == "f"
    else:
        floats = str(column.type) in _FLOATS
    return Predictions(probabilities=column) if floats else Predictions(labels=column)


_FLOATS = ("halffloat", "float", "double")


def _is_sequence(values: object) -> bool:
    return hasattr(values, "__len__") and not isinstance(values, str)


def _is_matrix(column: Any) -> bool:
    return isinstance(column, np.ndarray) and column.ndim == 2


def _holds_sets(column: Any) -> bool:
    """Whether a column holds label sets: a matrix, an Arrow list column, or a list of lists."""
    if _is_matrix(column) or "list" in str(getattr(column, "type", "")):
        return True
    if not isinstance(column, list | tuple) or not column:
        return False
    return all(isinstance(labels, list | tuple | set | frozenset) for labels in column)


def _read_rows(values: object, task: Task, name: str) -> LabelRows:
    column = as_column(values)
    if _is_matrix(column):
        names: tuple[Label, ...] = tuple(range(column.shape[1]))
        return from_matrix(column, task.labels or names, row_of(name))
    if not _holds_sets(column):
        raise InputError(f"{name} holds single labels where label sets were expected")
    lists = column if isinstance(column, list | tuple) else column.to_pylist()
    rows = [sorted(map(_unbox, labels), key=str) for labels in lists]
    return from_lists(rows, row_of(name), task.labels)


def _unbox(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _check_length(length: int, examples: Examples, name: str) -> None:
    if length != len(examples):
        raise InputError(f"{name} has {length} values for {len(examples)} examples")
