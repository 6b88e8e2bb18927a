"""Intervals from the scores of draws."""

import warnings

import numpy as np
from numpy.typing import NDArray

from tallystick.intervals import student
from tallystick.intervals.wilson import bound_share, quantile

__all__ = [
    "bound_effectively",
    "bound_percentiles",
    "bound_spread",
    "measure_deviation",
    "widen_few",
]

Values = NDArray[np.float64]

_STILL = 1e-9
"""A share whose draws deviate by no more does not scatter: that is rounding."""


def measure_deviation(draws: Values) -> Values:
    """The standard deviation of draws along the first axis; undefined draws have no part."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Degrees of freedom", RuntimeWarning)
        deviation: Values = np.nanstd(draws, axis=0, ddof=1)
    return deviation


def bound_percentiles(draws: Values, level: float) -> tuple[Values, Values]:
    """The percentile interval of draws along the first axis; undefined draws have no part.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 13.
    """
    tails = ((1 - level) / 2, (1 + level) / 2)
    if not np.isnan(draws).any():  # the usual case, and several times as fast
        low, high = np.quantile(draws, tails, axis=0)
        return low, high
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "All-NaN slice", RuntimeWarning)
        low, high = np.nanquantile(draws, tails, axis=0)
    return low, high


def bound_effectively(
    value: Values, deviation: Values, size: Values, limits: tuple[float, float], level: float
) -> tuple[Values, Values]:
    """The interval of a score between two limits, taken for a share of effectively so many trials.

    As many trials are assumed as would make a share scatter as the draws do; where these do not
    scatter at all, as for a system without an error, `size` trials. So the interval never leaves
    the limits, and never has width 0.

    Source: Dean and Pagano 2015, Journal of Survey Statistics and Methodology 3 (Wilson's interval
        at the effective sample size).
    """
    bottom, width = limits[0], limits[1] - limits[0]
    share, error = (value - bottom) / width, deviation / width
    still = error <= _STILL
    trials = np.where(still, size, share * (1 - share) / np.where(still, 1, error) ** 2)
    low, high = bound_share(share * trials, trials, level)
    return bottom + width * low, bottom + width * high


def bound_spread(value: Values, deviation: Values, level: float) -> tuple[Values, Values]:
    """The value and `quantile(level)` standard deviations on either side."""
    half = quantile(level) * deviation
    return value - half, value + half


def widen_few(units: NDArray[np.int64], level: float) -> Values:
    """What the deviation of draws of few units, such as clusters, is to be multiplied by.

    Draws of k units scatter too little, by (k - 1) / k of their variance; and from how few that is
    known, Student's t with k - 1 degrees of freedom tells. NaN for a single unit.

    Source: Korn and Graubard 1998, Survey Methodology 24; Dean and Pagano 2015.
    """
    k = np.where(units > 1, units, np.nan)
    factor: Values = student.quantile(level, k - 1) / quantile(level) * np.sqrt(k / (k - 1))
    return factor
