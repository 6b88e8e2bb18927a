"""Confidence intervals from how far each example, or cluster, moves a score."""

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tallystick.statistics import student
from tallystick.statistics.p_values import erfc
from tallystick.statistics.wilson import Numbers, Values, bound_effectively, quantile

_FEWEST = 2
"""Fewer degrees of freedom made intervals 2 to 35 times as wide in benchmarks/coverage.py, where
an example made nearly all of the variance, and no interval hold that did not."""

_STRAIGHT = 1e-9
"""A smaller skewness is none."""

_UNSEEN = 2
"""Samples show about half of the skewness that they come from: with the term of the Edgeworth
expansion alone intervals of means of lognormal numbers, and of squares of Student's t with 4 to 8
degrees of freedom, held in 90 to 94% of samples, with twice of it in 95 to 98%."""

_CORRELATION = (-1, 1)

_LARGEST = 300
"""Beyond e to this power numbers overflow."""


def measure_scatter(
    moves: Values, counts: Numbers, strata: NDArray[np.int64]
) -> tuple[float, float, float]:
    """The standard error of a score, its degrees of freedom and its skewness.

    Where a few units move the score far, their number in another sample may be another: the
    variance is known as poorly as that of a sample of the same kurtosis.

    `moves` is how far one unit of each kind moves the score: what the score loses without it, or
    the slope of the score in its weight. `strata` is the stratum within which units of each kind
    are drawn. All is NaN where there is a single unit.

    Source: Efron and Stein 1981, Annals of Statistics 9, for the jackknife; Satterthwaite 1946,
        Biometrics Bulletin 2, for degrees of freedom from the variance of a variance.
    """
    sizes = np.bincount(strata, counts)
    known = np.maximum(sizes, 1)
    off = moves - (np.bincount(strata, moves * counts) / known)[strata]
    scale = np.abs(off).max(initial=0) or 1.0  # so that no power is too large or too small
    squares, fourths = (np.bincount(strata, counts * (off / scale) ** power) for power in (2, 4))
    freedom = (sizes[sizes > 0] - 1).sum()
    if freedom < 1:
        return np.nan, np.nan, np.nan
    variance = float((squares * sizes / np.maximum(sizes - 1, 1)).sum())
    error = float(scale) * variance**0.5
    uncertainty = float((fourths - squares**2 / known).sum())
    if uncertainty > 0:
        freedom = min(freedom, max(2 * squares.sum() ** 2 / uncertainty - 1, _FEWEST))
    return error, float(freedom), find_skewness(off, counts)


def find_skewness(moves: Values, counts: Numbers | float = 1.0) -> float:
    """The skewness of the sum of what units add to a score, of which so many add the same."""
    parts = moves / (np.abs(moves).max(initial=0) or 1.0)
    squares = float((counts * parts**2).sum())
    return float((counts * parts**3).sum()) / squares**1.5 if squares > 0 else 0.0


def bound_on_scale(
    value: Values,
    scatter: tuple[Values, Values, Values],
    size: Numbers,
    limits: tuple[float, float],
    confidence: float,
) -> tuple[Values, Values]:
    """The intervals of scores by Student's t on a scale on which their limits are infinitely far.

    That is Fisher's z for what lies between -1 and 1, a logarithm where there is one limit, and the
    score itself where there is none, with Hall's correction for the skewness of the mean that it
    is. Where nothing scatters, or a score is at a limit, it is Wilson's of as many trials, as far
    as these have a meaning. On a logarithm and on Fisher's z the end on the side on which units lie
    far out is farther away, since a sample with few of these has too small an error as well; on the
    logistic scale it is not, which is skewed as shares are.

    `scatter` is as `measure_scatter` gives it, and `size` how many units each score has. The ends
    are NaN where nothing shows how a score scatters.

    Source: Fisher 1921, Metron 1; the delta method; Johnson 1978, JASA 73, and Hall 1992, Journal
        of the Royal Statistical Society B 54, for skewness.
    """
    error = scatter[0]
    within = (limits[0] < value) & (value < limits[1])
    still = (error == 0) | ~within
    inside = np.where(within, value, _find_middle(limits))
    ends = _bound_still(value, size, limits, confidence)
    unknown = np.isnan(error) | np.isnan(value)
    low, high = (
        np.where(unknown, np.nan, np.where(still, end, _move(inside, error * step, limits)))
        for end, step in zip(ends, _find_steps(scatter, limits, confidence), strict=True)
    )
    return low, high


def reach_least(
    ends: tuple[Values, Values],
    value: Values,
    least: Values,
    limits: tuple[float, float],
    confidence: float,
) -> tuple[Values, Values]:
    """The same ends, as far out at least as those of normal scores with the least standard error.

    It is NaN, or 0, where none is known. Scores at a limit keep their ends.
    """
    known = (least > 0) & (limits[0] < value) & (value < limits[1])
    normal = np.where(known, least, np.nan), np.full_like(least, np.inf), np.zeros_like(least)
    low, high = bound_on_scale(value, normal, np.ones_like(least), limits, confidence)
    return np.fmin(ends[0], low), np.fmax(ends[1], high)


def _find_steps(
    scatter: tuple[Values, Values, Values], limits: tuple[float, float], confidence: float
) -> tuple[Values, Values]:
    """How many standard errors both ends lie off, on the scale where it begins."""
    _, freedom, skewness = scatter
    far = student.quantile(confidence, freedom)
    if not np.isfinite(limits).any():
        return -_unskew(far, skewness), -_unskew(-far, skewness)
    is_share = np.isfinite(limits).all() and limits != _CORRELATION
    down, up = lean_by(np.zeros_like(far) if is_share else skewness, confidence)
    return -far * down, far * up


def _unskew(quantile: Values, skewness: Values) -> Values:
    """How many standard errors off a skewed mean is where Hall's symmetric form is a quantile."""
    known = np.where(np.abs(skewness) > _STRAIGHT, skewness, 1.0)
    root = np.cbrt(1 + known * (quantile - known / 6))
    return np.where(known == skewness, 3 * (root - 1) / known, quantile)


def lean_by(skewness: Values, confidence: float) -> tuple[Values, Values]:
    """By how much farther from a score of that skewness the lower and the upper end lie."""
    z = quantile(confidence)
    term = _UNSEEN * np.nan_to_num(skewness) * (2 * z**2 + 1) / (6 * z)
    return 1 + np.maximum(-term, 0), 1 + np.maximum(term, 0)


def lean_p_value(p: Values, skewness: Values) -> Values:
    """Two-sided p-values of sums above 0, larger where examples lie far out below.

    An interval excludes 0 at the confidence 1 - p if `lean_by` leads to its lower end. Skewness to
    the other side changes nothing.

    Source: the first term of the Edgeworth expansion of Student's t, as in Johnson 1978, JASA 73,
        and Hall 1992, JRSS B 54, taken twice as for scores.
    """
    normal = NormalDist()
    seen = np.vectorize(lambda one: -normal.inv_cdf(one / 2), otypes=[float])
    slant = _UNSEEN * np.maximum(-np.nan_to_num(skewness), 0) / 6
    leaning = (slant > 0) & (p < 1)
    if not leaning.any():
        return p
    far, slant = seen(np.where(leaning, p, 1)), np.where(leaning, slant, 1)
    # The root of z + slant (2 z^2 + 1) = far, in the form that does not cancel.
    rest = far - slant
    z = 2 * rest / (1 + np.sqrt(np.maximum(1 + 8 * slant * rest, 0)))
    leant = erfc(np.maximum(z, 0) / math.sqrt(2))
    return np.where(leaning, np.maximum(leant, p), p)


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
