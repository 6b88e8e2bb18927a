"""The examples of a track without their gold, and made-up gold in its place.

A submission is checked beside gold that was made up, so that nothing that is said of it can come
from the true one, and participants who have no gold are told the same as the server's.
"""

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from functools import cache, wraps
from itertools import cycle, islice
from typing import Any, ParamSpec, TypeVar

import numpy as np
import pyarrow as pa

from tallystick.errors import TallystickError
from tallystick.frozen import dataclass, replace
from tallystick.io.files.datasets import list_files
from tallystick.io.files.lines import count_lines
from tallystick.io.tables.building import build_lists, build_numbers, build_strings
from tallystick.io.tables.columns import list_parts
from tallystick.io.tables.formats import LINE
from tallystick.io.tables.table import Table, read_table
from tallystick.kinds.labels.answers import Gold, read_gold_column
from tallystick.kinds.numbers.soft_labels import read_gold_cells
from tallystick.kinds.spans import SPANS
from tallystick.kinds.spans.span_columns import TOKENS, read_gold_spans
from tallystick.model.codes import Label
from tallystick.model.columns import GOLD, INPUT, Columns, find
from tallystick.model.number_values import find_votes
from tallystick.model.reading import Reading
from tallystick.model.sides import Side
from tallystick.reading.layouts import are_lines
from tallystick.tasks.task_file import Track
from tallystick.tasks.tracks import plan_track

_CALLED = "the test data"
"""What messages call the examples."""
_KEPT = 256

Given = ParamSpec("Given")
Value = TypeVar("Value")


def remember(read: Callable[Given, Value]) -> Callable[Given, Value]:
    """Makes a function of tracks or paths keep what it returns or raises until a file changes."""
    known: dict[object, Value | TallystickError] = {}

    @wraps(read)
    def find(*args: Given.args, **kwargs: Given.kwargs) -> Value:
        tracks = [one for one in args if isinstance(one, Track)]
        paths = [one for one in args if isinstance(one, str)]
        paths += [path for one in tracks for path in (one.gold, one.ids) if path is not None]
        key = (args, os.getcwd(), *map(list_files, paths))
        if key not in known:
            if len(known) >= _KEPT:
                known.clear()
            try:
                known[key] = read(*args, **kwargs)
            except TallystickError as error:
                known[key] = error
        value = known[key]
        if isinstance(value, TallystickError):
            raise value.with_traceback(None)
        return value

    return find


@dataclass(frozen=True, slots=True, eq=False)
class Blind:
    """The examples of a track with made-up gold.

    Gold is a table, or a file of as many made-up lines; neither where it cannot be made up. The
    ids are an Arrow array; None where the order of examples counts. The labels are those that
    the task names; they are open-ended where the gold's values alone tell them. All labels that
    the task or the gold has are `known`.
    """

    reading: Reading
    count: int
    gold: Table | None = None
    lines: str | None = None
    id: str | None = None
    ids: pa.ChunkedArray | None = None
    labels: tuple[Label, ...] | None = None
    open_ended: bool = False
    known: tuple[Label, ...] = ()


def list_track_files(track: Track) -> list[str]:
    """Returns the files of a track's gold, and of its ids where there is none."""
    paths = [path for path in (track.gold, track.ids) if path is not None and list_files(path)]
    return [file.path for path in paths[:1] for file in list_files(path)]


@remember
def read_blind(track: Track, named: tuple[Label, ...] | None = None) -> Blind | None:
    """Returns the examples of a track with made-up gold; None where no file tells them.

    They are those of the gold, or of the file of ids where the gold is not there, as in a
    starting kit. Gold is made of the labels that are `named` where the task names none, and
    else of the gold's.
    """
    for path in (track.gold, track.ids):
        if path is not None and list_files(path):
            reading = plan_track(track)
            if are_lines(path, reading):
                count = count_lines(path)
                lines = os.path.join(_make_folder().name, f"lines-{count}.txt")
                with open(lines, "w", encoding="utf-8") as file:
                    file.writelines(f"line {number}\n" for number in range(count))
                return Blind(reading, count, lines=lines)
            golden = path == track.gold
            table = recall_table(path, track.format if golden else None)
            return _make_blind(_Source(table, track, reading, golden), named)
    return None


@remember
def read_gold_table(track: Track) -> Table | None:
    """Returns the table of a track's gold; None where it is lines of text, or not there."""
    if track.gold is None or not list_files(track.gold) or are_lines(track.gold, plan_track(track)):
        return None
    return recall_table(track.gold, track.format)


@remember
def recall_table(path: str, kind: str | None) -> Table:
    """Returns the table of a file of the task, which is read once."""
    return read_table(path, format=kind)


@cache
def _make_folder() -> "tempfile.TemporaryDirectory[str]":
    """A folder for made-up lines, which exists until the process ends."""
    return tempfile.TemporaryDirectory(prefix="tallystick-")


@dataclass(frozen=True, slots=True, eq=False)
class _Source:
    """The table of a track's gold, or of its ids where it is not `golden`."""

    table: Table
    track: Track
    reading: Reading
    golden: bool


@dataclass(frozen=True, slots=True, eq=False)
class _MadeUp:
    """Columns of gold in the form of the true one; None where nothing tells the labels.

    The labels are those of soft labels; they are open-ended or `known` as those of `Blind`.
    """

    columns: dict[str, pa.Array] | None
    labels: tuple[Label, ...] | None = None
    open_ended: bool = False
    known: tuple[Label, ...] = ()


def _make_blind(source: _Source, named: tuple[Label, ...] | None) -> Blind:
    table, reading = source.table, source.reading
    made = _make_up(source, named)
    columns = reading.columns.spelled(table.names())
    ids = replace(reading, columns=columns).find_ids(table.names())
    ids = ids if ids is not None and Side(table).has(ids) else None
    by = tuple(name for name in columns.by if name in table.names())
    texts = (INPUT, TOKENS) if reading.kinds == (SPANS,) else ()
    beside = (*list_parts(ids or ""), *by, *(find(table.names(), usual) for usual in texts))
    beside = ("1", LINE) if table.unit == "sentence" else beside
    kept = {name: table.column(name) for name in beside if name}
    gold, called = None, None
    if made.columns is not None:
        gold = Table(_CALLED, pa.table(kept | made.columns), table.unit, table.first)
        called = _name_gold(columns) if _name_gold(columns) in made.columns else None
    columns = replace(columns, gold=called, by=by, clusters=None, weight=None)
    task = reading.task if made.labels is None else replace(reading.task, labels=made.labels)
    return Blind(
        replace(reading, columns=columns, task=task),
        len(table),
        gold,
        None,
        ids,
        None if ids is None else table.column(ids),
        source.track.labels,
        made.open_ended,
        made.known,
    )


def _make_up(source: _Source, named: tuple[Label, ...] | None) -> _MadeUp:
    reading, rows = source.reading, len(source.table)
    name = _name_gold(reading.columns)
    widths = {
        one.width: build_numbers([0.0] * rows) for one in reading.numbers if one.width is not None
    }
    if reading.labelled:
        made = _make_labels(source, name, named)
        return replace(made, columns=made.columns and made.columns | widths)
    if reading.soft:
        return _make_shares(source, name)
    if any(one.gold for one in reading.numbers):
        return _MadeUp({name: build_numbers([*map(float, range(rows))])} | widths)
    if reading.kinds == (SPANS,):
        return _make_spans(source, name)
    return _MadeUp({name: build_strings([f"text {row}" for row in range(rows)])})


def _make_spans(source: _Source, name: str) -> _MadeUp:
    """One span in each example; where tags are as many as tokens, those of what is outside."""
    table, known = source.table, source.track.labels or ()
    made: dict[str, pa.Array] = {name: build_strings(['[[0, 1, "made up"]]'] * len(table))}
    if source.golden:
        gold = read_gold_spans(Side(table), source.reading.columns, alone=False).found
        known = (*known, *gold.spans.labels.names)
        if gold.tags is not None:
            tags = [["O"] * size for size in np.diff(gold.tags.offsets).tolist()]
            made = {name: build_lists(tags)}
    if table.unit == "sentence":
        sizes = [len(tokens) for tokens in table.column("1").to_pylist()]
        made = {"2": build_lists([["O"] * size for size in sizes])}
    return _MadeUp(made, known=("made up", *known))


def _name_gold(columns: Columns) -> str:
    """What made-up gold is called where it is one column."""
    return columns.gold or "made-up gold"


def _make_labels(source: _Source, name: str, named: tuple[Label, ...] | None) -> _MadeUp:
    """The labels in turn: as a column of them, as columns of 0 and 1, or as lists."""
    table, task, columns = source.table, source.reading.task, source.reading.columns
    labels, several, truth = source.track.labels, task.kind == "multilabel", None
    open_ended = False
    if source.golden:
        truth = read_gold_column(Side(table), columns, task, alone=False)
        several = truth.labels.several
        # Nothing but the gold tells which labels there are.
        open_ended = labels is None and not truth.matrix
        labels = (named if open_ended else None) or labels or truth.labels.names
    if not labels:
        return _MadeUp(None, open_ended=open_ended)
    dealt = [*islice(cycle(map(str, labels)), len(table))]
    if not several:
        made = {name: build_strings(dealt)}
    elif _has_columns(table, columns, truth):
        made = {str(one): build_numbers([int(own == str(one)) for own in dealt]) for one in labels}
    else:
        made = {name: build_lists([[one] for one in dealt])}
    known = (*labels, *(truth.labels.names if truth is not None else ()))
    return _MadeUp(made, open_ended=open_ended, known=known)


def _make_shares(source: _Source, name: str) -> _MadeUp:
    """Soft labels that are sure of the labels in turn, or as many votes for them, as JSON."""
    labels, cells = source.track.labels, [None] * len(source.table)
    if source.golden:
        truth = read_gold_cells(Side(source.table), source.reading.columns, alone=False)
        labels, cells = labels or truth.list_labels(), [*truth.values]
    if not labels:
        return _MadeUp(None, labels)
    dealt = islice(cycle(map(str, labels)), len(cells))
    made = [
        json.dumps(vote(cell, one) or {str(label): float(str(label) == one) for label in labels})
        for cell, one in zip(cells, dealt, strict=True)
    ]
    return _MadeUp({name: build_strings(made)}, labels)


def vote(cell: Any, label: str) -> Any:
    """Returns the votes of a cell, all of them for one label; None where it holds none."""
    if find_votes(cell) is None:
        return None
    return dict.fromkeys(cell, label) if isinstance(cell, Mapping) else [label] * len(cell)


def _has_columns(table: Table, columns: Columns, truth: Gold | None) -> bool:
    """Whether label sets are columns of 0 and 1."""
    if truth is not None:
        return bool(truth.matrix)
    named = columns.gold is not None or columns.delimiter is not None
    return not named and find(table.names(), GOLD) is None
