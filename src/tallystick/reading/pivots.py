"""Puts the rows of several systems together by example, one partition at a time."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.examples.ids import Found, find_keys, find_torn, name_systems
from tallystick.frozen import dataclass
from tallystick.io.tables.table import Table
from tallystick.io.tables.values import as_numpy
from tallystick.reading.partitioned import Faults, find_ids, read_keys


class Names:
    """The names of systems, numbered as they come, and how many rows each has had."""

    def __init__(self) -> None:
        """Begins without any."""
        self.places: dict[str, int] = {}
        self._counts: NDArray[np.int64] = np.zeros(0, np.int64)

    def take(self, block: Table, column: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns the number of each row's system, and its place among the rows of that, from 0."""
        encoded = name_systems(block, column).dictionary_encode()
        table = [
            self.places.setdefault(name, len(self.places))
            for name in encoded.dictionary.to_pylist()
        ]
        systems = np.array(table, np.int64)[as_numpy(encoded.indices)]
        self._counts = np.pad(self._counts, (0, len(self.places) - len(self._counts)))
        order, sizes = np.argsort(systems, kind="stable"), np.bincount(systems)
        before = np.repeat(np.cumsum(sizes) - sizes, sizes)
        numbers = np.empty(len(systems), np.int64)
        numbers[order] = np.arange(len(systems)) - before
        numbers += self._counts[systems]
        self._counts[: len(sizes)] += sizes
        return systems, numbers


@dataclass(frozen=True, slots=True, eq=False)
class Pivot:
    """A partition: the rows of systems, the example of each, and the first row of each example."""

    rows: pa.Table
    example: NDArray[np.int64]
    firsts: NDArray[np.int64]

    @classmethod
    def of(cls, rows: pa.Table) -> "Pivot":
        """Puts the rows of each example together."""
        keys = read_keys(rows)
        firsts = find_keys(keys, keys)
        new = firsts == np.arange(len(firsts))
        return cls(rows, (np.cumsum(new) - 1)[firsts], np.flatnonzero(new))

    @property
    def systems(self) -> NDArray[np.int64]:
        """The system of each row."""
        return as_numpy(self.rows.column(self.rows.num_columns - 2))

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The place of each row among those of its system."""
        return as_numpy(self.rows.column(self.rows.num_columns - 1))

    def count(self, systems: int) -> NDArray[np.int64]:
        """How many rows each system has of each example."""
        cells = self.systems * len(self.firsts) + self.example
        counts = np.bincount(cells, minlength=systems * len(self.firsts))
        return counts.reshape(systems, len(self.firsts))

    def find_faults(self, systems: int) -> list[Faults]:
        """What is wrong with the ids of each system."""
        counts = self.count(systems)
        return [self._find(system, own) for system, own in enumerate(counts)]

    def _find(self, system: int, counts: NDArray[np.int64]) -> Faults:
        if (counts == 1).all():
            return Faults()
        lacking = find_ids(self.rows, self.firsts[counts == 0])
        own = np.flatnonzero((self.systems == system) & (counts[self.example] > 1))
        _, firsts = np.unique(self.example[own], return_index=True)
        twice = find_ids(self.rows, own[firsts], self.numbers[own[firsts]])
        return Faults(twice=twice, lacking=lacking)

    def find_torn(self, values: Any) -> Found:
        """The ids whose rows have several values."""
        torn = find_torn(values, self.firsts[self.example])
        return find_ids(self.rows, self.firsts[np.unique(self.example[torn])])
