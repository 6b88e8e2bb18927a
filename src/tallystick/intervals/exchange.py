"""Exchanges of outputs that test a metric: differences in units of their own standard error."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "advance",
    "differentiate",
    "find_critical",
    "find_mid_p",
    "find_sequential_p",
    "measure_errors",
    "studentise",
]

Values = NDArray[np.float64]
Formula = Callable[[Values], Values]
"""Sums of shape (..., columns) as scores of shape (...)."""

_STEP = 1e-5
"""How far sums are moved for a slope, as a share of themselves."""

_SLACK = 1e-7
"""Statistics that differ by less, as a share of their size, are equal but for rounding."""


def differentiate(score: Formula, sums: NDArray[Any]) -> Values:
    """The slope of a formula in each of its sums, by moving each a little up and down.

    Sums do not go below 0. Where the formula is undefined on a side the slope is NaN.

    Args:
        score: Takes sums of shape (..., columns) and returns scores of shape (...).
        sums: Of shape (..., columns), such as those of every exchange.

    Returns:
        Slopes of the shape of the sums.
    """
    sums = np.asarray(sums, np.float64)
    slopes = np.empty(sums.shape)
    for column in range(sums.shape[-1]):
        above, below = sums.copy(), sums.copy()
        step = _STEP * np.maximum(sums[..., column], 1)
        above[..., column] += step
        below[..., column] = np.maximum(below[..., column] - step, 0)
        moved = above[..., column] - below[..., column]
        slopes[..., column] = (score(above) - score(below)) / moved
    return slopes


def measure_errors(
    counts: NDArray[Any],
    rows: tuple[NDArray[Any], NDArray[Any]],
    slopes: tuple[Values, Values],
) -> Values:
    """The standard error of the difference of two systems, in each exchange of their outputs.

    It is that of a sum of influences: an example adds to the difference its row times the slopes of
    A, less its row times the slopes of B. Cells are kinds of examples, twice each: as they are, and
    with the systems exchanged. So sums are all that is needed: how many examples each cell has.

    Args:
        counts: How many examples are in each cell, of shape (exchanges, cells).
        rows: What one example of each cell adds to the sums of A and to those of B, both of shape
            (cells, columns).
        slopes: `differentiate` at the sums of A and of B, both of shape (exchanges, columns).

    Returns:
        Of shape (exchanges); NaN where a slope that an example needs is.

    Source: Hampel 1974, JASA 69 (influence); Chung and Romano 2013, Annals of Statistics 41.
    """
    influence = slopes[0] @ rows[0].T - slopes[1] @ rows[1].T
    present = np.where(counts > 0, influence, 0.0)
    n = np.maximum(counts.sum(-1), 1)
    spread = (counts * present**2).sum(-1) - (counts * present).sum(-1) ** 2 / n
    return np.asarray(np.sqrt(np.maximum(spread, 0)))


def studentise(differences: Values, errors: Values) -> Values:
    """How many of its own standard errors each difference is from 0, without its sign.

    A difference of 0 is 0 errors away, whatever its error; any other without an error is infinitely
    far; NaN stays NaN.

    Args:
        differences: Of any shape, the observed one among them or not.
        errors: Their standard errors, of the same shape.

    Source: Janssen 1997, Statistics and Probability Letters 36.
    """
    size = np.abs(differences)
    wide = errors > _SLACK * size
    ratio = np.where(
        wide, size / np.where(wide, errors, 1), np.where(np.isnan(errors), np.nan, np.inf)
    )
    return np.where(size == 0, 0.0, np.where(np.isnan(size), np.nan, ratio))


def find_mid_p(drawn: Values, observed: Values) -> Values:
    """The mid-p-value of statistics among those of exchanges; never 0.

    Exchanges as far out as the observed one, and it itself, count a half: few distinct values then
    cost no power. 1 where no exchange differs from the observed one.

    Args:
        drawn: Statistics that are large where systems differ, of shape (..., exchanges); undefined
            ones are left out.
        observed: That of the systems themselves, of shape (...); NaN where undefined.

    Source: Lancaster 1961, JASA 56; Phipson and Smyth 2010, with the observed one among the drawn.
    """
    at = np.asarray(observed, np.float64)[..., None]
    slack = _SLACK * np.maximum(1, np.where(np.isfinite(at), np.abs(at), 0))
    known = (~np.isnan(drawn)).sum(-1)
    above = (drawn > at + slack).sum(-1)
    ties = ((drawn >= at - slack) & ~(drawn > at + slack)).sum(-1)
    p = np.where(ties == known, 1.0, (above + (ties + 1) / 2) / (known + 1))
    return np.where(np.isnan(at[..., 0]) | (known == 0), np.nan, p)


def find_critical(drawn: Values, confidence: float) -> Values:
    """How many standard errors from 0 a difference is significant, so that interval and test agree.

    The difference, less and more as many of its standard errors, is an interval with that
    confidence, which excludes 0 just where the mid-p-value is below 1 - confidence.

    Args:
        drawn: Statistics of `studentise`, of shape (..., exchanges); undefined ones are left out.
        confidence: Between 0 and 1.

    Returns:
        Of shape (...): the least statistic that is significant, less its slack; infinite where
        there are too few distinct exchanges for any to be.
    """
    alpha = round(1 - confidence, 12)  # 0.05 for 0.95, and not a little more
    return np.asarray(np.apply_along_axis(_find_least, -1, drawn, alpha))


def _find_least(drawn: Values, alpha: float) -> float:
    ordered = np.sort(drawn[np.isfinite(drawn)])
    n = (~np.isnan(drawn)).sum()
    # Exchanges of one value, but for rounding, are one place to be significant at.
    first = np.diff(ordered, prepend=-np.inf) > _SLACK * np.maximum(1, ordered)
    values, starts = ordered[first], np.flatnonzero(first)
    ties = np.diff(starts, append=len(ordered))
    p = (n - starts - ties + (ties + 1) / 2) / (n + 1)
    significant = (p < alpha) & (values > 0)
    if significant.any():
        return float(values[significant][0] * (1 - 2 * _SLACK))
    further = len(values) and len(ordered) == n and values[-1] > 0 and 0.5 / (n + 1) < alpha
    return float(values[-1] * (1 + 2 * _SLACK)) if further else float(np.inf)


def advance(
    exceeds: NDArray[np.bool_],
    enough: int,
    extremes: NDArray[np.int64],
    drawn: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Counts further exchanges of several tests, each only until it has seen enough extremes.

    Args:
        exceeds: Whether each exchange is at least as extreme as what was observed, in the order in
            which they were drawn, of shape (tests, exchanges).
        enough: A test with so many extremes is decided, and takes no part any more; such as 20.
        extremes: How many each test had before, of shape (tests).
        drawn: How many exchanges each test had before, likewise.

    Returns:
        Both counts now; a test is decided where `extremes == enough`.

    Source: Besag and Clifford 1991, Biometrika 78.
    """
    running = extremes[:, None] + exceeds.cumsum(-1)
    taken = np.minimum((running < enough).sum(-1) + 1, exceeds.shape[-1])
    taken = np.where(extremes < enough, taken, 0)
    last = np.take_along_axis(running, np.maximum(taken - 1, 0)[:, None], -1)[:, 0]
    return np.where(taken > 0, last, extremes), drawn + taken


def find_sequential_p(extremes: NDArray[np.int64], drawn: NDArray[np.int64], enough: int) -> Values:
    """The p-values of tests that stopped at enough extremes, or at the last exchange; never 0.

    The chance of p or less is p at most, as if the number of exchanges had been fixed.

    Args:
        extremes: How many exchanges were at least as extreme, as `advance` counts them.
        drawn: How many exchanges each test took.
        enough: That of `advance`.

    Source: Besag and Clifford 1991, Biometrika 78.
    """
    stopped = extremes >= enough
    return np.where(stopped, extremes / np.maximum(drawn, 1), (extremes + 1) / (drawn + 1))
