"""Which examples of a tally belong together, such as those of one document."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.examples.labels import Label
from tallystick.tallies.distinct import find_distinct, sum_by, to_bytes
from tallystick.tallies.groups import union

__all__ = ["Clusters", "join_clusters"]


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """How many examples of each cluster each cell of a tally holds; only pairs that occur.

    Attributes:
        names: The names of the clusters.
        owners: int64; the cluster of each entry.
        cells: int64; its cell.
        counts: int64; how many examples the cell has of the cluster.
        weights: float64 of shape (2, entries), as in `Cells`; or None.
    """

    names: tuple[Label, ...]
    owners: NDArray[np.int64]
    cells: NDArray[np.int64]
    counts: NDArray[np.int64]
    weights: NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls,
        names: tuple[Label, ...],
        owners: NDArray[np.int64],
        cells: NDArray[np.int64],
        counts: NDArray[np.int64],
        weights: NDArray[np.float64] | None = None,
    ) -> "Clusters":
        """Adds up rows of the same cluster and cell."""
        first, places = find_distinct([to_bytes(cells), to_bytes(owners)])
        return cls(
            names,
            owners[first],
            cells[first],
            sum_by(counts, places, len(first)),
            None if weights is None else sum_by(weights, places, len(first)),
        )

    def move(self, places: NDArray[np.int64]) -> "Clusters":
        """The same clusters where each cell has become the one at its place."""
        return Clusters.of(self.names, self.owners, places[self.cells], self.counts, self.weights)

    def rename(self, names: tuple[Label, ...]) -> "Clusters":
        """The same clusters among these names."""
        places = {name: place for place, name in enumerate(names)}
        table = np.array([places[name] for name in self.names], np.int64)
        return replace(self, names=names, owners=table[self.owners])


def join_clusters(
    one: Clusters | None, other: Clusters | None
) -> tuple[Sequence[Label] | None, NDArray[np.int64] | None]:
    """The names of the clusters of two tallies, and the cluster of each entry of both.

    Raises:
        UsageError: One tally has clusters and the other has not.
    """
    if one is None and other is None:
        return None, None
    if one is None or other is None:
        raise UsageError("a tally with clusters cannot be added to one without")
    names = union(one.names, other.names)
    return names, np.concatenate([one.rename(names).owners, other.rename(names).owners])
