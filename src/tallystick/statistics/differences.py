"""The interval of a difference of two systems that agrees with its test."""

from typing import Any

import numpy as np

from tallystick.statistics import tango
from tallystick.statistics.wilson import Values, quantile

Bounds = tuple[Values, Values]

_NEAR = 1e-9
"""How near 0 an end may come, as a share of the difference, and still exclude it."""


def agree(bounds: Bounds, difference: Values, p: Values, confidence: float) -> Bounds:
    """The interval that excludes 0 just where the p-value is below 1 - confidence.

    A test and an interval may see 0 on different sides of the end of the interval. That end then
    moves to it, since no other value was tested.

    All arrays have one shape; a p-value of NaN changes nothing.
    """
    low, high = bounds
    alpha = round(1 - confidence, 12)  # 0.05 for 0.95, and not a little more
    beside, none = _NEAR * difference, p >= alpha
    least = np.where((p < alpha) & (difference > 0), np.maximum(low, beside), low)
    most = np.where((p < alpha) & (difference < 0), np.minimum(high, beside), high)
    return np.where(none, np.minimum(least, 0), least), np.where(none, np.maximum(most, 0), most)


def bound_labels(
    difference: Values, variance: Values, step: Values, reach: Values, confidence: float
) -> Bounds:
    """The interval of a difference of two scores of labels: Tango's, for as many examples as fit.

    An example on which only one system is right moves the difference by a step; there are as many
    of these as make its variance. Of shares of the same examples that is Tango's own interval.

    All arrays have one shape; the variance is that if there were no difference, and the reach, how
    far apart scores can be, is finite.

    Source: Tango 1998, Statistics in Medicine 17; of effective numbers, Dean and Pagano 2015.
    """
    share, spread = difference / reach, variance / reach**2
    # Never more examples that differ than there are examples.
    part = np.maximum(np.maximum(step / reach, spread), np.finfo(float).tiny)
    many = np.maximum(spread / part**2, np.abs(share) / part)
    n = 1 / part
    wins, losses = (many + share * n) / 2, (many - share * n) / 2
    low, high = tango.bound_difference(wins, losses, n, confidence)
    return low * reach, high * reach


def bound_sums(
    difference: Values, variance: Values, step: Values, n: Values, confidence: float
) -> Bounds:
    """The interval of a difference that many examples add to: where its test turns significant.

    If the true difference were another, examples would scatter around that one, which for few
    examples is as Student's t. Never narrower than the step of one example; infinite where there
    are too few examples for any difference to be significant.

    All arrays have one shape; the variance is that if there were no difference, and the step of an
    example is 0 where the systems do not differ.
    """
    critical = quantile(confidence)
    error = np.sqrt(np.maximum(variance - difference**2 / np.maximum(n, 1), step**2))
    rest = 1 - critical**2 / np.maximum(n, 1)
    wide = critical * error / np.sqrt(np.where(rest > 0, rest, 1))
    half = np.where(rest > 0, wide, np.where(error > 0, np.inf, 0.0))
    return difference - half, difference + half


def contain(bounds: Bounds, reach: Any) -> Bounds:
    """Bounds within what differences can reach."""
    return np.maximum(bounds[0], -reach), np.minimum(bounds[1], reach)
