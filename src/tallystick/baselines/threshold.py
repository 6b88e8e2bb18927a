"""The threshold of a toxicity run: the one of a fixed grid with the highest F1 on validation."""

import numpy as np
from numpy.typing import NDArray

from tallystick.metrics.f1 import F1
from tallystick.tallies.confusion import ConfusionTally

__all__ = ["choose_threshold"]

_GRID = np.linspace(0.1, 0.9, 81)


def choose_threshold(
    gold: NDArray[np.bool_], probabilities: NDArray[np.float64], *, otherwise: float = 0.5
) -> float:
    """The lowest of 81 thresholds from 0.1 to 0.9 that has the highest F1.

    An example is predicted positive where its probability is the threshold or more.

    Args:
        gold: Whether the gold label is the positive one.
        probabilities: Of the positive label, one for each example.
        otherwise: The threshold where none of the grid finds a single positive example.
    """
    # How many thresholds of the grid an example reaches: the first so many predict it positive.
    reached = np.searchsorted(_GRID, probabilities, side="right")
    histogram = np.stack(
        [np.bincount(reached[gold == label], minlength=len(_GRID) + 1) for label in (False, True)],
        axis=-1,
    )
    negative = histogram.cumsum(0)[:-1]
    counts = np.stack([negative, histogram.sum(0) - negative], axis=-1)[:, None]
    tally = ConfusionTally(("all",), (0, 1), counts, np.array([len(gold)]))
    scores = F1(zero_division=0).score(tally)[:, 0]
    return float(_GRID[scores.argmax()]) if scores.any() else otherwise
