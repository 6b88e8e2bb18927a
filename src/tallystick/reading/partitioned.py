"""Splits tables by a hash of their ids, so that each partition is joined in memory by itself.

The steps take and return Arrow tables and plain records, which pickle: one process runs them one
after another over a temporary file, and an engine with many workers runs them where the rows are.

Rows on their way are a table whose first columns are their number and their key. Then come the
columns that they carry.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.examples.ids import (
    Found,
    as_keys,
    find_keys,
    find_repeats,
    hash_keys,
    join_groups,
    tell_blank,
    tell_lacking,
    tell_twice,
    tell_unknown,
    view_keys,
)
from tallystick.frozen import dataclass, field
from tallystick.io.tables.building import build_places, fill_nulls
from tallystick.io.tables.table import Table
from tallystick.io.tables.values import as_numpy, plain


@dataclass(frozen=True, slots=True)
class Keys:
    """What rows are joined by.

    Attributes:
        groups: The columns that tell ids apart which stand once in each group; mostly none.
        whole: Whether all tables have whole numbers as ids, which need not be read as text.
    """

    id: str
    groups: tuple[str, ...] = ()
    whole: bool = False

    def read(self, table: Table) -> Any:
        """The key of each row, an Arrow array of int64 or text; null or "" without an id."""
        ids = plain(table.column(self.id))
        if self.whole and not self.groups:
            keys = ids.cast(pa.int64())
        else:
            groups = [plain(table.column(name)) for name in self.groups]
            keys = fill_nulls(as_keys(join_groups(ids, groups, table.source), table.source), "")
        return keys.combine_chunks() if isinstance(keys, pa.ChunkedArray) else keys


@dataclass(frozen=True, slots=True)
class Faults:
    """The ids of a table that are not as they should be; those of all partitions add up.

    Attributes:
        lacking: The ids of the gold that the table does not have.
        unknown: The ids of the table that the gold does not have.
    """

    blank: int = 0
    twice: Found = field(default_factory=Found)
    lacking: Found = field(default_factory=Found)
    unknown: Found = field(default_factory=Found)

    def __add__(self, other: "Faults") -> "Faults":
        return Faults(
            self.blank + other.blank,
            self.twice + other.twice,
            self.lacking + other.lacking,
            self.unknown + other.unknown,
        )

    def check_gold(self, source: str, cure: Callable[[], str] = str) -> None:
        """Raises the InputError that `check_ids` raises for all rows of the gold at once."""
        tell_blank(self.blank, source)
        tell_twice(self.twice, source, cure)

    def check_own(self, sources: tuple[str, str], *, missing: bool = False) -> None:
        """Raises the InputError that `join_ids` raises for all rows of gold and predictions."""
        self.check_gold(sources[1])
        if not missing:
            tell_lacking(self.lacking, sources)
        tell_unknown(self.unknown, sources)


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """The row (int64) of a system that belongs to each row of a partition of the gold, or -1."""

    places: NDArray[np.int64]
    faults: Faults


def are_whole(kinds: Sequence[Any]) -> bool:
    """Returns whether columns of these Arrow types are joined as whole numbers, not as text."""
    return all(pa.types.is_integer(kind) and kind != pa.uint64() for kind in kinds)


def split_rows(
    table: Table, keys: Keys, partitions: int, *, only: Collection[str] = ()
) -> list[pa.Table]:
    """Returns the rows of a table, or of a block of one, by partition; equal keys share one.

    The rows carry the columns `only`. There are up to 65,536 partitions.
    """
    rows, places = place_rows(table, keys, partitions, only=only)
    return cut_rows(rows, places, partitions)


def place_rows(
    table: Table, keys: Keys, partitions: int, *, only: Collection[str] = ()
) -> tuple[pa.Table, NDArray[np.uint64]]:
    """Returns the rows that `split_rows` splits, in their order, and the partition of each."""
    found = keys.read(table)
    hashes = hash_keys(_fill(found))
    fields = [pa.field("number", pa.int64()), pa.field("key", found.type)]
    columns = [build_places(np.arange(table.first, table.first + len(table))), found]
    for name in table.names():
        if name in only:
            column = plain(table.columns.column(name))
            fields.append(table.columns.schema.field(name).with_type(column.type))
            columns.append(column)
    high = hashes >> np.uint64(32)
    places = (high * np.uint64(partitions)) >> np.uint64(32)
    return pa.table(columns, schema=pa.schema(fields)), places


def cut_rows(rows: pa.Table, places: NDArray[np.integer[Any]], parts: int) -> list[pa.Table]:
    """Returns the rows of each part, in their order, given the part of each, below 65,536."""
    # A sort of small numbers takes a byte at a time.
    small = places.astype(np.uint8 if parts <= 1 << 8 else np.uint16)
    if np.less(small[1:], small[:-1]).any():
        rows = rows.take(build_places(np.argsort(small, kind="stable")))
    ends = np.cumsum(np.bincount(small, minlength=parts))
    return [
        rows.slice(start, end - start)
        for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)
    ]


def check_partition(rows: pa.Table) -> Faults:
    """Returns what is wrong with the ids of a partition of one table."""
    return Faults(count_blank(rows), find_ids(rows, find_repeats(read_keys(rows))))


def join_partition(gold: pa.Table, own: pa.Table) -> Joined:
    """Returns where the rows of a partition of the gold stand in the same one of a system.

    An id of the gold may stand twice, where groups tell its rows apart and the system has none.
    """
    keys = read_keys(own)
    places = find_keys(keys, read_keys(gold))
    used = np.zeros(len(own), bool)
    used[places[places >= 0]] = True
    firsts = np.arange(len(own)) if used.all() else find_keys(keys, keys)
    again = np.unique(firsts[firsts != np.arange(len(own))])
    faults = Faults(
        count_blank(own),
        find_ids(own, again),
        find_ids(gold, np.flatnonzero(places < 0)),
        find_ids(own, np.flatnonzero(~used[firsts])),
    )
    return Joined(places, faults)


def number(rows: pa.Table) -> NDArray[np.int64]:
    """Returns the number of each row."""
    return as_numpy(rows.column(0))


def carry(rows: pa.Table) -> pa.Table:
    """Returns the columns that the rows carry."""
    return rows.select(range(2, rows.num_columns))


def carry_ordered(rows: pa.Table) -> pa.Table:
    """Returns the columns behind two numbers; a row of nulls, which is no example's, if empty."""
    columns = carry(rows)
    if len(rows):
        return columns
    return pa.table([pa.nulls(1, field.type) for field in columns.schema], columns.schema)


def _fill(keys: Any) -> Any:
    """The keys, with 0 where there is none, which is an error whatever else is wrong."""
    return fill_nulls(keys, 0) if keys.null_count else keys


def read_keys(rows: pa.Table) -> Any:
    """Returns the keys of rows, of which none is null."""
    return _fill(rows.column(1).combine_chunks())


def count_blank(rows: pa.Table) -> int:
    """Returns how many rows have no id."""
    keys = rows.column(1)
    if pa.types.is_integer(keys.type):
        return int(keys.null_count)
    return int((np.diff(view_keys(keys.combine_chunks())[1]) == 0).sum())


def find_ids(
    rows: pa.Table, places: NDArray[np.int64], numbers: NDArray[np.int64] | None = None
) -> Found:
    """Returns the ids at some places, of which those with the lowest numbers are named."""
    if not len(places):
        return Found()
    numbers = number(rows)[places] if numbers is None else numbers
    least = np.argsort(numbers, kind="stable")[: Found.shown]
    named = rows.column(1).take(build_places(places[least])).to_pylist()
    return Found(len(places), tuple(zip(numbers[least].tolist(), map(str, named), strict=True)))
