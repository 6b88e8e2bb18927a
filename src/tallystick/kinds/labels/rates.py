"""The rates of a two-by-two table: precision, recall, specificity, FPR and FNR."""

import math
from typing import final

from tallystick.codes import Label
from tallystick.frozen import dataclass
from tallystick.kinds.labels.averages import AveragedRatio, label_share
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import Average, Share
from tallystick.tallies.per_label import PerLabel
from tallystick.tallies.ratios import Ratio


class _Rate(AveragedRatio):
    """A share of the examples that a label concerns."""

    __slots__ = ()

    def share(self, tally: Cells) -> Share | None:
        return label_share(self, tally, self.ratio)


@final
@dataclass(frozen=True, slots=True, repr=False)
class Precision(_Rate):
    """The share of the predictions of a label that are right.

    Formula: TP / (TP + FP)
    Undefined: where the label is never predicted.
    Source: van Rijsbergen, Information Retrieval, 1979; values as scikit-learn's precision_score.
    """

    average: Average = "binary"
    labels: tuple[Label, ...] | None = None
    positive: Label | None = None
    zero_division: float = math.nan

    short = "precision"
    title = "Precision"
    needs_predictions = True

    def ratio(self, counts: PerLabel) -> Ratio:
        return Ratio(counts.hits, counts.predicted)


@final
@dataclass(frozen=True, slots=True, repr=False)
class Recall(_Rate):
    """The share of the examples of a label that are predicted as it; also called sensitivity.

    Formula: TP / (TP + FN)
    Undefined: where no gold example has the label.
    Source: van Rijsbergen, Information Retrieval, 1979; values as scikit-learn's recall_score.
    """

    average: Average = "binary"
    labels: tuple[Label, ...] | None = None
    positive: Label | None = None
    zero_division: float = math.nan

    short = "recall"
    title = "Recall"

    def ratio(self, counts: PerLabel) -> Ratio:
        return Ratio(counts.hits, counts.gold)


@final
@dataclass(frozen=True, slots=True, repr=False)
class Specificity(_Rate):
    """The share of examples without a label that are not predicted as it; the true negative rate.

    Formula: TN / (TN + FP)
    Undefined: where every gold example has the label.
    Source: Yerushalmy 1947, Public Health Reports 62; scikit-learn's recall of the negative label.
    """

    average: Average = "binary"
    labels: tuple[Label, ...] | None = None
    positive: Label | None = None
    zero_division: float = math.nan

    short = "specificity"
    title = "Specificity"
    zero = "it predicts no negative example right"

    def ratio(self, counts: PerLabel) -> Ratio:
        return Ratio(counts.true_negatives, counts.negatives)


@final
@dataclass(frozen=True, slots=True, repr=False)
class FPR(_Rate):
    """The share of the examples without a label that are predicted as it; the false positive rate.

    Formula: FP / (FP + TN)
    Undefined: where every gold example has the label.
    Source: Fawcett 2006, An introduction to ROC analysis.
    """

    average: Average = "binary"
    labels: tuple[Label, ...] | None = None
    positive: Label | None = None
    zero_division: float = math.nan

    short = "fpr"
    title = "FPR"
    better = "lower"

    def ratio(self, counts: PerLabel) -> Ratio:
        return Ratio(counts.false_positives, counts.negatives)


@final
@dataclass(frozen=True, slots=True, repr=False)
class FNR(_Rate):
    """The share of the examples of a label that are not predicted as it; the false negative rate.

    Formula: FN / (FN + TP)
    Undefined: where no gold example has the label.
    Source: Fawcett 2006, An introduction to ROC analysis.
    """

    average: Average = "binary"
    labels: tuple[Label, ...] | None = None
    positive: Label | None = None
    zero_division: float = math.nan

    short = "fnr"
    title = "FNR"
    better = "lower"

    def ratio(self, counts: PerLabel) -> Ratio:
        return Ratio(counts.false_negatives, counts.gold)
