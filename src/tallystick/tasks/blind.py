"""The examples of a track without their gold, and made-up gold in its place.

A submission is checked beside gold that was made up, so that nothing that is said of it can come
from the true one, and participants who have no gold are told the same as the server's.
"""

import os
from dataclasses import dataclass, replace
from itertools import cycle, islice
from typing import Any

from tallystick.comparison.tracks import plan_track
from tallystick.examples.answers import Gold, read_gold_column
from tallystick.examples.columns import GOLD, IDS, Columns, find
from tallystick.examples.kinds import SPANS, TEXTS
from tallystick.examples.labels import Label
from tallystick.examples.layouts import are_lines
from tallystick.examples.reading import Reading
from tallystick.examples.sets import LabelRows
from tallystick.examples.sides import Side
from tallystick.io.datasets import list_files
from tallystick.io.tables import Table, read_table
from tallystick.io.tasks import Track
from tallystick.io.texts import count_lines

__all__ = ["Blind", "read_blind"]

_CALLED = "the test data"
"""What messages call the examples."""


@dataclass(frozen=True, slots=True, eq=False)
class Blind:
    """The examples of a track with made-up gold.

    Attributes:
        reading: How a submission is read beside them.
        count: How many examples there are.
        gold: The made-up gold in a table; None where it is lines of text, or cannot be made up.
        lines: A file of as many made-up lines, where it is lines of text.
        id: The column of the ids; None where the order of examples counts.
        ids: The ids, an Arrow array.
        labels: The labels that the task names; None where it names none.
        open_ended: Whether the labels of the made-up gold are known from the gold's values alone.
    """

    reading: Reading
    count: int
    gold: Table | None = None
    lines: str | None = None
    id: str | None = None
    ids: Any = None
    labels: tuple[Label, ...] | None = None
    open_ended: bool = False


def read_blind(track: Track, folder: str, named: tuple[Label, ...] | None = None) -> Blind | None:
    """Returns the examples of a track with made-up gold; None where no file tells them.

    They are those of the gold, or of the file of ids where the gold is not there, as in a starting
    kit.

    Args:
        track: The track.
        folder: Where made-up lines are written.
        named: The labels to make gold of where the task names none; None takes those of the gold.

    Raises:
        InputError: The file is not what it should be.
    """
    for path in (track.gold, track.ids):
        if path is not None and list_files(path):
            reading = plan_track(track)
            if are_lines(path, reading):
                count = count_lines(path)
                return Blind(reading, count, lines=_write_lines(folder, count))
            table = read_table(path, kind=track.format)
            truth = None
            if path == track.gold and "labels" in (reading.kinds or ()):
                truth = read_gold_column(Side(table), reading.columns, reading.task, alone=False)
            return _make_blind(table, track, reading, truth, named)
    return None


def _write_lines(folder: str, count: int) -> str:
    path = os.path.join(folder, "lines.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"line {number}\n" for number in range(count))
    return path


def _make_blind(
    table: Table,
    track: Track,
    reading: Reading,
    truth: Gold | None,
    named: tuple[Label, ...] | None,
) -> Blind:
    import pyarrow as pa

    columns = reading.columns.spelled(table.names())
    ids = find(table.names(), IDS, columns.id)
    ids = ids if ids in table.names() else None
    by = tuple(name for name in columns.by if name in table.names())
    found = None if truth is None else truth.labels.names
    open_ended = track.labels is None and truth is not None and not truth.matrix
    labels = track.labels or (named if named and open_ended else found)
    made = _make_up(table, reading, truth, labels)
    kept = {name: table.column(name) for name in (ids, *by) if name is not None}
    gold = None if made is None else Table(_CALLED, pa.table(kept | made), table.unit, table.first)
    single = made is not None and _name_gold(columns) in made
    called = _name_gold(columns) if single else None
    columns = replace(columns, gold=called, by=by, clusters=None, weight=None)
    return Blind(
        replace(reading, columns=columns),
        len(table),
        gold,
        None,
        ids,
        None if ids is None else table.column(ids),
        track.labels,
        open_ended,
    )


def _make_up(
    table: Table, reading: Reading, truth: Gold | None, labels: tuple[Label, ...] | None
) -> dict[str, Any] | None:
    """Columns of gold in the form of the true one: labels in turn, or any texts, numbers or spans.

    None where nothing tells the labels, or what is predicted is something else.
    """
    import pyarrow as pa

    kinds, rows = reading.kinds or (), len(table)
    name = _name_gold(reading.columns)
    if "labels" in kinds:
        return _make_labels(table, name, reading, truth, labels) if labels else None
    if "numbers" in kinds:
        return {name: pa.array(map(float, range(rows)), pa.float64())}
    if kinds == SPANS and table.unit != "sentence":
        return {name: pa.array([[{"start": 0, "end": 1, "label": "made up"}]] * rows)}
    return {name: pa.array([f"text {row}" for row in range(rows)])} if kinds == TEXTS else None


def _name_gold(columns: Columns) -> str:
    """What made-up gold is called where it is one column."""
    return columns.gold or "made-up gold"


def _make_labels(
    table: Table, name: str, reading: Reading, truth: Gold | None, labels: tuple[Label, ...]
) -> dict[str, Any]:
    """The labels in turn: as a column of them, as columns of 0 and 1, or as lists."""
    import pyarrow as pa

    dealt = [*islice(cycle(map(str, labels)), len(table))]
    several = reading.task.kind == "multilabel"
    if truth is not None:
        several = isinstance(truth.labels, LabelRows)
    if not several:
        return {name: pa.array(dealt)}
    if _has_columns(table, reading.columns, truth):
        return {str(label): pa.array([int(one == str(label)) for one in dealt]) for label in labels}
    return {name: pa.array([[one] for one in dealt])}


def _has_columns(table: Table, columns: Columns, truth: Gold | None) -> bool:
    """Whether label sets are columns of 0 and 1."""
    if truth is not None:
        return bool(truth.matrix)
    named = columns.gold is not None or columns.delimiter is not None
    return not named and find(table.names(), GOLD) is None
