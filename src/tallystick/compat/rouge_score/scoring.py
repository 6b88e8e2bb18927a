"""Scores, and their confidence intervals by the bootstrap."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError

__all__ = ["AggregateScore", "BaseScorer", "BootstrapAggregator", "Score", "fmeasure"]


class Score(NamedTuple):
    """Precision, recall and F1."""

    precision: float
    recall: float
    fmeasure: float


class AggregateScore(NamedTuple):
    """A confidence interval; `mid` is the median of the resampled means."""

    low: Any
    mid: Any
    high: Any


class BaseScorer(ABC):
    """What scores a prediction against a target."""

    @abstractmethod
    def score(self, target: str, prediction: str) -> dict[str, Score]:
        """The score of each type."""


class BootstrapAggregator:
    """Intervals of mean scores by the percentile bootstrap.

    Without a seed it draws from NumPy's global generator, as rouge_score does; with one, it draws
    what that draws after `numpy.random.seed(seed)`.
    """

    def __init__(
        self, confidence_interval: float = 0.95, n_samples: int = 1000, seed: int | None = None
    ) -> None:
        if not 0 <= confidence_interval <= 1:
            raise UsageError(f"confidence_interval must be from 0 to 1, not {confidence_interval}")
        if n_samples <= 0:
            raise UsageError(f"n_samples must be 1 or more, not {n_samples}")
        self._confidence_interval = confidence_interval
        self._n_samples = n_samples
        self._seed = seed
        self._scores: dict[str, list[Any]] = {}

    def add_scores(self, scores: Mapping[str, object]) -> None:
        """Adds the scores of one example: a named tuple for each type."""
        for name, score in scores.items():
            self._scores.setdefault(name, []).append(score)

    def aggregate(self) -> dict[str, AggregateScore]:
        """The interval of each type, precision, recall and F1 each on their own."""
        draw = np.random if self._seed is None else np.random.RandomState(self._seed)
        result = {}
        for name, scores in self._scores.items():
            percentiles = self._resample(np.array(scores, np.float64), draw)
            result[name] = AggregateScore(*(type(scores[0])(*row) for row in percentiles.tolist()))
        return result

    def _resample(self, values: NDArray[np.float64], draw: Any) -> NDArray[np.float64]:
        """Percentiles of means of rows drawn with replacement, of shape (3, columns)."""
        n = len(values)
        means = [values[draw.choice(n, n)].mean(0) for _ in range(self._n_samples)]
        tail = (1 - self._confidence_interval) / 2
        return np.asarray(np.percentile(means, 100 * np.array([tail, 0.5, 1 - tail]), axis=0))


def fmeasure(precision: float, recall: float) -> float:
    """The harmonic mean of precision and recall; 0 where both are."""
    total = precision + recall
    return 2 * precision * recall / total if total > 0 else 0.0
