"""What is resampled as a whole: examples, or clusters such as the sentences of a document."""

import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.limits import LIMITS
from tallystick.model.codes import Label, place_names, union
from tallystick.model.tallies.groups import find_distinct, list_known, sum_by, to_bytes
from tallystick.model.tallies.storage import Stored

Streams = Sequence["np.random.Generator"]


_CACHED = 1 << 16
"""How many numbers are drawn and counted at a time, so that they stay in the processor's cache."""

HALF = 0.5
"""So much of an example is left out: no label disappears, and nothing becomes undefined."""

DRAW = 0
"""The purpose that streams of a seed serve."""


class Units(Struct, frozen=True, eq=False):
    """What is drawn as a whole: the unit of each row, and the stratum of each unit."""

    of: NDArray[np.int64]
    strata: NDArray[np.int64]
    groups: tuple[Label, ...]

    def draw(self, resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
        """How often each unit comes up, of shape (resamples, units), in chunks."""
        if resamples * len(self.strata) <= LIMITS.resampled_numbers:
            yield _draw_once(self.strata.tobytes(), self.groups, resamples, seed)
        else:
            yield from _draw_chunks(self.strata, self.groups, resamples, seed)


def find_units(
    groups: NDArray[np.int64], clusters: NDArray[np.int64] | None, names: tuple[Label, ...]
) -> Units:
    """The units of rows that are sorted by group, and by cluster where there are clusters."""
    if clusters is None:
        return Units(np.arange(len(groups)), groups, names)
    pairs = np.unique(np.stack([groups, clusters]), axis=1)
    distinct = np.unique(clusters)
    if pairs.shape[1] > len(distinct):
        return Units(
            np.searchsorted(distinct, clusters), np.zeros(len(distinct), np.int64), names[:1]
        )
    width = int(clusters.max(initial=0)) + 1
    keys, own = groups * width + clusters, pairs[0] * width + pairs[1]
    return Units(np.searchsorted(own, keys), pairs[0], names)


def open_streams(seed: int, groups: Sequence[Label], purpose: int) -> Streams:
    """The random stream of each group, which is the same whatever other groups there are."""
    keys = ([seed, zlib.crc32(str(group).encode()), purpose] for group in groups)
    return [np.random.default_rng(key) for key in keys]


def split(resamples: int, width: int) -> Iterator[int]:
    """The sizes of chunks of resamples of so many numbers each that bound the memory."""
    most = max(1, LIMITS.resampled_numbers // max(width, 1))
    for start in range(0, resamples, most):
        yield min(most, resamples - start)


def slice_chunks(resamples: int, width: int) -> Iterator[slice]:
    """The same chunks as slices of all resamples."""
    start = 0
    for size in split(resamples, width):
        yield slice(start, start + size)
        start += size


@lru_cache(maxsize=1)
def _draw_once(
    strata: bytes, groups: tuple[Label, ...], resamples: int, seed: int
) -> NDArray[np.float64]:
    """One chunk of resamples, kept because each counter and system of the same rows asks for it."""
    (weights,) = _draw_chunks(np.frombuffer(strata, np.int64), groups, resamples, seed)
    weights.flags.writeable = False
    return weights


def _draw_chunks(
    strata: NDArray[np.int64], groups: Sequence[Label], resamples: int, seed: int
) -> Iterator[NDArray[np.float64]]:
    streams = open_streams(seed, groups, DRAW)
    places = [np.flatnonzero(strata == at) for at in range(len(groups))]
    for chunk in split(resamples, len(strata)):
        weights = np.zeros((chunk, len(strata)))
        for here, stream in zip(places, streams, strict=True):
            if len(here):
                weights[:, here] = draw_units(len(here), chunk, stream)
        yield weights


def draw_units(
    units: int,
    resamples: int,
    stream: "np.random.Generator",
    owners: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """How often each unit, or one of each owner, is drawn when as many are drawn as there are."""
    size = units if owners is None else int(owners[-1]) + 1
    drawn = np.empty((resamples, size), np.int64)
    step = max(1, _CACHED // units)
    for start in range(0, resamples, step):
        part = drawn[start : start + step]
        picked = stream.integers(0, units, (len(part), units))
        picked = picked if owners is None else owners[picked]
        picked += np.arange(len(part))[:, None] * size
        part[:] = np.bincount(picked.ravel(), minlength=part.size).reshape(part.shape)
    return drawn


_ROUNDING = 1e-9


class Clusters(Struct, frozen=True, eq=False):
    """How many examples of each cluster each cell has; `weights` as in `Cells`."""

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
        """The clusters of this many cells; raises ValueError if an array is malformed."""
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
    """The sums of weights, and of their squares, of this many examples each."""
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
    distribution that has both, so that how weights belong to being right shows in every resample.
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
    """Resamples of the clusters of this many cells, in chunks."""
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
