"""Sorts scores in runs that share a group and a gold label."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import _native
from tallystick.examples.labels import Labels


def sort_run(scores: NDArray[Any], weights: NDArray[np.float64] | None) -> None:
    """Sorts scores in place, and their weights with them."""
    if weights is None:
        scores.sort()
        return
    ranks = np.lexsort((weights, scores))
    scores[:], weights[:] = scores[ranks], weights[ranks]


def sort_column(
    scores: NDArray[Any], gold: Labels, groups: Labels, weights: NDArray[np.float64] | None
) -> tuple[NDArray[Any], NDArray[np.float64] | None, NDArray[np.int64], NDArray[np.int64]]:
    """Sorts one column: scores, weights, the sizes of its runs, and their (group, gold label)."""
    wide = len(gold.names)
    count = wide * len(groups.names)
    kind = np.uint8 if count < 256 else np.uint32
    cells: NDArray[np.unsignedinteger[Any]] = groups.codes.astype(kind)
    np.multiply(cells, kind(wide), out=cells)
    np.add(cells, gold.codes, out=cells, casting="unsafe")
    if weights is None:
        ordered, offsets = _native.split_runs(np.ascontiguousarray(scores), cells, count)
        for start, stop in pairwise(offsets):
            ordered[start:stop].sort()
        sizes = np.diff(offsets)
    else:
        ranks = np.lexsort((weights, scores, cells))
        ordered, weights = scores[ranks], weights[ranks]
        sizes = np.bincount(cells, minlength=count)
    filled = np.flatnonzero(sizes)
    return ordered, weights, sizes[filled], np.stack(np.divmod(filled, wide), -1)
