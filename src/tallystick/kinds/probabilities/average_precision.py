"""Average precision."""

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tallystick.frozen import dataclass
from tallystick.kinds.probabilities.areas import (
    Changes,
    CurveMetric,
    Weighting,
    average,
    change_with_rest,
    score_labels,
    weigh_labels,
)
from tallystick.model.tallies.curve import CurveTally
from tallystick.model.tallies.metric import Values, fold_option


@final
@dataclass(frozen=True, slots=True, repr=False)
class AveragePrecision(CurveMetric):
    """The area under the precision-recall curve as a sum of steps, not interpolated.

    With a probability for each label, the mean over labels, each against the rest, averaged plainly
    (`macro`) or by how often the labels occur (`weighted`).

    Formula: sum over thresholds of (R_n - R_{n-1}) P_n
    Undefined: where no gold example is positive; scikit-learn says 0 there.
    Source: values as scikit-learn's average_precision_score.
    """

    weighting: Weighting = "macro"

    short = "average_precision"
    title = "Average Precision"
    rests_on_scarcest = 1

    def __post_init__(self) -> None:
        fold_option(self, "weighting", ("macro", "weighted"))

    def change_label(self, tally: CurveTally, group: int, column: int) -> Changes:
        scores, changes = change_with_rest(tally, group, column, _find_changes)
        weights = weigh_labels(tally, group, self.weighting)
        changes *= weights[column] / weights.sum()
        if self.weighting == "weighted" and len(weights) > 1:
            parts = score_labels(tally, group, _average_precision)
            own = tally.labels.index(tally.columns[column])
            changes[:, own] += (parts[column] - average(parts, weights)) / weights.sum()
        return scores, changes

    def score_group(self, tally: CurveTally, group: int) -> float:
        parts = score_labels(tally, group, _average_precision)
        return average(parts, weigh_labels(tally, group, self.weighting))


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
    found = np.cumsum(positives[::-1], dtype=np.float64)[::-1]
    seen = found + np.cumsum(negatives[::-1], dtype=np.float64)[::-1]
    if not len(found) or found[0] == 0:
        return np.full(found.shape, np.nan), np.full(found.shape, np.nan)
    precision = np.divide(found, seen, out=np.zeros_like(found), where=seen > 0)
    each = np.divide(positives, seen, out=np.zeros_like(found), where=seen > 0)
    lost = np.cumsum(each * precision)
    value = np.dot(positives, precision) / found[0]
    return (precision - value + np.cumsum(each) - lost) / found[0], -lost / found[0]
