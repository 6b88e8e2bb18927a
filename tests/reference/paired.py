"""Paired resampling by its definition: row by row, the whole score computed again each time."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Score = Callable[[NDArray[Any], NDArray[Any]], float]
"""Gold and predictions, a row per example, to a number."""


def randomise_rows(
    gold: NDArray[Any], a: NDArray[Any], b: NDArray[Any], score: Score, draws: int
) -> float:
    generator = np.random.default_rng(0)
    observed = abs(score(gold, a) - score(gold, b))
    extremes = 0
    for _ in range(draws):
        swapped = generator.random(len(gold)) < 0.5
        mask = swapped.reshape(-1, *[1] * (a.ndim - 1))
        one, other = np.where(mask, b, a), np.where(mask, a, b)
        extremes += abs(score(gold, one) - score(gold, other)) >= observed - 1e-12
    return (extremes + 1) / (draws + 1)


def bootstrap_rows(
    gold: NDArray[Any], a: NDArray[Any], b: NDArray[Any], score: Score, draws: int
) -> NDArray[np.float64]:
    generator = np.random.default_rng(0)
    chosen = (generator.integers(len(gold), size=len(gold)) for _ in range(draws))
    return np.array([score(gold[rows], a[rows]) - score(gold[rows], b[rows]) for rows in chosen])
