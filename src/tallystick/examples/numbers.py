"""Columns of numbers: what each system's examples are worth, and perhaps gold numbers beside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.examples.columns import (
    BOTH,
    IDS,
    OUTPUT,
    PREDICTED,
    PROBABILITY,
    Columns,
    find,
    need,
)
from tallystick.examples.labels import Locate
from tallystick.examples.sides import Side

__all__ = [
    "GOLDEN",
    "Needed",
    "NumberCounter",
    "Numbers",
    "check_finite",
    "read_gold_numbers",
    "read_outputs",
]

_NUMBERS = (*PREDICTED, *PROBABILITY, *OUTPUT, "score", "value", "rating")
"""What columns of numbers are called that a system gave out."""


@dataclass(frozen=True, slots=True)
class Needed:
    """The numbers that a counter reads.

    Attributes:
        column: The column of each system's numbers; None is its output.
        gold: Whether gold numbers are read too.
    """

    column: str | None = None
    gold: bool = False


GOLDEN = (Needed(gold=True),)
"""What is read where gold turns out to be numbers, and nobody named a metric."""


@runtime_checkable
class NumberCounter(Protocol):
    """A counter that reads numbers."""

    @property
    def needs(self) -> Needed:
        """The numbers that it reads."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """Numbers of all systems, one row per example.

    Attributes:
        gold: float64 of shape (examples,); None where no gold was read.
        outputs: The numbers of each column that was read, float64 of shape (systems, examples);
            None stands for the systems' outputs.
    """

    gold: NDArray[np.float64] | None = None
    outputs: Mapping[str | None, NDArray[np.float64]] = field(default_factory=dict)

    @classmethod
    def of_systems(
        cls,
        outputs: Sequence[Mapping[str | None, NDArray[np.float64]]],
        gold: NDArray[np.float64] | None,
    ) -> "Numbers":
        """The numbers of some systems, each by its columns, beside the gold's."""
        return cls(gold, {name: np.stack([own[name] for own in outputs]) for name in outputs[0]})

    def __len__(self) -> int:
        return len(next(iter(self.outputs.values())).T)

    def of(self, places: Sequence[int]) -> "Numbers":
        """The numbers of some of the systems."""
        chosen = {name: own[list(places)] for name, own in self.outputs.items()}
        return Numbers(self.gold, chosen)


def read_outputs(
    left: Side, right: Side, columns: Columns, needed: Sequence[Needed]
) -> dict[str | None, NDArray[np.float64]]:
    """Reads the numbers of one system, by the column that was asked for.

    Raises:
        InputError: There is no such column, or a value of it is no finite number.
    """
    found: dict[str | None, NDArray[np.float64]] = {}
    for column in dict.fromkeys(one.column for one in needed):
        name = _find_output(left, right, columns, column)
        found[column] = check_finite(right.numbers(name), right.locate(name))
    return found


def read_gold_numbers(left: Side, columns: Columns, *, alone: bool) -> NDArray[np.float64]:
    """Reads gold numbers.

    Args:
        left: The table of the gold.
        columns: Which column holds what.
        alone: Whether the only system's outputs stand in the same table.

    Raises:
        InputError: There is no gold column, or a value of it is no finite number.
    """
    names = [name for name in left.names if not alone or name != columns.predicted]
    name = find(names, BOTH, columns.gold)
    rest = _leave(names, columns)
    if name is None and not alone and len(rest) == 1:
        name = rest[0]
    if name is None:
        name = need(left.table, BOTH, None, "gold")
    return check_finite(left.numbers(name), left.locate(name))


def check_finite(values: NDArray[Any], locate: Locate) -> NDArray[np.float64]:
    """Checks that values are finite numbers, one for each example."""
    if values.ndim != 1:
        raise InputError(f"numbers are one for each example, and not of the shape {values.shape}")
    broken = np.flatnonzero(~np.isfinite(values))
    if len(broken):
        raise InputError(
            f"{locate(int(broken[0]))}: {values[broken[0]]} is not a finite number; leave the "
            "example out, or write what it is worth"
        )
    return np.ascontiguousarray(values, np.float64)


def _find_output(left: Side, right: Side, columns: Columns, column: str | None) -> str:
    """The column that was asked for, or of the output: one called so, or the only one there is."""
    asked = column or columns.predicted
    if asked is not None:
        return find(right.names, (), asked) or asked
    gold = find(left.names, BOTH, columns.gold)
    names = [name for name in right.names if left is not right or name != gold]
    found = find(names, _NUMBERS)
    rest = _leave(names, columns)
    if found is None and len(rest) == 1:
        return rest[0]
    return found if found is not None else need(right.table, _NUMBERS, None, "predicted")


def _leave(names: Sequence[str], columns: Columns) -> list[str]:
    """The columns that are neither ids nor groups nor clusters."""
    return [name for name in names if name not in (*IDS, *columns.by, columns.clusters, columns.id)]
