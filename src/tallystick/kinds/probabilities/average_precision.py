"""Average precision."""

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tallystick.frozen import dataclass
from tallystick.kinds.probabilities.areas import (
    CurveMetric,
    Curves,
    Influence,
    Weighting,
    average,
    change_with_rest,
    count_label,
    score_labels,
    weigh_labels,
)
from tallystick.statistics.areas import bound_precision
from tallystick.tallies.bins import Bins
from tallystick.tallies.metric import Interval, Values, fold_option


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
    rests_on_scarcest = True

    def __post_init__(self) -> None:
        fold_option(self, "weighting", ("macro", "weighted"))

    def interval(self, tally: Curves) -> Interval:
        return Interval(self.bounds, bound=bound_precision, limiting=tally.columns)

    def influence(self, tally: Curves, group: int, column: int) -> Influence:
        scores, changes = change_with_rest(tally, group, column, _find_changes)
        weights = weigh_labels(tally, group, self.weighting)
        changes *= weights[column] / weights.sum()
        if self.weighting == "weighted" and len(weights) > 1:
            parts = score_labels(tally, group, _average_precision)
            own = tally.labels.index(tally.columns[column])
            changes[:, own] += (parts[column] - average(parts, weights)) / weights.sum()
        return scores, changes

    def score_group(self, tally: Curves, group: int) -> float:
        parts = score_labels(tally, group, _average_precision)
        return average(parts, weigh_labels(tally, group, self.weighting))

    def find_bin_error(self, tally: Bins, group: int) -> float:
        """How far the mean over labels is from the nearer to the farther of the best and worst."""
        ends = [_find_ends(tally, group, column) for column in range(len(tally.columns))]
        weights = weigh_labels(tally, group, self.weighting)
        worst, value, best = (average(own, weights) for own in zip(*ends, strict=True))
        return float(max(value - worst, best - value))


def _average_precision(
    scores: NDArray[Any], positives: NDArray[Any], negatives: NDArray[Any]
) -> float:
    found = np.cumsum(positives[::-1], dtype=np.float64)
    seen = found + np.cumsum(negatives[::-1], dtype=np.float64)
    if not len(found) or found[-1] == 0:
        return np.nan
    precision = np.divide(found, seen, out=np.zeros_like(found), where=seen > 0)
    return float(np.dot(positives[::-1], precision) / found[-1])


def _find_ends(tally: Bins, group: int, column: int) -> tuple[float, float, float]:
    """The lowest value that one label can have, its value with ties, and the highest one.

    Within a bin it is best that all positives share a score above the negatives, and worst that
    each has one of its own below them.
    """
    _, counts, positives = count_label(tally, group, column)
    counts, positives = (own[::-1].astype(np.float64) for own in (counts, positives))
    low, high = tally.ends(group, column)[:, ::-1]
    seen = np.cumsum(counts.sum(1))
    found, before = np.cumsum(positives), seen - positives
    if not len(found) or found[-1] == 0:
        return np.nan, np.nan, np.nan
    tied = positives * found / seen
    best = positives * found / (seen - (counts.sum(1) - positives)).clip(1)
    # The sum of 1 / (before + i) over the positives is at most the integral of that over steps
    # around each i, as its terms are convex; of a single positive there is no need for a bound.
    most = np.log((seen + 0.5) / (before + 0.5))
    lost = (seen - found) * np.where(positives > 1, most, positives / (before + 1))
    worst = np.where(low < high, positives - lost, tied)
    best = np.where(low < high, best, tied)
    return (
        float(min(worst.sum(), tied.sum()) / found[-1]),
        float(tied.sum() / found[-1]),
        float(max(best.sum(), tied.sum()) / found[-1]),
    )


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
