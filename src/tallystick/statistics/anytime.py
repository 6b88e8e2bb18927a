"""Bounds of a mean that hold however often one looks: examples may come until one has enough."""

import math

import numpy as np

from tallystick.statistics.wilson import Numbers, Values

_STEPS = 60
"""Halvings of the range of the mean."""

_STAKES = 10.0 ** (-np.arange(1, 25) / 8)
"""The shares of the largest stake that bets are spread over: 0.75, 0.56, ... 0.001.

The best one is near 2 / (deviation * square root of the number of examples).
"""


def bound_anytime(
    values: Numbers, counts: Numbers, limits: tuple[float, float], confidence: float
) -> tuple[float, float]:
    """The one-sided bounds of a mean, each of which holds at all sizes at once.

    With the given confidence, no lower bound that is ever computed, after whatever number of
    examples, lies above the true mean; nor does any upper bound lie below it. A bound is the mean
    against which the capital of bets has grown to 1 / (1 - confidence).

    Examples come in random order; `counts` tells how often each of the distinct values has occurred
    so far. Without examples the bounds are the limits themselves.

    Source: Ville 1939; Waudby-Smith and Ramdas 2023, Journal of the Royal Statistical Society B 86.
    """
    low, high = limits
    values, counts = np.asarray(values, np.float64), np.asarray(counts, np.float64)
    least = -math.log1p(-confidence)
    scaled = np.clip((values - low) / (high - low), 0, 1)
    bottom = _solve(scaled, counts, least)
    top = 1 - _solve(1 - scaled, counts, least)
    return low + (high - low) * bottom, low + (high - low) * top


def find_capital(values: Values, counts: Numbers, mean: float) -> Values:
    """The logarithm of what a unit has become that was bet on a mean above the given one.

    Where the true mean is the given one or less, the chance that the capital ever reaches 1 / p is
    at most p.

    Values and the mean are between 0 and 1; counts of shape (..., values) give an array of shape
    (...).
    """
    # A stake of the whole capital would lose all of it at a value of 0.
    gains = np.log1p(_STAKES[:, None] * (values / max(mean, 1e-300) - 1))
    capital = np.asarray(counts, np.float64) @ gains.T
    top = capital.max(-1, keepdims=True)
    return np.asarray(top[..., 0] + np.log(np.exp(capital - top).mean(-1)))


def _solve(values: Values, counts: Numbers, least: float) -> float:
    """The largest mean against which the capital has grown so far, by halving."""
    if not counts.sum():
        return 0.0
    inner, outer = float(values @ counts / counts.sum()), 0.0
    for _ in range(_STEPS):
        middle = (inner + outer) / 2
        if find_capital(values, counts, middle) > least:
            outer = middle
        else:
            inner = middle
    return outer
