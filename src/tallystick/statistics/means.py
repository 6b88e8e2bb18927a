"""The confidence interval of a mean, from the intervals of the values that are averaged."""

import warnings

import numpy as np
from numpy.typing import NDArray

from tallystick.statistics.wilson import bound_share, quantile

Values = NDArray[np.float64]

_LEAST = 1e-12
"""A smaller loss is 0 but for rounding."""


def bound_positive(
    value: Values, error: Values, size: Values, confidence: float
) -> tuple[Values, Values]:
    """The interval of a mean of numbers that are not negative, such as losses.

    Losses are skewed to the right, and the mean of a sample with few large ones has too small an
    error as well. On a logarithmic scale the interval reaches farther up than down. Where all
    losses are 0, it is Wilson's of no hit in as many trials; where they are all the same number, or
    there is one, nothing is known of their scatter, and there is no interval.

    Args:
        value: The means, of any shape.
        error: Their standard errors, where few examples widen them already.
        size: How many examples each has.
        confidence: That of the interval, between 0 and 1.

    Source: the delta method; Efron and Tibshirani 1993, chapter 12, for choosing the scale.
    """
    nothing = bound_share(np.zeros_like(size), size, confidence)
    value = np.where(value > _LEAST, value, 0)
    known = (value > 0) & (error > 0)
    ratio = np.where(known, error / np.where(known, value, 1), np.nan) * quantile(confidence)
    low, high = (
        np.where(value == 0, none, value * np.exp(np.clip(side * ratio, -700, 700)))
        for none, side in zip(nothing, (-1, 1), strict=True)
    )
    return low, high


def bound_mean(
    value: Values, low: Values, high: Values, correlation: Values | None = None
) -> tuple[float, float]:
    """Returns the interval of the unweighted mean of the defined values, from the interval of each.

    The distances from the values to their bounds are combined as standard errors are: independent
    ones by the root of their sum of squares, others with their correlations. A value without an
    interval adds nothing to the width; if none has one, the ends are NaN.

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
    """Returns the correlations of values over the resamples in which every one of them is defined.

    Args:
        draws: Of shape (resamples, values); constant values have a correlation of 0 with all
            others.
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
