"""Log loss, the Brier score and its complement."""

import abc
import math
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import say_count
from tallystick.frozen import dataclass
from tallystick.kinds.probabilities.areas import (
    Changes,
    CurveMetric,
    change_with_rest,
    count_label,
    score_labels,
)
from tallystick.model.tallies.curve import CurveTally
from tallystick.model.tallies.metric import Values
from tallystick.model.tallies.tally import Tally

_EVEN = 0.5


class _Loss(CurveMetric):
    """The mean of a loss, which the probabilities of an example's labels tell."""

    __slots__ = ()

    better = "lower"

    @abc.abstractmethod
    def lose(self, tally: CurveTally, scores: NDArray[Any]) -> tuple[Values, Values]:
        """What an example of a scored label, and one of the others, loses at each of its scores."""

    def repeats(self, tally: CurveTally) -> int:
        """How often the loss of each example is summed."""
        return 1

    def count(self, tally: CurveTally, group: int) -> float:
        """What all examples weigh, as often as the loss of each is summed."""
        mass = tally.masses(group, 0).sum() if tally.columns else 0
        return float(mass * self.repeats(tally))

    def score_group(self, tally: CurveTally, group: int) -> float:
        mass = self.count(tally, group)
        if not mass:
            return np.nan

        def sum_up(scores: NDArray[Any], positives: NDArray[Any], negatives: NDArray[Any]) -> float:
            own, other = self.lose(tally, scores)
            return float(np.dot(own, positives) + np.dot(other, negatives))

        return sum(score_labels(tally, group, sum_up)) / mass

    def change_label(self, tally: CurveTally, group: int, column: int) -> Changes:
        scores, losses = change_with_rest(
            tally, group, column, lambda scores, *_: self.lose(tally, scores)
        )
        return scores, losses / self.count(tally, group)

    def doubt(self, tally: Tally, high: float) -> str | None:
        """That no example is wrong, and none is expected to be by the probabilities themselves."""
        if not isinstance(tally, CurveTally) or not tally.plain or len(tally.columns) != 1:
            return None
        scores, counts, positives = count_label(tally, 0, 0)
        right = np.where(scores > _EVEN, positives, counts.sum(1) - positives)
        slips = counts.sum(1) @ np.minimum(scores, 1 - scores).astype(np.float64)
        if (right == counts.sum(1)).all() and 0 < slips < 1:
            return "all examples are right, and one that is wrong would make most of the loss"
        return None


@final
@dataclass(frozen=True, slots=True, repr=False)
class BrierScore(_Loss):
    """The mean squared distance of the probabilities from what came true.

    With more than two labels the squares of all labels are added, so that the worst value is 2.

    Formula: mean of (p - y)^2, y 1 for the gold label and 0 for others
    Undefined: without examples.
    Source: Brier 1950; values as scikit-learn's brier_score_loss.
    """

    short = "brier_score"
    title = "Brier Score"
    bounds = (0, 2)

    def lose(self, tally: CurveTally, scores: NDArray[Any]) -> tuple[Values, Values]:
        return (1 - scores) ** 2, scores**2

    def repeats(self, tally: CurveTally) -> int:
        return 2 if len(tally.columns) == 2 else 1


@final
@dataclass(frozen=True, slots=True, repr=False)
class BrierComplement(CurveMetric):
    """One minus the Brier score, so that higher is better; also written `1-brier`.

    Formula: 1 - mean of (p - y)^2, y 1 for the gold label and 0 for others
    Undefined: without examples.
    Source: Brier 1950; the score that PAN's evaluators call brier.
    """

    short = "brier_complement"
    title = "1 - Brier Score"
    bounds = (-1, 1)

    def score_group(self, tally: CurveTally, group: int) -> float:
        return 1 - BrierScore().score_group(tally, group)

    def doubt(self, tally: Tally, high: float) -> str | None:
        return BrierScore().doubt(tally, high)

    def change_label(self, tally: CurveTally, group: int, column: int) -> Changes:
        scores, changes = BrierScore().change_label(tally, group, column)
        return scores, -changes


@final
@dataclass(frozen=True, slots=True, repr=False)
class LogLoss(_Loss):
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
    bounds = (0, float("inf"))

    def doubt(self, tally: Tally, high: float) -> str | None:
        """The same, and what outputs of 0 and 1 lose if they are rounded.

        The step of rounding is how near to them others come.
        """
        found = _Loss.doubt(self, tally, high)
        if found is not None or not isinstance(tally, CurveTally) or not tally.plain:
            return found
        steps = [tally.steps(0, column) for column in range(len(tally.columns))]
        sure = sum(int(counts[(own <= 0) | (own >= 1)].sum()) for own, counts in steps)
        gaps = np.concatenate([np.minimum(own, 1 - own).astype(np.float64) for own, _ in steps])
        step = float(gaps.min(initial=1, where=gaps > 0))
        lost = -math.log(np.finfo(tally.scores.dtype).eps) * sure / self.count(tally, 0)
        loss = self.score_group(tally, 0) + step / 2 * lost
        if not loss > high:
            return None
        others = f", beside others in steps of {step:.2g}," if step < 1 else ""
        return (
            f"{say_count(sure, 'output')} of exactly 0 or 1{others} may be rounded, and would make "
            f"it {loss:.2g} if they were off by half a step"
        )

    def lose(self, tally: CurveTally, scores: NDArray[Any]) -> tuple[Values, Values]:
        step = float(np.finfo(tally.scores.dtype).eps)
        clipped = np.clip(scores, step, 1 - step)
        other = -np.log(1 - clipped) if len(tally.columns) == 1 else np.zeros(len(scores))
        return -np.log(clipped), other
