"""The interval of one area under a ROC curve."""

import numpy as np
from numpy.typing import NDArray

from tallystick.intervals.wilson import quantile

__all__ = ["bound_area"]

Values = NDArray[np.float64]

_STEPS = 60
"""Halvings of [0, 1]: more than a float64 has bits."""


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
    # An area of exactly 0 or 1 solves the equation itself, without being the bound.
    bounds = [
        np.where(area == end, end, _solve(area, end, positives * known, negatives * known, level))
        for end in (0.0, 1.0)
    ]
    low, high = (np.where(known, bound, np.nan) for bound in bounds)
    return low, high


def _solve(area: Values, end: float, positives: Values, negatives: Values, level: float) -> Values:
    """The root between the area and an end of the scale, by halving."""
    z = quantile(level)
    pairs = np.maximum(positives * negatives, 1)
    spare = (positives + negatives) / 2 - 1
    outer, inner = np.full(area.shape, end), np.array(area, np.float64)
    for _ in range(_STEPS):
        t = (outer + inner) / 2
        spread = t * (1 - t) * (1 + spare * (1 - t) / (2 - t) + spare * t / (1 + t)) / pairs
        outside = (area - t) ** 2 > z * z * spread
        outer, inner = np.where(outside, t, outer), np.where(outside, inner, t)
    return (outer + inner) / 2
