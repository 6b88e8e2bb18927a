"""Shares and counts of examples: accuracy, losses of label sets, true and false positives."""

import math
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.kinds.labels.label_columns import Confusion, LabelSets
from tallystick.kinds.labels.rates import Recall, positive_of
from tallystick.model.codes import Label
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.metric import Metric, Share, Values
from tallystick.model.tallies.ratios import Proportion, Ratio, divide
from tallystick.model.tallies.sums import Sums
from tallystick.output.tables.cells import list_some


def _find_unanswered(tally: Cells, unanswered: Label | None) -> NDArray[np.bool_]:
    code = len(tally.labels) if unanswered is None else _find_label(tally, unanswered)
    return np.asarray(tally.predicted == code)


def _find_label(tally: Cells, label: Label) -> int:
    return tally.labels.index(label) if label in tally.labels else -1


class CAt1(Metric, frozen=True):
    """Accuracy in which unanswered examples count as right as often as all examples.

    Formula: (right + unanswered * right / n) / n
    Undefined: without examples.
    Source: Penas and Rodrigo 2011. PAN's evaluators compare scores with 0.5 instead.
    """

    unanswered: Label | None = None

    short = "c_at_1"
    title = "C@1"
    counters = (Confusion,)

    def score(self, tally: Cells) -> Values:
        open_ = _find_unanswered(tally, self.unanswered)
        right = tally.sum_groups(tally.mass * (tally.right & ~open_)).astype(float)
        total = tally.sum_groups(tally.mass).astype(float)
        share = divide(Ratio(right, total), np.nan)
        return share * (1 + divide(Ratio(tally.sum_groups(tally.mass * open_), total), np.nan))


class F05U(Metric, frozen=True):
    """F0.5 of the positive label, in which unanswered examples count as false negatives.

    Formula: 1.25 tp / (1.25 tp + 0.25 (fn + unanswered) + fp)
    Undefined: if there is nothing positive and nothing unanswered.
    Source: Bevendorff et al. 2019, PAN's f_05_u_score.
    """

    positive: Label | None = None
    unanswered: Label | None = None
    zero_division: float = math.nan

    short = "f05_u"
    title = "F0.5u"
    counters = (Confusion,)

    def score(self, tally: Cells) -> Values:
        if self.positive is None and len(tally.labels) != 2:
            raise UsageError(
                f"{self.short} needs the positive label, as one of "
                f"{list_some([*map(str, tally.labels)])}: F05U(positive='...', unanswered='...')"
            )
        code = _find_label(tally, positive_of(tally.labels, self.positive))
        gold, predicted = tally.gold == code, tally.predicted == code
        open_ = _find_unanswered(tally, self.unanswered)
        hits, false, missed = (
            tally.sum_groups(tally.mass * chosen).astype(float)
            for chosen in (gold & predicted, predicted & ~gold, (gold & ~predicted) | open_)
        )
        return divide(Ratio(1.25 * hits, 1.25 * hits + 0.25 * missed + false), self.zero_division)


class Accuracy(Proportion, frozen=True):
    """Proportion of examples whose prediction is right.

    Formula: right / all
    Undefined: without examples.
    Source: scikit-learn's accuracy_score.
    """

    short = "accuracy"
    counters = (Confusion,)
    tests = ("mcnemar", "mcnemar-midp")

    def estimand(self, tally: Cells) -> Share:
        right = tally.sum_groups(tally.mass * tally.right)
        return Share(right, tally.sum_groups(tally.mass))


def share_verdicts(tally: Sums) -> tuple[Metric, Cells] | None:
    """Accuracy of right and wrong, where the numbers of all systems are nothing but 1 and 0."""
    own = tally.verdicts
    return None if own is None or own.systems != tally.systems else (Accuracy(), own)


class BalancedAccuracy(Metric, frozen=True):
    """Mean recall of the labels that occur in the gold.

    Formula: mean over labels of TP / (TP + FN)
    Undefined: without examples.
    Source: Brodersen et al. 2010, ICPR; values as scikit-learn's balanced_accuracy_score.
    """

    short = "balanced_accuracy"
    counters = (Confusion,)

    averages_labels = True

    def score(self, tally: Cells) -> Values:
        return Recall("macro").score(tally)

    def influence(self, tally: Cells) -> Values | None:
        return Recall("macro").influence(tally)


class HammingLoss(Metric, frozen=True):
    """Proportion of (example, label) decisions that are wrong.

    Formula: sum over labels of (FP + FN) / (examples * labels)
    Undefined: without examples or labels.
    Source: Schapire and Singer 2000, Machine Learning 39; values as scikit-learn's hamming_loss.
    """

    short = "hamming_loss"
    better = "lower"
    counters = (LabelSets,)

    def score(self, tally: Cells) -> Values:
        counts = tally.per_label()
        wrong = (counts.false_positives + counts.false_negatives).sum(-1)
        return divide(Ratio(wrong, counts.total[..., 0] * len(counts.labels)), np.nan)


class ExactMatchRatio(Proportion, frozen=True):
    """Proportion of examples whose predicted label set equals the gold one; subset accuracy.

    Formula: examples with equal sets / all
    Undefined: without examples.
    Source: Sorower 2010, A literature survey on algorithms for multi-label learning; values as
        scikit-learn's accuracy_score on label indicators.
    """

    short = "exact_match_ratio"
    counters = (LabelSets,)

    def estimand(self, tally: Cells) -> Share:
        equal = tally.sum_groups(tally.mass * tally.right)
        return Share(equal, tally.sum_groups(tally.mass))


class _Count(Metric, frozen=True):
    """How often a cell of the two-by-two table of the positive label, or of each label, occurs."""

    average: Literal["binary"] | None = "binary"
    positive: Label | None = None

    bounds = (0, float("inf"))
    counters = (Confusion, LabelSets)
    adds_up = True
    counted: ClassVar[str]
    """Which counts of `PerLabel` these are."""

    def score(self, tally: Cells) -> Values:
        return self.estimand(tally).hits

    def estimand(self, tally: Cells) -> Share:
        counts = tally.per_label()
        if self.average is None:
            hits = getattr(counts, self.counted)
            trials = np.broadcast_to(counts.total, hits.shape)
        else:
            positive = counts.pick([positive_of(counts.labels, self.positive)])
            hits, trials = getattr(positive, self.counted)[..., 0], counts.total[..., 0]
        return Share(hits, trials, lambda shares: shares * trials)


class TruePositives(_Count, frozen=True):
    """True positives: examples of a label that are predicted as it.

    Formula: TP
    Undefined: never.
    Source: scikit-learn's confusion_matrix.
    """

    short = "true_positives"
    counted = "hits"


class TrueNegatives(_Count, frozen=True):
    """True negatives: examples without a label that are not predicted as it.

    Formula: TN
    Undefined: never.
    Source: scikit-learn's confusion_matrix.
    """

    short = "true_negatives"
    counted = "true_negatives"


class FalsePositives(_Count, frozen=True):
    """False positives: examples without a label that are predicted as it.

    Formula: FP
    Undefined: never.
    Source: scikit-learn's confusion_matrix.
    """

    short = "false_positives"
    better = "lower"
    counted = "false_positives"


class FalseNegatives(_Count, frozen=True):
    """False negatives: examples of a label that are not predicted as it.

    Formula: FN
    Undefined: never.
    Source: scikit-learn's confusion_matrix.
    """

    short = "false_negatives"
    better = "lower"
    counted = "false_negatives"


class Support(Metric, frozen=True):
    """Number of gold examples of each label, a property of the data.

    Formula: TP + FN, per label
    Undefined: never.
    Source: scikit-learn's classification_report.
    """

    short = "support"
    better = "neither"
    bounds = (0, float("inf"))
    counters = (Confusion, LabelSets)
    adds_up = True
    per_label = True

    def score(self, tally: Cells) -> Values:
        return tally.per_label().gold


class _PositiveShare(Proportion, frozen=True):
    """The share of examples that have the positive label on one side."""

    positive: Label | None = None

    better = "neither"
    counters = (Confusion, LabelSets)
    counted: ClassVar[str]
    """Which counts of `PerLabel` these are."""

    def estimand(self, tally: Cells) -> Share:
        counts = tally.per_label()
        positive = counts.pick([positive_of(counts.labels, self.positive)])
        return Share(getattr(positive, self.counted)[..., 0], counts.total[..., 0])


class SelectionRate(_PositiveShare, frozen=True):
    """Proportion of examples predicted positive.

    Formula: (TP + FP) / all
    Undefined: without examples.
    Source: values as fairlearn's selection_rate.
    """

    short = "selection_rate"
    counted = "predicted"


class PositiveRate(_PositiveShare, frozen=True):
    """Proportion of gold examples that are positive, a property of the data (prevalence).

    Formula: (TP + FN) / all
    Undefined: without examples.
    Source: prevalence, as in any textbook.
    """

    short = "positive_rate"
    counted = "gold"
