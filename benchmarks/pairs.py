"""Populations of a gold number and an output, for benchmarks/coverage.py."""

from collections.abc import Callable

import numpy as np
from populations import MANY, Generator, Population, Values

__all__ = [
    "correlate",
    "err_heavily",
    "err_more_above",
    "fail_grossly",
    "follow_closely",
    "grow",
    "numbers",
    "rate",
    "scatter_heavily",
]

Draw = Callable[[Generator, int], Values]
"""So many pairs, of shape (2, pairs)."""


def numbers(draw: Draw) -> Callable[[Generator], Population]:
    """Pairs of a gold number and an output."""
    return lambda generator: Population(*draw(generator, MANY), None)


def correlate(rho: float) -> Draw:
    """Normal pairs of that correlation."""

    def draw(generator: Generator, n: int) -> Values:
        gold, noise = generator.normal(size=(2, n))
        return np.stack([gold, rho * gold + (1 - rho**2) ** 0.5 * noise])

    return draw


def rate(generator: Generator, n: int) -> Values:
    """Ratings from 1 to 5, of a correlation of 0.7 before they are rounded."""
    return np.clip(np.round(3 + 1.2 * correlate(0.7)(generator, n)), 1, 5)


def scatter_heavily(freedom: float) -> Draw:
    """Pairs of a correlation of 0.6 that both lie far out where one does: t-distributed."""

    def draw(generator: Generator, n: int) -> Values:
        return correlate(0.6)(generator, n) * (freedom / generator.chisquare(freedom, n)) ** 0.5

    return draw


def err_heavily(generator: Generator, n: int) -> Values:
    """Normal gold, and errors by the t-distribution of 3 degrees of freedom."""
    gold = generator.normal(size=n)
    return np.stack([gold, gold + generator.standard_t(3, n)])


def fail_grossly(generator: Generator, n: int) -> Values:
    """Small errors, and gross ones in 3%."""
    gold, noise, gross = generator.normal(size=(3, n))
    return np.stack([gold, gold + np.where(generator.random(n) < 0.03, 8 * gross, 0.3 * noise)])


def follow_closely(generator: Generator, n: int) -> Values:
    """A correlation of 0.995."""
    return correlate(0.995)(generator, n)


def grow(generator: Generator, n: int) -> Values:
    """Lognormal numbers, whose logarithm has a deviation of 1.5."""
    return np.exp(1.5 * generator.normal(size=(2, n)))


def err_more_above(generator: Generator, n: int) -> Values:
    """Exponential gold, and errors that grow with it."""
    gold = generator.exponential(size=n)
    return np.stack([gold, gold + 0.7 * gold * generator.normal(size=n)])
