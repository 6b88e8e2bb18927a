"""Splits a file by ids and systems where it holds several systems and is too large for memory.

Its rows go through a temporary file twice: in partitions by a hash of the id, where the rows of an
example are together, and then in ranges of examples, for each system, in the order of the file.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.examples.ids import Found
from tallystick.examples.reading import Reading
from tallystick.examples.sides import Side, Whole
from tallystick.frozen import dataclass, field, replace
from tallystick.io.files.opening import name_source
from tallystick.io.files.spill import Spill
from tallystick.io.tables.blocks import iterate_tables
from tallystick.io.tables.table import Table
from tallystick.io.tables.values import as_numpy
from tallystick.reading.joined_files import Sizes, measure, number_rows
from tallystick.reading.partitioned import (
    Faults,
    Keys,
    carry,
    carry_ordered,
    count_blank,
    cut_rows,
    number,
    place_rows,
)
from tallystick.reading.pivots import Names, Pivot

_BINS = 1 << 16
"""Examples are counted by so many stretches of the file, of which ranges are made."""


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns of systems, of ids and of gold in a file with several systems."""

    system: str
    id: str | None
    gold: str | None


@dataclass(frozen=True, slots=True)
class LongFile:
    """A file with several systems, whose examples stand in ranges.

    Attributes:
        first: A row of the file, which knows its columns.
        systems: The names of the systems, each with its number.
        absent: How many examples each system lacks.
        ranges: The number of the first example of each range, and that of the end.
        golden: The first row of each example by range.
        own: The rows of each system by system and range.
    """

    first: Table
    systems: Mapping[str, int]
    wrong: Mapping[str, InputError]
    absent: Sequence[int]
    ranges: Sequence[int]
    golden: Spill
    own: Spill
    _held: list[tuple[int, NDArray[np.int64]]] = field(default_factory=list)

    def iterate_gold(self) -> Iterator[Table]:
        """Yields the gold in blocks."""
        for place, start in enumerate(self.ranges[:-1]):
            rows = self.golden.read(place)
            rows = rows.take(np.argsort(number(rows)))
            self._held[:] = [(place, number(rows))]
            source = f"{self.first.source} (gold)"
            yield Table(source, rows.select(range(1, rows.num_columns)), "row", 1 + start)

    def iterate(self, name: str) -> Iterator[Side]:
        """Yields the rows of a system beside the gold's, block by block."""
        system, stops = self.systems[name], self.ranges
        for place, start in enumerate(stops[:-1]):
            rows = self.own.read(system * len(stops) + place)
            places = np.full(stops[place + 1] - start, -1)
            places[np.searchsorted(self._number_range(place), number(rows))] = np.arange(len(rows))
            whole = Whole(stops[-1], self.absent[system], start)
            table = Table(f"{self.first.source} ({name})", carry_ordered(rows), "row", 1)
            yield Side(table, places, whole, as_numpy(rows.column(1)))

    def _number_range(self, place: int) -> NDArray[np.int64]:
        """Where the examples of a range stand in the file, in ascending order."""
        if not self._held or self._held[0][0] != place:
            self._held[:] = [(place, np.sort(number(self.golden.read(place))))]
        return self._held[0][1]


@contextmanager
def split_file(path: str, roles: Roles, reading: Reading, *, block: int) -> Iterator[LongFile]:
    """Splits a file with several systems; its temporary files are gone at the end of the context.

    Raises:
        MixedTypesError: A column cannot be read in parts.
    """
    with ExitStack() as stack:
        split = _Split(path, roles, reading, measure([path], block), Names())
        with Spill() as rows:
            split.keep(rows)
            checked = split.check(rows)
            golden, own = (stack.enter_context(Spill()) for _ in range(2))
            split.order(rows, checked, golden, own)
        yield split.finish(checked, golden, own)


@dataclass(slots=True)
class _Checked:
    """What the partitions showed.

    Attributes:
        bins: How many examples begin in each stretch of the file.
        width: How many rows a stretch has.
        examples: How many examples a range has.
    """

    faults: list[Faults]
    bins: NDArray[np.int64]
    width: int
    examples: int

    @property
    def ranges(self) -> NDArray[np.int64]:
        """The range of each stretch, without gaps."""
        before = np.cumsum(self.bins) - self.bins
        places = before // self.examples
        used = np.unique(places[self.bins > 0])
        return np.searchsorted(used, places)

    @property
    def starts(self) -> list[int]:
        """The number of the first example of each range, and that of the end."""
        sizes = np.bincount(self.ranges, self.bins).astype(np.int64)
        return [0, *np.cumsum(sizes[sizes > 0]).tolist()]


@dataclass(slots=True)
class _Split:
    """The steps by which a file is split."""

    path: str
    roles: Roles
    reading: Reading
    sizes: Sizes
    names: Names
    rows: int = 0
    first: Table | None = None

    def keep(self, spill: Spill) -> None:
        """Splits all rows into partitions."""
        keys = Keys(self.roles.id or "")
        blocks = iterate_tables(
            self.path,
            kind=self.reading.input_format,
            rows=self.sizes.block,
            watch=self.reading.watch,
        )
        for block, numbered in number_rows(blocks):
            self.first = self.first or replace(block.cut(0, 1), source=name_source(self.path))
            systems, numbers = self.names.take(block, self.roles.system)
            others = [name for name in block.names() if name != self.roles.system]
            rows, places = place_rows(numbered, keys, self.sizes.partitions, only=others)
            rows = rows.append_column("system", pa.array(systems))
            rows = rows.append_column("own", pa.array(numbers))
            spill.add_all(cut_rows(rows, places, self.sizes.partitions))
            self.rows += len(block)

    def check(self, spill: Spill) -> _Checked:
        """Looks at all partitions, and raises an InputError where no system can be read."""
        systems = len(self.names.places)
        faults = [Faults()] * systems
        blank, torn = 0, Found()
        width = -(-self.rows // _BINS)
        bins = np.zeros(_BINS, np.int64)
        for pivot in self._pivot(spill):
            faults = [
                one + own for one, own in zip(faults, pivot.find_faults(systems), strict=True)
            ]
            golden = pivot.rows.take(pivot.firsts)
            blank += count_blank(golden)
            if self.roles.gold is not None:
                torn += pivot.find_torn(self._restore(pivot.rows).column(self.roles.gold))
            bins += np.bincount(number(golden) // width, minlength=_BINS)
        source = self._first.source
        if torn.count:
            raise InputError(
                f"{source}: the gold of {torn.first[0][1]} differs between systems, column "
                f"{self.roles.gold!r}"
            )
        Faults(blank).check_gold(f"{source} (gold)")
        return _Checked(faults, bins, width, self.sizes.measure_range(int(bins.sum())))

    @property
    def _first(self) -> Table:
        assert self.first is not None, self.path
        return self.first

    def _pivot(self, spill: Spill) -> Iterator[Pivot]:
        for part in range(self.sizes.partitions):
            rows = spill.read(part)
            if len(rows):
                yield Pivot.of(rows)

    def _restore(self, rows: pa.Table) -> Table:
        """The rows of a partition as a table of the columns that they carry."""
        columns = carry(rows)
        columns = columns.select(range(columns.num_columns - 2))
        return Table(self._first.source, columns, self._first.unit, self._first.first)

    def order(self, spill: Spill, checked: _Checked, golden: Spill, own: Spill) -> None:
        """Puts the rows of all partitions into ranges: the gold's, and those of each system."""
        ranges, starts = checked.ranges, checked.starts
        for pivot in self._pivot(spill):
            columns = self._restore(pivot.rows).columns
            firsts = number(pivot.rows)[pivot.firsts]
            places = ranges[firsts // checked.width]
            rows = columns.take(pivot.firsts).add_column(0, "number", pa.array(firsts))
            golden.add_all(cut_rows(rows, places, len(starts)))
            answers = self._drop_gold(columns)
            rows = answers.add_column(0, "own", pa.array(pivot.numbers))
            rows = rows.add_column(0, "number", pa.array(firsts[pivot.example]))
            for system in range(len(checked.faults)):
                chosen = np.flatnonzero(pivot.systems == system)
                parts = cut_rows(rows.take(chosen), places[pivot.example[chosen]], len(starts))
                own.add_all(parts, system * len(starts))

    def _drop_gold(self, columns: pa.Table) -> pa.Table:
        """The columns without the gold, which is no answer."""
        gold = self.roles.gold
        if gold is None or gold not in columns.column_names or columns.num_columns == 1:
            return columns
        return columns.drop_columns([gold])

    def finish(self, checked: _Checked, golden: Spill, own: Spill) -> LongFile:
        """What was found, with the systems whose ids are not as they should be."""
        wrong: dict[str, InputError] = {}
        source = self._first.source
        for name, system in self.names.places.items():
            sources = (f"{source} (gold)", f"{source} ({name})")
            try:
                missing = self.reading.columns.missing != "error"
                checked.faults[system].check_own(sources, missing=missing)
            except InputError as error:
                wrong[name] = error
        absent = [own.lacking.count for own in checked.faults]
        return LongFile(
            self._first,
            dict(sorted(self.names.places.items())),
            wrong,
            absent,
            checked.starts,
            golden,
            own,
        )
