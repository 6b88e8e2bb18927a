"""Wilson's score interval of a proportion, plain and of weighted examples."""

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
    """Returns Wilson's score interval for `hits` out of `trials`; NaN where there are no trials.

    Source: Wilson 1927, JASA 22; recommended by Brown, Cai and DasGupta 2001, Statistical Science
        16; values as statsmodels' proportion_confint(method="wilson").
    """
    z = quantile(level)
    trials = np.where(trials > 0, trials, np.nan)
    centre = (hits + z * z / 2) / (trials + z * z)
    half = z * np.sqrt(hits * (trials - hits) / trials + z * z / 4) / (trials + z * z)
    # At the ends the formula is exact, its rounding is not.
    low = np.where(hits == 0, 0 * trials, np.clip(centre - half, 0, 1))
    high = np.where(hits == trials, 1 + 0 * trials, np.clip(centre + half, 0, 1))
    return low, high


_STEPS = 60
"""Halvings of [0, 1]: more than a float64 has bits."""

_PRIOR = 2
"""How many examples of the mean weight are added to the hits and to the misses."""


def bound_weighted_share(
    weights: Numbers,
    hits: Numbers,
    squares: Numbers,
    hit_squares: Numbers,
    confidence: float,
) -> tuple[Values, Values]:
    """Returns the interval of a weighted proportion of hits; Wilson's where all weights are equal.

    The ends are the shares t that lie `quantile(confidence)` of their own standard errors away. The
    error is that of a ratio of sums if t were true, with hits and misses weighing what they do: the
    interval is narrow where heavy examples are easy, and wide where they are hard.

    Args:
        weights: The sums of all weights, of any shape; without weight there is no interval.
        hits: The sums of the weights of hits, likewise.
        squares: The sums of the squares of all weights.
        hit_squares: The sums of the squares of the weights of hits.
        confidence: That of the interval, between 0 and 1.

    Returns:
        Two arrays of the same shape.

    Source: Wilson 1927; the variance of a ratio as in Cochran 1977, Sampling Techniques, chapter 6.
        What hits and misses weigh is drawn towards the mean by two examples, a choice from the
        simulations of benchmarks/formulas.py.
    """
    known = weights > 0
    total = np.where(known, weights, 1.0)
    mean = np.where(known, squares / total, 1.0)
    missed = np.maximum(total - hits, 0), np.maximum(squares - hit_squares, 0)
    heavy, light = _weigh(hits, hit_squares, mean), _weigh(*missed, mean)
    share = np.clip(np.where(known, hits / total, 0), 0, 1)
    ends = [
        np.where(known, _solve(share, end, (heavy / total, light / total), confidence), np.nan)
        for end in (0.0, 1.0)
    ]
    return ends[0], ends[1]


def _weigh(sums: Numbers, squares: Numbers, mean: Values) -> Values:
    """The mean weight of examples, each counted by its weight, drawn towards that of all."""
    some = (sums > 0) & (squares > 0)
    own = np.where(some, squares / np.where(some, sums, 1), 0)
    size = np.where(some, sums**2 / np.where(some, squares, 1), 0)
    return np.asarray((size * own + _PRIOR * mean) / (size + _PRIOR))


def _solve(share: Values, end: float, unit: tuple[Values, Values], confidence: float) -> Values:
    """The root between the share and an end of the scale, by halving."""
    z = quantile(confidence)
    outer, inner = np.full(share.shape, end), share
    for _ in range(_STEPS):
        t = (outer + inner) / 2
        spread = t * (1 - t) * ((1 - t) * unit[0] + t * unit[1])
        outside = (share - t) ** 2 > z * z * spread
        outer, inner = np.where(outside, t, outer), np.where(outside, inner, t)
    # At an end of the scale the equation is solved by the end itself.
    return np.where(share == end, end, (outer + inner) / 2)
