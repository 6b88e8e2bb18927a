"""The expected calibration error: of every label, and of the predicted label alone."""

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.frozen import dataclass
from tallystick.kinds.probabilities.abstention import Confidence, map_groups, score_confidences
from tallystick.kinds.probabilities.areas import (
    CurveMetric,
    Influence,
    change_with_rest,
    score_labels,
)
from tallystick.kinds.probabilities.joint import JointRows
from tallystick.statistics import student
from tallystick.statistics.calibration import bound_gaps
from tallystick.statistics.percentiles import bound_within
from tallystick.tallies.curve import CurveTally
from tallystick.tallies.metric import Interval, Metric, Values, check_whole
from tallystick.tallies.tally import Tally

_GAPS = "folded normal gaps of the bins"


@final
@dataclass(frozen=True, slots=True, repr=False)
class ECE(CurveMetric):
    """How far probabilities are from observed frequencies, averaged over bins of equal width.

    For a binary task it looks at the probability of the positive label. With a probability for
    each label it is the mean over labels, each against the rest (classwise ECE).

    Formula: sum over bins of |mean probability - share of positives| * share of examples; bins are
        (0, 1/b], (1/b, 2/b], ..., and 0 belongs to the first
    Undefined: without examples.
    Source: Naeini et al. 2015, AAAI; Nixon et al. 2019 for the classwise mean.
    """

    bins: int = 10

    short = "ece"
    title = "ECE"
    better = "lower"

    def __post_init__(self) -> None:
        check_whole("bins", self.bins, 1)

    def score_group(self, tally: CurveTally, group: int) -> float:
        return float(np.mean(score_labels(tally, group, self._error)))

    def interval(self, tally: CurveTally) -> Interval:
        return Interval(self.bounds, _GAPS, bins=self.bins, find_bins=self.find_bins)

    def influence(self, tally: CurveTally, group: int, column: int) -> Influence:
        scores, changes = change_with_rest(tally, group, column, self._find_changes)
        return scores, changes / len(tally.columns)

    def _error(
        self, scores: NDArray[Any], positives: NDArray[Any], negatives: NDArray[Any]
    ) -> float:
        mass = positives + negatives
        if not mass.sum():
            return np.nan
        gaps = np.bincount(self.find_bins(scores), scores * mass - positives, self.bins)
        return float(np.abs(gaps).sum() / mass.sum())

    def _find_changes(
        self, scores: NDArray[Any], positives: NDArray[Any], negatives: NDArray[Any]
    ) -> tuple[Values, Values]:
        mass, bins = positives + negatives, self.find_bins(scores)
        gaps = np.bincount(bins, scores * mass - positives, self.bins)
        side = np.sign(gaps)[bins] / mass.sum()
        return side * (scores - 1), side * scores

    def find_bins(self, scores: NDArray[Any]) -> NDArray[np.intp]:
        """The bin of each probability."""
        edges = self._edges
        return np.clip(np.searchsorted(edges, scores, side="left") - 1, 0, self.bins - 1)

    @property
    def _edges(self) -> Values:
        return np.asarray(np.arange(self.bins + 1) / self.bins)


@final
@dataclass(frozen=True, slots=True, repr=False)
class TopLabelECE(Metric):
    """How far the probability of the predicted label is from how often that label is right.

    A column of confidences counts in place of these probabilities where there is one.

    Formula: sum over bins of |mean confidence - accuracy| * share of examples; bins are
        (0, 1/b], (1/b, 2/b], ..., and 0 belongs to the first
    Undefined: without examples.
    Source: Guo et al. 2017, ICML; torchmetrics' MulticlassCalibrationError with norm l1, which puts
        an edge into the bin above it.
    """

    bins: int = 15

    short = "top_label_ece"
    title = "Top-Label ECE"
    better = "lower"
    counters = (Confidence,)

    def __post_init__(self) -> None:
        check_whole("bins", self.bins, 1)

    def score(self, tally: JointRows) -> Values:
        return score_confidences(tally, self._score_group)

    def bound(self, tally: Tally, confidence: float) -> tuple[Values, Values, str] | None:
        rows = tally.need(JointRows)
        if not rows.plain:
            return None
        low, high = map_groups(
            rows, lambda sure, wrong, _: self._bound_group(sure, wrong, confidence), 2
        )
        return low, high, _GAPS

    def _score_group(
        self, sure: Values, wrong: NDArray[np.bool_], times: NDArray[np.int64]
    ) -> Values:
        gaps = times @ self._spread(sure, sure - ~wrong)
        return np.asarray(np.abs(gaps).sum(1) / times.sum(1))

    def _bound_group(self, sure: Values, wrong: NDArray[np.bool_], confidence: float) -> Values:
        """Both ends, of shape (2,); no gap is known better than that of calibrated confidences."""
        n, off = len(sure), sure - ~wrong
        gaps = self._spread(sure, off).sum(0) / n
        squares = self._spread(sure, off**2).sum(0) / n**2 - gaps**2 / n
        least = self._spread(sure, sure * (1 - sure)).sum(0) / n**2
        errors = np.sqrt(np.maximum(squares, least))
        if not gaps.any() or n < 2:
            error = np.sqrt(least.sum(keepdims=True))
            ends = bound_within(np.zeros(1), error, np.array([n]), self.bounds, confidence)
            return np.concatenate(ends)
        times = float(student.quantile(confidence, np.array(n - 1.0)))
        return np.asarray(np.clip(bound_gaps(gaps, errors, times), *self.bounds))

    def _spread(self, sure: Values, values: Values) -> Values:
        """The values in the column of their bin, of shape (examples, bins)."""
        if not ((sure >= 0) & (sure <= 1)).all():
            odd = sure[(sure < 0) | (sure > 1)][0]
            raise UsageError(f"{self.short} takes confidences from 0 to 1, and {odd:g} is one here")
        found = np.zeros((len(sure), self.bins))
        found[np.arange(len(sure)), ECE(self.bins).find_bins(sure)] = values
        return found
