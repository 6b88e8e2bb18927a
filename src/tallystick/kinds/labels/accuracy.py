"""Accuracy, balanced accuracy, and the losses of label sets."""

from typing import final

import numpy as np

from tallystick.frozen import dataclass
from tallystick.kinds.labels.counters import Confusion, LabelSets
from tallystick.kinds.labels.rates import Recall
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.metric import Metric, Share, Values
from tallystick.model.tallies.ratios import Proportion, Ratio, divide


@final
@dataclass(frozen=True, slots=True, repr=False)
class Accuracy(Proportion):
    """The share of examples whose prediction is right.

    Formula: right / all
    Undefined: without examples.
    Source: scikit-learn's accuracy_score.
    """

    short = "accuracy"
    title = "Accuracy"
    counters = (Confusion,)
    tests = ("mcnemar", "mcnemar-midp")

    def estimand(self, tally: Cells) -> Share:
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
        return Recall("macro").score(tally)

    def influence(self, tally: Cells) -> Values | None:
        return Recall("macro").influence(tally)


@final
@dataclass(frozen=True, slots=True, repr=False)
class HammingLoss(Metric):
    """The share of all (example, label) decisions that are wrong.

    Formula: sum over labels of (FP + FN) / (examples * labels)
    Undefined: without examples or labels.
    Source: Schapire and Singer 2000, Machine Learning 39; values as scikit-learn's hamming_loss.
    """

    short = "hamming_loss"
    title = "Hamming Loss"
    better = "lower"
    counters = (LabelSets,)

    def score(self, tally: Cells) -> Values:
        counts = tally.per_label()
        wrong = (counts.false_positives + counts.false_negatives).sum(-1)
        return divide(Ratio(wrong, counts.total[..., 0] * len(counts.labels)), np.nan)


@final
@dataclass(frozen=True, slots=True, repr=False)
class ExactMatchRatio(Proportion):
    """The share of examples whose predicted label set is the gold one, also called subset accuracy.

    Formula: examples with equal sets / all
    Undefined: without examples.
    Source: Sorower 2010, A literature survey on algorithms for multi-label learning; values as
        scikit-learn's accuracy_score on label indicators.
    """

    short = "exact_match_ratio"
    title = "Exact Match Ratio"
    counters = (LabelSets,)

    def estimand(self, tally: Cells) -> Share:
        equal = tally.sum_groups(tally.mass * tally.right)
        return Share(equal, tally.sum_groups(tally.mass))
