"""Counts of examples by label: true and false positives and negatives, support."""

from typing import ClassVar, Literal, final

import numpy as np

from tallystick.frozen import dataclass
from tallystick.kinds.labels.counters import Confusion, LabelSets
from tallystick.kinds.labels.rates import positive_of
from tallystick.model.codes import Label
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.metric import Metric, Share, Values, fold_option
from tallystick.model.tallies.ratios import Proportion, check_positive


@dataclass(frozen=True, slots=True, repr=False)
class _Count(Metric):
    """How often a cell of the two-by-two table of the positive label, or of each label, occurs."""

    average: Literal["binary"] | None = "binary"
    positive: Label | None = None

    bounds = (0, float("inf"))
    counters = (Confusion, LabelSets)
    adds_up = True
    counted: ClassVar[str]
    """Which counts of `PerLabel` these are."""

    def __post_init__(self) -> None:
        fold_option(self, "average", ("binary", None))
        check_positive(self.positive)

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


@final
@dataclass(frozen=True, slots=True, repr=False)
class TruePositives(_Count):
    """How many examples of a label are predicted as it.

    Formula: TP
    Undefined: never.
    Source: scikit-learn's confusion_matrix.
    """

    short = "true_positives"
    title = "True Positives"
    counted = "hits"


@final
@dataclass(frozen=True, slots=True, repr=False)
class TrueNegatives(_Count):
    """How many examples without a label are not predicted as it.

    Formula: TN
    Undefined: never.
    Source: scikit-learn's confusion_matrix.
    """

    short = "true_negatives"
    title = "True Negatives"
    counted = "true_negatives"


@final
@dataclass(frozen=True, slots=True, repr=False)
class FalsePositives(_Count):
    """How many examples without a label are predicted as it.

    Formula: FP
    Undefined: never.
    Source: scikit-learn's confusion_matrix.
    """

    short = "false_positives"
    title = "False Positives"
    better = "lower"
    counted = "false_positives"


@final
@dataclass(frozen=True, slots=True, repr=False)
class FalseNegatives(_Count):
    """How many examples of a label are not predicted as it.

    Formula: FN
    Undefined: never.
    Source: scikit-learn's confusion_matrix.
    """

    short = "false_negatives"
    title = "False Negatives"
    better = "lower"
    counted = "false_negatives"


@final
@dataclass(frozen=True, slots=True, repr=False)
class Support(Metric):
    """How many gold examples have each label; a fact about the data.

    Formula: TP + FN, per label
    Undefined: never.
    Source: scikit-learn's classification_report.
    """

    short = "support"
    title = "Support"
    better = "neither"
    bounds = (0, float("inf"))
    counters = (Confusion, LabelSets)
    adds_up = True
    per_label = True

    def score(self, tally: Cells) -> Values:
        return tally.per_label().gold


@dataclass(frozen=True, slots=True, repr=False)
class _PositiveShare(Proportion):
    """The share of examples that have the positive label on one side."""

    positive: Label | None = None

    better = "neither"
    counters = (Confusion, LabelSets)
    counted: ClassVar[str]
    """Which counts of `PerLabel` these are."""

    def __post_init__(self) -> None:
        check_positive(self.positive)

    def estimand(self, tally: Cells) -> Share:
        counts = tally.per_label()
        positive = counts.pick([positive_of(counts.labels, self.positive)])
        return Share(getattr(positive, self.counted)[..., 0], counts.total[..., 0])


@final
@dataclass(frozen=True, slots=True, repr=False)
class SelectionRate(_PositiveShare):
    """The share of examples that are predicted to have the positive label.

    Formula: (TP + FP) / all
    Undefined: without examples.
    Source: values as fairlearn's selection_rate.
    """

    short = "selection_rate"
    title = "Selection Rate"
    counted = "predicted"


@final
@dataclass(frozen=True, slots=True, repr=False)
class PositiveRate(_PositiveShare):
    """The share of gold examples that have the positive label; a fact about the data.

    Formula: (TP + FN) / all
    Undefined: without examples.
    Source: prevalence, as in any textbook.
    """

    short = "positive_rate"
    title = "Positive Rate"
    counted = "gold"
