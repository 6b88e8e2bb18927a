"""Reads files of tables as systems: large ones block by block, where no ids need a join."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from tallystick.errors import InputError, UsageError
from tallystick.examples.columns import IDS, find
from tallystick.examples.kinds import LABELS, TEXTS
from tallystick.examples.reading import Reading, ResettleError
from tallystick.examples.systems import Systems
from tallystick.examples.tables import Entry, read_systems
from tallystick.examples.task import Task
from tallystick.io.blocks import iterate_tables
from tallystick.io.spans import Piece
from tallystick.io.tables import Table, read_table

__all__ = ["Place", "need_no_join", "read_tables", "settle_by", "stream_tables"]

_LARGE = 1 << 26
"""From this many bytes on, tables are read in blocks."""

_ROWS = 1 << 17


@dataclass(frozen=True, slots=True)
class Place:
    """Where one system's outputs lie.

    Attributes:
        path: Their file; None where they stand beside the gold.
        column: The only column that is theirs; None finds it by its name.
        pieces: The rows that are read of it; None for all.
    """

    path: str | None = None
    column: str | None = None
    pieces: tuple[Piece, ...] | None = None


def read_tables(gold: str, places: Mapping[str, Place], reading: Reading) -> Iterator[Systems]:
    """Reads a table of gold, and the tables or columns of systems.

    Raises:
        InputError: A file is not what it should be.
    """
    paths = [gold, *(place.path for place in places.values() if place.path is not None)]
    if _are_large(paths) and need_no_join(gold, reading):
        try:
            yield from stream_tables(Place(gold), places, reading)
        except ResettleError as changed:
            anew = changed.reading
            raise ResettleError(anew, lambda: read_tables(gold, places, anew)) from None
    else:
        yield _read_whole(gold, places, reading)


def _are_large(paths: list[str]) -> bool:
    return sum(os.path.getsize(path) for path in paths if os.path.isfile(path)) >= _LARGE


def need_no_join(gold: str, reading: Reading) -> bool:
    """Whether each row can be counted for itself: there are no ids, and no ranges of numbers.

    Which outputs are no label is told by the labels of all the gold.
    """
    if (
        reading.tolerant
        or reading.columns.invalid != "error"
        or not os.path.isfile(gold)
        or any(":" in name for name in reading.columns.by)
    ):
        return False
    first = next(iterate_tables(gold, kind=reading.input_format, rows=1))
    names = (*first.names(), *first.unread)
    return find(names, IDS, reading.columns.id) is None


def _read_whole(gold: str, places: Mapping[str, Place], reading: Reading) -> Systems:
    entries = {
        name: Entry(None if place.path is None else _open(place.path, reading), place.column)
        for name, place in places.items()
    }
    return read_systems(_open(gold, reading)(), entries, reading)


def _open(path: str, reading: Reading) -> Callable[[], Table]:
    return lambda: read_table(path, kind=reading.input_format, watch=reading.watch)


def stream_tables(gold: Place, places: Mapping[str, Place], reading: Reading) -> Iterator[Systems]:
    """Reads rows of all files side by side in blocks; the first one settles the task for all.

    Args:
        gold: Where the gold lies.
        places: Where each system's outputs lie.
        reading: How columns are read; a task that has been settled stays as it is.

    Raises:
        InputError: A row is not what it should be, or one file has more rows than another.
        ResettleError: A later row tells another task than the first ones did.
    """
    rows = _iterate(gold, reading)
    others = {name: _iterate(place, reading) for name, place in places.items() if place.path}
    first = _count_before(gold)
    for block in rows:
        beside = {name: next(own, None) for name, own in others.items()}
        for name, own in beside.items():
            if own is None or len(own) != len(block):
                sizes = first + _count(block, rows), first + _count(own, others[name])
                raise _refuse(gold, places[name], sizes)
        systems = _read_block(block, _enter(places, beside), reading, first)
        reading = settle_by(reading, systems)
        yield systems
        first += len(block)
    for name, other in others.items():
        extra = next(other, None)
        if extra is not None:
            raise _refuse(gold, places[name], (first, first + _count(extra, other)))


def _enter(places: Mapping[str, Place], beside: Mapping[str, Table | None]) -> dict[str, Entry]:
    entries = {}
    for name, place in places.items():
        table = beside.get(name)
        entries[name] = Entry(None if table is None else _give(table), place.column)
    return entries


def _give(table: Table) -> Callable[[], Table]:
    return lambda: table


def _count(block: Table | None, rest: Iterable[Table]) -> int:
    return (0 if block is None else len(block)) + sum(map(len, rest))


def _refuse(gold: Place, other: Place, sizes: tuple[int, int]) -> InputError:
    return InputError(
        f"{gold.path} has {sizes[0]} examples but {other.path} has {sizes[1]}, and there are no "
        "ids in both to join them by"
    )


def _count_before(place: Place) -> int:
    """Returns how many rows of the same file stand before some."""
    span = place.pieces[0].span if place.pieces else None
    return 0 if span is None else span.first


def _iterate(place: Place, reading: Reading) -> Iterator[Table]:
    return iterate_tables(
        place.path or "",
        kind=reading.input_format,
        rows=_ROWS,
        watch=reading.watch,
        pieces=place.pieces,
    )


def _read_block(
    block: Table, entries: Mapping[str, Entry], reading: Reading, first: int
) -> Systems:
    try:
        systems = read_systems(block, entries, reading, first=first)
    except InputError:
        changed = _resettle(block, entries, reading)
        if changed is None:
            raise
        raise ResettleError(changed) from None
    asked = reading.asked or reading.task
    return replace(systems, asked=asked.spelled(fold_case=reading.columns.fold_case))


def settle_by(reading: Reading, systems: Systems) -> Reading:
    """Returns how to read all examples as some of them were read.

    In a binary task the two labels of these are all there are.
    """
    if reading.asked is not None:
        return reading
    kinds = (*(LABELS if systems.gold is not None else ()), *(TEXTS if systems.texts else ()))
    return replace(_adopt(reading, reading.task, systems.task), kinds=kinds)


def _adopt(reading: Reading, asked: Task, task: Task) -> Reading:
    settled = asked
    if task.kind is not None:
        labels = task.labels if task.kind == "binary" else asked.labels
        settled = replace(asked, kind=task.kind, labels=labels, positive=task.positive)
    return replace(reading, task=settled, asked=asked)


def _resettle(block: Table, entries: Mapping[str, Entry], reading: Reading) -> Reading | None:
    """Returns how all is to be read if the labels of a block make the task another one.

    None where they do not, so that a row is wrong.
    """
    asked = reading.asked
    if asked is None or reading.task.kind != "binary":
        return None
    known = {*(reading.task.labels or ())} - {f"not {asked.positive}"}
    try:
        found = read_systems(block, entries, replace(reading, task=asked, asked=None))
        single = any(
            own.probabilities is not None and own.probabilities.ndim == 1 for own in found.outputs
        )
        spelled = asked.spelled(fold_case=reading.columns.fold_case)
        task = spelled.settle({*known, *found.labels}, scores=single)
    except (InputError, UsageError):
        return None
    return None if task.labels == reading.task.labels else _adopt(reading, asked, task)
