"""The examples of a track without their gold, and made-up gold in its place.

A submission is checked beside gold that was made up, so that nothing that is said of it can come
from the true one, and participants who have no gold are told the same as the server's.
"""

import os
import tempfile
from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar

import pyarrow as pa

from tallystick.errors import TallystickError
from tallystick.frozen import dataclass, replace
from tallystick.io.files.datasets import list_files
from tallystick.io.files.lines import count_lines
from tallystick.io.tables.building import build_numbers, build_strings
from tallystick.io.tables.columns import list_parts
from tallystick.io.tables.formats import LINE
from tallystick.io.tables.table import Table, read_table
from tallystick.model.codes import Label
from tallystick.model.columns import find
from tallystick.model.reading import MadeUp, Reading, Sample
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
            return _make_blind(Sample(table, reading, golden, track.labels, named))
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


def _make_blind(sample: Sample) -> Blind:
    table, reading = sample.table, sample.reading
    kinds, name = reading.kinds or (), reading.columns.gold or "made-up gold"
    rows = len(table)
    texts = MadeUp({name: build_strings([f"text {row}" for row in range(rows)])})
    made = next(filter(None, (kind.make_up(sample, name) for kind in kinds)), texts)
    columns = reading.columns.spelled(table.names())
    ids = replace(reading, columns=columns).find_ids(table.names())
    ids = ids if ids is not None and Side(table).has(ids) else None
    by = tuple(name for name in columns.by if name in table.names())
    usual = (one for kind in kinds for one in kind.beside)
    beside = (*list_parts(ids or ""), *by, *(find(table.names(), one) for one in usual))
    beside = ("1", LINE) if table.unit == "sentence" else beside
    kept = {name: table.column(name) for name in beside if name}
    gold, called = None, None
    if made.columns is not None:
        widths = (one.width for one in reading.numbers if one.width is not None)
        kept |= made.columns | {width: build_numbers([0.0] * rows) for width in widths}
        gold = Table(_CALLED, pa.table(kept), table.unit, table.first)
        called = name if name in made.columns else None
    columns = replace(columns, gold=called, by=by, clusters=None, weight=None)
    task = reading.task if made.labels is None else replace(reading.task, labels=made.labels)
    return Blind(
        replace(reading, columns=columns, task=task),
        rows,
        gold,
        None,
        ids,
        None if ids is None else table.column(ids),
        sample.labels,
        made.open_ended,
        made.known,
    )
