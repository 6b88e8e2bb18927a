"""Tests of the ranks of several systems over several data sets: Friedman's, and Nemenyi's."""

import math
from typing import NamedTuple

import numpy as np

from tallystick.statistics.p_values import erfc
from tallystick.statistics.student import find_beta_tail
from tallystick.statistics.wilson import Values


class Friedman(NamedTuple):
    """Friedman's chi-square, Iman and Davenport's F, and their p-values.

    All are NaN where every data set puts all systems level. Where all data sets agree, F is
    infinite, and its p-value the exact chance that they do.
    """

    chi_square: float
    p: float
    f: float
    f_p: float


def compare_ranks(ranks: Values) -> Friedman:
    """Tests whether systems differ, by their ranks in each data set.

    Ranks have shape (data sets, systems), with at least two of each; equal systems share the mean
    of their ranks. Chi-square is as scipy.stats.friedmanchisquare, which corrects it for ties;
    Demsar's formula does not, and is a little smaller where there are ties. F is made from the
    former.

    Source: Friedman 1937, JASA 32; Iman and Davenport 1980, Communications in Statistics A9;
        Demsar 2006, JMLR 7.
    """
    sets, systems = ranks.shape
    between = sets * ((ranks.mean(0) - (systems + 1) / 2) ** 2).sum()
    within = ((ranks - (systems + 1) / 2) ** 2).sum() / (sets * (systems - 1))
    if not within:
        return Friedman(math.nan, math.nan, math.nan, math.nan)
    most = sets * (systems - 1)
    chi_square = min((between / within).item(), most)
    rest = most - chi_square
    freedom = systems - 1, (systems - 1) * (sets - 1)
    p = find_chi_square_tail(chi_square, freedom[0])
    if rest <= 1e-9 * most:
        return Friedman(chi_square, p, math.inf, _find_agreement(ranks))
    f = (sets - 1) * chi_square / rest
    return Friedman(chi_square, p, f, _find_tail(f, freedom))


def find_chi_square_tail(value: float, freedom: int) -> float:
    """The chance of more than a value by the chi-square distribution, a finite sum."""
    half = value / 2
    odd = freedom % 2 / 2
    terms = [
        math.exp(power * math.log(half) - half - math.lgamma(power + 1))
        for power in (odd + at for at in range(freedom // 2))
        if half > 0
    ]
    lowest = math.erfc(math.sqrt(half)) if odd else float(half == 0)
    return min(1.0, math.fsum((lowest, *terms)))


def _find_tail(f: float, freedom: tuple[int, int]) -> float:
    """The chance of more than a value by the F distribution."""
    first, second = freedom
    return find_beta_tail(second / 2, first / 2, first * f / second)


def _find_agreement(ranks: Values) -> float:
    """The chance that all data sets put systems into one order, where each order is as likely."""
    level = np.unique(ranks[0], return_counts=True)[1].tolist()
    orders = math.factorial(ranks.shape[1]) // math.prod(map(math.factorial, level))
    return math.exp((1 - len(ranks)) * math.log(orders))


_STEP = 0.125
_HIGHEST = np.arange(-9, 30, _STEP)
"""Where the highest of the values lies; a sum over equal steps is exact to rounding error here."""

_LARGEST = 50.0
"""A range that no number of values reaches."""


def find_range_tail(ranges: Values, count: int) -> Values:
    """The chance that `count` standard normal values differ by more than a range.

    Values as scipy.stats.studentized_range.sf with infinite degrees of freedom.

    Source: Tukey 1953; Hartley 1942, Biometrika 32, for the integral.
    """
    wide = np.minimum(ranges, _LARGEST)[..., None]
    below = erfc(-_HIGHEST / math.sqrt(2)) / 2
    beyond = erfc((wide - _HIGHEST) / math.sqrt(2)) / 2
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
    return np.asarray(find_range_tail(distinct, len(mean_ranks))[places].reshape(apart.shape))


def _find_error(sets: int, systems: int) -> float:
    """The standard deviation of a mean rank where no system is better than another."""
    return math.sqrt(systems * (systems + 1) / (12 * sets))
