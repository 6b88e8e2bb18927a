"""Resamples of labels and label sets.

Counts are resampled, not rows: multinomial counts are what drawing examples with replacement gives,
at a cost that does not depend on their number.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.tallies.cells import Cells
from tallystick.tallies.clusters import Clusters
from tallystick.tallies.distinct import sum_by
from tallystick.tallies.resampling.units import (
    DRAW,
    Streams,
    Units,
    draw_units,
    find_units,
    open_streams,
    split,
)

_DEAR = 8
"""Drawing one cell of a multinomial costs about as much as drawing this many single examples."""


def resample_cells(tally: Cells, resamples: int, seed: int) -> Iterator[Cells]:
    """Resamples of labels or label sets, in chunks with a leading axis."""
    if tally.clusters is not None:
        yield from _resample_clusters(tally, tally.clusters, resamples, seed)
        return
    streams = open_streams(seed, tally.groups, DRAW)
    spans = _find_spans(tally.owners, len(tally.groups))
    for chunk in split(resamples, len(tally.owners)):
        counts = _make_counts(chunk, len(tally.owners), tally.n.sum())
        for here, stream in zip(spans, streams, strict=True):
            if here.start < here.stop:
                counts[:, here] = _draw_counts(tally.counts[here], chunk, stream)
        weights = None if tally.weights is None else _draw_weights(tally, counts, streams, spans)
        yield replace(tally, counts=counts, weights=weights)


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
    tally: Cells, counts: NDArray[Any], streams: Streams, spans: Sequence[slice]
) -> NDArray[np.float64]:
    """What the drawn examples of each cell weigh together.

    Of the weights of a cell the mean and the variance are known; their sum is drawn from the gamma
    distribution that has both, so that how weights go with being right shows in every resample.
    """
    assert tally.weights is not None
    size = np.maximum(tally.counts, 1)
    mean, square = tally.weights[:2] / size
    spread = np.maximum(square - mean**2, 0)
    varies = (spread > 1e-12 * square) & (mean > 0)
    sums = counts * mean
    for here, stream in zip(spans, streams, strict=True):
        own = here.start + np.flatnonzero(varies[here])
        drawn = counts[:, own]
        shape, scale = mean[own] ** 2 / spread[own], spread[own] / mean[own]
        sums[:, own] = stream.standard_gamma(np.where(drawn > 0, drawn * shape, 0)) * scale
    return _stack(sums, counts * square)


def _resample_clusters(
    tally: Cells, clusters: Clusters, resamples: int, seed: int
) -> Iterator[Cells]:
    units = find_units(tally.owners[clusters.cells], clusters.owners, tally.groups)
    for drawn in units.draw(resamples, seed):
        weights = None
        if clusters.weights is not None:
            sums, squares = clusters.weights[:2]
            weights = _stack(*(_sum_entries(drawn, units, own, tally) for own in (sums, squares)))
        counts = _sum_entries(drawn, units, clusters.counts, tally)
        yield replace(tally, counts=counts, weights=weights, clusters=None)


def _sum_entries(
    drawn: NDArray[Any], units: Units, sizes: NDArray[Any], tally: Cells
) -> NDArray[Any]:
    """Sums what the entries of clusters have by cell, where their units come up so often."""
    assert tally.clusters is not None
    most = len(units.strata) * int(tally.n.sum())
    kind = np.float64 if sizes.dtype == np.float64 else _narrow(most)
    own = np.ascontiguousarray(drawn.T, kind)[units.of] * sizes.astype(kind)[:, None]
    return sum_by(own.T, tally.clusters.cells, len(tally.owners))
