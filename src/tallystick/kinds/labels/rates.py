"""The rates of a two-by-two table (precision, recall, specificity, FPR, FNR), F1 and F-beta."""

import math
from typing import final

from tallystick.codes import Label
from tallystick.frozen import dataclass, replace
from tallystick.kinds.labels.averages import AveragedRatio
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import Average, Share
from tallystick.tallies.per_label import PerLabel
from tallystick.tallies.ratios import Ratio, check_beta


@dataclass(frozen=True, slots=True, repr=False)
class _Rate(AveragedRatio):
    """A share of the examples that a label concerns."""

    average: Average = "binary"
    labels: tuple[Label, ...] | None = None
    positive: Label | None = None
    zero_division: float = math.nan

    def share(self, tally: Cells) -> Share | None:
        return self.find_share(tally, self.ratio)


@final
@dataclass(frozen=True, slots=True, repr=False)
class Precision(_Rate):
    """The share of the predictions of a label that are right.

    Formula: TP / (TP + FP)
    Undefined: where the label is never predicted.
    Source: van Rijsbergen, Information Retrieval, 1979; values as scikit-learn's precision_score.
    """

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

    short = "fnr"
    title = "FNR"
    better = "lower"

    def ratio(self, counts: PerLabel) -> Ratio:
        return Ratio(counts.false_negatives, counts.gold)


@final
@dataclass(frozen=True, slots=True, repr=False)
class F1(_Rate):
    """The harmonic mean of precision and recall.

    Formula: 2 TP / (2 TP + FP + FN)
    Undefined: where the label is neither in gold nor predicted.
    Source: van Rijsbergen, Information Retrieval, 1979; values as scikit-learn's f1_score.
        Macro F1 is the mean of the labels' F1, the first of the two in Opitz and Burst 2019.
    """

    short = "f1"
    title = "F1-Score"

    @property
    def follows_rarest(self) -> bool:
        return self.average in ("binary", "macro")

    def ratio(self, counts: PerLabel) -> Ratio:
        return Ratio(2 * counts.hits, counts.gold + counts.predicted)

    def share(self, tally: Cells) -> Share | None:
        # F1 goes up with the Jaccard index, a share of the examples that have the label on a side.
        jaccard = self.find_share(
            tally, lambda counts: Ratio(counts.hits, counts.gold + counts.predicted - counts.hits)
        )
        if jaccard is None or self.average not in ("binary", None):
            return jaccard
        return replace(
            jaccard, to_score=lambda j: 2 * j / (1 + j), method="Wilson on the Jaccard index"
        )


@final
@dataclass(frozen=True, slots=True, repr=False)
class FBeta(AveragedRatio):
    """The harmonic mean of precision and recall, recall weighing beta times as much.

    Formula: (1 + b^2) TP / ((1 + b^2) TP + FP + b^2 FN), b the `beta` above 0
    Undefined: where the label is neither in gold nor predicted.
    Source: van Rijsbergen, Information Retrieval, 1979; values as scikit-learn's fbeta_score.
    """

    beta: float
    average: Average = "binary"
    labels: tuple[Label, ...] | None = None
    positive: Label | None = None
    zero_division: float = math.nan

    short = "fbeta"
    title = "F-beta"

    def check(self) -> None:
        check_beta(self.beta)

    def ratio(self, counts: PerLabel) -> Ratio:
        square = self.beta**2
        return Ratio((1 + square) * counts.hits, square * counts.gold + counts.predicted)
