"""Resamples and exchanges of labels and label sets.

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
    BITS,
    DRAW,
    SWAP,
    Pair,
    Streams,
    Units,
    draw_bits,
    draw_units,
    find_units,
    open_streams,
    split,
)

__all__ = ["exchange_cells", "resample_cells"]

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
    mean, square = tally.weights / size
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
            weights = _stack(*(_sum_entries(drawn, units, own, tally) for own in clusters.weights))
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


def exchange_cells(
    tally: Cells, pairs: Sequence[Pair], resamples: int, seed: int
) -> Iterator[tuple[int, Cells, Cells]]:
    """The number of each pair with the tallies of both systems after exchanges, in chunks."""
    for place, names in enumerate(pairs):
        pair = tally.of(*names)
        torn = _find_torn(pair)
        turned = _turn(pair, torn)
        one, other = (turned.project(name) for name in names)
        for moved, masses in _draw_moved(pair, torn, resamples, seed):
            counts = _move(pair.counts, moved, torn)
            weights = None if masses is None else _move_weights(pair, moved, masses, torn)
            swapped = replace(turned, counts=counts, weights=weights)
            yield place, one.apply(swapped), other.apply(swapped)


def _find_torn(pair: Cells) -> NDArray[np.intp]:
    """The cells in which two systems differ; where they agree an exchange changes nothing."""
    differ = pair.outputs[0] != pair.outputs[1]
    return np.flatnonzero(differ if differ.ndim == 1 else differ.any(-1))


def _turn(pair: Cells, torn: NDArray[np.intp]) -> Cells:
    """The cells of two systems, and behind them the torn ones with both outputs exchanged."""
    return replace(
        pair,
        owners=np.concatenate([pair.owners, pair.owners[torn]]),
        gold=np.concatenate([pair.gold, pair.gold[torn]]),
        outputs=np.concatenate([pair.outputs, pair.outputs[::-1, torn]], axis=1),
        clusters=None,
    )


def _move(whole: NDArray[Any], moved: NDArray[Any], torn: NDArray[np.intp]) -> NDArray[Any]:
    """What stays in each cell, and behind it what has moved out of the torn ones."""
    parts = np.empty((len(whole) + len(torn), len(moved)), moved.dtype)
    parts[: len(whole)] = whole[:, None]
    parts[torn] -= moved.T
    parts[len(whole) :] = moved.T
    return parts.T


def _move_weights(
    pair: Cells, moved: NDArray[Any], masses: NDArray[np.float64], torn: NDArray[np.intp]
) -> NDArray[np.float64]:
    """The weights then, for which their squares stand in too."""
    assert pair.weights is not None
    whole = pair.weights[0]
    # All of a cell weigh exactly what it weighs, so that nothing is left of it.
    exact = np.where(moved == pair.counts[torn], whole[torn], masses)
    own = _move(whole, exact, torn)
    return np.broadcast_to(own, (2, *own.shape))


def _draw_moved(
    pair: Cells, torn: NDArray[np.intp], resamples: int, seed: int
) -> Iterator[tuple[NDArray[Any], NDArray[np.float64] | None]]:
    """How many examples of each torn cell are exchanged, and what they weigh."""
    clusters = pair.clusters
    if clusters is not None:
        units = find_units(pair.owners[clusters.cells], clusters.owners, pair.groups)
        for swaps in units.swap(resamples, seed):
            mass = None
            if clusters.weights is not None:
                mass = _sum_entries(swaps, units, clusters.weights[0], pair)[:, torn]
            yield _sum_entries(swaps, units, clusters.counts, pair)[:, torn], mass
        return
    streams = open_streams(seed, pair.groups, SWAP)
    spans = _find_spans(pair.owners[torn], len(pair.groups))
    for chunk in split(resamples, len(pair.owners) + len(torn)):
        moved = _make_counts(chunk, len(torn), pair.n.sum())
        masses = None if pair.weights is None else np.zeros(moved.T.shape).T
        for here, stream in zip(spans, streams, strict=True):
            if here.start < here.stop:
                moved[:, here] = _swap_counts(pair.counts[torn[here]], chunk, stream)
                if masses is not None:
                    masses[:, here] = _weigh_moved(pair, torn[here], moved[:, here], stream)
        yield moved, masses


def _swap_counts(
    counts: NDArray[np.integer[Any]], resamples: int, stream: "np.random.Generator"
) -> NDArray[Any]:
    """Binomial numbers: of the bits that are set among as many random ones."""
    if counts.max() == 1:
        return draw_bits(stream, resamples, len(counts))
    masks = ~np.uint64(0) >> (BITS - np.minimum(counts, BITS)).astype(np.uint64)
    words = stream.integers(1 << BITS, size=(resamples, len(counts)), dtype=np.uint64)
    swaps: NDArray[Any] = np.bitwise_count(words & masks)
    many = np.flatnonzero(counts > BITS)
    if len(many):
        swaps = swaps.astype(np.int64)
        swaps[:, many] = stream.binomial(counts[many], 0.5, size=(resamples, len(many)))
    return swaps


def _weigh_moved(
    pair: Cells, torn: NDArray[np.intp], moved: NDArray[Any], stream: "np.random.Generator"
) -> NDArray[np.float64]:
    """What the exchanged examples weigh: a part of their cell's weight, as it scatters.

    Of the sum of some examples drawn without replacement the mean and the variance are known; it
    is drawn from the beta distribution between 0 and the weight of the cell that has both.
    """
    assert pair.weights is not None
    size, (total, square) = pair.counts[torn], pair.weights[:, torn]
    mean = total / np.maximum(size, 1)
    spread = np.maximum(square / np.maximum(size, 1) - mean**2, 0)
    varies = (spread > 1e-12 * square) & (mean > 0)
    masses: NDArray[np.float64] = moved * mean
    shares = moved[:, varies] / size[varies]
    # How firmly the share of the weight holds to that of the examples: 0 where one weighs it all.
    firm = np.maximum((size - 1)[varies] * mean[varies] ** 2 / spread[varies] - 1, 1e-6)
    inner = (shares > 0) & (shares < 1)
    found = np.where(inner, shares, 0.5)
    drawn = stream.beta(found * firm, (1 - found) * firm)
    masses[:, varies] = total[varies] * np.where(inner, drawn, shares)
    return masses
