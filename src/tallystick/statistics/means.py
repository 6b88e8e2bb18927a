"""The interval of a mean, from those of what is averaged or from how it varies; how ratios vary."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tallystick.frozen import dataclass
from tallystick.statistics.wilson import Numbers, Values, bound_share, quantile

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

    Values, their standard errors, wider already where examples are few, and sizes have one shape.

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


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """The mean and the standard deviation of scores over samples drawn from the examples."""

    expected: Values
    deviation: Values

    def average(self) -> "Moments":
        """Those of the plain mean over groups, which are independent of each other."""
        defined = ~np.isnan(self.expected)
        size = max(int(defined.sum()), 1)
        squares = np.where(defined, np.nan_to_num(self.deviation), 0) ** 2
        if not defined.any():
            return Moments(np.array(np.nan), np.array(np.nan))
        return Moments(np.asarray(self.expected[defined].mean()), np.sqrt(squares.sum()) / size)


def bound_mean(value: Values, low: Values, high: Values) -> tuple[float, float]:
    """Returns the interval of the unweighted mean of the defined values, from the interval of each.

    The distances from the values, which are independent, to their bounds are combined as standard
    errors are: by the root of their sum of squares. A value without an interval adds nothing to the
    width; if none has one, the ends are NaN.

    Source: Zou and Donner 2008, Statistics in Medicine 27 (method of variance estimates recovered).
    """
    defined = ~np.isnan(value)
    if np.isnan(high[defined] - low[defined]).all():
        return np.nan, np.nan
    mean = value[defined].mean()
    sides = np.stack([np.nan_to_num(side[defined]) for side in (value - low, high - value)], 1)
    with np.errstate(over="ignore"):  # ends too far away for a square are infinitely far
        below, above = np.sqrt((sides**2).sum(0)) / defined.sum()
    return float(mean - below), float(mean + above)


def sum_distances(
    values: Values,
    ends: Sequence[Values],
    narrow: Callable[[Values], Sequence[Values]],
    join: Callable[[Values], Values],
    confidence: float,
) -> list[Values]:
    """Returns how far the sum of shares reaches down and up, from the interval of each.

    Many shares reach their ends together much more rarely than one does. So all intervals are taken
    at the lower level at which the distances to their ends add up, to the first order, to what
    `join` makes of those at the full level, as the root of the sum of squares of independent ones.
    But a single share may reach its own end. Those without an interval add nothing.

    Values and both ends have shape (..., shares); `narrow` gives the ends that lie so many standard
    errors away, of shape (..., 1).

    Source: Yan and Su 2010, Statistics in Biopharmaceutical Research 2 (stratified Wilson); Zou
        2007, Psychological Methods 12, for correlated ones. That one share may reach its own end is
        a choice from the simulations of benchmarks/coverage.py.
    """
    found = []
    for place, end in enumerate(ends):
        alone = np.nan_to_num(np.abs(end - values))
        total = alone.sum(-1, keepdims=True)
        part = join(alone)[..., None] / np.where(total > 0, total, 1)
        lower = narrow(quantile(confidence) * part)[place]
        less = np.where(np.isnan(lower), part * alone, np.abs(lower - values))
        found.append(np.maximum(np.nan_to_num(less).sum(-1), alone.max(-1, initial=0)))
    return found


FEW = 40
"""Counts up to this are taken to be Poisson's; from larger ones the delta method errs by less than
rounding shows."""

_MOST_DRAWN = 90
"""Counts that are drawn where so few are expected hardly ever are larger."""

_STILL = 1e-9
"""A score that deviates by no more than this does so by rounding error alone."""

_FEW = 3
"""How many examples of a label are enough to show how much its score varies."""

_MOST_SCARCE = 0.15
"""Where more labels than this have fewer examples, the interval of their mean is too narrow."""

_SOME_SCARCE = 4
"""Fewer labels than this that have so few examples are no reason for it."""

_MOST_SCARCE_IN_GROUPS = 0.5
"""Likewise of a mean over groups, where other groups have more examples of a label."""


def bound_macro(
    value: Values,
    moments: Moments,
    sizes: Numbers,
    limits: tuple[float, float],
    confidence: float,
    parts: tuple[Values, Values] | None = None,
) -> tuple[Values, Values]:
    """Returns the interval of a mean over labels or groups that may have few examples each.

    A curved score such as F1 is expected to lie as far from the value in samples of the examples as
    the value lies from the truth, so the interval is centred at twice the value less what is
    expected. It is Wilson's for a share of effectively so many trials as deviate like it, so that
    it stays within the limits. Labels that are all right, or all wrong, add nothing to the
    deviation; `parts` makes up for them.

    `sizes`, of shape (..., parts), is how many examples each label or group has, 0 for those that
    are not averaged; all else has the shape of the value. `parts` are the ends from the interval of
    each label, and the wider side of both is taken; None where the score is a plain share.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 10, for the bias;
        Dean and Pagano 2015 for the effective size; Zou and Donner 2008 for `parts`. The choice is
        from the simulations of benchmarks/formulas.py and benchmarks/coverage.py.
    """
    bottom, width = limits[0], limits[1] - limits[0]
    sizes = np.asarray(sizes, np.float64)
    averaged = np.maximum((sizes > 0).sum(-1), 1)
    # Samples drawn from n examples of a label deviate by (n - 1) / n of what new samples do.
    widened = np.sqrt((sizes / np.maximum(sizes - 1, 0.5)).sum(-1) / averaged)
    error = moments.deviation * widened / width
    share = (value - bottom) / width
    centre = np.clip(2 * share - (moments.expected - bottom) / width, 0, 1)
    spread = np.where((centre > 0) & (centre < 1), centre * (1 - centre), share * (1 - share))
    still = (error <= _STILL) | (spread <= 0)
    trials = np.where(still, sizes.sum(-1), spread / np.where(still, 1, error) ** 2)
    centre = np.where(still, share, centre)
    low, high = (bottom + width * e for e in bound_share(centre * trials, trials, confidence))
    if parts is None:
        return low, high
    return np.fmin(low, parts[0]), np.fmax(high, parts[1])


def is_scarce(gold: Numbers) -> bool:
    """Returns whether too many labels have too few examples for a valid interval of their mean.

    In simulations, intervals of macro F1 over 50 to 100 labels of which a quarter had one or two
    examples covered the true value in 8 to 9 of 10 samples, and over 20 labels in groups in which
    two thirds had as few, likewise. Over 3 to 10 labels of which up to three had as few, those of
    macro F1 and of balanced accuracy covered it in 95 to 100 of 100.

    `gold`, of shape (groups, labels), is how many examples each label has; labels that do not occur
    in a group have no part there.
    """
    few = gold[gold > 0] < _FEW
    if len(gold) == 1:
        return bool(few.sum() >= _SOME_SCARCE and few.mean() > _MOST_SCARCE)
    return bool(few.size and few.mean() > _MOST_SCARCE_IN_GROUPS)


def measure_ratio(
    hits: NDArray[np.int64], errors: NDArray[np.int64], weights: tuple[float, float]
) -> tuple[Values, Values]:
    """Returns the mean and the variance of a hits / (a hits + b errors) in samples of examples.

    The counts are Poisson's with the given means, and samples in which both are 0 are left out, as
    the ratio is undefined there.

    Hits and errors are at most `FEW`; the weights a and b are 2 and 1 for F1. Where both counts are
    0, the results mean nothing.
    """
    mean, variance = _tabulate(*weights)
    return mean[hits, errors], variance[hits, errors]


@lru_cache(maxsize=8)
def _tabulate(hit: float, error: float) -> tuple[Values, Values]:
    drawn, means = np.arange(_MOST_DRAWN + 1), np.arange(FEW + 1.0)[:, None]
    steps = np.concatenate([np.exp(-means), means / drawn[1:]], axis=1)
    chances = np.cumprod(steps, axis=1)
    above, below = hit * drawn[:, None], hit * drawn[:, None] + error * drawn
    ratio = above / np.where(below > 0, below, 1)  # 0 where both are, which adds nothing
    some = np.maximum(1 - np.outer(chances[:, 0], chances[:, 0]), np.finfo(float).tiny)
    mean = chances @ ratio @ chances.T / some
    square = chances @ ratio**2 @ chances.T / some
    variance = np.maximum(square - mean**2, 0)
    variance[0] = variance[:, 0] = 0  # but for rounding: without hits, or errors, nothing varies
    return mean, variance
