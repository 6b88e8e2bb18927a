"""Which examples of a tally belong together, such as those of a document, and their resamples."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.model.codes import Label, place_names, union
from tallystick.model.tallies.arrays.distinct import find_distinct, sum_by, to_bytes
from tallystick.model.tallies.arrays.units import (
    DRAW,
    Streams,
    Units,
    draw_units,
    open_streams,
    slice_chunks,
    split,
)
from tallystick.model.tallies.groups import list_known
from tallystick.model.tallies.storage import Stored

_ROUNDING = 1e-9


class Clusters(Struct, frozen=True, eq=False):
    """How many examples of each cluster each cell of a tally holds; only pairs that occur.

    Attributes:
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

    def store(self) -> dict[str, NDArray[Any] | None]:
        """Its arrays."""
        own = {"owners": self.owners, "cells": self.cells, "counts": self.counts}
        return {f"clusters.{name}": array for name, array in own.items()} | {
            "clusters.weights": self.weights
        }

    @classmethod
    def load(cls, stored: Stored, size: int, *, weighted: bool) -> "Clusters":
        """The clusters of so many cells; raises a ValueError where a part means nothing."""
        counts = stored.read_whole("clusters.counts", (None,), least=not weighted)
        names = stored.list_names("clusters")
        owners = stored.read_whole("clusters.owners", counts.shape, most=len(names) - 1)
        cells = stored.read_whole("clusters.cells", (len(counts),), most=size - 1)
        weights = read_weights(stored, "clusters.weights", counts) if weighted else None
        return cls(names, owners, cells, counts, weights).move(np.arange(size))

    def move(self, places: NDArray[np.int64]) -> "Clusters":
        """The same clusters where each cell has become the one at its place."""
        cells, owners, weights = places[self.cells], self.owners, self.weights
        first, merged = find_distinct([to_bytes(cells), to_bytes(owners)])
        return Clusters(
            self.names,
            owners[first],
            cells[first],
            sum_by(self.counts, merged, len(first)),
            None if weights is None else sum_by(weights, merged, len(first)),
        )

    def reweigh(self, factors: NDArray[np.float64]) -> "Clusters":
        """The same with each weight multiplied by the factor of its cell."""
        own = multiply_weights(self.counts, self.weights, factors[self.cells])
        return replace(self, weights=own)


def multiply_weights(
    counts: NDArray[Any], weights: NDArray[np.float64] | None, factors: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The sums of weights and of their squares, multiplied."""
    sums, squares = (counts, counts) if weights is None else weights
    return np.stack([sums * factors, squares * factors**2])


def read_weights(stored: Stored, name: str, counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The sums of weights, and of their squares, of so many examples each."""
    weights = stored.read_reals(name, (2, len(counts)))
    sums, squares = weights
    with np.errstate(all="ignore"):
        most = sums * sums * (1 + _ROUNDING)
        least = sums * sums / np.maximum(counts, 1) * (1 - _ROUNDING)
        if (
            (sums < 0).any()
            or ((sums > 0) != (counts > 0)).any()
            or (len(sums) and not sums.any())
            or not ((least <= squares) & (squares <= most)).all()
        ):
            raise ValueError(f"its {name} are not sums of so many weights and of their squares")
    return weights


def join_clusters(
    parts: Sequence[Clusters | None],
    counts: NDArray[np.int64],
    weights: NDArray[np.float64] | None,
) -> Clusters | None:
    """The clusters of some tallies, each entry of which becomes a cell of its own."""
    known = list_known(parts)
    if not known:
        return None
    names = union(*(part.names for part in known))
    tables = [np.array(place_names(part.names, names), np.int64) for part in known]
    owners = [table[part.owners] for table, part in zip(tables, known, strict=True)]
    return Clusters(names, np.concatenate(owners), np.arange(len(counts)), counts, weights)


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
    streams = open_streams(seed, units.groups, DRAW)
    filled = np.flatnonzero(counts)
    groups = np.arange(1, len(units.groups))
    spans = np.split(filled, np.searchsorted(units.strata[filled], groups))
    for chunk in split(resamples, len(counts)):
        # The resamples of each cell stand side by side.
        drawn = np.zeros((len(counts), chunk), _narrow(counts.sum())).T
        for here, stream in zip(spans, streams, strict=True):
            if len(here):
                drawn[:, here] = _draw_counts(counts[here], chunk, stream)
        if weights is None:
            yield drawn, None
        else:
            yield drawn, _draw_weights(counts, weights, drawn, streams, spans)


def _narrow(most: int) -> type[np.signedinteger[Any]]:
    """Returns the narrowest integer type that can hold counts up to this number."""
    return np.int32 if most < 1 << 31 else np.int64


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
    spans: Sequence[NDArray[np.intp]],
) -> NDArray[np.float64]:
    """What the drawn examples of each cell weigh together.

    Of the weights of a cell the mean and the variance are known; their sum is drawn from the gamma
    distribution that has both, so that how weights go with being right shows in every resample.
    """
    mean, square = weights / np.maximum(sizes, 1)
    spread = np.maximum(square - mean**2, 0)
    varies = (spread > 1e-12 * square) & (mean > 0)
    sums = counts * mean
    for here, stream in zip(spans, streams, strict=True):
        own = here[varies[here]]
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
        for part in slice_chunks(len(drawn), len(units.of)):
            weights = None
            if clusters.weights is not None:
                weights = _stack(*(add_up(drawn[part], own) for own in clusters.weights))
            yield add_up(drawn[part], clusters.counts), weights
