"""Average precision."""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from tallystick.metrics.curves import (
    Influence,
    change_with_rest,
    mean_over_labels,
    score_groups,
)
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.tallies.curve import Curve, CurveTally

__all__ = ["AveragePrecision"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class AveragePrecision(Metric):
    """The area under the precision-recall curve as a sum of steps, not interpolated.

    With a probability for each label, the mean over labels, each against the rest.

    Formula: sum over thresholds of (R_n - R_{n-1}) P_n
    Undefined: where no gold example is positive; scikit-learn says 0 there.
    Source: values as scikit-learn's average_precision_score.
    """

    short: ClassVar[str] = "average_precision"
    title: ClassVar[str] = "Average Precision"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type, ...]] = (Curve,)

    def score(self, tally: CurveTally) -> Values:
        return score_groups(
            tally, lambda tally, group: mean_over_labels(tally, group, _average_precision)
        )

    def influence(self, tally: CurveTally, group: int, column: int) -> Influence:
        """What one more example at each score of a label would change."""
        scores, changes = change_with_rest(tally, group, column, _find_changes)
        return scores, changes / len(tally.columns)


def _average_precision(
    scores: NDArray[Any], positives: NDArray[Any], negatives: NDArray[Any]
) -> float:
    found = np.cumsum(positives[::-1], dtype=np.float64)
    seen = found + np.cumsum(negatives[::-1], dtype=np.float64)
    if not len(found) or found[-1] == 0:
        return np.nan
    precision = np.divide(found, seen, out=np.zeros_like(found), where=seen > 0)
    return float(np.dot(positives[::-1], precision) / found[-1])


def _find_changes(
    scores: NDArray[Any], positives: NDArray[Any], negatives: NDArray[Any]
) -> tuple[Values, Values]:
    """A positive adds its own precision; both kinds change that of all positives below."""
    del scores
    found = np.cumsum(positives[::-1], dtype=np.float64)[::-1]
    seen = found + np.cumsum(negatives[::-1], dtype=np.float64)[::-1]
    if not len(found) or found[0] == 0:
        return np.full(found.shape, np.nan), np.full(found.shape, np.nan)
    precision = np.divide(found, seen, out=np.zeros_like(found), where=seen > 0)
    each = np.divide(positives, seen, out=np.zeros_like(found), where=seen > 0)
    lost = np.cumsum(each * precision)
    value = np.dot(positives, precision) / found[0]
    return (precision - value + np.cumsum(each) - lost) / found[0], -lost / found[0]
