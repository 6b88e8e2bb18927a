"""Intervals that hold however often one looks: gold grows, and one may stop at any time."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["bound_anytime", "bound_running_mean", "find_anytime_p"]

Values = NDArray[np.float64]

_STEPS = 60
"""Halvings of [-1, 1]."""

_NODES = 64
_PER_ROOT = 6
_MOST_NODES = 4096


def bound_anytime(
    only_a: NDArray[Any], only_b: NDArray[Any], n: NDArray[Any], confidence: float
) -> tuple[Values, Values]:
    """The interval of a difference of two shares, A's minus B's, at whatever size one stops.

    With that confidence the intervals of all sizes hold the true difference at once. An end is the
    difference at which the capital of bets against it, mixed over all stakes by the arcsine law, is
    1 / (1 - confidence). The interval excludes 0 just where `find_anytime_p` is small enough.

    Args:
        only_a: How many examples only A has right so far; arrays that broadcast to one shape.
        only_b: How many only B has right.
        n: How many examples there are.
        confidence: Between 0 and 1.

    Returns:
        Two arrays of that shape; the whole of [-1, 1] without examples.

    Source: Ville 1939; Robbins 1970, Annals of Mathematical Statistics 41 (mixtures); Waudby-Smith
        and Ramdas 2023, Journal of the Royal Statistical Society B 86 (bets).
    """
    a, b, n = np.broadcast_arrays(*(np.asarray(one, np.float64) for one in (only_a, only_b, n)))
    limit = -math.log1p(-confidence)
    return -_solve_above((b, a, n), limit), _solve_above((a, b, n), limit)


def find_anytime_p(only_a: NDArray[Any], only_b: NDArray[Any]) -> Values:
    """The p-value of no difference at whatever size one stops: 1 over the capital of bets.

    The chance that it is ever p or less is p at most. It depends on the discordant examples alone:
    it compares their beta-binomial likelihood with that of a fair coin. Never 0, at most 1.

    Args:
        only_a: How many examples only A has right so far; arrays that broadcast to one shape.
        only_b: How many only B has right.

    Source: Robbins 1970, Annals of Mathematical Statistics 41; Jeffreys' prior.
    """
    log_gamma = np.vectorize(math.lgamma, otypes=[float])
    a, b = np.broadcast_arrays(np.asarray(only_a, np.float64), np.asarray(only_b, np.float64))
    mixed = log_gamma(a + 0.5) + log_gamma(b + 0.5) - log_gamma(a + b + 1) - math.log(math.pi)
    p = np.where(a + b > 0, np.exp(np.minimum(-mixed - (a + b) * math.log(2), 0)), 1.0)
    return np.asarray(np.maximum(p, np.finfo(float).tiny))


def bound_running_mean(
    values: Values, limits: tuple[float, float], confidence: float
) -> tuple[Values, Values]:
    """The interval of a mean after each further value, all of which hold it at once.

    Values come in an order that has nothing to do with them, and their mean does not change.

    Args:
        values: Of shape (..., n), such as the differences of two systems on each example.
        limits: The least and the largest value that there can be.
        confidence: Between 0 and 1.

    Returns:
        Two arrays of shape (..., n): the interval after so many values, never wider than before.

    Source: Waudby-Smith and Ramdas 2023, Journal of the Royal Statistical Society B 86, theorem 2
        (predictable plug-in empirical Bernstein).
    """
    bottom, width = limits[0], limits[1] - limits[0]
    scaled = (np.asarray(values, np.float64) - bottom) / width
    t = np.arange(1, scaled.shape[-1] + 1)
    mean = (0.5 + scaled.cumsum(-1)) / (t + 1)
    before = np.concatenate([np.full((*scaled.shape[:-1], 1), 0.5), mean[..., :-1]], -1)
    variance = (0.25 + ((scaled - mean) ** 2).cumsum(-1)) / (t + 1)
    variance = np.concatenate([np.full((*scaled.shape[:-1], 1), 0.25), variance[..., :-1]], -1)
    limit = math.log(2) - math.log1p(-confidence)
    stakes = np.minimum(np.sqrt(2 * limit / (variance * t * np.log1p(t))), 0.5)
    spent = (4 * (scaled - before) ** 2 * (-np.log1p(-stakes) - stakes) / 4).cumsum(-1)
    total = stakes.cumsum(-1)
    centre, half = (stakes * scaled).cumsum(-1) / total, (limit + spent) / total
    low = np.maximum.accumulate(np.clip(centre - half, 0, 1), -1)
    high = np.minimum.accumulate(np.clip(centre + half, 0, 1), -1)
    return bottom + width * low, bottom + width * high


def _solve_above(counts: tuple[Values, Values, Values], limit: float) -> Values:
    """The upper end: the difference above at which the capital reaches its limit, by halving."""
    a, b, n = counts
    most = float(np.max(a + b, initial=0))
    nodes = min(_NODES + int(_PER_ROOT * math.sqrt(most)), _MOST_NODES)
    stakes = np.cos(math.pi * (np.arange(nodes) + 0.5) / nodes)
    size = np.maximum(n, 1)
    inner, outer = (a - b) / size, np.ones(a.shape)
    for _ in range(_STEPS):
        middle = (inner + outer) / 2
        beyond = _bet(counts, middle, stakes) > limit
        inner, outer = np.where(beyond, inner, middle), np.where(beyond, middle, outer)
    return (inner + outer) / 2


def _bet(counts: tuple[Values, Values, Values], difference: Values, stakes: Values) -> Values:
    """The logarithm of the mixed capital of bets that the difference is another one."""
    a, b, n = (one[..., None] for one in counts)
    mean = difference[..., None]
    stake = np.where(stakes > 0, stakes / (1 + mean), stakes / np.maximum(1 - mean, 1e-300))
    logs = [np.log1p(stake * (gain - mean)) for gain in (1, -1, 0)]
    capital = a * logs[0] + b * logs[1] + (n - a - b) * logs[2]
    top = capital.max(-1, keepdims=True)
    return np.asarray(top[..., 0] + np.log(np.exp(capital - top).mean(-1)))
