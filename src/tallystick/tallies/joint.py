"""Joint tallies: several systems on the same examples, counted so that they are drawn together."""

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tallystick.examples.labels import Label, Labels
from tallystick.examples.sets import LabelRows
from tallystick.tallies.confusion import ConfusionTally
from tallystick.tallies.label_sets import LabelSetsTally
from tallystick.tallies.sums import SumsTally
from tallystick.tallies.units import Items, itemise, itemise_examples, to_bytes

__all__ = [
    "Joint",
    "JointLabels",
    "JointSets",
    "JointSums",
    "join_labels",
    "join_rows",
    "join_sets",
]


class Joint(abc.ABC):
    """Several systems on the same examples: a linear map from units to the tally of each system.

    Attributes:
        items: The examples as items, which belong to units.
        groups: The groups, in the order of labels.
        systems: How many systems there are.
        cells: How many numbers the tally of one system holds.
    """

    __slots__ = ()

    items: Items
    groups: tuple[Label, ...]

    @property
    @abc.abstractmethod
    def systems(self) -> int:
        """How many systems there are."""

    @property
    @abc.abstractmethod
    def cells(self) -> int:
        """How many numbers the tally of one system holds."""

    @abc.abstractmethod
    def project(self, weights: NDArray[np.integer[Any]]) -> NDArray[Any]:
        """The sums of each system when every unit counts as often as its weight says.

        Weights of shape (draws, units) give sums of shape (systems, cells, draws).
        """

    @abc.abstractmethod
    def tally(self, sums: NDArray[Any]) -> Any:
        """Sums of one system, of shape (cells, draws), as a tally whose leading axis is draws."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class JointLabels(Joint):
    """Systems that predict one label each.

    Attributes:
        labels: The labels of gold and of all predictions.
        places: The cell (group, gold label, predicted label) of each item, by system.
    """

    items: Items
    groups: tuple[Label, ...]
    labels: tuple[Label, ...]
    places: NDArray[np.int64]

    @property
    def systems(self) -> int:
        return len(self.places)

    @property
    def cells(self) -> int:
        return len(self.groups) * len(self.labels) ** 2

    def project(self, weights: NDArray[np.integer[Any]]) -> NDArray[Any]:
        return _sum_places(self.items, self.places, self.cells, weights)

    def tally(self, sums: NDArray[Any]) -> ConfusionTally:
        shape = (len(self.groups), len(self.labels), len(self.labels), -1)
        counts = np.moveaxis(sums.reshape(shape), -1, 0)
        return ConfusionTally(self.groups, self.labels, counts, self.items.count(len(self.groups)))

    def count_flips(self, winner: int, loser: int) -> NDArray[np.int64]:
        """How many examples of each group one system got right and another one did not."""
        wide = len(self.labels)
        right = self.places % wide == self.places // wide % wide
        flips = right[winner] & ~right[loser]
        sums = np.zeros(len(self.groups), np.int64)
        np.add.at(sums, self.items.groups[flips], self.items.totals[flips])
        return sums


@final
@dataclass(frozen=True, slots=True, eq=False)
class JointSets(Joint):
    """Systems that predict a set of labels each.

    Attributes:
        labels: The labels that sets are made of.
        places: The cell of each item, by system: its group, gold set and predicted set.
        owners: The group of each cell, ascending.
        gold: The gold set of each cell as packed bits.
        predicted: The predicted set of each cell, likewise.
    """

    items: Items
    groups: tuple[Label, ...]
    labels: tuple[Label, ...]
    places: NDArray[np.int64]
    owners: NDArray[np.int64]
    gold: NDArray[np.uint8]
    predicted: NDArray[np.uint8]

    @property
    def systems(self) -> int:
        return len(self.places)

    @property
    def cells(self) -> int:
        return len(self.owners)

    def project(self, weights: NDArray[np.integer[Any]]) -> NDArray[Any]:
        return _sum_places(self.items, self.places, self.cells, weights)

    def tally(self, sums: NDArray[Any]) -> LabelSetsTally:
        return LabelSetsTally(
            self.groups,
            self.labels,
            self.owners,
            self.gold,
            self.predicted,
            np.moveaxis(sums, -1, 0),
            self.items.count(len(self.groups)),
        )


@final
@dataclass(frozen=True, slots=True, eq=False)
class JointSums(Joint):
    """Systems that write texts.

    Attributes:
        columns: The names of the columns that are summed.
        rows: Of shape (systems, columns, items); float32 where no sum of so many examples can be
            more than it holds exactly, else float64.
    """

    items: Items
    groups: tuple[Label, ...]
    columns: tuple[str, ...]
    rows: NDArray[np.floating[Any]]

    @property
    def systems(self) -> int:
        return len(self.rows)

    @property
    def cells(self) -> int:
        return len(self.groups) * len(self.columns)

    def project(self, weights: NDArray[np.integer[Any]]) -> NDArray[Any]:
        systems, columns, _ = self.rows.shape
        sums = np.empty((systems, len(self.groups), columns, len(weights)))
        for group in range(len(self.groups)):
            here = self.items.groups == group
            rows = self.rows[:, :, here].reshape(systems * columns, -1)
            drawn = weights.T[self.items.owners[here]].astype(rows.dtype)
            sums[:, group] = (rows @ drawn).reshape(systems, columns, len(weights))
        return sums.reshape(systems, self.cells, len(weights))

    def tally(self, sums: NDArray[Any]) -> SumsTally:
        shaped = sums.reshape(len(self.groups), len(self.columns), -1)
        return SumsTally(
            self.groups,
            self.columns,
            np.moveaxis(shaped, -1, 0),
            self.items.count(len(self.groups)),
        )


def join_labels(
    gold: Labels, predictions: Sequence[Labels], groups: Labels, clusters: Labels | None
) -> JointLabels:
    """Counts systems that predict one label for each example; all columns have the same names."""
    wide = len(gold.names)
    codes = [gold.codes, *(own.codes for own in predictions)]
    items = itemise(groups.codes, clusters, [to_bytes(column) for column in codes])
    golden, *predicted = (column[items.first].astype(np.int64) for column in codes)
    places = [(items.groups * wide + golden) * wide + own for own in predicted]
    return JointLabels(items, groups.names, gold.names, np.array(places))


def join_sets(
    gold: LabelRows, predictions: Sequence[LabelRows], groups: Labels, clusters: Labels | None
) -> JointSets:
    """Counts systems that predict a set of labels for each example; all have the same names."""
    items = itemise(groups.codes, clusters, [gold.bits, *(own.bits for own in predictions)])
    golden = gold.bits[items.first]
    patterns = [np.hstack([golden, own.bits[items.first]]) for own in predictions]
    repeated = np.tile(items.groups, len(predictions))
    cells = itemise(repeated, None, [np.concatenate(patterns)])
    found = np.concatenate(patterns)[cells.first]
    left, right = np.hsplit(found, 2)
    places = cells.examples.reshape(len(predictions), -1)
    return JointSets(items, groups.names, gold.names, places, cells.groups, left, right)


def join_rows(
    columns: Sequence[str], rows: Sequence[NDArray[Any]], groups: Labels, clusters: Labels | None
) -> JointSums:
    """Counts systems that have a row of numbers for each example."""
    items = itemise_examples(groups.codes, clusters)
    order = np.argsort(items.examples, kind="stable")
    starts = np.flatnonzero(np.diff(items.examples[order], prepend=-1))
    sums = [np.add.reduceat(own[order].astype(np.float64), starts, axis=0).T for own in rows]
    return JointSums(items, groups.names, tuple(columns), _narrow(np.stack(sums), items))


def _narrow(rows: NDArray[np.float64], items: Items) -> NDArray[np.floating[Any]]:
    """The rows in half the memory, where every sum of as many draws as units stays exact."""
    largest = items.units.counts.sum() * np.abs(rows).max(initial=0)
    whole = largest < 1 << 24 and (rows == np.floor(rows)).all()
    return rows.astype(np.float32) if whole else rows


def _sum_places(
    items: Items, places: NDArray[np.int64], cells: int, weights: NDArray[np.integer[Any]]
) -> NDArray[np.int64]:
    drawn = np.ascontiguousarray(weights.T, np.int64)
    if items.clustered:
        drawn = drawn[items.owners] * items.sizes[:, None]
    sums = np.zeros((len(places), cells, drawn.shape[1]), np.int64)
    for system, own in enumerate(places):
        order = np.argsort(own, kind="stable")
        found, starts = np.unique(own[order], return_index=True)
        sums[system, found] = np.add.reduceat(drawn[order], starts, axis=0)
    return sums
