"""Log loss, the Brier score and its complement."""

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tallystick.frozen import dataclass, replace
from tallystick.kinds.probabilities.areas import (
    Curves,
    Influence,
    change_with_rest,
    score_groups,
    sum_over_labels,
)
from tallystick.kinds.probabilities.score_counter import Curve
from tallystick.statistics.means import bound_positive
from tallystick.tallies.bins import ROUNDING, SQUARE, SURPRISE, Bins
from tallystick.tallies.metric import Interval, Metric, Values


@final
@dataclass(frozen=True, slots=True, repr=False)
class BrierScore(Metric):
    """The mean squared distance of the probabilities from what came true.

    With more than two labels the squares of all labels are added, so that the worst value is 2.

    Formula: mean of (p - y)^2, y 1 for the gold label and 0 for others
    Undefined: without examples.
    Source: Brier 1950; values as scikit-learn's brier_score_loss.
    """

    short = "brier_score"
    title = "Brier Score"
    better = "lower"
    bounds = (0, 2)
    counters = (Curve,)

    def score(self, tally: Curves) -> Values:
        return score_groups(tally, _score_group)

    def bin_error(self, tally: Bins) -> Values:
        """How far the value can be from that of unbinned scores: as far as losses are rounded."""
        return np.full(len(tally.groups), ROUNDING)

    def interval(self, tally: Curves) -> Interval:
        labels = len(tally.columns)
        return Interval(
            (0, 1) if labels < 3 else self.bounds,
            method="standard error of the mean on a logarithmic scale",
            bound=bound_positive,
            loss=SQUARE,
            repeats=2 if labels == 2 else 1,
        )

    def influence(self, tally: Curves, group: int, column: int) -> Influence:
        """What one more example at each score of a label would change, but for a constant."""
        scores, squares = change_with_rest(
            tally, group, column, lambda scores, *_: ((1 - scores) ** 2, scores**2)
        )
        return scores, squares / _count_all(tally, group)


def _score_group(tally: Curves, group: int) -> float:
    mass = _count_all(tally, group)
    if isinstance(tally, Bins):
        return float(tally.lose(group, SQUARE)[0]) / mass if mass else np.nan
    return sum_over_labels(tally, group, _squares) / mass if mass else np.nan


def _count_all(tally: Curves, group: int) -> float:
    """What all examples weigh; twice that where both of two labels are scored."""
    mass = tally.masses(group, 0).sum() if tally.columns else 0
    return float(mass * (2 if len(tally.columns) == 2 else 1))


def _squares(scores: NDArray[Any], positives: NDArray[Any], negatives: NDArray[Any]) -> float:
    return float(np.dot((1 - scores) ** 2, positives) + np.dot(scores**2, negatives))


@final
@dataclass(frozen=True, slots=True, repr=False)
class BrierComplement(Metric):
    """One minus the Brier score, so that higher is better; also written `1-brier`.

    Formula: 1 - mean of (p - y)^2, y 1 for the gold label and 0 for others
    Undefined: without examples.
    Source: Brier 1950; the score that PAN's evaluators call brier.
    """

    short = "brier_complement"
    title = "1 - Brier Score"
    bounds = (-1, 1)
    counters = (Curve,)

    def score(self, tally: Curves) -> Values:
        return 1 - BrierScore().score(tally)

    def bin_error(self, tally: Bins) -> Values:
        """How far the value can be from that of unbinned scores."""
        return BrierScore().bin_error(tally)

    def interval(self, tally: Curves) -> Interval:
        return replace(BrierScore().interval(tally), complement=BrierScore())

    def influence(self, tally: Curves, group: int, column: int) -> Influence:
        """What one more example at each score of a label would change, but for a constant."""
        scores, changes = BrierScore().influence(tally, group, column)
        return scores, -changes


@final
@dataclass(frozen=True, slots=True, repr=False)
class LogLoss(Metric):
    """The mean negative logarithm of the probability given to the gold label, in nats.

    A probability of 0 counts as the smallest step of its precision (2.2e-16 where it is double,
    1.2e-7 where it is single), so that one example that was thought impossible does not make the
    loss infinite.

    Formula: mean of -log p(gold)
    Undefined: without examples.
    Source: Good 1952, Rational Decisions; values as scikit-learn's log_loss.
    """

    short = "log_loss"
    title = "Log Loss"
    better = "lower"
    bounds = (0, float("inf"))
    counters = (Curve,)

    def score(self, tally: Curves) -> Values:
        return score_groups(tally, _score_loss)

    def bin_error(self, tally: Bins) -> Values:
        """How far the value can be from that of unbinned scores: as far as losses are rounded."""
        return np.full(len(tally.groups), ROUNDING)

    def interval(self, tally: Curves) -> Interval:
        return Interval(
            self.bounds,
            method="standard error of the mean on a logarithmic scale",
            bound=bound_positive,
            loss=SURPRISE,
        )

    def influence(self, tally: Curves, group: int, column: int) -> Influence:
        """What one more example at each score of a label would change, but for a constant."""
        kind = np.float64 if isinstance(tally, Bins) else tally.scores.dtype
        step = float(np.finfo(kind).eps)
        mass = tally.masses(group, 0).sum()

        def change(scores: NDArray[Any], *_: NDArray[Any]) -> tuple[Values, Values]:
            clipped = np.clip(scores, step, 1 - step)
            other = -np.log(1 - clipped) if len(tally.columns) == 1 else np.zeros(len(scores))
            return -np.log(clipped) / mass, other / mass

        return change_with_rest(tally, group, column, change)


def _score_loss(tally: Curves, group: int) -> float:
    mass = tally.masses(group, 0).sum() if tally.columns else 0
    if isinstance(tally, Bins):
        return float(tally.lose(group, SURPRISE)[0]) / mass if mass else np.nan
    step = float(np.finfo(tally.scores.dtype).eps)
    formula = _surprise_of_two if len(tally.columns) == 1 else _surprise

    def clipped(scores: NDArray[Any], positives: NDArray[Any], negatives: NDArray[Any]) -> float:
        return formula(np.clip(scores, step, 1 - step), positives, negatives)

    return sum_over_labels(tally, group, clipped) / mass if mass else np.nan


def _surprise(scores: NDArray[Any], positives: NDArray[Any], negatives: NDArray[Any]) -> float:
    return -float(np.dot(np.log(scores), positives))


def _surprise_of_two(
    scores: NDArray[Any], positives: NDArray[Any], negatives: NDArray[Any]
) -> float:
    return _surprise(scores, positives, negatives) + _surprise(1 - scores, negatives, positives)
