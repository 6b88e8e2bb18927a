"""Ratings of annotators in parts that can be counted apart: all ratings of a unit are in one.

Where units have ids, the rows are split by these; else a row is a unit, and rows lie in parts of
the file. All parts are looked at before one is counted: which labels there are, and which
annotators and units do not count, is told by all of them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, chain

import pyarrow as pa

from tallystick.codes import is_text, order
from tallystick.errors import InputError, UsageError
from tallystick.examples.columns import IDS, find
from tallystick.examples.reading import Reading, ResettleError
from tallystick.examples.sides import Side
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass, replace
from tallystick.io.files.opening import name_source
from tallystick.io.tables.table import Table, join_tables
from tallystick.io.tables.values import plain
from tallystick.reading.annotators import PEOPLE, open_ratings, read_annotated
from tallystick.reading.joined_forms import Rows
from tallystick.reading.joined_parts import Division, Run, divide, open_files, read_first
from tallystick.reading.layouts import are_lines
from tallystick.reading.parts import Part, plan_parts
from tallystick.reading.ratings import Seen
from tallystick.reading.table_files import iterate_blocks, settle_by


@dataclass(frozen=True, slots=True, eq=False)
class RatedPart:
    """Some units with all their ratings, which can be counted apart from all others.

    Attributes:
        open: Gives their rows, if there are some.
        systems: The systems beside the annotators; none where these are alone.
        before: How many rows of the same table stand in parts before this one.
        seen: What is known of all ratings; None where that is not known yet.
    """

    name: str
    size: int
    open: Callable[[], Table | None]
    systems: tuple[str, ...]
    before: int = 0
    seen: Seen | None = None

    def look(self, reading: Reading) -> tuple[Seen, dict[str, pa.DataType]]:
        """What is to be known of its ratings, and the types of the columns that are read.

        Raises:
            InputError: A rating is not as it should be.
        """
        table = self.open()
        if table is None:
            return Seen(), {}
        columns, ratings = open_ratings(table, reading, whole=False)
        side = Side(ratings.table)
        given = [name for name in side.names if name not in ratings.rest]
        ids = find(side.names, IDS, columns.id)
        used = {*given, *self.systems, *columns.by, columns.clusters, ids} - {None}
        held = {str(one): side.table.column(str(one)) for one in used if side.has(str(one))}
        types = {name: plain(column.slice(0, 1)).type for name, column in held.items()}
        return ratings.look(majority=columns.majority), types

    def read(self, reading: Reading) -> Iterator[Systems]:
        """The examples in one block.

        Raises:
            InputError: They are not as they should be.
        """
        table = self.open()
        if table is not None:
            try:
                yield read_annotated(table, self.systems, reading, self.seen, before=self.before)
            except UsageError as error:
                raise InputError(str(error)) from error
            except ResettleError as changed:  # which names the columns of the examples
                known = replace(changed.reading, columns=reading.columns)
                raise ResettleError(known) from None


@dataclass(frozen=True, slots=True, eq=False)
class Rated:
    """Ratings that are counted in parts: those of a file, or the partitions of a division."""

    parts: tuple[RatedPart, ...]
    division: Division | None
    systems: tuple[str, ...]
    reading: Reading

    def prepare(
        self, run: Run, folder: str
    ) -> tuple[tuple[RatedPart, ...], Reading, tuple[str, ...]]:
        """Returns the parts that have examples, how to read them, and what is noted of all.

        Raises:
            InputError: They are not as they should be.
        """
        parts, reading = self.parts, self.reading
        if self.division is not None:
            parts = tuple(
                RatedPart(name, size, partial(_restore, files[None]), self.systems)
                for name, size, files in self.division.split(run, reading, None, folder)
            )
        looked = run((part.name, partial(part.look, reading)) for part in parts)
        _check_types(types for _, types in looked)
        seen = sum((own for own, _ in looked), Seen())
        if len(seen.given) < 2 or not seen.examples:
            raise InputError("too few annotators, or no units to count")
        parts = tuple(
            replace(part, seen=seen)
            for part, (own, _) in zip(parts, looked, strict=True)
            if own.examples
        )
        if self.systems:
            first, reading = read_first(parts, replace(reading, golden=order(seen.golden)))
            reading = settle_by(reading, first)
        return parts, reading, seen.describe(alone=not self.systems)


def plan_ratings(path: str, systems: Sequence[str], reading: Reading) -> Rated | None:
    """Returns how ratings in a file are counted in parts; None where one process must read them.

    That is so of pipes, where systems may lack outputs, where the first ratings tell what they are,
    and of people as a system, whose partners depend on the place of a unit among all.
    """
    columns = reading.columns
    names = columns.list_systems(systems)
    if PEOPLE in names or (names and reading.kinds is None):
        return None
    files = open_files([(None, path)], reading)
    if files is not None:
        return Rated((), divide(files, reading, named=True), names, reading)
    strict = columns.annotator is None and not columns.chooses
    return _plan_rows(path, names, reading) if strict and not are_lines(path, reading) else None


def _plan_rows(path: str, names: tuple[str, ...], reading: Reading) -> Rated | None:
    """Ratings of units without ids, which are called by the numbers of their rows."""
    parts = plan_parts(path, {}, reading)
    rows = [part.rows for part in parts]
    counted = [count for count in rows if count is not None]
    if len(parts) < 2 or len(counted) < len(rows):
        return None
    found = tuple(
        RatedPart(part.name, part.size, partial(_open, part, reading), names, before)
        for part, before in zip(parts, accumulate(counted, initial=0), strict=False)
    )
    return Rated(found, None, names, reading)


def _restore(rows: Rows) -> Table | None:
    return rows.read()[1] if rows.spilled else None


def _open(part: Part, reading: Reading) -> Table | None:
    path = part.gold.path or ""
    blocks = [*iterate_blocks(part.gold, reading)]
    return replace(join_tables(path, blocks), source=name_source(path)) if blocks else None


def _check_types(found: Iterable[Mapping[str, pa.DataType]]) -> None:
    """Raises an InputError where the values of a column are of other types in some parts."""
    known = dict[str, pa.DataType]()
    for name, own in chain.from_iterable(types.items() for types in found):
        kind = pa.large_string() if is_text(own) else own
        if not pa.types.is_null(kind) and known.setdefault(name, kind) != kind:
            raise InputError(f"column {name!r} has values of several types")
