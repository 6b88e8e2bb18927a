"""Approximate randomisation: the outputs of two systems exchanged at random, example by example."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["SLACK", "count_extremes", "draw_swaps", "find_p"]

Values = NDArray[np.float64]

SLACK = 1e-11
"""Differences that rounding alone tells apart are equal; as a share of the scores' size."""

_BITS = 64
"""How many random bits a word holds."""


def draw_swaps(
    counts: NDArray[np.int64],
    strata: NDArray[np.int64],
    draws: int,
    streams: "Sequence[np.random.Generator]",
) -> NDArray[np.integer[Any]]:
    """How many of the examples behind each count are exchanged, of shape (draws, counts).

    Each is exchanged with a chance of 1/2. Each stratum has its own stream of random numbers;
    `strata` are ascending places in `streams`.
    """
    found, starts = np.unique(strata, return_index=True)
    parts = np.split(counts, starts[1:])
    drawn = [
        _swap_stratum(own, draws, streams[stratum])
        for stratum, own in zip(found.tolist(), parts, strict=True)
    ]
    return np.concatenate(drawn, axis=1)


def _swap_stratum(
    counts: NDArray[np.int64], draws: int, stream: "np.random.Generator"
) -> NDArray[np.integer[Any]]:
    """Binomial numbers: of the bits that are set among as many random ones."""
    if counts.max() == 1:
        words = _draw_words(stream, draws, -(-len(counts) // _BITS)).astype("<u8")
        return np.unpackbits(words.view(np.uint8), axis=1, count=len(counts), bitorder="little")
    masks = ~np.uint64(0) >> (_BITS - np.minimum(counts, _BITS)).astype(np.uint64)
    words = _draw_words(stream, draws, len(counts))
    swaps = np.bitwise_count(words & masks).astype(np.int64)
    many = np.flatnonzero(counts > _BITS)
    swaps[:, many] = stream.binomial(counts[many], 0.5, size=(draws, len(many)))
    return swaps


def _draw_words(stream: "np.random.Generator", draws: int, words: int) -> NDArray[np.uint64]:
    return stream.integers(1 << _BITS, size=(draws, words), dtype=np.uint64)


def count_extremes(drawn: Values, observed: Any, scale: Any) -> NDArray[np.int64]:
    """How many drawn differences are at least as large as the observed one, on either side.

    Args:
        drawn: Of shape (..., draws); undefined ones are not counted.
        observed: Of shape (...).
        scale: The size of the scores whose difference was taken, likewise.
    """
    least = np.abs(observed) - SLACK * np.maximum(1, scale)
    found: NDArray[np.int64] = np.sum(np.abs(drawn) >= least[..., None], axis=-1, dtype=np.int64)
    return found


def find_p(extremes: NDArray[np.int64], draws: NDArray[np.int64]) -> Values:
    """The p-value of so many draws at least as extreme as what was observed; never 0.

    Source: Phipson and Smyth 2010, Statistical Applications in Genetics and Molecular Biology 9.
    """
    return np.asarray((extremes + 1) / (draws + 1))
