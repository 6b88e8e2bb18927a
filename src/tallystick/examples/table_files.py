"""Reads files of tables as systems: large ones block by block, where no ids need a join."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from tallystick.errors import InputError
from tallystick.examples.columns import IDS, find
from tallystick.examples.kinds import LABELS, TEXTS
from tallystick.examples.reading import Reading, ResettleError
from tallystick.examples.systems import Systems
from tallystick.examples.tables import Entry, read_systems
from tallystick.io.blocks import iterate_tables
from tallystick.io.tables import Table, read_table

__all__ = ["Place", "read_tables"]

_LARGE = 1 << 26
"""From this many bytes on, tables are read in blocks."""

_ROWS = 1 << 17


@dataclass(frozen=True, slots=True)
class Place:
    """Where one system's outputs lie.

    Attributes:
        path: Their file; None where they stand beside the gold.
        column: The only column that is theirs; None finds it by its name.
    """

    path: str | None = None
    column: str | None = None


def read_tables(gold: str, places: Mapping[str, Place], reading: Reading) -> Iterator[Systems]:
    """Reads a table of gold, and the tables or columns of systems.

    Raises:
        InputError: A file is not what it should be.
    """
    paths = [gold, *(place.path for place in places.values() if place.path is not None)]
    if _are_large(paths) and _need_no_join(gold, reading):
        yield from _stream(gold, places, reading)
    else:
        yield _read_whole(gold, places, reading)


def _are_large(paths: list[str]) -> bool:
    return sum(os.path.getsize(path) for path in paths if os.path.isfile(path)) >= _LARGE


def _need_no_join(gold: str, reading: Reading) -> bool:
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


def _stream(gold: str, places: Mapping[str, Place], reading: Reading) -> Iterator[Systems]:
    """The blocks of all files side by side; what the first one tells of the task holds for all."""
    others = {
        name: _iterate(place.path, reading)
        for name, place in places.items()
        if place.path is not None
    }
    first, asked = 0, reading
    for block in _iterate(gold, asked):
        entries = {
            name: Entry(
                _give(others[name], block, place.path) if place.path else None, place.column
            )
            for name, place in places.items()
        }
        try:
            systems = read_systems(block, entries, reading, first=first)
        except InputError:
            if not first:
                raise
            # A label that the first block did not have may make the task another one.
            raise ResettleError(lambda: _read_whole(gold, places, asked)) from None
        yield replace(systems, asked=asked.task.spelled(fold_case=reading.columns.fold_case))
        reading = _settle(reading, systems)
        first += len(block)
    for name, rest in others.items():
        extra = next(rest, None)
        if extra is not None:
            raise InputError(f"{gold} has {first} examples but {places[name].path} has more")


def _iterate(path: str, reading: Reading) -> Iterator[Table]:
    return iterate_tables(path, kind=reading.input_format, rows=_ROWS, watch=reading.watch)


def _give(blocks: Iterator[Table], beside: Table, path: str) -> Callable[[], Table]:
    def give() -> Table:
        block = next(blocks, None)
        if block is None or len(block) < len(beside):
            end = beside.first - 1 + (0 if block is None else len(block))
            raise InputError(f"{beside.source} has more than the {end} examples of {path}")
        return block

    return give


def _settle(reading: Reading, systems: Systems) -> Reading:
    """Reads further blocks as the first one; in a binary task its two labels are all there are."""
    kinds = (*(LABELS if systems.gold is not None else ()), *(TEXTS if systems.texts else ()))
    task, asked = systems.task, reading.task
    if task.kind is not None:
        labels = task.labels if task.kind == "binary" else asked.labels
        asked = replace(asked, kind=task.kind, labels=labels, positive=task.positive)
    return replace(reading, kinds=kinds, task=asked)
