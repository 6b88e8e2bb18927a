"""DeLong's test of areas under ROC curves, and the interval of a difference of two."""

import math

import numpy as np

from tallystick.statistics import tango
from tallystick.statistics.p_values import LEAST
from tallystick.statistics.wilson import Numbers, Values

_PER_EXAMPLE = 4
"""How many examples of a difference of proportions one example of the rarer class stands for."""


def bound_area_difference(
    difference: Values, variance: Values, scarcer: Values, confidence: float
) -> tuple[Values, Values]:
    """The interval of a difference of two ROC-AUCs on the same examples.

    It is Tango's for a difference of shares that has the same variance, each example of the scarcer
    kind standing for four; so it has no width 0 where both areas are 1. NaN without examples.

    `variance` is DeLong's, from the covariance of the areas; `scarcer` is the number of positives
    or of negatives, whichever are fewer.

    Source: Tango 1998; DeLong, DeLong and Clarke-Pearson 1988. Taking a single example for four is
        a choice from simulations, which benchmarks/formulas.py repeats.
    """
    n = _PER_EXAMPLE * np.asarray(scarcer, np.float64)
    squares = np.clip(n * variance + difference**2, np.abs(difference), 1)
    wins, losses = n * (squares + difference) / 2, n * (squares - difference) / 2
    low, high = tango.bound_difference(wins, losses, n, confidence)
    known = ~np.isnan(squares)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def find_areas(positives: Numbers, negatives: Numbers) -> tuple[Values, Values]:
    """The area of each system, and the covariance matrix of all areas.

    Scores have the shapes (systems, positives) and (systems, negatives). All is NaN without
    examples of a kind; a covariance needs two of each.

    Source: DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44; by ranks as Sun and Xu 2014.
    """
    systems, m, n = len(positives), positives.shape[1], negatives.shape[1]
    if not (m and n):
        return np.full(systems, np.nan), np.full((systems, systems), np.nan)
    # The structural components: how often each example is on the right side of the others.
    above = np.stack([_rank(*pair) for pair in zip(positives, negatives, strict=True)]) / n
    below = 1 - np.stack([_rank(*pair) for pair in zip(negatives, positives, strict=True)]) / m
    return above.mean(1), _covary(above) / m + _covary(below) / n


def find_p_value(difference: float, variance: float, scarcer: int | None = None) -> float:
    """The two-sided p-value of a difference with that variance; 1 without a difference, never 0.

    The variance is 0 where all examples of a kind are placed alike, which shows too little. With
    `scarcer`, the number of positives or of negatives, whichever are fewer, it is at least that of
    as many shares as `bound_area_difference` takes them for; without, the p-value is NaN there.
    """
    if math.isnan(difference) or math.isnan(variance):
        return math.nan
    if difference == 0:
        return 1.0
    if scarcer:
        variance = max(variance, abs(difference) / (_PER_EXAMPLE * scarcer))
    if not variance > 0:
        return math.nan
    return max(math.erfc(abs(difference) / math.sqrt(2 * variance)), LEAST)


def _rank(scores: Numbers, others: Numbers) -> Values:
    """How many of the others are below each score, those at the same score counted half."""
    ordered = np.sort(others)
    left, right = (np.searchsorted(ordered, scores, side) for side in ("left", "right"))
    return np.asarray((left + right) / 2)


def _covary(components: Values) -> Values:
    if components.shape[1] < 2:
        return np.full((len(components),) * 2, np.nan)
    return np.atleast_2d(np.cov(components))
