"""Wilson's interval of a proportion, Tango's of a difference of two, and those of means."""

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Numbers = NDArray[np.int64 | np.float64]
"""Counts or sizes, which weights make fractions."""


def quantile(level: float) -> float:
    """Returns how many standard errors a two-sided interval of that level has on either side."""
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + level) / 2)


def bound_share(hits: Numbers, trials: Numbers, level: float) -> tuple[Values, Values]:
    """Returns the modified Wilson interval of `hits` out of `trials`; NaN without trials.

    Near 0 and 1, where Wilson's holds too rarely, its ends lie farther out: up to three hits, or
    two of up to 50 trials, are as rare as a Poisson variable has this many or more.

    Source: Brown, Cai and DasGupta 2001, Statistical Science 16, section 4.1.1; elsewhere values as
        statsmodels' proportion_confint(method="wilson").
    """
    trials = np.where(trials > 0, trials, np.nan)
    ends = bound_plainly(hits, trials, quantile(level))
    counts = hits, np.asarray(trials - hits), trials
    return _move_rare_ends(ends, np.asarray(hits / trials), counts, level)


def bound_effectively(share: Values, trials: Numbers, level: float) -> tuple[Values, Values]:
    """Returns Wilson's interval at an effective sample size; NaN without trials, or without end.

    It is that of a score between 0 and 1 that scatters like a proportion of this many trials.

    Source: Wilson 1927, JASA 22; Dean and Pagano 2015, Journal of Survey Statistics and
        Methodology 3, for the effective sample size.
    """
    trials = np.where((trials > 0) & np.isfinite(trials), trials, np.nan)
    return bound_plainly(share * trials, trials, quantile(level))


def bound_plainly(hits: Numbers, trials: Numbers, z: Values | float) -> tuple[Values, Values]:
    """Returns Wilson's interval whose ends are `z` of their own standard errors away."""
    centre = (hits + z * z / 2) / (trials + z * z)
    half = z * np.sqrt(hits * (trials - hits) / trials + z * z / 4) / (trials + z * z)
    # At the ends the formula is exact, its rounding is not.
    low = np.where(hits == 0, 0 * trials, np.clip(centre - half, 0, 1))
    high = np.where(hits == trials, 1 + 0 * trials, np.clip(centre + half, 0, 1))
    return low, high


_MANY = 50
"""Up to this many trials the ends are moved for one hit less."""


def _move_rare_ends(
    ends: tuple[Values, Values], share: Values, counts: tuple[Numbers, ...], level: float
) -> tuple[Values, Values]:
    """Takes the ends near 0 and 1 further out; `counts` are of hits, misses and trials."""
    hits, misses, trials = counts
    most = np.where(trials > _MANY, 3, 2) + _ROUNDING
    below = np.where((hits > 0) & (hits <= most), share * _shrink(hits, level), np.inf)
    above = np.where((misses > 0) & (misses <= most), (1 - share) * _shrink(misses, level), np.inf)
    return np.minimum(ends[0], below), np.maximum(ends[1], 1 - above)


_ROUNDING = 1e-9
"""Of counts that are sums of weights."""


def _shrink(count: Numbers, level: float) -> Values:
    """The share of a count that is the mean of a Poisson variable which rarely reaches it."""
    counts = np.maximum(count, _ROUNDING)
    return np.asarray(np.interp(counts, np.arange(4), (0.0, *_find_rare_means(level))) / counts)


@cache
def _find_rare_means(level: float) -> tuple[float, ...]:
    """The means of Poisson variables that are one, two and three or more in 1 - level of cases."""
    found = []
    for count in (1, 2, 3):
        low, high = 0.0, 30.0
        for _ in range(60):
            mean = (low + high) / 2
            below = math.exp(-mean) * sum(mean**k / math.factorial(k) for k in range(count))
            low, high = (mean, high) if below > level else (low, mean)
        found.append((low + high) / 2)
    return tuple(found)


_STEPS = 64
"""Halvings of [-1, 1]: more than a float64 has bits."""


def bound_difference(
    only_a: Numbers, only_b: Numbers, n: Numbers, confidence: float
) -> tuple[Values, Values]:
    """Returns Tango's score interval for a difference of two paired proportions, A - B.

    Never of width 0, even where the systems agree on every example; NaN without examples.

    `only_a` and `only_b` count examples that one system alone has right; `n` may be an effective
    size.

    Source: Tango 1998, Statistics in Medicine 17.
    """
    a, b, n = np.broadcast_arrays(*(np.asarray(one, np.float64) for one in (only_a, only_b, n)))
    z = quantile(confidence)
    return -_solve_above(b, a, n, z), _solve_above(a, b, n, z)


def restrict(a: Values, b: Values, n: Values, difference: Values) -> Values:
    """The most likely share of examples that only B has right, where the difference is given."""
    linear = (2 * n - a + b) * difference - a - b
    constant = -b * difference * (1 - difference)
    root = np.sqrt(np.maximum(linear**2 - 8 * n * constant, 0))
    below = linear <= 0  # the other form of the same root does not cancel there
    upper = np.where(below, root - linear, -2 * constant)
    lower = np.where(below, 4 * n, linear + root)
    share: Values = upper / np.where(lower > 0, lower, 1)
    return np.clip(share, np.maximum(-difference, 0), (1 - difference) / 2)


def _solve_above(a: Values, b: Values, n: Numbers, z: float) -> Values:
    """The upper end: the difference that lies z of its own standard errors above, by halving."""
    known = n > 0
    size = np.where(known, n, 1)
    inner, outer = (a - b) / size, np.ones(a.shape)
    for _ in range(_STEPS):
        middle = (inner + outer) / 2
        share = restrict(a, b, size, middle)
        variance = np.maximum(size * (2 * share + middle * (1 - middle)), 0)
        beyond = (size * middle - (a - b)) ** 2 > z * z * variance
        inner, outer = np.where(beyond, inner, middle), np.where(beyond, middle, outer)
    # At a difference of 1 the equation itself is solved by it.
    return np.where(known, np.where(a - b >= size, 1.0, (inner + outer) / 2), np.nan)


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
