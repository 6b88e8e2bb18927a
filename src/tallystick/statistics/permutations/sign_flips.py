"""The chance that a sum whose terms have random signs is as large as the one that was seen."""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tallystick.statistics.permutations import permutation

Values = NDArray[np.float64]

_MOST_SUMS = 1 << 16
"""Up to so many distinct sums are listed."""
_MOST_STEPS = 1 << 16
"""Up to so many steps of a lattice the distribution of a sum is found by Fourier's transform."""
_MOST_COSINES = 1 << 21
"""Up to so many cosines, of each step for each size of terms, the transform is worth its time."""
_WIDE = 4.5
"""No sum lies farther from its mean, in roots of the sum of squares, but with a chance of 1e-17."""
_SLACK = 1e-9
"""Sums that differ by less, as a share of the largest, are equal but for rounding."""
_DECIMALS = 5
_ROOT = math.sqrt(2)

_erfc = np.vectorize(math.erfc, otypes=[float])


def find_tail(terms: Values) -> float:
    """The chance that the sum with random signs is at least the sum of the terms.

    It is exact where few sums are distinct, and where terms are few different multiples of the same
    decimal fraction, as ratings are; else it comes from the saddlepoint of `permutation.p_value`,
    which counts sums that equal the seen one a half, of which there is hardly any then.

    Terms have shape (items,) and are finite; the chance is 1 where all are 0.

    Source: the one-sided p-value of a paired permutation test; Davies 1973, Biometrika 60
        (distributions from characteristic functions).
    """
    return _find_tail(np.ascontiguousarray(terms[terms != 0], np.float64).tobytes())


@lru_cache(maxsize=512)
def _find_tail(content: bytes) -> float:
    terms = np.frombuffer(content)
    if not len(terms):
        return 1.0
    sizes, counts = np.unique(np.abs(terms), return_counts=True)
    flipped = (sizes @ counts - terms.sum()) / 2  # the most that terms of turned sign may add
    if np.log1p(counts).sum() <= math.log(_MOST_SUMS):
        return _list_sums(sizes, counts, flipped)
    step = float(find_steps(sizes[:, None])[0])
    if step > 0:
        units = np.rint(sizes / step).astype(np.int64)
        half = math.ceil(_WIDE * math.sqrt(float(counts @ units.astype(np.float64) ** 2))) + 1
        if 2 * half <= _MOST_STEPS and half * len(units) <= _MOST_COSINES:
            return _transform(units, counts, round(flipped / step), half)
    observed = np.array(terms.sum())
    p = float(permutation.p_value(observed, sizes, counts, np.ones(len(sizes), bool)))
    return p / 2 if observed > 0 else 1 - p / 2


def find_steps(sizes: Values) -> Values:
    """The largest number that all sizes of a sum are multiples of; 0 unless it has few decimals.

    Sizes have shape (items, sums), and are not negative.
    """
    steps = np.zeros(sizes.shape[1])
    for decimals in range(_DECIMALS):
        scaled = sizes * 10.0**decimals
        whole = np.rint(scaled)
        even = np.abs(scaled - whole).max(0) <= _SLACK * np.maximum(scaled.max(0), 1)
        found = np.flatnonzero(even & (steps == 0))
        steps[found] = np.gcd.reduce(whole[:, found].astype(np.int64), axis=0) / 10.0**decimals
    return steps


def _list_sums(sizes: Values, counts: NDArray[np.int64], most: float) -> float:
    """From each number of turned signs of each size."""
    sums, chances = np.zeros(1), np.ones(1)
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        own = np.array([math.comb(count, turned) for turned in range(count + 1)]) / 2.0**count
        sums = np.add.outer(sums, size * np.arange(count + 1)).ravel()
        chances = np.multiply.outer(chances, own).ravel()
    return float(chances[sums <= most + _SLACK * float(sizes @ counts)].sum())


def _transform(units: NDArray[np.int64], counts: NDArray[np.int64], most: int, half: int) -> float:
    """From the characteristic function of the sum of turned terms, in steps of a lattice."""
    total, wide = int(units @ counts), 2 * half
    angles = np.pi * np.arange(half + 1) / wide
    spectrum = np.ones(half + 1)
    for unit, count in zip(units.tolist(), counts.tolist(), strict=True):
        spectrum *= np.cos(angles * unit) ** count
    centred = np.exp(-1j * angles * (total % 2)) * spectrum
    chances = np.roll(np.fft.irfft(centred, wide), half)  # of sums from -half on, about the mean
    last = min(most - total // 2, half - 1)
    return float(np.clip(chances[: max(last + half + 1, 0)].sum(), 0, 1))


def approximate_tails(times: Values, terms: Values) -> Values:
    """The same of resamples, by the normal distribution with a term for the fourth cumulant.

    `times` is how often each item is in each resample, of shape (resamples, items); with terms of
    shape (items, sums) the tails have shape (resamples, sums).

    Source: the Edgeworth series; sums are symmetric, so that its first term is this one.
    """
    steps = find_steps(np.abs(terms))
    squares = times @ terms**2
    root = np.sqrt(np.where(squares > 0, squares, 1))
    z = times @ terms / root
    fourth = -2 * (times @ terms**4) / root**4
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    tails = _erfc(z / _ROOT) / 2 + density * (steps / root + fourth / 24 * (z**3 - 3 * z))
    return np.where(squares > 0, np.clip(tails, 0, 1), 1.0)


def permute_tails(scores: Values, permutations: int) -> Values:
    """The same of the differences of each two columns, from random signs, as they were published.

    Scores have shape (items, systems). The tails, of shape (systems, systems), are the share of
    permutations in which the sum of one system, the first axis, is as far above that of the other.

    Source: mt-metrics-eval 68a481a, pce.compute_pairwise_p_values: NumPy's generator with the seed
        4, in single precision.
    """
    single = np.ascontiguousarray(scores.T, np.float32)  # in whose layout sums are rounded alike
    signs = (
        np.rint(np.random.default_rng(4).random((permutations, len(scores)), np.float32)) * 2 - 1
    )
    drawn, seen = np.matmul(signs, single.T), np.sum(single, axis=1)
    apart = drawn[:, :, None] - drawn[:, None] >= seen[:, None] - seen
    return np.asarray(apart.sum(0) / permutations)
