"""Random counts that draws are made with: which examples, or how many of each kind, come up."""

import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.examples.labels import Label

__all__ = ["draw_cells", "draw_clusters", "draw_counts", "open_streams", "split_draws"]

_MOST_NUMBERS = 1 << 22
"""How many numbers one chunk of draws may hold: 32 MB."""


_DEAR = 8
"""Drawing a cell of a multinomial costs about as much as drawing so many single examples."""


def open_streams(
    seed: int, groups: Sequence[Label], purpose: int = 0
) -> "list[np.random.Generator]":
    """The random stream of each group, which is the same whatever other groups there are.

    Args:
        seed: Where the streams begin.
        groups: The groups.
        purpose: What tells streams of one seed apart: 0 draws examples, 1 exchanges outputs.
    """
    keys = ([seed, zlib.crc32(str(group).encode()), purpose] for group in groups)
    return [np.random.default_rng(key) for key in keys]


def split_draws(draws: int, width: int) -> Iterator[int]:
    """The sizes of chunks of draws of so many numbers each that bound the memory."""
    most = max(1, _MOST_NUMBERS // max(width, 1))
    for start in range(0, draws, most):
        yield min(most, draws - start)


def draw_cells(
    counts: NDArray[Any], size: float, draws: int, stream: "np.random.Generator"
) -> NDArray[np.int64]:
    """Multinomial counts of shape (draws, cells): what drawing `size` examples anew would count.

    Drawing counts is drawing examples with replacement, at a cost that knows nothing of their
    number. Where counts are sums of weights, `size` is what they are worth in plain examples.
    """
    drawn = np.zeros((draws, len(counts)), np.int64)
    filled = np.flatnonzero(counts)
    if len(filled):
        shares = counts[filled] / counts[filled].sum()
        drawn[:, filled] = stream.multinomial(max(round(size), 1), shares, draws)
    return drawn


def draw_counts(
    counts: NDArray[np.int64],
    strata: NDArray[np.int64],
    draws: int,
    streams: "Sequence[np.random.Generator]",
) -> NDArray[np.int64]:
    """Multinomial draws of counts within each stratum, of shape (draws, counts).

    They are distributed exactly as the counts of examples drawn one by one with replacement. Each
    stratum has its own stream of random numbers; `strata` are ascending places in `streams`.
    """
    found, starts = np.unique(strata, return_index=True)
    parts = np.split(counts, starts[1:])
    drawn = [
        _draw_stratum(own, draws, streams[stratum])
        for stratum, own in zip(found.tolist(), parts, strict=True)
    ]
    return np.concatenate(drawn, axis=1)


def _draw_stratum(
    counts: NDArray[np.int64], draws: int, stream: "np.random.Generator"
) -> NDArray[np.int64]:
    total = int(counts.sum())
    if total > _DEAR * len(counts):
        return draw_cells(counts, total, draws, stream)
    drawn = _draw_units(total, draws, stream)
    starts = np.cumsum(counts) - counts
    return drawn if total == len(counts) else np.add.reduceat(drawn, starts, axis=1)


def draw_clusters(
    owners: NDArray[np.int64], groups: Sequence[Label], draws: int, seed: int
) -> Iterator[NDArray[np.float64]]:
    """How often each cluster comes up in each draw, of shape (draws, clusters), in chunks.

    Args:
        owners: The place in `groups` of each cluster: examples that hang together, or a single one.
        groups: The groups; as many clusters of each are drawn as it has.
        draws: How many draws.
        seed: Where the random streams begin.
    """
    if draws * len(owners) <= _MOST_NUMBERS:
        yield _draw_once(owners.tobytes(), tuple(groups), draws, seed)
    else:
        yield from _draw_chunks(owners, groups, draws, seed)


@lru_cache(maxsize=1)
def _draw_once(
    owners: bytes, groups: tuple[Label, ...], draws: int, seed: int
) -> NDArray[np.float64]:
    """One chunk of draws, kept because each counter and system of the same examples asks for it."""
    (weights,) = _draw_chunks(np.frombuffer(owners, np.int64), groups, draws, seed)
    weights.flags.writeable = False
    return weights


def _draw_chunks(
    owners: NDArray[np.int64], groups: Sequence[Label], draws: int, seed: int
) -> Iterator[NDArray[np.float64]]:
    streams = open_streams(seed, groups)
    places = [np.flatnonzero(owners == place) for place in range(len(groups))]
    for chunk in split_draws(draws, len(owners)):
        weights = np.zeros((chunk, len(owners)))
        for here, stream in zip(places, streams, strict=True):
            if len(here):
                weights[:, here] = _draw_units(len(here), chunk, stream)
        yield weights


def _draw_units(units: int, draws: int, stream: "np.random.Generator") -> NDArray[np.int64]:
    """How often each unit comes up when as many are drawn as there are, once for each draw."""
    picked = stream.integers(0, units, (draws, units))
    picked += np.arange(draws)[:, None] * units
    return np.bincount(picked.ravel(), minlength=draws * units).reshape(draws, units)
