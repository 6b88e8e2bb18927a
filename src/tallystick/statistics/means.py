"""The interval of a mean, from those of the values that are averaged or from resamples of it."""

import warnings

import numpy as np
from numpy.typing import NDArray

from tallystick.statistics.percentiles import measure_deviation
from tallystick.statistics.wilson import Numbers, bound_effectively, bound_share, quantile

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
    value: Values, low: Values, high: Values, draws: Values | None = None
) -> tuple[float, float]:
    """Returns the interval of the unweighted mean of the defined values, from the interval of each.

    The distances from the values to their bounds are combined as standard errors are: independent
    ones by the root of their sum of squares, others with their correlations in `draws`, resampled
    values of shape (resamples, values). A value without an interval adds nothing to the width; if
    none has one, the ends are NaN.

    Source: Zou and Donner 2008, Statistics in Medicine 27; Zou 2007, Psychological Methods 12, for
        correlated values (method of variance estimates recovered).
    """
    defined = ~np.isnan(value)
    if np.isnan(high[defined] - low[defined]).all():
        return np.nan, np.nan
    mean = value[defined].mean()
    sides = np.stack([np.nan_to_num(side[defined]) for side in (value - low, high - value)], 1)
    if draws is None:
        squares = (sides**2).sum(0)
    else:
        squares = _add_correlated(draws if defined.all() else draws[:, defined], sides)
    below, above = np.sqrt(squares) / defined.sum()
    return float(mean - below), float(mean + above)


_COLUMNS = 512
"""So many values are standardised at a time, of which there may be tens of thousands."""


def _add_correlated(draws: Values, sides: Values) -> Values:
    """The squares of sums of distances, of shape (values, 2), that are correlated as values are.

    Only resamples count in which all values are defined; values that are constant there are
    correlated with no others.
    """
    lost = np.isnan(draws)
    whole = ~(lost & ~lost.all(0)).any(1)
    joint, alone = np.zeros((int(whole.sum()), 2)), np.zeros(2)
    for start in range(0, len(sides), _COLUMNS):
        own, part = draws[whole, start : start + _COLUMNS], sides[start : start + _COLUMNS]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "(Mean of empty|invalid value|Degrees of freedom)")
            centred = own - own.mean(0)
            scale = np.sqrt((centred**2).sum(0))
        unit = np.nan_to_num(centred / np.where(scale > 0, scale, 1))
        joint += unit @ part
        alone += (1 - (unit**2).sum(0).round(6)) @ part**2
    return np.asarray((joint**2).sum(0) + alone)


_STILL = 1e-9
"""Resamples of a score that deviate by no more than this differ by rounding error alone."""


_FEW = 3
"""How many examples of a label are enough to show how much its score varies."""


_MOST_SCARCE = 0.15
"""Where more labels than this have fewer examples, the interval of their mean is too narrow."""


_MOST_SCARCE_IN_GROUPS = 0.5
"""Likewise of a mean over groups, where other groups have more examples of a label."""


def bound_macro(
    value: Values,
    resamples: Values,
    sizes: Numbers,
    limits: tuple[float, float],
    confidence: float,
    parts: tuple[Values, Values] | None = None,
) -> tuple[Values, Values]:
    """Returns the interval of a mean over labels or groups that may have few examples each.

    Resamples of a curved score such as F1 lie as far from the value as it lies from the truth, so
    the interval is centred at twice the value less their mean. It is Wilson's for a share of
    effectively so many trials as scatter like them, so that it stays within the limits. Labels that
    are all right, or all wrong, do not scatter in resamples; `parts` makes up for them.

    Args:
        value: The mean, of any shape.
        resamples: The mean in each resample, of shape (resamples, ...); NaN is left out.
        sizes: How many examples each of the averaged labels or groups has, of shape (parts).
        limits: The smallest and the largest possible value.
        confidence: That of the interval, between 0 and 1.
        parts: The interval from the interval of each label, as `means.bound_mean` gives it, both
            ends of the shape of the value. The wider side of both is taken, because resamples of
            few examples of a label hardly scatter; None where the score is a plain share.

    Returns:
        Two arrays of the shape of the value.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 10, for the bias;
        Dean and Pagano 2015 for the effective size; Zou and Donner 2008 for `parts`. The choice is
        from the simulations of benchmarks/formulas.py and benchmarks/coverage.py.
    """
    bottom, width = limits[0], limits[1] - limits[0]
    sizes = np.asarray(sizes, np.float64)
    # Resamples of n examples of a label scatter by (n - 1) / n of what samples do.
    widened = np.sqrt((sizes / np.maximum(sizes - 1, 0.5)).mean())
    error = measure_deviation(resamples) * widened / width
    share = (value - bottom) / width
    with np.errstate(invalid="ignore"):
        centre = np.clip(2 * share - (_average(resamples) - bottom) / width, 0, 1)
    spread = np.where((centre > 0) & (centre < 1), centre * (1 - centre), share * (1 - share))
    still = (error <= _STILL) | (spread <= 0)
    trials = np.where(still, sizes.sum(), spread / np.where(still, 1, error) ** 2)
    centre = np.where(still, share, centre)
    low, high = (bottom + width * end for end in bound_effectively(centre, trials, confidence))
    if parts is None:
        return low, high
    return np.fmin(low, parts[0]), np.fmax(high, parts[1])


def is_scarce(gold: Numbers) -> bool:
    """Returns whether too many labels have too few examples for a valid interval of their mean.

    In simulations, intervals of macro F1 over 50 to 100 labels of which a quarter had one or two
    examples covered the true value in 8 to 9 of 10 samples, and over 20 labels in groups in which
    two thirds had as few, likewise.

    Args:
        gold: How many examples each label has, of shape (groups, labels); labels that do not occur
            in a group have no part there.
    """
    occurring = gold[gold > 0]
    limit = _MOST_SCARCE if len(gold) == 1 else _MOST_SCARCE_IN_GROUPS
    return bool(occurring.size and (occurring < _FEW).mean() > limit)


def _average(resamples: Values) -> Values:
    known = ~np.isnan(resamples)
    count = known.sum(0)
    total = np.where(known, resamples, 0).sum(0)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan))
