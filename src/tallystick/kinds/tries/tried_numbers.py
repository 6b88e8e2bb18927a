"""Numbers of repeated tries: the mean of each example's tries, and how far they scatter."""

from collections.abc import Mapping, Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.examples.columns import find
from tallystick.examples.number_values import read_numbers
from tallystick.examples.reading import Kind
from tallystick.examples.sides import Side
from tallystick.examples.systems import Column
from tallystick.frozen import dataclass, replace
from tallystick.io.tables.table import Table

_LARGEST = 1e50
"""The largest number that is scored, as of numbers without tries."""

Tried = Mapping[str, NDArray[np.float64]]
"""By column the mean of each example's tries, the squared standard error of that mean, and whether
there are several tries: of shape (3, ..., examples)."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class TriedNumbers(Column):
    """The numbers of repeated tries of all systems, of shape (3, systems, examples)."""

    tried: Tried

    def __len__(self) -> int:
        return len(next(iter(self.tried.values()))[0, 0])

    def of(self, places: Sequence[int]) -> "TriedNumbers":
        return replace(self, tried={name: own[:, places] for name, own in self.tried.items()})

    def take(self, rows: slice) -> "TriedNumbers":
        return replace(self, tried={name: own[..., rows] for name, own in self.tried.items()})

    def tell_output(self, place: int, row: int) -> str:
        """The mean of the tries of the system that stands at a place."""
        return " ".join(f"{own[0, place, row]:g}" for own in self.tried.values())


@final
@dataclass(frozen=True, slots=True, eq=False)
class TriedKind(Kind[TriedNumbers]):
    """Numbers of repeated tries, which are read by the layouts of tries."""

    name: str
    numeric = True
    column = TriedNumbers


TRIED = TriedKind("numbers of repeated tries")


def average_tries(
    table: Table, of_rows: NDArray[np.int64], names: Sequence[str | None]
) -> dict[str, NDArray[np.float64]]:
    """The numbers of each example of a table, in some columns: by column of shape (3, examples)."""
    found = {}
    for name in filter(None, names):
        side, own = Side(table), find(table.names(), (), name) or name
        values = read_numbers(side.values(own), side.locate(own))
        wrong = np.flatnonzero(~(np.abs(values) <= _LARGEST))
        if len(wrong):
            raise InputError(
                f"{side.locate(own)(int(wrong[0]))}: {values[wrong[0]]} is not a number between "
                f"{-_LARGEST:g} and {_LARGEST:g}"
            )
        found[name] = _average(np.asarray(values, np.float64), of_rows)
    return found


def _average(values: NDArray[np.float64], of_rows: NDArray[np.int64]) -> NDArray[np.float64]:
    order = np.lexsort((values, of_rows))  # so that no order of rows changes a sum
    values, owners = values[order], of_rows[order]
    tries = np.bincount(owners)
    means = np.bincount(owners, values) / tries
    squares = np.bincount(owners, (values - means[owners]) ** 2)
    several = tries > 1
    errors = np.where(several, squares / np.maximum(tries - 1, 1) / tries, 0)
    return np.stack([means, errors, several])
