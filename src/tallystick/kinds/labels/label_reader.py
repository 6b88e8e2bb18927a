"""Reads labels, label sets and probabilities, and makes sample submissions of them."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import cycle, islice
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, MissingValueError, UsageError
from tallystick.io.tables.values import (
    as_column,
    as_list,
    as_numpy,
    build_lists,
    build_numbers,
    build_strings,
)
from tallystick.kinds.labels.label_cells import round_label
from tallystick.kinds.labels.label_column_reader import (
    Gold,
    read_answer,
    read_confidence,
    read_gold_column,
)
from tallystick.kinds.labels.label_columns import LabelRows, from_lists, from_matrix
from tallystick.kinds.labels.label_encoding import Answer, align, check_fit
from tallystick.model.codes import Label, Labels, encode, row_of, spell
from tallystick.model.columns import GOLD, Columns, find
from tallystick.model.facts import Task
from tallystick.model.number_values import Cells, read_numbers
from tallystick.model.reading import Drafted, MadeUp, Reading, ResettleError, Sample
from tallystick.model.sides import Side, find_gold, note_differences, note_taken
from tallystick.model.systems import Systems
from tallystick.model.type_inference import Former, look, note_guess


def make_labels(sample: Sample, name: str) -> MadeUp:
    """Deals labels in turn: as a column of them, as columns of 0 and 1, or as lists."""
    table, task, columns = sample.table, sample.reading.task, sample.reading.columns
    labels, several = sample.labels, task.kind == "multilabel"
    gold: tuple[Label, ...] = ()
    open_ended = False
    named = columns.gold is not None or columns.delimiter is not None
    matrix = not named and find(table.names(), GOLD) is None
    if sample.golden:
        truth = read_gold_column(Side(table), columns, task, alone=False)
        several, matrix, gold = truth.labels.several, bool(truth.matrix), truth.labels.names
        # Only the gold shows which labels there are.
        open_ended = labels is None and not matrix
        labels = (sample.dealt if open_ended else None) or labels or gold
    if not labels:
        return MadeUp(None, open_ended=open_ended)
    dealt = [*islice(cycle(map(str, labels)), len(table))]
    if not several:
        made = {name: build_strings(dealt)}
    elif matrix:
        made = {one: build_numbers([int(own == one) for own in dealt]) for one in map(str, labels)}
    else:
        made = {name: build_lists([[one] for one in dealt])}
    return MadeUp(made, open_ended=open_ended, known=(*labels, *gold))


def draft_labels(sample: Sample, name: str) -> Drafted:
    """Returns the gold as answers: labels, label sets, 0/1 columns, or probabilities of 0 and 1."""
    table, columns, task = sample.table, sample.reading.columns, sample.reading.task
    side = Side(table)
    gold = read_gold_column(side, columns, task, alone=False).labels
    if task.positive is not None:
        task.spelled().settle(gold.names, scores=False)
    in_columns = {str(label) for label in gold.names} <= set(table.names())
    if not isinstance(gold, Labels) and in_columns:
        return Drafted({str(one): table.column(str(one)).to_pylist() for one in gold.names})
    values = table.column(find_gold(side, columns, alone=False)).to_pylist()
    answers: dict[str, Sequence[Any]] = {name: values}
    if columns.probability is None and not sample.scored:
        return Drafted(answers)
    names, spelled = list(map(spell, gold.names)), list(map(spell, values))
    task = task.spelled().settle(names, scores=len(names) < 3)
    if task.kind == "binary":
        answers[columns.probability or "y_prob"] = [float(one == task.positive) for one in spelled]
    else:
        for label in task.labels or names:
            answers[f"prob_{label}"] = [float(one == label) for one in spelled]
    return Drafted(answers)


class Predictions(Struct, frozen=True, eq=False):
    """One system's labels and probabilities.

    Attributes:
        labels: A column of predicted labels, or None to derive them from the probabilities.
        probabilities: The positive label's, of shape (examples,), or every label's, of shape
            (examples, labels) in the order of the task's labels.
    """

    labels: object = None
    probabilities: object = None


def read_label_lists(
    systems: Systems, golden: object, outputs: Mapping[str, object], reading: Reading
) -> Systems:
    """Returns the systems with gold and outputs in memory as labels, which settle the task."""
    task, column = systems.facts.task, as_column(golden)
    if _holds_sets(column):
        gold: Labels | LabelRows = _read_rows(column, task, "gold")
        named = replace(task, labels=gold.names) if _is_matrix(column) else task
        answers = {name: _read_sets(own, named, name, gold.names) for name, own in outputs.items()}
        notes: tuple[str, ...] = ()
    else:
        gold = encode(column, row_of("gold"))
        text = {name: _split(own, name, gold, reading) for name, own in outputs.items()}
        answers = {name: _read_answer(own, name, task) for name, (own, _) in text.items()}
        notes = tuple(dict.fromkeys(note for _, own in text.values() for note in own))
    labels, settled = align(gold, answers, task, row_of("gold"))
    if reading.tolerant:
        for name, output in zip(outputs, labels.outputs, strict=True):
            answer = Answer(output.labels, output.probabilities, row_of(name))
            check_fit(gold, task, name, answer)
    return systems.beside("labels", labels).know(task=settled).tell(*notes)


def _read_sets(given: object, task: Task, name: str, labels: Sequence[Label]) -> Answer:
    """Reads label sets, or a score of each label: a matrix, lists, or objects by label."""
    sets, scores = given, None
    if isinstance(given, Predictions):
        sets, scores = given.labels, given.probabilities
    elif given is not None and _are_set_scores(as_column(given), name):
        sets, scores = None, given
    if sets is None and scores is None:
        raise UsageError("predictions are missing; give label sets, or a score of each label")
    numbers = None
    if scores is not None:
        numbers = Cells.of(scores, row_of(name)).arrange(tuple(map(str, labels)))
    rows = None if sets is None else _read_rows(sets, task, name)
    return Answer(rows, numbers, row_of(name))


def _are_set_scores(column: Any, name: str) -> bool:
    """Whether a matrix, lists or objects have fractions, or numbers other than 0 and 1."""
    if _is_matrix(column):
        return column.dtype.kind == "f" and bool(((column != 0) & (column != 1)).any())
    if isinstance(column, np.ndarray):
        return False
    cells = column if isinstance(column, list | tuple) else as_list(column, name)
    if any(isinstance(cell, Mapping) for cell in cells):
        return True
    lists = [cell for cell in cells if isinstance(cell, list | tuple | np.ndarray)]
    return any(isinstance(one, float | np.floating) for cell in lists for one in cell)


def _read_answer(given: Predictions, name: str, task: Task) -> Answer:
    where = row_of(name)
    if given.labels is not None and _holds_sets(as_column(given.labels)):
        return Answer(_read_rows(given.labels, Task(), name), None, where)
    labels = None if given.labels is None else _encode(as_column(given.labels), name, task)
    numbers = None if given.probabilities is None else read_numbers(given.probabilities, where)
    return Answer(labels, numbers, where)


def _encode(values: object, name: str, task: Task) -> Labels:
    """Encodes labels; fractions become the nearest of labels that are ordered."""
    floats = _find_floats(values, name) if task.ordered else None
    if floats is None or not np.isfinite(floats).all():
        return encode(values, row_of(name))
    distinct, codes = np.unique(floats, return_inverse=True)
    found = Labels(codes.astype(np.uint32), tuple(distinct.tolist()))
    return found.rename(lambda number: round_label(number, task.labels or ()))


def _split(
    predictions: object, name: str, gold: Labels, reading: Reading
) -> tuple[Predictions, list[str]]:
    """Distinguishes labels from probabilities, unless they were named; notes what was guessed."""
    if isinstance(predictions, Predictions):
        return predictions, []
    if predictions is None:
        raise UsageError("predictions are missing; only a table can contain gold and predictions")
    column = as_column(predictions)
    if _is_matrix(column) and column.dtype.kind == "f":
        return Predictions(probabilities=column), []
    floats = _find_floats(column, name)
    if floats is None:
        if reading.ordered and len(gold.names) < 3:
            names = {*encode(column, row_of(name)).names}
            if names - {*gold.names} and all(isinstance(one, int) for one in names):
                return Predictions(probabilities=column), []
        return Predictions(labels=column), []
    task = reading.task
    scores = look(floats, gold.names, task, any_scale=reading.ordered).are_scores
    notes = note_guess("a column of floats", gold.names, task, scores=scores)
    return (Predictions(None, column) if scores else Predictions(column)), notes


def _find_floats(column: Any, name: str) -> NDArray[np.floating[Any]] | None:
    """The values of a column of numbers that are not all integers by their type, or None."""
    if isinstance(column, list | tuple):
        types = set(map(type, column))
        numbers = all(issubclass(one, int | float | np.number) for one in types)
        floats = any(issubclass(one, float | np.floating) for one in types)
        return read_numbers(column, row_of(name)) if numbers and floats else None
    if isinstance(column, np.ndarray):
        return column if column.ndim == 1 and column.dtype.kind == "f" else None
    return as_numpy(column.drop_null()) if pa.types.is_floating(column.type) else None


def _is_matrix(column: object) -> bool:
    return isinstance(column, np.ndarray) and column.ndim == 2


def _holds_sets(column: object) -> bool:
    """Whether a column contains label sets: a matrix, an Arrow list column, or a list of lists."""
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
        raise InputError(f"{name} contains single labels where label sets were expected")
    lists = column if isinstance(column, list | tuple) else as_list(column, name)
    lost = next((row for row, labels in enumerate(lists) if labels is None), None)
    if lost is not None:
        raise MissingValueError(
            f"{row_of(name)(lost)}: the label set is missing; an empty one is []"
        )
    plain = ((one.item() if isinstance(one, np.generic) else one for one in row) for row in lists)
    return from_lists([sorted(row, key=str) for row in plain], row_of(name), task.labels)


class LabelReader(Struct, frozen=True, eq=False):
    """Reads labels, label sets and probabilities."""

    gold: Gold
    left: Side
    reading: Reading
    found: dict[str, tuple[Answer, list[str]]] = field(default_factory=dict)

    def read(self, name: str, side: Side, columns: Columns) -> None:
        """Reads the answers of a system; a ResettleError where earlier rows looked different."""
        former = dict(self.reading.former).get(name, Former())
        found = read_answer(self.gold, self.left, side, columns, former)
        found = replace(found, confidence=read_confidence(side, found.taken))
        if self.reading.asked and found.seen.are_scores != former.seen.are_scores:
            known = dict(self.reading.former) | {name: Former(former.threshold, found.seen)}
            raise ResettleError(replace(self.reading, former=tuple(known.items())))
        if self.reading.tolerant:
            check_fit(self.gold.labels, self.gold.task, name, found)
        notes = self._note(side, found, columns)
        if self.gold.task.ordered and found.taken and side.absent is None:
            with suppress(InputError):
                if (side.numbers(found.taken[0]) % 1 != 0).any():
                    notes.append(f"outputs of {name} that are fractions become the nearest label.")
        self.found[name] = (found, notes)

    def add(self, systems: Systems) -> Systems:
        """Returns the systems with gold and answers over the same labels."""
        given = {name: self.found[name][0] for name in systems.names}
        gold, locate = self.gold, self.left.locate(self.gold.name)
        column, task = align(gold.labels, given, gold.task, locate)
        notes = dict.fromkeys(note for name in systems.names for note in self.found[name][1])
        former = tuple((name, Former(own.threshold, own.seen)) for name, own in given.items())
        found = replace(systems.beside("labels", column), matrix=gold.matrix, former=former)
        return found.know(task=task, asked=gold.task).tell(*notes)

    def _note(self, right: Side, found: Answer, columns: Columns) -> list[str]:
        """Which columns were taken for gold and predictions, and which differ from the gold's."""
        left, golden = self.left, self.gold.matrix or (self.gold.name,)
        beside = found.taken if left.beside(right) else ()
        notes = note_taken(left, "gold", golden, beside, columns)
        notes += note_taken(right, "predictions", found.taken, golden, columns)
        if found.guessed is not None and isinstance(self.gold.labels, Labels):
            what, task = f"column {found.guessed!r}", self.reading.asked or self.reading.task
            scores = found.probabilities is not None
            notes += note_guess(what, self.gold.labels.names, task, scores=scores)
        if not self.reading.tolerant:
            notes += note_differences(left, right, self.gold.name, found.taken, columns)
        return notes


def read_gold_labels(left: Side, reading: Reading, *, alone: bool) -> Gold:
    """Reads the gold labels of a table."""
    found = read_gold_column(left, reading.columns, reading.task, alone=alone)
    found = replace(found, hidden=reading.hidden, by_order=reading.ordered)
    return replace(found, labels=found.labels.recode(reading.golden)) if reading.golden else found


def open_labels(left: Side, reading: Reading, *, alone: bool) -> LabelReader:
    """Reads the gold labels of a table, and returns a reader of systems."""
    return LabelReader(read_gold_labels(left, reading, alone=alone), left, reading)
