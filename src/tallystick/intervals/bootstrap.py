"""The bootstrap of counts: units drawn anew within their strata."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw_counts"]

_DEAR = 8
"""Drawing a cell of a multinomial costs about as much as drawing so many single examples."""


def draw_counts(
    counts: NDArray[np.int64],
    strata: NDArray[np.int64],
    draws: int,
    streams: Sequence[np.random.Generator],
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
    counts: NDArray[np.int64], draws: int, stream: np.random.Generator
) -> NDArray[np.int64]:
    total, size = int(counts.sum()), len(counts)
    if total > _DEAR * size:
        return stream.multinomial(total, counts / total, size=draws)
    owners = np.repeat(np.arange(size), counts)
    chosen = owners[stream.integers(total, size=(draws, total))]
    chosen += np.arange(draws)[:, None] * size
    return np.bincount(chosen.ravel(), minlength=draws * size).reshape(draws, size)
