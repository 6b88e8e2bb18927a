"""Splits tables by a hash of their ids, so that each partition is joined in memory by itself.

The steps take and return Arrow tables and plain records, which pickle: one process runs them one
after another over a temporary file, and an engine with many workers runs them where the rows are.

Rows on their way are a table whose first columns are their number, the code of their key, and the
key itself where it is text. Then come the columns that they carry.
"""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import as_numpy, plain
from tallystick.examples.ids import (
    Found,
    as_keys,
    join_groups,
    tell_blank,
    tell_lacking,
    tell_twice,
    tell_unknown,
)
from tallystick.frozen import dataclass, field
from tallystick.io.tables.building import build_places, fill_nulls
from tallystick.io.tables.table import Table

if TYPE_CHECKING:
    import pyarrow

_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
"""The multipliers of splitmix64 (Steele, Lea and Flood 2014), which spread close numbers far."""

_MASKS = np.array([(1 << 8 * size) - 1 for size in range(9)], np.uint64)
_WORD = 8


@dataclass(frozen=True, slots=True)
class Keys:
    """What rows are joined by.

    Attributes:
        id: The column of ids.
        groups: The columns that tell ids apart which stand once in each group; mostly none.
        whole: Whether all tables have whole numbers as ids, which need not be read as text.
    """

    id: str
    groups: tuple[str, ...] = ()
    whole: bool = False

    def read(self, table: Table) -> Any:
        """Returns the key of each row, an Arrow array of int64 or text; null or "" without an id.

        Raises:
            InputError: There is no such column, or its values are no ids.
        """
        import pyarrow as pa

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
        blank: How many rows have no id.
        twice: The ids that stand more than once.
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
    """A partition of the gold beside the same one of a system.

    Attributes:
        places: int64; which row of the system belongs to each row of the gold, -1 where none does.
        faults: What is wrong with the ids of the system.
    """

    places: NDArray[np.int64]
    faults: Faults


def are_whole(kinds: Sequence[Any]) -> bool:
    """Returns whether columns of these Arrow types are joined as whole numbers, not as text."""
    import pyarrow as pa

    return all(pa.types.is_integer(kind) and kind != pa.uint64() for kind in kinds)


def split_rows(
    table: Table, keys: Keys, partitions: int, *, only: Collection[str] = ()
) -> "list[pyarrow.Table]":
    """Returns the rows of a table, or of a block of one, by partition; equal keys share one.

    Args:
        table: The rows. Their numbers are those in messages, so that a block knows its first one.
        keys: What they are joined by.
        partitions: The number of partitions, up to 65,536.
        only: The columns that the rows carry.
    """
    rows, places = place_rows(table, keys, partitions, only=only)
    return cut_rows(rows, places, partitions)


def place_rows(
    table: Table, keys: Keys, partitions: int, *, only: Collection[str] = ()
) -> "tuple[pyarrow.Table, NDArray[np.uint64]]":
    """Returns the rows that `split_rows` splits, in their order, and the partition of each."""
    import pyarrow as pa

    found = keys.read(table)
    hashes = _hash(found)
    fields = [pa.field("number", pa.int64())]
    columns = [build_places(np.arange(table.first, table.first + len(table)))]
    if pa.types.is_integer(found.type):
        fields, columns = [*fields, pa.field("code", pa.int64())], [*columns, found]
    else:
        fields += [pa.field("code", pa.uint64()), pa.field("key", pa.large_string())]
        columns += [build_places(hashes.view(np.int64)).view(pa.uint64()), found]
    for name in table.names():
        if name in only:
            column = plain(table.columns.column(name))
            fields.append(table.columns.schema.field(name).with_type(column.type))
            columns.append(column)
    rows = pa.table(columns, schema=pa.schema(fields))
    high = hashes >> np.uint64(32)
    return rows, (high * np.uint64(partitions)) >> np.uint64(32)


def cut_rows(
    rows: "pyarrow.Table", places: NDArray[np.integer[Any]], parts: int
) -> "list[pyarrow.Table]":
    """Returns the rows of each part, in their order, given the part of each, below 65,536."""
    # A sort of small numbers takes a byte at a time.
    small = places.astype(np.uint8 if parts <= 1 << 8 else np.uint16)
    ordered = rows.take(build_places(np.argsort(small, kind="stable")))
    ends = np.cumsum(np.bincount(small, minlength=parts))
    return [
        ordered.slice(start, end - start)
        for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)
    ]


def check_partition(rows: "pyarrow.Table") -> Faults:
    """Returns what is wrong with the ids of a partition of one table."""
    ordered = np.sort(_read_codes(rows))
    if (ordered[1:] != ordered[:-1]).all():
        return Faults(count_blank(rows))
    codes, order = sort_keys(rows)
    return Faults(count_blank(rows), _find_twice(rows, order, codes))


def sort_keys(rows: "pyarrow.Table") -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Returns numbers that are the same where keys are, and the rows in their order."""
    codes = _read_codes(rows)
    order = np.argsort(codes, kind="stable")
    if _collide(rows, order, codes):
        codes = _number_keys(rows)[0]
        order = np.argsort(codes, kind="stable")
    return codes, order


def join_partition(gold: "pyarrow.Table", own: "pyarrow.Table") -> Joined:
    """Returns where the rows of a partition of the gold stand in the same one of a system.

    An id of the gold may stand twice, where groups tell its rows apart and the system has none.
    """
    codes = [_read_codes(gold), _read_codes(own)]
    orders = [np.argsort(one) for one in codes]
    places, used = _match(codes, orders)
    if _collide(own, orders[1], codes[1]) or not _agree(gold, own, places):
        codes = _number_keys(gold, own)
        orders = [np.argsort(one) for one in codes]
        places, used = _match(codes, orders)
    faults = Faults(
        count_blank(own),
        _find_twice(own, orders[1], codes[1]),
        find_ids(gold, np.flatnonzero(places < 0)),
        find_ids(own, np.flatnonzero(~used)),
    )
    return Joined(places, faults)


def number(rows: "pyarrow.Table") -> NDArray[np.int64]:
    """Returns the number of each row."""
    return as_numpy(rows.column(0))


def carry(rows: "pyarrow.Table") -> "pyarrow.Table":
    """Returns the columns that the rows carry."""
    return rows.select(range(3 if _has_text(rows) else 2, rows.num_columns))


def carry_ordered(rows: "pyarrow.Table") -> "pyarrow.Table":
    """Returns the columns behind two numbers; a row of nulls, which is no example's, if empty."""
    import pyarrow as pa

    columns = rows.select(range(2, rows.num_columns))
    if len(rows):
        return columns
    return pa.table([pa.nulls(1, field.type) for field in columns.schema], columns.schema)


def _has_text(rows: "pyarrow.Table") -> bool:
    """Whether the keys are text, and the codes their hashes."""
    import pyarrow as pa

    return bool(rows.schema.field(1).type == pa.uint64())


def _read_codes(rows: "pyarrow.Table") -> NDArray[Any]:
    """The codes; anything where there is no id, which is an error whatever else is wrong."""
    return _fill(rows.column(1))


def _fill(codes: Any) -> NDArray[Any]:
    return as_numpy(fill_nulls(codes, 0) if codes.null_count else codes)


def _read_keys(rows: "pyarrow.Table", places: NDArray[np.int64]) -> Any:
    keys = rows.column(2 if _has_text(rows) else 1).take(build_places(places))
    return keys.combine_chunks()


def count_blank(rows: "pyarrow.Table") -> int:
    """Returns how many rows have no id."""
    import pyarrow.compute as pc

    if not _has_text(rows):
        return int(rows.column(1).null_count)
    return int((as_numpy(pc.binary_length(rows.column(2))) == 0).sum())


def _match(
    codes: Sequence[NDArray[Any]], orders: Sequence[NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where the codes of the gold stand among others, and which of those were found."""
    (gold, own), (first, second) = codes, orders
    places = np.full(len(gold), -1)
    left, right = gold[first], own[second]
    if len(left) == len(right) and (left == right).all():
        places[first] = second
        return places, np.ones(len(own), bool)
    used = np.zeros(len(own), bool)
    if len(left) and len(right):
        at = np.minimum(np.searchsorted(right, left), len(right) - 1)
        places[first] = np.where(right[at] == left, second[at], -1)
        at = np.minimum(np.searchsorted(left, right), len(left) - 1)
        used[second] = left[at] == right
    return places, used


def _find_twice(rows: "pyarrow.Table", order: NDArray[np.int64], codes: NDArray[Any]) -> Found:
    """The ids that stand more than once, each where it stands first."""
    ordered = codes[order]
    again = np.concatenate([[False], ordered[1:] == ordered[:-1]])
    if not again.any():
        return Found()
    starts = np.flatnonzero(~again)
    several = np.diff(starts, append=len(order)) > 1
    firsts = np.minimum.reduceat(number(rows)[order], starts)[several]
    return find_ids(rows, order[starts[several]], firsts)


def find_ids(
    rows: "pyarrow.Table", places: NDArray[np.int64], numbers: NDArray[np.int64] | None = None
) -> Found:
    """Returns the ids at some places, of which those with the lowest numbers are named."""
    if not len(places):
        return Found()
    numbers = number(rows)[places] if numbers is None else numbers
    least = np.argsort(numbers, kind="stable")[: Found.shown]
    ids = map(str, _read_keys(rows, places[least]).to_pylist())
    return Found(len(places), tuple(zip(numbers[least].tolist(), ids, strict=True)))


def _collide(rows: "pyarrow.Table", order: NDArray[np.int64], codes: NDArray[Any]) -> bool:
    """Whether the same hash stands for two texts."""
    if not _has_text(rows):
        return False
    ordered = codes[order]
    same = np.flatnonzero(ordered[1:] == ordered[:-1])
    return not _read_keys(rows, order[same]).equals(_read_keys(rows, order[same + 1]))


def _agree(gold: "pyarrow.Table", own: "pyarrow.Table", places: NDArray[np.int64]) -> bool:
    """Whether rows that were matched by their hashes have the same text."""
    if not (_has_text(gold) and _has_text(own)):
        return True
    found = np.flatnonzero(places >= 0)
    return bool(_read_keys(gold, found).equals(_read_keys(own, places[found])))


def _number_keys(*several: "pyarrow.Table") -> list[NDArray[Any]]:
    """Numbers that stand for the texts of tables: slower than their hashes, and never the same."""
    import pyarrow as pa

    chunks = [chunk for rows in several for chunk in rows.column(2).chunks]
    codes = as_numpy(pa.concat_arrays(chunks).dictionary_encode().indices)
    return np.split(codes, np.cumsum([len(rows) for rows in several])[:-1])


def _hash(keys: Any) -> NDArray[np.uint64]:
    """A hash of 64 bits of each key, the same in every process and on every machine."""
    import pyarrow as pa

    if pa.types.is_integer(keys.type):
        return _mix(_fill(keys).view(np.uint64))
    return _hash_text(keys)


def _mix(codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    codes = codes ^ (codes >> np.uint64(30))
    codes *= _MIX[0]
    codes ^= codes >> np.uint64(27)
    codes *= _MIX[1]
    codes ^= codes >> np.uint64(31)
    return codes


def _hash_text(texts: Any) -> NDArray[np.uint64]:
    """Mixes the bytes of all texts eight at a time: the first of each, then the next, and so on."""
    _, starts, data = texts.buffers()
    offsets = np.frombuffer(starts, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    lengths = np.diff(offsets)
    hashes = _mix(lengths.astype(np.uint64))
    if data is None or not len(texts):
        return hashes
    held = np.frombuffer(data, np.uint8)[offsets[0] : offsets[-1]]
    held = np.concatenate([held, np.zeros(_WORD, np.uint8)])
    words = np.ndarray(len(held) - _WORD + 1, "<u8", held, strides=(1,))
    rows, begins, rest = np.arange(len(texts)), offsets[:-1] - offsets[0], lengths
    while len(rows):
        mask = _MASKS[np.minimum(rest, _WORD)]
        hashes[rows] = _mix(hashes[rows] ^ (words[begins] & mask))
        more = rest > _WORD
        rows, begins, rest = rows[more], begins[more] + _WORD, rest[more] - _WORD
    return hashes
