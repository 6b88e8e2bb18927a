"""Resamples of labels and label sets.

Counts are resampled, not rows: multinomial counts are what drawing examples with replacement gives,
at a cost that does not depend on their number.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.tallies.arrays.distinct import sum_by
from tallystick.tallies.arrays.units import DRAW, Streams, Units, draw_units, split
from tallystick.tallies.clusters import Clusters

_DEAR = 8
"""Drawing one cell of a multinomial costs about as much as drawing this many single examples."""


Drawn = tuple[NDArray[Any], NDArray[np.float64] | None]
"""Counts of shape (resamples, cells), and weights as `Cells` has them."""


def draw_cells(
    counts: NDArray[np.integer[Any]],
    weights: NDArray[np.float64] | None,
    units: Units,
    resamples: int,
    seed: int,
) -> Iterator[Drawn]:
    """Resamples of cells, in chunks."""
    streams, spans = units.streams(seed, DRAW), _find_spans(units.strata, len(units.groups))
    for chunk in split(resamples, len(counts)):
        drawn = _make_counts(chunk, len(counts), counts.sum())
        for here, stream in zip(spans, streams, strict=True):
            if here.start < here.stop:
                drawn[:, here] = _draw_counts(counts[here], chunk, stream)
        if weights is None:
            yield drawn, None
        else:
            yield drawn, _draw_weights(counts, weights, drawn, streams, spans)


def _find_spans(owners: NDArray[np.int64], groups: int) -> list[slice]:
    """Where the cells of each group stand."""
    bounds = np.searchsorted(owners, np.arange(groups + 1)).tolist()
    return [slice(start, stop) for start, stop in pairwise(bounds)]


def _narrow(most: int) -> type[np.signedinteger[Any]]:
    """Returns the narrowest integer type that can hold counts up to this number."""
    return np.int32 if most < 1 << 31 else np.int64


def _make_counts(resamples: int, cells: int, most: int) -> NDArray[Any]:
    """Counts of 0 that can rise to so many, with the resamples of each cell side by side."""
    return np.zeros((cells, resamples), _narrow(most)).T


def _stack(sums: NDArray[np.float64], squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights as `Cells` has them, with the resamples of each cell side by side."""
    return np.stack([sums.T, squares.T], axis=1).transpose(1, 2, 0)


def _draw_counts(
    counts: NDArray[np.integer[Any]], resamples: int, stream: "np.random.Generator"
) -> NDArray[np.int64]:
    """Multinomial counts: of single examples where they are few, which is faster, else of cells."""
    total = int(counts.sum())
    if total > _DEAR * len(counts):
        return stream.multinomial(total, counts / total, resamples)
    return draw_units(total, resamples, stream, np.repeat(np.arange(len(counts)), counts))


def _draw_weights(
    sizes: NDArray[np.integer[Any]],
    weights: NDArray[np.float64],
    counts: NDArray[Any],
    streams: Streams,
    spans: Sequence[slice],
) -> NDArray[np.float64]:
    """What the drawn examples of each cell weigh together.

    Of the weights of a cell the mean and the variance are known; their sum is drawn from the gamma
    distribution that has both, so that how weights go with being right shows in every resample.
    """
    mean, square = weights[:2] / np.maximum(sizes, 1)
    spread = np.maximum(square - mean**2, 0)
    varies = (spread > 1e-12 * square) & (mean > 0)
    sums = counts * mean
    for here, stream in zip(spans, streams, strict=True):
        own = here.start + np.flatnonzero(varies[here])
        drawn = counts[:, own]
        shape, scale = mean[own] ** 2 / spread[own], spread[own] / mean[own]
        sums[:, own] = stream.standard_gamma(np.where(drawn > 0, drawn * shape, 0)) * scale
    return _stack(sums, counts * square)


def draw_clusters(
    clusters: Clusters, units: Units, cells: int, resamples: int, seed: int
) -> Iterator[Drawn]:
    """Resamples of the clusters of so many cells, in chunks."""
    most = len(units.strata) * int(clusters.counts.sum())

    def add_up(drawn: NDArray[Any], sizes: NDArray[Any]) -> NDArray[Any]:
        kind = np.float64 if sizes.dtype == np.float64 else _narrow(most)
        own = np.ascontiguousarray(drawn.T, kind)[units.of] * sizes.astype(kind)[:, None]
        return sum_by(own.T, clusters.cells, cells)

    for drawn in units.draw(resamples, seed):
        weights = None
        if clusters.weights is not None:
            weights = _stack(*(add_up(drawn, own) for own in clusters.weights[:2]))
        yield add_up(drawn, clusters.counts), weights
