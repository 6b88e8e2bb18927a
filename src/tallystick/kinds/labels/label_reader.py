"""Readers of one kind of columns of tables each: of gold once, and of each system beside it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import Labels
from tallystick.errors import InputError
from tallystick.examples.block_notes import count_empty
from tallystick.examples.columns import (
    BOTH,
    IDS,
    INPUT,
    OUTPUT,
    PREDICTED,
    REFERENCE,
    Columns,
    find,
    need,
)
from tallystick.examples.guessed import Former, note_guess
from tallystick.examples.reading import Reading, ResettleError
from tallystick.examples.sides import Side
from tallystick.examples.systems import Systems
from tallystick.examples.unused_columns import note_differences, note_taken
from tallystick.kinds.labels.align import Fit, align
from tallystick.kinds.labels.answers import Gold, Read, read_answer
from tallystick.kinds.numbers.judgements import Golden as GoldenJudgements
from tallystick.kinds.numbers.judgements import Judged, add_numbers, read_judged
from tallystick.kinds.numbers.numbers import Needed, Numbers, read_outputs
from tallystick.kinds.spans.span_columns import Golden as GoldenSpans
from tallystick.kinds.spans.span_columns import pair_spans, read_own_spans
from tallystick.kinds.spans.spans import Spans
from tallystick.kinds.texts.text_columns import TextColumn, TextPart
from tallystick.kinds.texts.texts import Texts, pair_texts, take_texts


@final
@dataclass(frozen=True, slots=True, eq=False)
class LabelReader:
    """Reads labels, label sets and probabilities.

    Attributes:
        gold: The gold.
        left: Its table.
        reading: How columns are read.
        found: What was read of each system, and what must be noted of it.
    """

    gold: Gold
    left: Side
    reading: Reading
    found: dict[str, tuple[Read, list[str]]] = field(default_factory=dict)

    def read(self, name: str, side: Side, columns: Columns) -> None:
        """Reads the answers of a system.

        Raises:
            ResettleError: Earlier rows of it were taken for labels, and these show probabilities;
                or the reverse.
        """
        former = dict(self.reading.former).get(name, Former())
        found = read_answer(self.gold, self.left, side, columns, former)
        if self.reading.asked and found.seen.are_scores != former.seen.are_scores:
            known = dict(self.reading.former) | {name: Former(former.threshold, found.seen)}
            raise ResettleError(replace(self.reading, former=tuple(known.items())))
        Fit(self.gold.labels, self.gold.task, self.reading.tolerant).check(name, found.answer)
        self.found[name] = (found, self._note(side, found, columns))

    def add(self, systems: Systems) -> Systems:
        """Returns the systems with gold and answers over the same labels."""
        given = {name: self.found[name][0].answer for name in systems.names}
        column, task = align(self.gold.labels, given, self.gold.task, self.gold.locate)
        notes = dict.fromkeys(note for name in systems.names for note in self.found[name][1])
        return replace(
            systems.beside("labels", column),
            task=task,
            asked=self.gold.task,
            matrix=self.gold.matrix,
            former=tuple(
                (name, Former(answer.threshold, self.found[name][0].seen))
                for name, answer in given.items()
            ),
            notes=(*systems.notes, *notes),
        )

    def _note(self, right: Side, found: Read, columns: Columns) -> list[str]:
        """What was taken for gold and predictions, and which columns say otherwise than gold's."""
        left, golden = self.left, self.gold.matrix or (self.gold.name,)
        beside = found.taken if left is right else ()
        notes = note_taken(left, "gold", golden, beside, columns)
        notes += note_taken(right, "predictions", found.taken, golden, columns)
        if found.guessed is not None and isinstance(self.gold.labels, Labels):
            what, task = f"column {found.guessed!r}", self.reading.asked or self.reading.task
            scores = found.answer.probabilities is not None
            notes += note_guess(what, self.gold.labels.names, task, scores=scores)
        if not self.reading.tolerant:
            notes += note_differences(left, right, self.gold.name, found.taken, columns)
        return notes


@final
@dataclass(frozen=True, slots=True, eq=False)
class TextReader:
    """Reads texts beside their references.

    Attributes:
        left: The table of the references.
        found: The texts of each system, and how many of them were missing.
    """

    left: Side
    found: dict[str, tuple[TextPart, int]] = field(default_factory=dict)

    def read(self, name: str, side: Side, columns: Columns) -> None:
        """Reads the hypotheses of a system."""
        left, output = self.left, _find_output(self.left, side, columns)
        rest = [one for one in left.names if left is not side or one != output]
        reference = find(rest, BOTH, columns.gold)
        apart = (*IDS, *columns.by, columns.clusters, columns.id)
        single = [one for one in rest if one not in apart]
        if reference is None and left is not side and len(single) == 1:
            reference = single[0]
        if reference is None:
            reference = need(left.table, REFERENCE, None, "gold")
        if left is side and output == reference:
            raise InputError(
                f"{left.table.source}: column {output!r} cannot be both gold and output; name them "
                "with --gold-column and --predicted-column"
            )
        hypotheses, missing = _read_texts(side, output, columns)
        references = _read_references(left, reference)
        located = (side.locate(output), left.locate(reference))
        self.found[name] = (pair_texts(hypotheses, references, located), missing)

    def add(self, systems: Systems) -> Systems:
        """Returns the systems with their texts."""
        sizes = {name: self.found[name][1] for name in systems.names}
        empty = (count_empty(name, size) for name, size in sizes.items() if size)
        texts = TextColumn(tuple(self.found[name][0] for name in systems.names))
        return replace(systems.beside("texts", texts), notes=(*systems.notes, *empty))


@final
@dataclass(frozen=True, slots=True, eq=False)
class NumberReader:
    """Reads numbers, and distributions and what systems say of each annotator.

    Attributes:
        left: The table of the gold.
        needed: The numbers that are read.
        given: The gold numbers, beside which no system stands yet.
        golden: The gold distributions and annotators' labels.
        found: The numbers of each system.
        judged: Its distributions and labels.
    """

    left: Side
    needed: Sequence[Needed]
    given: Numbers
    golden: GoldenJudgements
    found: dict[str, Mapping[str | None, NDArray[np.float64]]] = field(default_factory=dict)
    judged: dict[str, Judged] = field(default_factory=dict)

    def read(self, name: str, side: Side, columns: Columns) -> None:
        """Reads the numbers of a system."""
        self.found[name] = read_outputs(self.left, side, columns, self.needed)
        self.judged[name] = read_judged(self.golden, self.left, side, columns)

    def add(self, systems: Systems) -> Systems:
        """Returns the systems with their numbers."""
        numbers = self.given.beside([self.found[name] for name in systems.names])
        judged = [self.judged[name] for name in systems.names]
        return add_numbers(systems, numbers, self.golden, judged)


@final
@dataclass(frozen=True, slots=True, eq=False)
class SpanReader:
    """Reads spans, and tags that stand for them.

    Attributes:
        golden: The gold spans.
        left: Their table.
        columns: Which column holds what.
        found: The spans of each system, and what must be noted of them.
    """

    golden: GoldenSpans
    left: Side
    columns: Columns
    found: dict[str, tuple[Spans, tuple[str, ...]]] = field(default_factory=dict)

    def read(self, name: str, side: Side, columns: Columns) -> None:
        """Reads the spans of a system."""
        self.found[name] = read_own_spans(name, self.golden, self.left, side, columns)

    def add(self, systems: Systems) -> Systems:
        """Returns the systems with their spans."""
        spans = pair_spans(
            self.golden, [self.found[name][0] for name in systems.names], self.columns
        )
        own = dict.fromkeys(note for name in systems.names for note in self.found[name][1])
        return replace(
            systems.beside("spans", spans), notes=(*self.golden.notes, *systems.notes, *own)
        )


def _read_references(side: Side, name: str) -> Sequence[Any] | Texts:
    """Returns the references of each example; in one buffer where each has one, a string."""
    import pyarrow.compute as pc

    texts = take_texts(side.values(name))
    if texts is None or pc.all(pc.starts_with(side.values(name), "[")).as_py():
        return list_references(side, name)
    return texts


def list_references(side: Side, name: str) -> list[Any]:
    """Returns the references of each example; where all cells of a file are JSON, their lists."""
    cells = side.cells(name)
    if not all(isinstance(cell, str) and cell.startswith("[") for cell in cells):
        return cells
    try:
        found = [json.loads(cell) for cell in cells]
    except (ValueError, RecursionError):
        return cells
    alike = all(isinstance(one, list) and all(isinstance(t, str) for t in one) for one in found)
    return found if alike else cells


def _read_texts(side: Side, name: str, columns: Columns) -> tuple[Sequence[str] | Texts, int]:
    """The texts, with an empty one for each that is missing, and how many are.

    Raises:
        InputError: One is missing, and that is an error.
    """
    texts = take_texts(side.values(name))
    if texts is not None:
        return texts, 0
    cells = side.cells(name)
    lacking = np.zeros(len(cells), bool) if side.absent is None else side.absent
    missing = [row for row, text in enumerate(cells) if text is None]
    for row in missing:
        if columns.invalid == "error" and not lacking[row]:
            raise InputError(
                f"{side.locate(name)(row)}: the text is missing; pass --invalid wrong "
                "to count it as empty"
            )
    return ["" if one is None else one for one in cells], len(missing)


def _find_output(left: Side, right: Side, columns: Columns) -> str:
    names = [name for name in right.names if left is not right or name != columns.gold]
    found = find(names, (*OUTPUT, *PREDICTED), columns.predicted)
    if found is not None:
        return found
    apart = (*IDS, *columns.by, columns.clusters, columns.id)
    rest = [name for name in right.names if name not in apart]
    rest = [name for name in rest if name not in INPUT] or rest
    if left is not right and len(rest) == 1:
        return rest[0]
    return need(right.table, OUTPUT, None, "predicted")
