"""DeLong's test: the areas under the ROC curves of several systems on the same examples."""

import math

import numpy as np
from numpy.typing import NDArray

from tallystick.statistics.areas import PER_EXAMPLE
from tallystick.statistics.wilson import Numbers

Values = NDArray[np.float64]

_LEAST = float(np.finfo(float).tiny)
"""The smallest p-value that is reported: none is ever 0."""


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


def p_value(difference: float, variance: float, scarcer: int | None = None) -> float:
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
        variance = max(variance, abs(difference) / (PER_EXAMPLE * scarcer))
    if not variance > 0:
        return math.nan
    return max(math.erfc(abs(difference) / math.sqrt(2 * variance)), _LEAST)


def _rank(scores: Numbers, others: Numbers) -> Values:
    """How many of the others are below each score, those at the same score counted half."""
    ordered = np.sort(others)
    left, right = (np.searchsorted(ordered, scores, side) for side in ("left", "right"))
    return np.asarray((left + right) / 2)


def _covary(components: Values) -> Values:
    if components.shape[1] < 2:
        return np.full((len(components),) * 2, np.nan)
    return np.atleast_2d(np.cov(components))
