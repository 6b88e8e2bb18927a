"""The intervals of areas under ROC curves, DeLong's test of them, and average precision."""

import math

import numpy as np

from tallystick.statistics import student, tango
from tallystick.statistics.p_values import LEAST
from tallystick.statistics.wilson import Numbers, Values, bound_effectively, quantile, solve

_FEW = 3
"""DeLong's variance is trusted from this many misplaced examples of the rarer class on."""

_PER_EXAMPLE = 4
"""How many examples of a difference of proportions one example of the rarer class stands for."""

_STILL = 1e-15
"""A smaller variance is rounding error."""


def bound_area(
    area: Values, positives: Values, negatives: Values, level: float
) -> tuple[Values, Values]:
    """The interval of ROC-AUCs, of one shape with the numbers of positives and negatives.

    The bounds are the areas t that lie `quantile(level)` standard errors from the area, where the
    error is that of t itself under exponential scores; never of width 0, even at an area of 1.
    NaN where there are no positives or no negatives.

    Source: Newcombe 2006, Statistics in Medicine 25, method 5; Hanley and McNeil 1982.
    """
    area, positives, negatives = np.broadcast_arrays(area, positives, negatives)
    known = (positives > 0) & (negatives > 0) & ~np.isnan(area)
    positives, negatives = positives * known, negatives * known
    pairs = np.maximum(positives * negatives, 1)
    spare = (positives + negatives) / 2 - 1

    def find_variance(t: Values) -> Values:
        return t * (1 - t) * (1 + spare * (1 - t) / (2 - t) + spare * t / (1 + t)) / pairs

    low, high = (np.where(known, end, np.nan) for end in solve(area, find_variance, level))
    return low, high


def bound_delong(
    area: Values, variance: Values, positives: Values, negatives: Values, confidence: float
) -> tuple[Values, Values]:
    """The interval of ROC-AUCs from DeLong's variance, however scores are distributed.

    It is Wilson's interval at the effective sample size that has DeLong's variance, with Student's
    t for the number of examples of the rarer class. Where fewer than three of these are misplaced,
    the variance itself is uncertain: the fewer there are, the closer the interval comes to the one
    that covers both it and that of `bound_area`, which is taken where the variance is 0.

    All arrays broadcast to one shape. A variance of NaN, as for a single positive, leaves
    `bound_area`; without positives or negatives the bounds are NaN.

    Source: DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44; Kottas, Kuss and Zapf 2014, BMC
        Medical Research Methodology 14, for Wilson's interval of an area; Newcombe 2006.
    """
    area, variance, positives, negatives = np.broadcast_arrays(area, variance, positives, negatives)
    scarcer = np.minimum(positives, negatives)
    outer = bound_area(area, positives, negatives, confidence)
    widened = student.quantile(confidence, scarcer - 1.0) / quantile(confidence)
    error = np.where(variance > _STILL, variance, np.nan) * widened**2
    trials = area * (1 - area) / error
    inner = bound_effectively(area, trials, confidence)
    return _approach(inner, outer, 1 - scarcer * np.minimum(area, 1 - area) / _FEW)


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


def find_variance(positives: Numbers, negatives: Numbers, sizes: tuple[int, int]) -> float:
    """The variance of one area; NaN where there are fewer than two examples of a kind.

    A few thousand scores of a kind, evenly spread, can stand for very many; `sizes` is how many
    positives and negatives there are in all.
    """
    if min(len(positives), len(negatives)) < 2:
        return math.nan
    above = _rank(positives, negatives) / len(negatives)
    below = 1 - _rank(negatives, positives) / len(positives)
    return float(above.var(ddof=1) / sizes[0] + below.var(ddof=1) / sizes[1])


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


_FEW_POSITIVES = 5
"""The error is trusted from this many positives on the rarer side of the value on."""


def bound_precision(
    value: Values, error: Values, positives: Values, confidence: float
) -> tuple[Values, Values]:
    """Returns the interval of average precisions.

    It is Wilson's interval at the effective sample size that has the error. Where the value leaves
    fewer than five positives on its rarer side, the error itself is uncertain: the fewer there are,
    the closer the interval comes to the one that covers both it and that of a proportion of the
    positives, which is taken where the error is 0.

    Values are NaN where undefined; errors are wider already where examples are few.

    Source: Boyd, Eng and Page 2013, ECML PKDD, for the share of positives.
    """
    outer = bound_effectively(value, positives, confidence)
    trials = value * (1 - value) / np.where(error > 0, error, np.nan) ** 2
    inner = bound_effectively(value, trials, confidence)
    return _approach(inner, outer, 1 - positives * np.minimum(value, 1 - value) / _FEW_POSITIVES)


def _approach(
    inner: tuple[Values, Values], outer: tuple[Values, Values], part: Values
) -> tuple[Values, Values]:
    """Moves an interval a part of the way to the one that covers the outer one too.

    The outer one is taken where the inner one is unknown.
    """
    moved = np.clip(part, 0, 1)
    low, high = (
        np.where(np.isnan(plain), robust, plain + moved * (widest(plain, robust) - plain))
        for plain, robust, widest in zip(inner, outer, (np.minimum, np.maximum), strict=True)
    )
    return low, high
