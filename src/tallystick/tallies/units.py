"""What is drawn as a whole when systems are compared: patterns of examples, or clusters of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import _native
from tallystick.examples.labels import Labels

__all__ = ["Items", "Units", "itemise", "itemise_examples", "to_bytes"]


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What is drawn as a whole.

    Attributes:
        counts: int64; how many examples share the pattern that the unit stands for; 1 for a
            cluster.
        strata: int64, ascending; units are drawn in the place of others of their stratum only.
    """

    counts: NDArray[np.int64]
    strata: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.counts)


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """Examples that no system tells apart, and the units that they belong to.

    Without clusters each item is a unit of its own, and groups are strata. A cluster may have
    items in several groups; then all clusters are drawn together.

    Attributes:
        units: The units.
        owners: The unit of each item.
        sizes: How many examples an item stands for each time that its unit is drawn.
        groups: The group of each item.
        first: An example of each item.
        examples: The item of each example.
        clustered: Whether units are clusters.
    """

    units: Units
    owners: NDArray[np.int64]
    sizes: NDArray[np.int64]
    groups: NDArray[np.int64]
    first: NDArray[np.int64]
    examples: NDArray[np.int64]
    clustered: bool

    @property
    def totals(self) -> NDArray[np.int64]:
        """How many examples there are of each item."""
        return self.sizes * self.units.counts[self.owners]

    def count(self, groups: int) -> NDArray[np.int64]:
        """The number of examples of each group."""
        sums = np.zeros(groups, np.int64)
        np.add.at(sums, self.groups, self.totals)
        return sums


def itemise(
    groups: NDArray[Any], clusters: Labels | None, patterns: Sequence[NDArray[np.uint8]]
) -> Items:
    """Finds items and units; their order depends on no order of examples.

    Args:
        groups: The group of each example.
        clusters: The cluster of each example, or None.
        patterns: Matrices of bytes with a row per example; examples of equal rows are alike.
    """
    if clusters is not None:
        return _itemise_clusters(groups.astype(np.int64), clusters.codes, patterns)
    first, examples, counts = _sort_distinct([to_bytes(groups), *patterns])
    owners, strata = np.arange(len(first)), groups[first].astype(np.int64)
    units = Units(counts, strata)
    return Items(units, owners, np.ones_like(counts), strata, first, examples, clustered=False)


def itemise_examples(groups: NDArray[Any], clusters: Labels | None) -> Items:
    """As `itemise`, but every example is an item; or every cluster's examples of one group are."""
    numbers = to_bytes(np.arange(len(groups)))
    return itemise(groups, clusters, [numbers] if clusters is None else [])


def to_bytes(codes: NDArray[Any]) -> NDArray[np.uint8]:
    """Codes as rows of bytes that sort as the codes do."""
    wide = codes.astype(">u4")[:, None].view(np.uint8)
    return wide[:, 3:] if codes.dtype == np.uint8 else wide


def _itemise_clusters(
    groups: NDArray[np.int64], clusters: NDArray[Any], patterns: Sequence[NDArray[np.uint8]]
) -> Items:
    heads, owners, _ = _sort_distinct([to_bytes(groups), to_bytes(clusters)])
    crossing = len(heads) > len(np.unique(clusters))
    if crossing:
        heads, owners, _ = _sort_distinct([to_bytes(clusters)])
    strata = np.zeros(len(heads), np.int64) if crossing else groups[heads]
    first, examples, sizes = _sort_distinct([to_bytes(owners), to_bytes(groups), *patterns])
    units = Units(np.ones(len(heads), np.int64), strata)
    return Items(units, owners[first], sizes, groups[first], first, examples, clustered=True)


def _sort_distinct(
    keys: Sequence[NDArray[np.uint8]],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """One example of each distinct key, ascending; the key of each example; how many have it."""
    rows = np.ascontiguousarray(np.hstack(keys))
    found, places = _native.group_rows(rows)
    ranks = np.lexsort(rows[found].T[::-1])
    order = np.empty_like(ranks)
    order[ranks] = np.arange(len(ranks))
    examples = order[places]
    return found[ranks], examples, np.bincount(examples, minlength=len(found))
