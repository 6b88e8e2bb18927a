"""Intervals from percentiles and order statistics, and bounds that hold at every look."""

import math
import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tallystick.statistics import student
from tallystick.statistics.wilson import Numbers, Values, bound_effectively, quantile

_STEPS = 60
"""Halvings of the range of the mean."""

_STAKES = 10.0 ** (-np.arange(1, 25) / 8)
"""The shares of the largest stake that bets are spread over: 0.75, 0.56, ... 0.001.

The best one is near 2 / (deviation * square root of the number of examples).
"""


def bound_anytime(
    values: Numbers, counts: Numbers, limits: tuple[float, float], confidence: float
) -> tuple[float, float]:
    """The one-sided bounds of a mean, each of which contains at all sizes at once.

    With the given confidence, no lower bound that is ever computed, after whatever number of
    examples, lies above the true mean; nor does any upper bound lie below it. A bound is the mean
    against which the capital of bets has grown to 1 / (1 - confidence).

    Examples come in random order; `counts` shows how often each of the distinct values has occurred
    so far. Without examples the bounds are the limits themselves.

    Source: Ville 1939; Waudby-Smith and Ramdas 2023, Journal of the Royal Statistical Society B 86.
    """
    low, high = limits
    values, counts = np.asarray(values, np.float64), np.asarray(counts, np.float64)
    least = -math.log1p(-confidence)
    scaled = np.clip((values - low) / (high - low), 0, 1)
    bottom = _solve(scaled, counts, least)
    top = 1 - _solve(1 - scaled, counts, least)
    return low + (high - low) * bottom, low + (high - low) * top


def find_capital(values: Values, counts: Numbers, mean: float) -> Values:
    """The logarithm of what a unit has become that was bet on a mean above the given one.

    Where the true mean is the given one or less, the chance that the capital ever reaches 1 / p is
    at most p.

    Values and the mean are between 0 and 1; counts of shape (..., values) give an array of shape
    (...).
    """
    # A stake of the whole capital would lose all of it at a value of 0.
    gains = np.log1p(_STAKES[:, None] * (values / max(mean, 1e-300) - 1))
    capital = np.asarray(counts, np.float64) @ gains.T
    top = capital.max(-1, keepdims=True)
    return np.asarray(top[..., 0] + np.log(np.exp(capital - top).mean(-1)))


def _solve(values: Values, counts: Numbers, least: float) -> float:
    """The largest mean against which the capital has grown so far, by halving."""
    if not counts.sum():
        return 0.0
    inner, outer = float(values @ counts / counts.sum()), 0.0
    for _ in range(_STEPS):
        middle = (inner + outer) / 2
        if find_capital(values, counts, middle) > least:
            outer = middle
        else:
            inner = middle
    return outer


_STILL = 1e-9
"""Resamples of a proportion that deviate by no more than this differ by rounding error alone."""

_DEVIATIONS = 40
"""Counts more than this many standard deviations from their mean have no chance worth a term."""


def bound_percentiles(draws: Values, level: float) -> tuple[Values, Values]:
    """Returns the percentile interval of resamples along the first axis, ignoring undefined ones.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 13.
    """
    tails = ((1 - level) / 2, (1 + level) / 2)
    if not np.isnan(draws).any():  # the usual case, and several times as fast
        low, high = _find_quantiles(draws, tails)
        return low, high
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "All-NaN slice", RuntimeWarning)
        low, high = np.nanquantile(draws, tails, axis=0)
    return low, high


def _find_quantiles(draws: Values, levels: Sequence[float]) -> list[Values]:
    """Quantiles along the first axis as `np.quantile`, which loads NumPy's masked arrays."""
    last = len(draws) - 1
    found = []
    places = [(int(last * level), last * level % 1) for level in levels]
    ordered = np.partition(
        draws, sorted({min(at + step, last) for at, _ in places for step in (0, 1)}), axis=0
    )
    for at, part in places:
        lower, upper = ordered[at], ordered[min(at + 1, last)]
        gap = upper - lower
        found.append(lower + gap * part if part < 0.5 else upper - gap * (1 - part))
    return found


def bound_within(
    value: Values,
    deviation: Values,
    size: Values,
    limits: tuple[float, float],
    level: float,
    most: Values | float = np.inf,
) -> tuple[Values, Values]:
    """Returns the interval of a bounded score, treated as a proportion of an effective sample size.

    The effective sample size is the one at which a proportion would vary as much as the resamples
    do, and not above `most`; where these do not vary at all, as for a system without errors, or the
    score is at a limit, it is `size`. The interval therefore never leaves the limits, and never has
    width 0.

    Source: Dean and Pagano 2015, Journal of Survey Statistics and Methodology 3 (Wilson's interval
        at the effective sample size).
    """
    bottom, width = limits[0], limits[1] - limits[0]
    share, error = (value - bottom) / width, deviation / width
    still = (error <= _STILL) | (share <= 0) | (share >= 1)
    trials = np.where(still, size, share * (1 - share) / np.where(still, 1, error) ** 2)
    trials = np.minimum(trials, most)
    low, high = bound_effectively(share, trials, level)
    return bottom + width * low, bottom + width * high


def widen_few(units: Numbers, level: float) -> Values:
    """Returns the factor that corrects the deviation of resamples of few units, such as clusters.

    Resamples of k units vary too little: their variance is (k - 1) / k of what it should be. And
    because it is estimated from k units only, Student's t with k - 1 degrees of freedom takes the
    place of the normal distribution. NaN for a single unit.

    Source: Korn and Graubard 1998, Survey Methodology 24; Dean and Pagano 2015.
    """
    k = np.where(units > 1, units, np.nan)
    factor: Values = student.quantile(level, k - 1) / quantile(level) * np.sqrt(k / (k - 1))
    return factor


def bound_ranks(n: int, level: float, confidence: float) -> tuple[int, int]:
    """Returns which of n ascending numbers bound the quantile of a level, counted from 1.

    Each end is beyond the quantile with a chance of at most (1 - confidence) / 2, whatever the
    distribution. The lower rank is 0, and the upper one n + 1, where no number is far enough.

    Source: Thompson 1936, Annals of Mathematical Statistics 7; Hahn and Meeker 1991, Statistical
        Intervals, section 5.2.
    """
    mean, deviation = n * level, math.sqrt(n * level * (1 - level))
    first = max(0, math.floor(mean - _DEVIATIONS * deviation) - 1)
    counts = np.arange(first, min(n, math.ceil(mean + _DEVIATIONS * deviation) + 1) + 1)
    chances = np.cumsum(_find_chances(counts, n, level))
    tail = (1 - confidence) / 2
    # At most low - 1 numbers lie below the quantile with a chance of at most the tail.
    low = first + int(np.searchsorted(chances, tail, "right"))
    high = first + 1 + int(np.searchsorted(chances, 1 - tail, "left"))
    return low, min(high, n + 1)


def _find_chances(counts: NDArray[np.int64], n: int, level: float) -> NDArray[np.float64]:
    start = counts[0].item()
    least = math.lgamma(n + 1) - math.lgamma(start + 1) - math.lgamma(n - start + 1)
    least += start * math.log(level) + (n - start) * math.log1p(-level)
    steps = np.log((n - counts[:-1]) / counts[1:]) + math.log(level) - math.log1p(-level)
    return np.asarray(np.exp(least + np.concatenate([[0.0], np.cumsum(steps)])))
