"""Soft labels: gold and outputs as distributions over labels, or as votes that are counted."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.examples.columns import (
    BOTH,
    OUTPUT,
    PREDICTED,
    PROBABILITIES,
    PROBABILITY,
    Columns,
    find,
)
from tallystick.examples.distribution_cells import Cells, spell_label
from tallystick.examples.sides import Side, find_gold, find_output
from tallystick.examples.systems import Column
from tallystick.examples.task import Task
from tallystick.frozen import dataclass, replace

SHARES = ("soft_label", "soft_labels", "distribution")
"""What columns are called that hold distributions over labels."""

SOFT = (*SHARES, "annotations", "votes")
"""What columns are called that hold the labels of annotators, or their shares."""

_GOLD = (*SOFT, *BOTH)
_OUTPUTS = (*PREDICTED, *PROBABILITY, *OUTPUT, *SOFT)
"""How the names of columns begin that hold the probability of one label each."""

EACH_GOLD = ("y_true_", "gold_")
"""How those of gold begin, which may stand in the table of the outputs."""


@dataclass(frozen=True, slots=True, eq=False)
class Distributions(Column):
    """Distributions over labels, one per example: the gold ones, and those of all systems.

    Attributes:
        gold: float64 of shape (examples, labels).
        outputs: float64 of shape (systems, examples, labels).
        ordered: Whether the order of the labels is known: they were named, are whole numbers, or
            are only two.
    """

    labels: tuple[str, ...]
    gold: NDArray[np.float64]
    outputs: NDArray[np.float64]
    ordered: bool

    @classmethod
    def of_gold(cls, cells: Cells, task: Task) -> "Distributions":
        """Gold distributions, beside which no system stands yet."""
        named = tuple(spell_label(label, cells.fold_case) for label in task.labels or ())
        labels = named or cells.list_labels()
        gold = cells.spread(labels)
        known = bool(named) or len(labels) < 3 or all(map(_is_whole, labels))
        return cls(labels, gold, np.zeros((0, *gold.shape)), known)

    def match(self, cells: Cells) -> NDArray[np.float64]:
        """The distributions of a system over the same labels, of shape (examples, labels)."""
        found = cells.spread(self.labels)
        if len(found) != len(self):
            raise InputError(f"there are {len(found)} distributions for {len(self)} examples")
        return found

    def add(self, outputs: Sequence[NDArray[np.float64]]) -> "Distributions":
        """The same gold beside what `match` gave of each system."""
        return replace(self, outputs=np.stack(outputs))

    def __len__(self) -> int:
        return len(self.gold)

    def of(self, places: Sequence[int]) -> "Distributions":
        return replace(self, outputs=self.outputs[list(places)])

    def take(self, rows: slice) -> "Distributions":
        return replace(self, gold=self.gold[rows], outputs=self.outputs[:, rows])

    def tell_gold(self, row: int) -> str:
        return self._tell(self.gold[row])

    def tell_output(self, place: int, row: int) -> str:
        return self._tell(self.outputs[place, row])

    def _tell(self, shares: NDArray[np.float64]) -> str:
        pairs = zip(self.labels, shares.tolist(), strict=True)
        return ", ".join(f"{label} {share:.4g}" for label, share in pairs)


def _is_whole(label: str) -> bool:
    return label.removeprefix("-").isdecimal()


def read_gold_cells(left: Side, columns: Columns, *, alone: bool) -> Cells:
    """Reads the cells of gold distributions: one column, or one for each label."""
    prefixes = EACH_GOLD if alone else (*EACH_GOLD, *PROBABILITIES)
    return _read_each(left, columns, columns.gold, prefixes) or _read_cells(
        left, find_gold(left, columns, alone=alone, usual=_GOLD), columns
    )


def read_output_cells(left: Side, right: Side, columns: Columns) -> Cells:
    """Reads the cells of a system's distributions likewise."""
    return _read_each(right, columns, columns.predicted, PROBABILITIES) or _read_cells(
        right, find_output(left, right, columns, usual=(_OUTPUTS, _GOLD)), columns
    )


def _read_each(
    side: Side, columns: Columns, named: str | None, usual: Sequence[str]
) -> Cells | None:
    """The numbers of one column for each label; None where there are no such columns."""
    if named is not None and find(side.names, (named,)) is not None:
        return None
    prefixes = usual if named is None else (f"{named}_",)
    prefix = next((one for one in prefixes if any(map(_starts(one), side.names))), None)
    if prefix is None:
        return None
    names = [name for name in side.names if name.startswith(prefix)]
    labels = tuple(spell_label(name.removeprefix(prefix), columns.fold_case) for name in names)
    matrix = np.stack([side.numbers(name) for name in names], axis=1)
    return Cells(matrix, side.locate(names[0]), labels)


def _starts(prefix: str) -> Callable[[str], bool]:
    return lambda name: name.startswith(prefix)


def _read_cells(side: Side, name: str, columns: Columns) -> Cells:
    return Cells.of(side.objects(name), side.locate(name), fold_case=columns.fold_case)


def is_soft(left: Side, columns: Columns) -> bool:
    """Whether a column of distributions stands where no other is called gold."""
    found = find(left.names, (*BOTH, *SHARES), columns.gold)
    return found is not None and find((found,), SHARES) is not None
