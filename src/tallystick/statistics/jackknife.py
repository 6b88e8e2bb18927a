"""Confidence intervals from how far each example, or cluster, moves a score."""

import math

import numpy as np
from numpy.typing import NDArray

from tallystick.statistics import student
from tallystick.statistics.wilson import Numbers, bound_effectively

Values = NDArray[np.float64]

_FEWEST = 2
"""Fewer degrees of freedom made intervals 2 to 35 times as wide in benchmarks/coverage.py, where
an example made nearly all of the variance, and no interval hold that did not."""

_STRAIGHT = 1e-9
"""A smaller skewness is none."""

_LARGEST = 300
"""Beyond e to this power numbers overflow."""


def measure_scatter(
    moves: Values, counts: Numbers, strata: NDArray[np.int64]
) -> tuple[float, float, float]:
    """The standard error of a score, its degrees of freedom, and its skewness.

    Where a few units move the score far, their number in another sample may be another: the
    variance is known as poorly as that of a sample of the same kurtosis.

    Args:
        moves: How far one unit of each kind moves the score: what the score loses without it, or
            the slope of the score in its weight, of shape (kinds).
        counts: How many units there are of each kind.
        strata: The stratum of each kind, within which units are drawn.

    Returns:
        All are NaN where there is a single unit.

    Source: Efron and Stein 1981, Annals of Statistics 9, for the jackknife; Satterthwaite 1946,
        Biometrics Bulletin 2, for degrees of freedom from the variance of a variance.
    """
    sizes = np.bincount(strata, counts)
    known = np.maximum(sizes, 1)
    off = moves - (np.bincount(strata, moves * counts) / known)[strata]
    scale = np.abs(off).max(initial=0) or 1.0  # so that no power is too large or too small
    squares, cubes, fourths = (
        np.bincount(strata, counts * (off / scale) ** power) for power in (2, 3, 4)
    )
    freedom = (sizes[sizes > 0] - 1).sum()
    if freedom < 1:
        return np.nan, np.nan, np.nan
    variance = float((squares * sizes / np.maximum(sizes - 1, 1)).sum())
    error = float(scale) * variance**0.5
    uncertainty = float((fourths - squares**2 / known).sum())
    if uncertainty > 0:
        freedom = min(freedom, max(2 * squares.sum() ** 2 / uncertainty - 1, _FEWEST))
    skewness = cubes.sum() / squares.sum() ** 1.5 if squares.any() else 0.0
    return error, float(freedom), float(skewness)


def bound_on_scale(
    value: Values,
    scatter: tuple[Values, Values, Values | float],
    size: Numbers,
    limits: tuple[float, float],
    confidence: float,
) -> tuple[Values, Values]:
    """The intervals of scores by Student's t on a scale on which their limits are infinitely far.

    That is Fisher's z for what lies between -1 and 1, a logarithm where there is one limit, and the
    score itself where there is none, with Hall's correction for the skewness of the mean that it
    is. Where nothing scatters, or a score is at a limit, it is Wilson's of as many trials, as far
    as these have a meaning.

    Args:
        value: The scores, of any shape.
        scatter: Their standard errors, degrees of freedom and skewness, as `measure_scatter` gives
            them.
        size: How many units each has.
        limits: The smallest and the largest possible value.
        confidence: That of the intervals, between 0 and 1.

    Returns:
        Two arrays of the shape of the scores; NaN where nothing shows how one scatters.

    Source: Fisher 1921, Metron 1; the delta method; Hall 1992, Journal of the Royal Statistical
        Society B 54, for skewness.
    """
    error, freedom, skewness = scatter
    within = (limits[0] < value) & (value < limits[1])
    still = (error == 0) | ~within
    skewness = 0.0 if np.isfinite(limits).any() else skewness
    far = student.quantile(confidence, freedom)
    steps = (-error * _unskew(side * far, skewness) for side in (1, -1))
    inside = np.where(within, value, _find_middle(limits))
    ends = _bound_still(value, size, limits, confidence)
    unknown = np.isnan(error) | np.isnan(value)
    low, high = (
        np.where(unknown, np.nan, np.where(still, end, _move(inside, step, limits)))
        for end, step in zip(ends, steps, strict=True)
    )
    return low, high


def _unskew(quantile: Values, skewness: Values | float) -> Values:
    """How many standard errors off a skewed mean is where Hall's symmetric form is a quantile."""
    known = np.where(np.abs(skewness) > _STRAIGHT, skewness, 1.0)
    root = np.cbrt(1 + known * (quantile - known / 6))
    return np.where(known == skewness, 3 * (root - 1) / known, quantile)


def _find_middle(limits: tuple[float, float]) -> float:
    """Some score that is within the limits."""
    low, high = limits
    if math.isfinite(low):
        return (low + high) / 2 if math.isfinite(high) else low + 1
    return high - 1 if math.isfinite(high) else 0.0


def _move(value: Values, step: Values, limits: tuple[float, float]) -> Values:
    """The scores that lie as far from others as a step of these is where the scale begins."""
    low, high = limits
    below, above = value - low, high - value
    if math.isinf(low) and math.isinf(high):
        return value + step
    if math.isinf(high):
        return low + below * _exponentiate(step / below)
    if math.isinf(low):
        return high - above * _exponentiate(-step / above)
    odds = below / above * _exponentiate(step / below + step / above)
    return low + (high - low) * odds / (1 + odds)


def _exponentiate(power: Values) -> Values:
    return np.asarray(np.exp(np.clip(power, -_LARGEST, _LARGEST)))


def _bound_still(
    value: Values, size: Numbers, limits: tuple[float, float], confidence: float
) -> tuple[Values, Values]:
    """Wilson's interval of a share of what is within the limits; NaN where that is infinite.

    Of losses that are all 0 it is that of no failure in as many trials.
    """
    (low, high), unknown = limits, np.full(value.shape, np.nan)
    if math.isinf(low):
        return unknown, unknown
    top = high if math.isfinite(high) else low + 1
    known = (value == low) | math.isfinite(high)
    share = np.where(known, (value - low) / (top - low), 0)
    ends = bound_effectively(share, size, confidence)
    found = (np.where(known, low + (top - low) * end, np.nan) for end in ends)
    return next(found), next(found)
