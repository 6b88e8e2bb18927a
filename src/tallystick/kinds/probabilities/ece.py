"""The expected calibration error."""

from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from tallystick.frozen import dataclass
from tallystick.kinds.probabilities.areas import (
    Curves,
    Influence,
    change_with_rest,
    mean_over_labels,
    score_groups,
)
from tallystick.kinds.probabilities.score_counter import Curve
from tallystick.tallies.bins import PARTS, Bins
from tallystick.tallies.metric import Direction, Interval, Metric, Values, check_whole
from tallystick.tallies.tally import Counter


@final
@dataclass(frozen=True, slots=True, repr=False)
class ECE(Metric):
    """How far probabilities are from observed frequencies, averaged over bins of equal width.

    For a binary task it looks at the probability of the positive label. With a probability for
    each label it is the mean over labels, each against the rest (classwise ECE).

    Formula: sum over bins of |mean probability - share of positives| * share of examples; bins are
        (0, 1/b], (1/b, 2/b], ..., and 0 belongs to the first
    Undefined: without examples.
    Source: Naeini et al. 2015, AAAI; Nixon et al. 2019 for the classwise mean.
    """

    bins: int = 10

    short: ClassVar[str] = "ece"
    title: ClassVar[str] = "ECE"
    better: ClassVar[Direction] = "lower"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type[Counter], ...]] = (Curve,)

    def __post_init__(self) -> None:
        check_whole("bins", self.bins, 1)

    def score(self, tally: Curves) -> Values:
        return score_groups(tally, lambda tally, group: mean_over_labels(tally, group, self._error))

    def bin_error(self, tally: Bins) -> Values:
        """How far the value can be from that of unbinned scores: by bins that lie across an edge.

        There are none of these where the number of bins is a multiple of this metric's.
        """
        return score_groups(tally, self._find_error)

    def interval(self, tally: Curves) -> Interval:
        del tally
        method = "folded normal gaps of the bins"
        return Interval(self.bounds, method, bins=self.bins, find_bins=self.find_bins)

    def influence(self, tally: Curves, group: int, column: int) -> Influence:
        """What one more example at each score of a label would change, but for a constant."""
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

    def _find_error(self, tally: Bins, group: int) -> float:
        parts = [self._find_lost(tally, group, column) for column in range(len(tally.columns))]
        return float(np.mean(parts))

    def _find_lost(self, tally: Bins, group: int, column: int) -> float:
        """What bins across an edge change where they are parted there, and what rounding does."""
        _, counts = tally.steps(group, column)
        low, high = tally.ends(group, column)
        positives = counts[:, tally.labels.index(tally.columns[column])]
        negatives = counts.sum(1) - positives
        inside = np.searchsorted(self._edges, high) - np.searchsorted(self._edges, low, "right")
        own, other = positives * (1 - low), negatives * high
        # What leaves one gap comes to another one, or with several edges to some of either sign.
        came = np.where(inside > 1, own + other, np.maximum(own, other))
        lost = (np.maximum(own, other) + came) * (inside > 0)
        lost += (low < high) * counts.sum(1) / (tally.counter.bins * PARTS)
        return float(lost.sum() / counts.sum()) if counts.size else np.nan

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
