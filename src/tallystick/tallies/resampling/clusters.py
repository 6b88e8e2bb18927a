"""The clusters of a tally: whether it has any, how many, and each as a group of its own."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.tallies.bins import Bins
from tallystick.tallies.cells import Cells
from tallystick.tallies.curve import CurveTally
from tallystick.tallies.second_moments import Rows
from tallystick.tallies.sums import Sums


def is_plain(tally: Any) -> bool:
    """Whether examples count alike and stand for themselves, as formulas of intervals need it."""
    return _find_clusters(tally) is None and getattr(tally, "weights", None) is None


def count_clusters(tally: Any) -> tuple[NDArray[np.int64], int] | None:
    """How many clusters each group has, and how many there are; None where examples have none."""
    found = _find_clusters(tally)
    if found is None:
        return None
    groups, owners = found
    pairs = np.unique(np.stack([groups, owners]), axis=1)
    counts = np.bincount(pairs[0], minlength=len(tally.groups)).astype(np.int64)
    return counts, len(np.unique(owners))


def split_clusters(tally: Any, place: int | None) -> Any:
    """The tally of one system with each cluster as a group of its own.

    Args:
        tally: A tally of labels, label sets or sums whose examples have clusters.
        place: The group whose clusters are meant; None takes those of all groups.
    """
    if isinstance(tally, Sums):
        return _split_rows(tally, place)
    own = tally.clusters
    chosen = np.ones(len(own.owners), bool) if place is None else tally.owners[own.cells] == place
    cells = own.cells[chosen]
    names, owners = np.unique(own.owners[chosen], return_inverse=True)
    weights = None if own.weights is None else own.weights[:, chosen]
    return replace(
        tally,
        groups=tuple(names.tolist()),
        owners=owners,
        gold=tally.gold[cells],
        outputs=tally.outputs[:, cells],
        counts=own.counts[chosen],
        n=np.bincount(owners, own.counts[chosen], len(names)).astype(np.int64),
        weights=weights,
        clusters=None,
    )


def _split_rows(tally: Sums, place: int | None) -> Sums:
    rows = tally.scatter
    if not isinstance(rows, Rows) or rows.clusters is None:
        raise UsageError("this tally has no clusters")
    chosen = np.ones(len(rows.values), bool) if place is None else rows.groups.codes == place
    names, owners = np.unique(rows.clusters.codes[chosen], return_inverse=True)
    sums = np.zeros((len(names), *rows.values.shape[1:]), rows.values.dtype)
    np.add.at(sums, owners, rows.values[chosen])
    n = np.bincount(owners, minlength=len(names))
    return replace(
        tally,
        groups=tuple(names.tolist()),
        sums=sums.swapaxes(0, 1),
        n=n,
        scatter=None,
        pivots=None,
        reference=None,
    )


def _find_clusters(tally: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """The group and the cluster of whatever belongs to clusters in a tally."""
    if isinstance(tally, Cells):
        own = tally.clusters
        return None if own is None else (tally.owners[own.cells], own.owners)
    if isinstance(tally, Sums):
        rows = tally.scatter
        if not isinstance(rows, Rows) or rows.clusters is None:
            return None
        return rows.groups.codes.astype(np.int64), rows.clusters.codes.astype(np.int64)
    if isinstance(tally, Bins):
        return None if tally.clusters is None else (tally.owners[:, 1], tally.owners[:, 2])
    kept = tally.rows if isinstance(tally, CurveTally) else tally
    if kept is None or kept.clusters is None:
        return None
    return kept.owners.codes.astype(np.int64), kept.clusters.codes.astype(np.int64)
