"""The bootstrap of counts: units drawn anew within their strata."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw_counts"]

_DEAR = 8
"""Drawing a cell of a multinomial costs about as much as drawing so many single examples."""


def draw_counts(
    counts: NDArray[np.int64],
    strata: NDArray[np.int64],
    draws: int,
    generator: np.random.Generator,
) -> NDArray[np.int64]:
    """Multinomial draws of counts within each stratum, of shape (draws, counts).

    They are distributed exactly as the counts of examples drawn one by one with replacement.
    """
    ends = np.flatnonzero(np.diff(strata, append=-1)) + 1
    parts = [
        _draw_stratum(own, draws, generator) for own in np.split(counts, ends[:-1]) if len(own)
    ]
    return np.concatenate(parts, axis=1)


def _draw_stratum(
    counts: NDArray[np.int64], draws: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    total, size = int(counts.sum()), len(counts)
    if total > _DEAR * size:
        return generator.multinomial(total, counts / total, size=draws)
    owners = np.repeat(np.arange(size), counts)
    chosen = owners[generator.integers(total, size=(draws, total))]
    chosen += np.arange(draws)[:, None] * size
    return np.bincount(chosen.ravel(), minlength=draws * size).reshape(draws, size)
