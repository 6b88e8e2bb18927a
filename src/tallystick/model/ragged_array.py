"""Rows of different sizes in one array: strings, token lists, the documents of queries."""

from typing import Any, Self

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Array = NDArray[Any]


class Ragged(Struct, frozen=True, eq=False):
    """Rows of different sizes: row i is data[offsets[i] : offsets[i + 1]]."""

    data: Array
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, sizes: NDArray[np.int64], data: Array) -> Self:
        """The rows that have this many values each."""
        return cls(data, np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many values each row has."""
        return np.diff(self.offsets)

    def row(self, place: int) -> Array:
        """The values of one row."""
        return self.data[self.offsets[place] : self.offsets[place + 1]]

    def take(self, rows: slice) -> Self:
        """Some of the rows, which follow each other."""
        first, last, _ = rows.indices(len(self))
        offsets = self.offsets[first : max(first, last) + 1]
        return type(self)(self.data[offsets[0] : offsets[-1]], offsets - offsets[0])

    def pick(self, rows: NDArray[np.int64]) -> Self:
        """Any of the rows."""
        places, offsets = pick_ranges(self.offsets, rows)
        return type(self)(self.data[places], offsets)

    def pad(self, width: int, fill: object) -> Array:
        """A matrix of shape (rows, width): the first values of each row, then the fill."""
        places = self.offsets[:-1, None] + np.arange(width)
        inside = np.arange(width) < self.sizes[:, None]
        padded = np.full(inside.shape, fill, self.data.dtype)
        padded[inside] = self.data[places[inside]]
        return padded


def pick_ranges(
    offsets: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the values of some rows are, and the offsets of these rows one after another."""
    sizes = np.diff(offsets)[rows]
    own = np.concatenate([[0], np.cumsum(sizes)])
    return np.arange(own[-1]) + np.repeat(offsets[rows] - own[:-1], sizes), own
