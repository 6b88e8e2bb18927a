"""The interval of a mean, from the intervals of what it is the mean of."""

import warnings

import numpy as np
from numpy.typing import NDArray

__all__ = ["bound_mean", "correlate"]

Values = NDArray[np.float64]


def bound_mean(
    value: Values, low: Values, high: Values, correlation: Values | None = None
) -> tuple[float, float]:
    """The interval of the plain mean of the defined values, from the interval of each.

    The distances from the values to their bounds add up as standard errors do: those of independent
    values by their squares, those of others with their correlations. A value without an interval
    has no part in the width; where none has one, the ends are NaN.

    Source: Zou and Donner 2008, Statistics in Medicine 27; Zou 2007, Psychological Methods 12, for
        correlated values (method of variance estimates recovered).
    """
    defined = ~np.isnan(value)
    if np.isnan(high[defined] - low[defined]).all():
        return np.nan, np.nan
    mean = value[defined].mean()
    share = np.eye(defined.sum()) if correlation is None else correlation[np.ix_(defined, defined)]
    below, above = (np.nan_to_num(side[defined]) for side in (value - low, high - value))
    # Rounding may leave a sum of squares a little below 0.
    halves = [max(float(side @ share @ side), 0) ** 0.5 / defined.sum() for side in (below, above)]
    return float(mean - halves[0]), float(mean + halves[1])


def correlate(draws: Values) -> Values:
    """The correlations of values over the draws in which all are defined that ever are.

    Args:
        draws: Of shape (draws, values); values that do not vary are correlated with no other.
    """
    used = draws[:, ~np.isnan(draws).all(0)]
    whole = draws[~np.isnan(used).any(1)]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "(Mean of empty|invalid value|Degrees of freedom)")
        centred = whole - whole.mean(0)
        scale = np.sqrt((centred**2).sum(0))
    norm = centred / np.where(scale > 0, scale, 1)
    correlation: Values = np.nan_to_num(norm.T @ norm)
    np.fill_diagonal(correlation, 1)
    return correlation
