"""Friedman's test: whether the ranks of systems differ over data sets."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick.statistics.student import find_beta_tail

Values = NDArray[np.float64]


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
