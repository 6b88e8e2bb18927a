"""The examples of a track without their gold, and made-up gold in its place.

A submission is checked beside gold that was made up, so that nothing that is said of it can come
from the true one, and participants who have no gold are told the same as the server's.
"""

import json
import os
from collections.abc import Sequence
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from tallystick.codes import Label
from tallystick.comparison.ranking.tracks import plan_track
from tallystick.examples.columns import GOLD, IDS, INPUT, Columns, find
from tallystick.examples.distribution_cells import find_votes
from tallystick.examples.reading import Reading
from tallystick.examples.sides import Side
from tallystick.frozen import dataclass, replace
from tallystick.io.files.datasets import list_files
from tallystick.io.files.texts import count_lines
from tallystick.io.tables.building import build_lists, build_numbers, build_strings
from tallystick.io.tables.formats import LINE
from tallystick.io.tables.table import Table, read_table
from tallystick.io.tasks import Track
from tallystick.kinds.labels import LABELS
from tallystick.kinds.labels.answers import Gold, read_gold_column
from tallystick.kinds.numbers.soft_labels import read_gold_cells
from tallystick.kinds.spans import SPANS
from tallystick.kinds.spans.span_columns import TOKENS, read_gold_spans
from tallystick.kinds.tries import TRIES
from tallystick.kinds.tries.tries import PROBLEMS
from tallystick.reading.layouts import are_lines

if TYPE_CHECKING:
    import pyarrow as pa

_CALLED = "the test data"
"""What messages call the examples."""


@dataclass(frozen=True, slots=True, eq=False)
class Blind:
    """The examples of a track with made-up gold.

    Gold is a table, or a file of as many made-up lines; neither where it cannot be made up. The
    ids are an Arrow array; None where the order of examples counts. The labels are those that
    the task names; they are open-ended where the gold's values alone tell them.
    """

    reading: Reading
    count: int
    gold: Table | None = None
    lines: str | None = None
    id: str | None = None
    ids: "pa.ChunkedArray | None" = None
    labels: tuple[Label, ...] | None = None
    open_ended: bool = False


def read_blind(track: Track, folder: str, named: tuple[Label, ...] | None = None) -> Blind | None:
    """Returns the examples of a track with made-up gold; None where no file tells them.

    They are those of the gold, or of the file of ids where the gold is not there, as in a
    starting kit. Gold is made of the labels that are `named` where the task names none, and
    else of the gold's. Made-up lines are written to the folder.
    """
    for path in (track.gold, track.ids):
        if path is not None and list_files(path):
            reading = plan_track(track)
            if are_lines(path, reading):
                count, lines = count_lines(path), os.path.join(folder, "lines.txt")
                with open(lines, "w", encoding="utf-8") as file:
                    file.writelines(f"line {number}\n" for number in range(count))
                return Blind(reading, count, lines=lines)
            golden = path == track.gold
            table = read_table(path, kind=track.format if golden else None)
            return _make_blind(_Model.of(table, track, reading, golden=golden, named=named))
    return None


@dataclass(frozen=True, slots=True, eq=False)
class _Model:
    """What made-up gold is made after; what the table does not tell is None.

    The labels are in the order of the task or the gold. Cells are the true soft labels, or the
    votes of annotators; sizes are how many tags each example has.
    """

    table: Table
    track: Track
    reading: Reading
    labels: tuple[Label, ...] | None
    truth: Gold | None = None
    cells: Sequence[object] | None = None
    sizes: Sequence[int] | None = None

    @classmethod
    def of(
        cls,
        table: Table,
        track: Track,
        reading: Reading,
        *,
        golden: bool,
        named: tuple[Label, ...] | None,
    ) -> "_Model":
        """Reads what a table, perhaps of gold, tells of the form of gold."""
        model = cls(table, track, reading, track.labels)
        side, columns, kinds = Side(table), reading.columns, reading.kinds or ()
        if golden and LABELS in kinds:
            truth = read_gold_column(side, columns, reading.task, alone=False)
            model = replace(model, truth=truth, labels=track.labels or truth.labels.names)
            return replace(model, labels=named) if named and model.open_ended else model
        if golden and any(one.gold and one.form != "number" for one in reading.numbers):
            cells = read_gold_cells(side, columns, alone=False)
            return replace(model, cells=[*cells.values], labels=track.labels or cells.list_labels())
        if golden and kinds == (SPANS,) and table.unit != "sentence":
            tags = read_gold_spans(side, columns, alone=False).found.tags
            return replace(model, sizes=None if tags is None else np.diff(tags.offsets).tolist())
        return model

    @property
    def open_ended(self) -> bool:
        """Whether nothing but the gold tells which labels there are."""
        return self.track.labels is None and self.truth is not None and not self.truth.matrix


def _make_blind(model: _Model) -> Blind:
    import pyarrow as pa

    table, reading = model.table, model.reading
    columns = reading.columns.spelled(table.names())
    ids = find(table.names(), PROBLEMS if reading.kinds == (TRIES,) else IDS, columns.id)
    ids = ids if ids in table.names() else None
    by = tuple(name for name in columns.by if name in table.names())
    made = _make_up(model)
    texts = (INPUT, TOKENS) if reading.kinds == (SPANS,) else ()
    beside = (ids, *by, *(find(table.names(), usual) for usual in texts))
    beside = ("1", LINE) if table.unit == "sentence" else beside
    kept = {name: table.column(name) for name in beside if name is not None}
    gold = None if made is None else Table(_CALLED, pa.table(kept | made), table.unit, table.first)
    single = made is not None and _name_gold(columns) in made
    called = _name_gold(columns) if single else None
    columns = replace(columns, gold=called, by=by, clusters=None, weight=None)
    task = reading.task
    if model.cells is not None:
        task = replace(task, labels=model.labels)
    return Blind(
        replace(reading, columns=columns, task=task),
        len(table),
        gold,
        None,
        ids,
        None if ids is None else table.column(ids),
        model.track.labels,
        model.open_ended,
    )


def _make_up(model: _Model) -> "dict[str, pa.Array] | None":
    """Columns of gold in the form of the true one; None where nothing tells the labels."""
    kinds, rows = model.reading.kinds or (), len(model.table)
    name = _name_gold(model.reading.columns)
    widths = {
        one.width: build_numbers([0.0] * rows)
        for one in model.reading.numbers
        if one.width is not None
    }
    if LABELS in kinds:
        made = _make_labels(model, name) if model.labels else None
        return None if made is None else made | widths
    if any(one.gold and one.form != "number" for one in model.reading.numbers):
        return {name: build_strings(_make_shares(model, model.labels))} if model.labels else None
    if any(one.gold for one in model.reading.numbers):
        return {name: build_numbers([*map(float, range(rows))])} | widths
    if kinds == (SPANS,):
        return _make_spans(model, name)
    return {name: build_strings([f"text {row}" for row in range(rows)])}


def _make_spans(model: _Model, name: str) -> "dict[str, pa.Array]":
    """One span in each example; where tags are as many as tokens, those of what is outside."""
    if model.table.unit == "sentence":
        sizes = [len(tokens) for tokens in model.table.column("1").to_pylist()]
        return {"2": build_lists([["O"] * size for size in sizes])}
    if model.sizes is not None:
        tags = [["O"] * size for size in model.sizes]
        return {name: build_lists(tags)}
    return {name: build_strings(['[[0, 1, "made up"]]'] * len(model.table))}


def _name_gold(columns: Columns) -> str:
    """What made-up gold is called where it is one column."""
    return columns.gold or "made-up gold"


def _make_labels(model: _Model, name: str) -> "dict[str, pa.Array]":
    """The labels in turn: as a column of them, as columns of 0 and 1, or as lists."""
    labels, truth = model.labels or (), model.truth
    dealt = [*islice(cycle(map(str, labels)), len(model.table))]
    several = model.reading.task.kind == "multilabel"
    if truth is not None:
        several = truth.labels.several
    if not several:
        return {name: build_strings(dealt)}
    if _has_columns(model.table, model.reading.columns, truth):
        return {
            str(label): build_numbers([int(one == str(label)) for one in dealt]) for label in labels
        }
    return {name: build_lists([[one] for one in dealt])}


def _make_shares(model: _Model, labels: Sequence[Label]) -> list[str]:
    """Soft labels that are sure of the labels in turn, or as many votes for them, as JSON."""
    dealt = islice(cycle(map(str, labels)), len(model.table))
    cells = [None] * len(model.table) if model.cells is None else model.cells
    return [
        json.dumps(_vote(cell, one) or {str(label): float(str(label) == one) for label in labels})
        for cell, one in zip(cells, dealt, strict=True)
    ]


def _vote(cell: Any, label: str) -> Any:
    """The same votes for one label; None where a cell holds none."""
    if find_votes(cell) is None:
        return None
    return dict.fromkeys(cell, label) if isinstance(cell, dict) else [label] * len(cell)


def _has_columns(table: Table, columns: Columns, truth: Gold | None) -> bool:
    """Whether label sets are columns of 0 and 1."""
    if truth is not None:
        return bool(truth.matrix)
    named = columns.gold is not None or columns.delimiter is not None
    return not named and find(table.names(), GOLD) is None
