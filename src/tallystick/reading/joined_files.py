"""Joins files by id that are too large for memory: the rows of each system in the gold's order.

The ids of all rows are checked before any row is given. A file whose ids stand in the order of the
gold's is read beside it as it is; the rows of any other one go through a temporary file twice: in
partitions by a hash of the id, where they are joined, and then in ranges of the gold's rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.errors import InputError, NoRoomError
from tallystick.examples.columns import IDS, find
from tallystick.examples.reading import Reading
from tallystick.examples.sides import Side, Whole
from tallystick.frozen import dataclass, replace
from tallystick.io.files.datasets import find_pieces
from tallystick.io.files.opening import name_source
from tallystick.io.files.progress import Progress, measure_input
from tallystick.io.files.spill import Spill
from tallystick.io.tables.blocks import iterate_tables
from tallystick.io.tables.building import build_places
from tallystick.io.tables.formats import find_kind
from tallystick.io.tables.table import Table
from tallystick.io.tables.values import as_numpy, plain
from tallystick.reading.partitioned import (
    Faults,
    Keys,
    are_whole,
    carry,
    carry_ordered,
    check_partition,
    cut_rows,
    join_partition,
    number,
    split_rows,
)
from tallystick.reading.survey import Survey

_PARTITION = 1 << 20
"""A partition holds the rows of about so many bytes of the largest file."""

_PARTITIONS = (16, 4096)
_RANGES = 512


@dataclass(frozen=True, slots=True)
class Sides:
    """The blocks of each system whose file has ids, beside those of the gold, and what is wrong."""

    blocks: Mapping[str, Iterator[Side]]
    wrong: Mapping[str, InputError]


@dataclass(frozen=True, slots=True)
class File:
    """A file that has ids, or several that are one table; the column of ids, and its first row."""

    path: str
    kind: str
    first: Table
    id: str

    def iterate(
        self, rows: int, only: Sequence[str] | None = None, watch: Progress | None = None
    ) -> Iterator[Table]:
        """Yields blocks of some of the columns."""
        return iterate_tables(self.path, kind=self.kind, only=only, rows=rows, watch=watch)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Into how many partitions rows go, and how many rows of the gold are a block."""

    partitions: int
    block: int

    def measure_range(self, examples: int) -> int:
        """How many examples a range has: whole blocks, so many that there are few ranges."""
        return self.block * -(-examples // (self.block * _RANGES))


@dataclass(frozen=True, slots=True)
class _Split:
    """The gold, split by its ids, and the systems that have the same keys in the same order."""

    spill: Spill
    examples: int
    alike: frozenset[str]


@contextmanager
def join_files(
    gold: str, paths: Mapping[str, str], reading: Reading, survey: Survey, *, block: int
) -> Iterator[Sides]:
    """Joins the files of systems to a file of gold, if that has ids, whose rows are surveyed.

    The temporary files are gone at the end of the context.

    Raises:
        MixedTypesError: A column cannot be read in parts.
    """
    golden = open_file(gold, reading)
    if golden is None:
        for rows in iterate_tables(gold, kind=reading.input_format, only=survey.names or None):
            survey.take(rows)
        yield Sides({}, {})
        return
    with ExitStack() as stack:
        wrong: dict[str, InputError] = {}
        files: dict[str, File] = {}
        for name, path in paths.items():
            with _set_aside(wrong, name):
                file = open_file(path, reading)
                files |= {} if file is None else {name: file}
        sizes = measure([gold, *paths.values()], block)
        join = _Join(golden, files, reading, survey, sizes, stack)
        splits = join.split()
        blocks: dict[str, Iterator[Side]] = {}
        for name in files:
            with _set_aside(wrong, name):
                blocks[name] = join.order(name, splits[join.name_groups(name)])
        yield Sides(blocks, wrong)


@contextmanager
def _set_aside(wrong: dict[str, InputError], name: str) -> Iterator[None]:
    try:
        yield
    except NoRoomError:
        raise
    except InputError as error:
        wrong[name] = error


def open_file(path: str, reading: Reading, usual: Sequence[str] = IDS) -> File | None:
    """Returns a file and its column of ids, by its usual names; None where it has none."""
    kind = find_kind(find_pieces(path), reading.input_format)
    first = next(iterate_tables(path, kind=kind, rows=1))
    ids = find((*first.names(), *first.unread), usual, reading.columns.id)
    return None if ids is None else File(path, kind, replace(first, source=name_source(path)), ids)


def have_whole(files: Sequence[File]) -> bool:
    """Returns whether all ids are whole numbers; types hold for all rows in Parquet alone."""
    typed = all(one.kind == "parquet" for one in files)
    return typed and are_whole([plain(one.first.column(one.id)).type for one in files])


def number_rows(blocks: Iterator[Table]) -> Iterator[tuple[Table, Table]]:
    """Yields each block, and the same with its rows numbered from 0 through all files."""
    count = 0
    for block in blocks:
        yield block, replace(block, first=count, origins=())
        count += len(block)


@dataclass(slots=True)
class _Join:
    """The join of some files; `repeats` tells that ids of the gold stand once in each group."""

    gold: File
    files: Mapping[str, File]
    reading: Reading
    survey: Survey
    sizes: Sizes
    stack: ExitStack
    repeats: bool = False

    def split(self) -> dict[tuple[str, ...], _Split]:
        """Splits the gold by its ids, and by its groups too where ids stand once in each."""
        first = self._split_gold((), self.survey)
        splits: dict[tuple[str, ...], _Split] = {(): first}
        faults = self._check_gold(first)
        extra = self._list_groups(self.gold)
        if faults.twice.count and not faults.blank and extra:
            self.repeats = True
            for groups in {extra, *map(self.name_groups, self.files)} - {()}:
                splits[groups] = self._split_gold(groups, None)
            faults = self._check_gold(splits[extra])
        faults.check_gold(self.gold.first.source, self.survey.suggest_cure)
        return splits

    def name_groups(self, name: str) -> tuple[str, ...]:
        """The columns that tell ids apart both in the gold and in a system's file."""
        own = self._list_groups(self.files[name])
        both = (group for group in self._list_groups(self.gold) if group in own)
        return tuple(both) if self.repeats else ()

    def order(self, name: str, gold: _Split) -> Iterator[Side]:
        """The blocks of a system beside those of the gold."""
        if name in gold.alike:
            return map(Side, self.files[name].iterate(self.sizes.block, watch=self.reading.watch))
        return self._reorder(name, gold)

    def _list_groups(self, file: File) -> tuple[str, ...]:
        columns = self.reading.columns.spelled(self.gold.first.names())
        return tuple(name for name in columns.by if Side(file.first).has(name))

    def _key(self, file: File, groups: tuple[str, ...]) -> Keys:
        """What rows are joined by."""
        return Keys(file.id, groups, have_whole([self.gold, *self.files.values()]))

    def _split_gold(self, groups: tuple[str, ...], survey: Survey | None) -> _Split:
        keys, sizes = self._key(self.gold, groups), self.sizes
        beside = {
            name: (self._key(file, groups), file.iterate(sizes.block, (file.id, *groups)))
            for name, file in self.files.items()
            if self.name_groups(name) == groups
        }
        names = (self.gold.id, *groups, *(survey.names if survey else ()))
        spill, examples = self.stack.enter_context(Spill()), 0
        for block, numbered in number_rows(self.gold.iterate(sizes.block, names)):
            if survey is not None:
                survey.take(block)
            golden = keys.read(block)
            beside = {name: own for name, own in beside.items() if _has_next(*own, golden)}
            spill.add_all(split_rows(numbered, keys, sizes.partitions))
            examples += len(block)
        ended = (name for name, (_, blocks) in beside.items() if next(blocks, None) is None)
        return _Split(spill, examples, frozenset(ended))

    def _check_gold(self, split: _Split) -> Faults:
        parts = (split.spill.read(part) for part in range(self.sizes.partitions))
        return sum((check_partition(rows) for rows in parts), Faults())

    def _reorder(self, name: str, gold: _Split) -> Iterator[Side]:
        """The rows of a system in the order of the gold."""
        file, width = self.files[name], self.sizes.measure_range(gold.examples)
        ordered = self.stack.enter_context(Spill())
        faults, absent = Faults(), 0
        with Spill() as spill:
            origins = self._split_own(file, self.name_groups(name), spill)
            for part in range(self.sizes.partitions):
                left, right = gold.spill.read(part), spill.read(part)
                joined = join_partition(left, right)
                faults += joined.faults
                absent += int((joined.places < 0).sum())
                rows = _pair(left, right, joined.places)
                ordered.add_all(cut_rows(rows, number(rows) // width, _RANGES))
        sources = (self.gold.first.source, file.first.source)
        ordered.flush()
        faults.check_own(sources, missing=self.reading.columns.missing != "error")
        file = replace(file, first=replace(file.first, origins=origins))
        return self._iterate_ordered(file, ordered, Whole(gold.examples, absent))

    def _split_own(
        self, file: File, groups: tuple[str, ...], spill: Spill
    ) -> tuple[tuple[int, str, int], ...]:
        """Splits the rows of a system; returns where those of each file begin, if it is several."""
        keys, origins = self._key(file, groups), list[tuple[int, str, int]]()
        carried = [name for name in file.first.names() if name != file.id]
        blocks = file.iterate(self.sizes.block, watch=self.reading.watch)
        for block, numbered in number_rows(blocks):
            spill.add_all(split_rows(numbered, keys, self.sizes.partitions, only=carried))
            for start, source, first in block.origins or ((0, block.source, block.first),):
                if not origins or origins[-1][1] != source:
                    origins.append((numbered.first + start, source, first))
        return tuple(origins) if len(origins) > 1 else ()

    def _iterate_ordered(self, file: File, ordered: Spill, whole: Whole) -> Iterator[Side]:
        width = self.sizes.measure_range(whole.examples)
        for start in range(0, whole.examples, width):
            rows = ordered.read(start // width)
            places = np.full(min(width, whole.examples - start), -1)
            places[number(rows) - start] = np.arange(len(rows))
            table, stood = restore(file, rows), as_numpy(rows.column(1))
            for low in range(0, len(places), self.sizes.block):
                part = replace(whole, first=start + low)
                yield Side(table, places[low : low + self.sizes.block], part, stood)


def _has_next(keys: Keys, blocks: Iterator[Table], gold: pa.Array) -> bool:
    """Whether the next keys are those of the gold; what cannot be read is told in the join."""
    try:
        block = next(blocks, None)
        return block is not None and len(block) == len(gold) and keys.read(block).equals(gold)
    except InputError:
        return False


def measure(paths: Sequence[str], block: int) -> Sizes:
    """Returns sizes for files: partitions that each hold a few megabytes of the largest file."""
    largest = max(measure_input([path]) for path in paths)
    least, most = _PARTITIONS
    return Sizes(min(max(least, largest // _PARTITION), most), block)


def _pair(gold: pa.Table, own: pa.Table, places: NDArray[np.int64]) -> pa.Table:
    """The number in the gold of each example that was found, its own number, and its columns."""
    found = np.flatnonzero(places >= 0)
    rows = carry(own).take(build_places(places[found]))
    rows = rows.add_column(0, "own", build_places(number(own)[places[found]]))
    return rows.add_column(0, "number", build_places(number(gold)[found]))


def restore(file: File, rows: pa.Table) -> Table:
    """Returns the table that rows came from, without their ids, which have done their work."""
    columns, names = carry_ordered(rows), file.first.names()
    if file.id in names and file.id not in columns.column_names:
        columns = columns.add_column(names.index(file.id), file.id, pa.nulls(len(columns)))
    return replace(file.first, columns=columns)
