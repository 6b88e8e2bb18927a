"""The rates of a two-by-two table (precision, recall, specificity, FPR, FNR), F1 and F-beta.

Those of several labels are brought to one number: binary, macro, micro, weighted, or over samples.
"""

import abc
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from msgspec.structs import replace

from tallystick.errors import UsageError
from tallystick.kinds.labels.label_columns import Confusion, LabelSets
from tallystick.model.codes import Label, list_labels
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.clusters import HALF
from tallystick.model.tallies.metric import Average, Metric, Share, Values
from tallystick.model.tallies.per_label import PerLabel
from tallystick.model.tallies.ratios import Ratio, divide, weigh

_LEAST = 1e-9
"""A smaller rest of a sum is rounding."""

_UNITS = PerLabel(
    ("both", "predicted", "gold", "neither"),
    hits=np.array([1, 0, 0, 0]),
    predicted=np.array([1, 1, 0, 0]),
    gold=np.array([1, 0, 1, 0]),
    negatives=np.array([0, 1, 0, 1]),
    total=np.array([1]),
    used=np.ones(4, bool),
)
"""An example that has a label on both sides, in the prediction only, in the gold only, on neither.

What such examples change has shape (4, groups, labels) below.
"""


def find_average_slopes(
    tally: Cells,
    ratio: Callable[[PerLabel], Ratio],
    average: Average,
    labels: tuple[Label, ...] | None,
    values: Values,
) -> Values:
    """The slopes, of shape (cells,), of an average of the ratios of these labels, or of all.

    `values` are the ratios, of shape (groups, labels), NaN where the average leaves them out.
    """
    counts = tally.per_label()
    codes = np.arange(len(tally.labels))
    if labels is not None:
        counts = counts.pick(labels)
        known = {label: code for code, label in enumerate(tally.labels)}
        codes = np.array([known.get(label, -1) for label in labels])
    unit, whole = ratio(_UNITS), ratio(counts.pool() if average == "micro" else counts)
    parts = _move(unit, whole, tally)
    more: Values | float = 0.0
    if average == "micro":
        # All labels add to one ratio, of which each example has a part for each label.
        parts = np.broadcast_to(parts, (4, *counts.hits.shape))
    else:
        defined = ~np.isnan(values)
        sizes = np.where(defined, counts.gold if average == "weighted" else 1, 0)
        total = np.maximum(sizes.sum(-1, keepdims=True), np.finfo(float).tiny)
        parts = np.where(defined, parts, 0) * (sizes / total)
        if average == "weighted":
            # An example of a label also makes the label weigh more.
            mean = (np.nan_to_num(values) * sizes).sum(-1, keepdims=True) / total
            more = np.where(defined, values - mean, 0) / total
    both, predicted, gold, neither = parts
    changes = [both - neither + more, predicted - neither, gold - neither + more]
    spread = np.zeros((3, len(neither), len(tally.labels) + 1))
    for place, one in enumerate(changes):
        np.add.at(spread[place].T, codes, one.T)
    spread[..., -1] = 0
    return np.asarray(neither.sum(-1)[tally.owners] + _sum_changes(tally, *spread))


def _move(unit: Ratio, whole: Ratio, tally: Cells) -> Values:
    """The loss of ratios without an example of each kind, by its weight.

    Half an example is left out if nothing would remain or counts are not whole numbers.
    """
    up, down = (
        np.asarray(side, np.float64)[:, None, None] for side in (unit.numerator, unit.denominator)
    )
    above, below = (np.asarray(side, np.float64) for side in (whole.numerator, whole.denominator))
    total = tally.sum_groups(tally.mass).astype(np.float64)
    squares = total if tally.weights is None else tally.sum_groups(tally.weights[1])
    one = (squares / np.where(total > 0, total, 1))[:, None]
    if tally.counts.dtype.kind == "f":
        one = HALF * one
    some = np.where(below > 0, below, np.inf)
    left = some - one * down
    left = np.where(
        left > _LEAST * some, left, some - HALF * np.minimum(one, some / down.max()) * down
    )
    rest = 1 - one / np.maximum(total, np.finfo(float).tiny)[:, None]
    return np.asarray((up - above / some * down) / left * np.where(rest > 0, rest, 1))


def _sum_changes(tally: Cells, both: Values, of_predicted: Values, of_gold: Values) -> Values:
    """Sums what each cell changes, beyond one with other labels."""
    owners, gold = tally.owners, tally.gold
    if tally.sets is None:
        predicted = np.minimum(tally.predicted, len(tally.labels))
        apart = of_gold[owners, gold] + of_predicted[owners, predicted]
        return np.asarray(np.where(gold == predicted, both[owners, gold], apart))
    found = np.zeros(len(owners))
    members = tally.sets.compare(gold, tally.predicted)
    for (cells, codes), part in zip(members, (both, of_gold, of_predicted), strict=True):
        found += np.bincount(cells, part[owners[cells], codes], len(found))
    return found


class AveragedRatio(Metric, frozen=True):
    """A ratio of counts of each label, brought to one number; the options are those of `F1`."""

    counters = (Confusion, LabelSets)

    if TYPE_CHECKING:  # fields of the subclasses, which FBeta has in another place

        @property
        def average(self) -> Average: ...
        @property
        def labels(self) -> tuple[Label, ...] | None: ...
        @property
        def positive(self) -> Label | None: ...
        @property
        def zero_division(self) -> float: ...

    @abc.abstractmethod
    def ratio(self, counts: PerLabel) -> Ratio:
        """The numerator and the denominator of each label."""

    def explain_zero(self, tally: Cells, place: int) -> str:
        if self.labels is None or self.zero != Metric.zero:
            return self.zero
        return f"it predicts no example of {list_labels(self.labels)} right"

    def by_label(self, labels: tuple[Label, ...] | None) -> "AveragedRatio":
        """The same metric of each label."""
        return replace(self, average=None, labels=labels)

    def score(self, tally: Cells) -> Values:
        """The average of each group.

        With `labels=None`, labels that do not occur in a group are left out of its average, unless
        they occur with weight 0, as in scikit-learn; label sets always count all labels.
        """
        if self.average == "samples":
            return self._score_samples(tally)[2]
        counts = tally.per_label()
        if self.average == "binary":
            positive = positive_of(counts.labels, self.positive)
            return divide(self.ratio(counts.pick([positive])), self.zero_division)[..., 0]
        if self.labels is not None:
            counts = counts.pick(self.labels)
        if self.average == "micro":
            return divide(self.ratio(counts.pool()), self.zero_division)[..., 0]
        values = divide(self.ratio(counts), self.zero_division)
        if self.labels is None and tally.sets is None:
            values = np.where(counts.used, values, np.nan)
        if self.average is None:
            return values
        return weigh(values, counts.gold if self.average == "weighted" else np.ones_like(values))

    def influence(self, tally: Cells) -> Values | None:
        if self.average is None:
            return None
        if self.average == "samples":
            values, masses, mean = self._score_samples(tally)
            total = np.maximum(tally.sum_groups(masses), np.finfo(float).tiny)
            gaps = np.where(masses > 0, values - mean[tally.owners], 0)
            return np.asarray(gaps / total[tally.owners])
        labels = self.labels
        if self.average == "binary":
            labels = (positive_of(tally.per_label().labels, self.positive),)
        values = self.by_label(labels).score(tally)
        return find_average_slopes(tally, self.ratio, self.average, labels, values)

    def _score_samples(self, tally: Cells) -> tuple[Values, Values, Values]:
        """The score of an example of each cell, its mass, and the mean; each is a label here."""
        if tally.sets is None:
            raise UsageError("average='samples' is for multilabel tasks; choose 'macro' or 'micro'")
        labels = tally.labels if self.labels is None else self.labels
        # The code behind those of the labels, of what is no set, stands for none of them.
        wanted = {*labels}
        chosen = np.array([*(one in wanted for one in tally.labels), False])
        shared, missed, wrong = (
            np.bincount(rows, chosen[codes], len(tally.gold)).astype(np.int64)
            for rows, codes in tally.sets.compare(tally.gold, tally.predicted)
        )
        hits, predicted, gold = shared, shared + wrong, shared + missed
        total = np.full_like(hits, len(labels))
        examples = PerLabel(
            ("sample",), hits, predicted, gold, total - gold, total, np.ones_like(hits, bool)
        )
        values = divide(self.ratio(examples), self.zero_division)
        masses = np.where(np.isnan(values), 0, tally.mass)
        sums = tally.sum_groups(masses * np.nan_to_num(values))
        return values, masses, divide(Ratio(sums, tally.sum_groups(masses)), np.nan)

    def find_share(self, tally: Cells, ratio: Callable[[PerLabel], Ratio]) -> Share | None:
        """The hits and trials of the positive label, or of each label; None for averages."""
        if self.average in ("micro", "weighted") and self._is_accuracy(tally):
            hits = tally.sum_groups(tally.mass * tally.right)
            return Share(hits, tally.sum_groups(tally.mass))
        if self.average not in ("binary", None):
            return None
        counts = tally.per_label()
        if self.average == "binary":
            one = ratio(counts.pick([positive_of(counts.labels, self.positive)]))
            return Share(one.numerator[..., 0], one.denominator[..., 0])
        each = ratio(counts if self.labels is None else counts.pick(self.labels))
        return Share(each.numerator, each.denominator)

    def _is_accuracy(self, tally: Cells) -> bool:
        """Whether an average is the share of examples that are right, under another name."""
        if tally.sets is not None or self.labels is not None:
            return False
        if self.average == "weighted":
            return bool(self.short == "recall")
        # Sums of weights would be equal but for rounding.
        every = bool((tally.predicted < len(tally.labels)).all())
        return self.short in ("precision", "recall", "f1", "f_beta") and every


def positive_of(labels: tuple[Label, ...], positive: Label | None) -> Label:
    """The positive label: the one named, else the second of two."""
    if positive is not None:
        return positive
    if len(labels) != 2:
        raise UsageError(
            f"a metric of one label does not know which one is meant of {list_labels(labels)}; "
            f"name it, as in F1(positive={labels[-1]!r}), or take all of them, as macro_f1 does"
        )
    return labels[1]


class _Rate(AveragedRatio, frozen=True):
    """A proportion of the examples that a label concerns."""

    counted: ClassVar[tuple[str, str]]
    """The numerator and the denominator, as counts of `PerLabel`."""
    average: Average = "binary"
    labels: tuple[Label, ...] | None = None
    positive: Label | None = None
    zero_division: float = math.nan

    def ratio(self, counts: PerLabel) -> Ratio:
        return Ratio(*(getattr(counts, name) for name in self.counted))

    def estimand(self, tally: Cells) -> Share | None:
        return self.find_share(tally, self.ratio)


class Precision(_Rate, frozen=True):
    """Proportion of the predictions of a label that are right; positive predictive value.

    Formula: TP / (TP + FP)
    Undefined: if the label is never predicted.
    Source: van Rijsbergen, Information Retrieval, 1979; values as scikit-learn's precision_score.
    """

    short = "precision"
    counted = ("hits", "predicted")


class Recall(_Rate, frozen=True):
    """Proportion of the examples of a label that are predicted as it; sensitivity.

    Formula: TP / (TP + FN)
    Undefined: if no gold example has the label.
    Source: van Rijsbergen, Information Retrieval, 1979; values as scikit-learn's recall_score.
    """

    short = "recall"
    counted = ("hits", "gold")


class Specificity(_Rate, frozen=True):
    """Proportion of examples without a label that are not predicted as it; true negative rate.

    Formula: TN / (TN + FP)
    Undefined: if every gold example has the label.
    Source: Yerushalmy 1947, Public Health Reports 62; scikit-learn's recall of the negative label.
    """

    short = "specificity"
    zero = "it predicts no negative example right"
    counted = ("true_negatives", "negatives")


class FPR(_Rate, frozen=True):
    """Proportion of examples without a label that are predicted as it; false positive rate.

    Formula: FP / (FP + TN)
    Undefined: if every gold example has the label.
    Source: Fawcett 2006, An introduction to ROC analysis.
    """

    short = "fpr"
    title = "FPR"
    better = "lower"
    counted = ("false_positives", "negatives")


class FNR(_Rate, frozen=True):
    """Proportion of examples of a label that are not predicted as it; false negative rate.

    Formula: FN / (FN + TP)
    Undefined: if no gold example has the label.
    Source: Fawcett 2006, An introduction to ROC analysis.
    """

    short = "fnr"
    title = "FNR"
    better = "lower"
    counted = ("false_negatives", "gold")


class F1(_Rate, frozen=True):
    """Harmonic mean of precision and recall.

    Formula: 2 TP / (2 TP + FP + FN)
    Undefined: if the label is neither in gold nor predicted.
    Source: van Rijsbergen, Information Retrieval, 1979; values as scikit-learn's f1_score.
        Macro F1 is the mean of the labels' F1, the first of the two in Opitz and Burst 2019.
    """

    short = "f1"
    title = "F1-Score"

    def ratio(self, counts: PerLabel) -> Ratio:
        return Ratio(2 * counts.hits, counts.gold + counts.predicted)

    def estimand(self, tally: Cells) -> Share | None:
        # F1 goes up with the Jaccard index, a share of the examples that have the label on a side.
        jaccard = self.find_share(
            tally, lambda counts: Ratio(counts.hits, counts.gold + counts.predicted - counts.hits)
        )
        if jaccard is None or self.average not in ("binary", None):
            return jaccard
        return replace(
            jaccard, to_score=lambda j: 2 * j / (1 + j), method="Wilson on the Jaccard index"
        )


class FBeta(AveragedRatio, frozen=True):
    """Harmonic mean of precision and recall in which recall weighs beta times as much.

    Formula: (1 + b^2) TP / ((1 + b^2) TP + FP + b^2 FN), b the `beta` above 0
    Undefined: if the label is neither in gold nor predicted.
    Source: van Rijsbergen, Information Retrieval, 1979; values as scikit-learn's fbeta_score.
    """

    beta: float
    average: Average = "binary"
    labels: tuple[Label, ...] | None = None
    positive: Label | None = None
    zero_division: float = math.nan

    short = "fbeta"
    title = "F-beta"

    @property
    def name(self) -> str:
        """The name with its beta, as papers have it: `f2`, `macro_f0.5`."""
        prefix = "" if self.average in (None, "binary") else f"{self.average}_"
        return f"{prefix}f{self.beta:g}"

    @property
    def full_title(self) -> str:
        """The title likewise: `F2-Score`, `Macro F0.5-Score`."""
        prefix = "" if self.average in (None, "binary") else f"{self.average.title()} "
        return f"{prefix}F{self.beta:g}-Score"

    def ratio(self, counts: PerLabel) -> Ratio:
        square = self.beta**2
        return Ratio((1 + square) * counts.hits, square * counts.gold + counts.predicted)
