"""Accuracy and balanced accuracy."""

from typing import final

import numpy as np

from tallystick.frozen import dataclass
from tallystick.kinds.labels.counters import Confusion
from tallystick.kinds.labels.rates import Recall
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import Metric, Share, Values
from tallystick.tallies.ratios import Ratio, divide, weigh


@final
@dataclass(frozen=True, slots=True, repr=False)
class Accuracy(Metric):
    """The share of examples whose prediction is right.

    Formula: right / all
    Undefined: without examples.
    Source: scikit-learn's accuracy_score.
    """

    short = "accuracy"
    title = "Accuracy"
    counters = (Confusion,)
    tests = ("mcnemar", "mcnemar-midp")

    def score(self, tally: Cells) -> Values:
        share = self.share(tally)
        return divide(Ratio(share.hits, share.trials), np.nan)

    def share(self, tally: Cells) -> Share:
        right = tally.sum_groups(tally.mass * tally.right)
        return Share(right, tally.sum_groups(tally.mass))


@final
@dataclass(frozen=True, slots=True, repr=False)
class BalancedAccuracy(Metric):
    """The mean recall of the labels that the gold has.

    Formula: mean over labels of TP / (TP + FN)
    Undefined: without examples.
    Source: Brodersen et al. 2010, ICPR; values as scikit-learn's balanced_accuracy_score.
    """

    short = "balanced_accuracy"
    title = "Balanced Accuracy"
    counters = (Confusion,)

    @property
    def each(self) -> Recall:
        return Recall(None)

    def score(self, tally: Cells) -> Values:
        counts = tally.per_label()
        recall = divide(Ratio(counts.hits, counts.gold), np.nan)
        return weigh(recall, np.ones_like(recall))
