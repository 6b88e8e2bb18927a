"""How the rows behind sums scatter: the rows themselves while they are few, else their products."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.examples.labels import Label, Labels, unify
from tallystick.tallies.draws import draw_clusters, open_streams, split_draws
from tallystick.tallies.groups import mix_sums, place, union

__all__ = ["Products", "Rows", "Scatter", "scatter_rows"]

_MOST_ROWS = 1 << 13
"""Above this number sums of draws are as good as normal, and the rows are not kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Products:
    """Sums of the rows' outer products, for any number of rows.

    Attributes:
        groups: The groups.
        n: How many rows each group has.
        sums: Their sums, of shape (groups, columns).
        products: The sums of their outer products, float64 of shape (groups, columns, columns).
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

    def draw(self, draws: int, seed: int) -> Iterator[NDArray[np.float64]]:
        """Normal replicates of the sums, never below 0, of shape (draws, groups, columns)."""
        roots = [self._find_root(group) for group in range(len(self.groups))]
        streams = open_streams(seed, self.groups)
        for chunk in split_draws(draws, self.sums.size):
            drawn = [
                sums + stream.standard_normal((chunk, len(sums))) @ root
                for sums, root, stream in zip(self.sums, roots, streams, strict=True)
            ]
            yield np.maximum(np.stack(drawn, 1), 0)

    def _find_root(self, group: int) -> NDArray[np.float64]:
        """The symmetric square root of the covariance that sums of redrawn rows have."""
        sums = self.sums[group].astype(np.float64)
        spread = self.products[group] - np.outer(sums, sums) / max(self.n[group], 1)
        values, vectors = np.linalg.eigh(spread)
        root: NDArray[np.float64] = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
        return root


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows themselves, at most so many that drawing them is cheap.

    Attributes:
        values: One row per example, of shape (rows, columns); per cluster where there are clusters.
        groups: The group of each row.
        clusters: The cluster of each row, all different within a group; None where every example
            stands for itself.
    """

    values: NDArray[Any]
    groups: Labels
    clusters: Labels | None = None

    def __add__(self, other: "Scatter") -> "Scatter":
        if isinstance(other, Products):
            return other + self
        names = union(self.groups.names, other.groups.names)
        groups = _join(self.groups.recode(names), other.groups.recode(names))
        values = np.concatenate([self.values, other.values])
        if self.clusters is None or other.clusters is None:
            rows = Rows(values, groups)
            return rows if len(values) <= _MOST_ROWS else rows.multiply()
        return _gather(values, groups, _join(*unify(self.clusters, other.clusters)))

    def multiply(self) -> Products:
        """The sums of the rows' outer products."""
        n, sums, products = [], [], []
        for group in range(len(self.groups.names)):
            rows = self.values[self.groups.codes == group]
            wide = rows.astype(np.float64)
            n.append(len(rows))
            sums.append(rows.sum(0))
            products.append(wide.T @ wide)
        return Products(self.groups.names, np.array(n), np.stack(sums), np.stack(products))

    def draw(self, draws: int, seed: int) -> Iterator[NDArray[np.float64]]:
        """Sums of rows drawn anew within each group, of shape (draws, groups, columns)."""
        # In an order of their own, so that no order of files or blocks changes a draw.
        ranks = np.lexsort((*self.values.T, self.groups.codes))
        codes = self.groups.codes[ranks].astype(np.int64)
        weights = draw_clusters(codes, self.groups.names, draws, seed)
        for chunk in weights:
            yield mix_sums(chunk, self.values[ranks], codes, len(self.groups.names))


Scatter = Rows | Products


def scatter_rows(values: NDArray[Any], groups: Labels, clusters: Labels | None) -> Scatter:
    """How rows scatter, one per example."""
    if clusters is not None:
        return _gather(values, groups, clusters)
    rows = Rows(values, groups)
    return rows if len(values) <= _MOST_ROWS else rows.multiply()


def _gather(values: NDArray[Any], groups: Labels, clusters: Labels) -> Rows:
    """One row for each cluster of each group: the sum of its rows."""
    keys = groups.codes.astype(np.int64) * len(clusters.names) + clusters.codes
    seen, places = np.unique(keys, return_inverse=True)
    sums = np.zeros((len(seen), values.shape[1]), values.dtype)
    np.add.at(sums, places, values)
    group_codes, cluster_codes = np.divmod(seen, max(len(clusters.names), 1))
    return Rows(sums, Labels(group_codes, groups.names), Labels(cluster_codes, clusters.names))


def _join(one: Labels, other: Labels) -> Labels:
    """One column after another of the same names."""
    return Labels(np.concatenate([one.codes, other.codes]), one.names)
