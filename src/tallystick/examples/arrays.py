"""Lists and arrays in memory read as examples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.examples.align import Answer, align
from tallystick.examples.distributions import Cells
from tallystick.examples.guessed import look, note_guess
from tallystick.examples.judgements import add_judgements, judge
from tallystick.examples.kinds import LABELS, Kinds
from tallystick.examples.labels import Label, Labels, as_column, as_numpy, combine, encode, row_of
from tallystick.examples.numbers import Needed, Numbers, check_finite
from tallystick.examples.pairs import read_pairs
from tallystick.examples.probabilities import check_weights, read_numbers
from tallystick.examples.sets import LabelRows, from_lists, from_matrix
from tallystick.examples.span_lists import read_span_lists
from tallystick.examples.systems import Systems
from tallystick.examples.task import Task
from tallystick.io.nested import as_list
from tallystick.io.schemes import Scheme


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


def read_arrays(
    gold: object,
    systems: Mapping[str, object],
    task: Task,
    kinds: Kinds = LABELS,
    needed: Sequence[Needed] = (),
    scheme: Scheme | None = None,
) -> Systems:
    """Reads gold once, and each system's outputs beside it; `score` says what they may be.

    Raises:
        InputError: A value is not what it should be; the message names the row.
    """
    read = Systems(tuple(systems), task=task, asked=task)
    if "labels" in kinds:
        read = _read_labels(read, gold, systems)
    if "texts" in kinds:
        texts = tuple(read_pairs(own, gold, name) for name, own in systems.items())
        read = replace(read, texts=texts)
    if "spans" in kinds:
        spans, notes = read_span_lists(gold, systems, scheme)
        read = replace(read, spans=spans, notes=notes)
    single = [one for one in needed if one.form == "number"]
    if single:
        read = replace(read, numbers=_read_numbers(gold, systems, single))
    golden = judge(lambda: Cells.of(gold, row_of("gold")), task, needed)
    cells = (Cells.of(own, row_of(name)) for name, own in systems.items() if golden)
    judged = [{form: own.match(one) for form, own in golden.items()} for one in cells]
    found = add_judgements(read, golden, judged)
    if not len(found):
        raise InputError("there are no examples to score")
    return found


def _read_numbers(gold: object, systems: Mapping[str, object], needed: Sequence[Needed]) -> Numbers:
    columns = (name for one in needed for name in (one.column, one.width))
    named = next((name for name in columns if name is not None), None)
    if named is not None:
        raise UsageError(f"there is no column {named!r} in lists or arrays; pass a table")
    own: list[dict[str | None, NDArray[np.float64]]] = []
    for name, values in systems.items():
        if values is None:
            raise UsageError("outputs are missing; only a table can hold all")
        own.append({None: check_finite(read_numbers(values, row_of(name)), row_of(name))})
    golden = None
    if any(one.gold for one in needed):
        golden = check_finite(read_numbers(gold, row_of("gold")), row_of("gold"))
    sizes = {name: len(one[None]) for name, one in zip(systems, own, strict=True)}
    length = len(golden) if golden is not None else next(iter(sizes.values()))
    for name, size in sizes.items():
        if size != length:
            raise InputError(f"{name} has {size} values for {length} examples")
    return Numbers(golden).beside(own)


def _read_labels(read: Systems, gold: object, systems: Mapping[str, object]) -> Systems:
    task, column = read.task, as_column(gold)
    if _holds_sets(column):
        rows = _read_rows(column, task, "gold")
        named = replace(task, labels=rows.names) if _is_matrix(column) else task
        answers = {name: _read_sets(own, named, name) for name, own in systems.items()}
        aligned = align(rows, answers, task, row_of("gold"))
    else:
        labels = encode(column, row_of("gold"))
        given = {name: _split(own, name, labels, task) for name, own in systems.items()}
        answers = {name: _read_answer(own, name) for name, (own, _) in given.items()}
        notes = tuple(dict.fromkeys(note for _, own in given.values() for note in own))
        read = replace(read, notes=(*read.notes, *notes))
        aligned = align(labels, answers, task, row_of("gold"))
    return replace(read, gold=aligned.gold, outputs=aligned.outputs, task=aligned.task)


def _read_sets(given: object, task: Task, name: str) -> Answer:
    sets = given.labels if isinstance(given, Predictions) else given
    if sets is None:
        raise UsageError("a multilabel task is scored from label sets, not from probabilities")
    return Answer(_read_rows(sets, task, name), None, row_of(name))


def _read_answer(given: Predictions, name: str) -> Answer:
    where = row_of(name)
    if given.labels is not None and _holds_sets(as_column(given.labels)):
        return Answer(_read_rows(given.labels, Task(), name), None, where)
    labels = None if given.labels is None else encode(given.labels, where)
    numbers = None if given.probabilities is None else read_numbers(given.probabilities, where)
    return Answer(labels, numbers, where)


def add_columns(
    systems: Systems, *, by: object = None, clusters: object = None, weights: object = None
) -> Systems:
    """The same systems, with the columns that were given beside their examples."""
    groups = None
    if by is not None and not (isinstance(by, tuple) and not by):
        columns = by if isinstance(by, tuple) and all(map(_is_sequence, by)) else (by,)
        groups = combine([encode(column, row_of("by")) for column in columns])
        _check_length(len(groups), systems, "by")
    names = None
    if clusters is not None:
        names = encode(clusters, row_of("clusters"))
        _check_length(len(names), systems, "clusters")
    numbers = None
    if weights is not None:
        numbers = check_weights(read_numbers(weights, row_of("weights")), row_of("weights"))
        _check_length(len(numbers), systems, "weights")
    return replace(systems, groups=groups, clusters=names, weights=numbers)


def _split(
    predictions: object, name: str, gold: Labels, task: Task
) -> tuple[Predictions, list[str]]:
    """Tells labels from probabilities, unless both were given by name; notes what was guessed."""
    if isinstance(predictions, Predictions):
        return predictions, []
    if predictions is None:
        raise UsageError("predictions are missing; only a table can hold gold and predictions")
    column = as_column(predictions)
    if _is_matrix(column) and column.dtype.kind == "f":
        return Predictions(probabilities=column), []
    floats = _find_floats(column, name)
    if floats is None:
        return Predictions(labels=column), []
    scores = look(floats, gold.names, task).are_scores
    notes = note_guess("a column of floats", gold.names, task, scores=scores)
    return (Predictions(None, column) if scores else Predictions(column)), notes


def _find_floats(column: Any, name: str) -> NDArray[np.floating[Any]] | None:
    """The values of a column of numbers that are not all integers by their type, or None."""
    import pyarrow as pa

    if isinstance(column, list | tuple):
        types = set(map(type, column))
        numbers = all(issubclass(one, int | float | np.number) for one in types)
        floats = any(issubclass(one, float | np.floating) for one in types)
        return read_numbers(column, row_of(name)) if numbers and floats else None
    if isinstance(column, np.ndarray):
        return column if column.ndim == 1 and column.dtype.kind == "f" else None
    return as_numpy(column.drop_null()) if pa.types.is_floating(column.type) else None


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
    lists = column if isinstance(column, list | tuple) else as_list(column, name)
    lost = next((row for row, labels in enumerate(lists) if labels is None), None)
    if lost is not None:
        raise InputError(f"{row_of(name)(lost)}: the label set is missing; an empty one is []")
    rows = [sorted(map(_unbox, labels), key=str) for labels in lists]
    return from_lists(rows, row_of(name), task.labels)


def _unbox(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _check_length(length: int, systems: Systems, name: str) -> None:
    if length != len(systems):
        raise InputError(f"{name} has {length} values for {len(systems)} examples")
