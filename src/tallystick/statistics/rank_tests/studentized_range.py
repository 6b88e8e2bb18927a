"""The range of independent normal values, by which Nemenyi's test compares mean ranks."""

import math

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

_STEP = 0.125
_HIGHEST = np.arange(-9, 30, _STEP)
"""Where the highest of the values lies; a sum over equal steps is exact to rounding error here."""

_LARGEST = 50.0
"""A range that no number of values reaches."""

_erfc = np.vectorize(math.erfc, otypes=[float])


def find_range_tail(ranges: Values, count: int) -> Values:
    """The chance that `count` standard normal values differ by more than a range.

    Values as scipy.stats.studentized_range.sf with infinite degrees of freedom.

    Source: Tukey 1953; Hartley 1942, Biometrika 32, for the integral.
    """
    wide = np.minimum(ranges, _LARGEST)[..., None]
    below = _erfc(-_HIGHEST / math.sqrt(2)) / 2
    beyond = _erfc((wide - _HIGHEST) / math.sqrt(2)) / 2
    density = np.exp(-(_HIGHEST**2) / 2) / math.sqrt(2 * math.pi)
    # The highest is here, all others are below it, and not all of them within the range.
    with np.errstate(divide="ignore"):
        some_beyond = -np.expm1((count - 1) * np.log1p(-np.minimum(beyond / below, 1)))
    chances = density * below ** (count - 1) * some_beyond
    tail: Values = np.clip(count * _STEP * chances.sum(-1), 0, 1)
    return tail


def find_critical_range(count: int, level: float) -> float:
    """The range that `count` standard normal values exceed with a chance of `level`."""
    low, high = 0.0, _LARGEST
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        above = find_range_tail(np.array(middle), count) > level
        low, high = (middle, high) if above else (low, middle)
    return high


def find_critical_difference(sets: int, systems: int, level: float) -> float:
    """How far the mean ranks of two systems must be apart to differ by Nemenyi's test.

    Source: Nemenyi 1963; Demsar 2006, JMLR 7.
    """
    return find_critical_range(systems, level) * _find_error(sets, systems)


def compare_pairs(mean_ranks: Values, sets: int) -> Values:
    """The p-value of each two systems by Nemenyi's test, of shape (systems, systems)."""
    apart = np.abs(mean_ranks[:, None] - mean_ranks) / _find_error(sets, len(mean_ranks))
    distinct, places = np.unique(np.round(apart, 9), return_inverse=True)
    found: Values = find_range_tail(distinct, len(mean_ranks))[places].reshape(apart.shape)
    return found


def _find_error(sets: int, systems: int) -> float:
    """The standard deviation of a mean rank where no system is better than another."""
    return math.sqrt(systems * (systems + 1) / (12 * sets))
