"""The interval of a difference of two proportions on the same examples, from discordant ones."""

import numpy as np

from tallystick.statistics.wilson import Numbers, Values, quantile

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
