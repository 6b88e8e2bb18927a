"""What is drawn as a whole: examples or clusters, from streams of their own.

Random numbers come from NumPy's PCG64 with a stream for each group and purpose, so that no other
group, system or metric changes them.
"""

import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.model.codes import Label

Streams = Sequence["np.random.Generator"]

_MOST_NUMBERS = 1 << 22
"""How many numbers one chunk of resamples may hold: 32 MB."""

_CACHED = 1 << 16
"""How many numbers are drawn and counted at a time, so that they stay in the processor's cache."""

HALF = 0.5
"""So much of an example is left out: no label disappears, and nothing becomes undefined."""

DRAW = 0
"""The purpose that streams of a seed serve."""


class Units(Struct, frozen=True, eq=False):
    """What is drawn as a whole.

    Attributes:
        of: int64; the unit of each row.
        strata: int64; a unit is drawn in the place of others of its stratum only.
    """

    of: NDArray[np.int64]
    strata: NDArray[np.int64]
    groups: tuple[Label, ...]

    def draw(self, resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
        """How often each unit comes up, of shape (resamples, units), in chunks."""
        if resamples * len(self.strata) <= _MOST_NUMBERS:
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
    most = max(1, _MOST_NUMBERS // max(width, 1))
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
    """How often each unit comes up when as many are drawn as there are, once per resample.

    Where units have owners, which ascend without a gap, it is how often one of each owner does.
    """
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
