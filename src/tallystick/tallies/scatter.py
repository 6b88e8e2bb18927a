"""The variation of the rows behind sums: the rows while they are few, else their products."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.examples.labels import Label, Labels, unify
from tallystick.tallies.groups import place, union

__all__ = ["Products", "Rows", "Scatter", "scatter_rows"]

_MOST_ROWS = 1 << 13
"""Above this number of rows, resampled sums are practically normal, and rows are not kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Products:
    """Sums of the rows' outer products, for any number of rows.

    Attributes:
        groups: The groups.
        n: How many rows each group has.
        sums: Their sums, of shape (groups, systems, columns).
        products: The sums of their outer products, float64 of shape (groups, systems, columns,
            systems, columns).
    """

    groups: tuple[Label, ...]
    n: NDArray[np.int64]
    sums: NDArray[Any]
    products: NDArray[np.float64]

    def __add__(self, other: "Scatter") -> "Products":
        other = other if isinstance(other, Products) else other.multiply()
        groups = union(self.groups, other.groups)
        parts = [
            [place(array, 0, one.groups, groups) for array in (one.n, one.sums, one.products)]
            for one in (self, other)
        ]
        return Products(groups, *(left + right for left, right in zip(*parts, strict=True)))

    def of(self, places: Sequence[int]) -> "Products":
        """The products of some of the systems."""
        return replace(
            self, sums=self.sums[:, places], products=self.products[:, places][:, :, :, places]
        )


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows themselves, at most so many that resampling them is cheap.

    Attributes:
        values: One row per example, of shape (rows, systems, columns), in the order in which they
            were read; one per cluster and group where there are clusters.
        groups: The group of each row.
        keys: A number for each row that no system's outputs change, by which rows are put into an
            order that depends on no order of files; None where clusters do that.
        clusters: The cluster of each row, all different within a group; or None.
    """

    values: NDArray[Any]
    groups: Labels
    keys: NDArray[np.uint32] | None = None
    clusters: Labels | None = None

    def __add__(self, other: "Scatter") -> "Scatter":
        if isinstance(other, Products):
            if self.clusters is not None:
                raise UsageError("a tally with clusters cannot be added to one without")
            return other + self
        if (self.clusters is None) != (other.clusters is None):
            raise UsageError("a tally with clusters cannot be added to one without")
        names = union(self.groups.names, other.groups.names)
        groups = _join(self.groups.recode(names), other.groups.recode(names))
        values = np.concatenate([self.values, other.values])
        if self.clusters is not None and other.clusters is not None:
            return _gather(values, groups, _join(*unify(self.clusters, other.clusters)))
        keys = [part.keys for part in (self, other) if part.keys is not None]
        rows = Rows(values, groups, np.concatenate(keys))
        return rows if len(values) <= _MOST_ROWS else rows.multiply()

    def of(self, places: Sequence[int]) -> "Rows":
        """The rows of some of the systems."""
        return replace(self, values=self.values[:, places])

    def multiply(self) -> Products:
        """The sums of the rows' outer products."""
        n, sums, products = [], [], []
        for group in range(len(self.groups.names)):
            rows = self.values[self.groups.codes == group]
            wide = rows.reshape(len(rows), -1).astype(np.float64)
            n.append(len(rows))
            sums.append(rows.sum(0))
            products.append((wide.T @ wide).reshape(*rows.shape[1:], *rows.shape[1:]))
        return Products(self.groups.names, np.array(n), np.stack(sums), np.stack(products))

    def sort(self) -> "Rows":
        """The rows in an order that depends neither on their own nor on other systems."""
        if self.clusters is not None:
            ranks = np.lexsort((self.clusters.codes, self.groups.codes))
        else:
            wide = math.prod(self.values.shape[1:])
            values = self.values.reshape(len(self.values), wide).T
            ranks = np.lexsort((*values[::-1], self.keys, self.groups.codes))
        return self.take(ranks)

    def take(self, rows: NDArray[np.intp]) -> "Rows":
        """Some of the rows."""
        return replace(
            self,
            values=self.values[rows],
            groups=self.groups.take(rows),
            keys=None if self.keys is None else self.keys[rows],
            clusters=None if self.clusters is None else self.clusters.take(rows),
        )


Scatter = Rows | Products


def scatter_rows(
    values: NDArray[Any],
    groups: Labels,
    clusters: Labels | None,
    find_keys: Callable[[], NDArray[np.uint32]],
) -> Scatter:
    """How rows scatter, one per example."""
    if clusters is not None:
        return _gather(values, groups, clusters)
    if len(values) > _MOST_ROWS:
        return Rows(values, groups).multiply()
    return Rows(values, groups, find_keys())


def _gather(values: NDArray[Any], groups: Labels, clusters: Labels) -> Rows:
    """One row for each cluster of each group: the sum of its rows."""
    keys = groups.codes.astype(np.int64) * len(clusters.names) + clusters.codes
    seen, places = np.unique(keys, return_inverse=True)
    sums = np.zeros((len(seen), *values.shape[1:]), values.dtype)
    np.add.at(sums, places, values)
    group_codes, cluster_codes = np.divmod(seen, max(len(clusters.names), 1))
    return Rows(
        sums,
        Labels(group_codes, groups.names),
        clusters=Labels(cluster_codes, clusters.names),
    )


def _join(one: Labels, other: Labels) -> Labels:
    """One column after another of the same names."""
    return Labels(np.concatenate([one.codes, other.codes]), one.names)
