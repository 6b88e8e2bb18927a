"""Per-label ratios brought to one number: binary, macro, micro, weighted, or over samples."""

import abc
from collections.abc import Callable

import numpy as np

from tallystick.codes import Label, list_labels
from tallystick.errors import UsageError
from tallystick.frozen import replace
from tallystick.kinds.labels.counters import Confusion, LabelSets
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import Average, Metric, Share, Values, fold_option
from tallystick.tallies.per_label import PerLabel
from tallystick.tallies.ratios import (
    Ratio,
    check_labels,
    check_positive,
    check_zero_division,
    divide,
    weigh,
)

AVERAGES: tuple[Average, ...] = ("binary", "macro", "micro", "weighted", "samples", None)


class AveragedRatio(Metric):
    """A ratio of counts of each label, brought to one number; the options are those of `F1`."""

    __slots__ = ()

    counters = (Confusion, LabelSets)

    average: Average
    labels: tuple[Label, ...] | None
    positive: Label | None
    zero_division: float

    def __post_init__(self) -> None:
        fold_option(self, "average", AVERAGES)
        check_zero_division(self.zero_division)
        check_labels(self)
        check_positive(self.positive)
        self.check()

    def check(self) -> None:
        """Raises a UsageError for a wrong option of its own."""

    @abc.abstractmethod
    def ratio(self, counts: PerLabel) -> Ratio:
        """The numerator and the denominator of each label."""

    def by_label(self, labels: tuple[Label, ...] | None) -> "AveragedRatio":
        """The same metric of each label."""
        return replace(self, average=None, labels=labels)  # type: ignore[type-var]

    def score(self, tally: Cells) -> Values:
        """The average of each group.

        With `labels=None`, labels that a group has neither in gold nor in predictions have no part
        in its averages, and those that it has with the weight 0 only have one, as in scikit-learn;
        the label sets of a multilabel task always count in full.
        """
        counts = tally.per_label()
        if self.average == "binary":
            positive = positive_of(counts.labels, self.positive)
            return divide(self.ratio(counts.pick([positive])), self.zero_division)[..., 0]
        if self.average == "samples":
            return self._average_samples(tally)
        if self.labels is not None:
            counts = counts.pick(self.labels)
        if self.average == "micro":
            return divide(self.ratio(counts.pool()), self.zero_division)[..., 0]
        values = divide(self.ratio(counts), self.zero_division)
        if self.labels is None and tally.gold.ndim == 1:
            values = np.where(counts.used, values, np.nan)
        if self.average is None:
            return values
        return weigh(values, counts.gold if self.average == "weighted" else np.ones_like(values))

    def _average_samples(self, tally: Cells) -> Values:
        """The mean over examples of each example's own score; each is a label of its own here."""
        if tally.gold.ndim == 1:
            raise UsageError("average='samples' is for multilabel tasks; choose 'macro' or 'micro'")
        labels = tally.labels if self.labels is None else self.labels
        # The bit behind those of the labels, of what is no set, stands for none of them.
        chosen = np.array([*(one in labels for one in tally.labels), False])
        mask = np.packbits(chosen, bitorder="little")
        hits, predicted, gold = (
            np.bitwise_count(bits & mask).sum(-1, dtype=np.int64)
            for bits in (tally.gold & tally.predicted, tally.predicted, tally.gold)
        )
        total = np.full_like(hits, len(labels))
        examples = PerLabel(
            ("sample",), hits, predicted, gold, total - gold, total, np.ones_like(hits, bool)
        )
        values = divide(self.ratio(examples), self.zero_division)
        counts = np.where(np.isnan(values), 0, tally.mass)
        sums = tally.sum_groups(counts * np.nan_to_num(values))
        return divide(Ratio(sums, tally.sum_groups(counts)), np.nan)

    def find_share(self, tally: Cells, ratio: Callable[[PerLabel], Ratio]) -> Share | None:
        """The hits and trials of the positive label, or of each, of which `ratio` gives them.

        None where labels are averaged.
        """
        counts = tally.per_label()
        if self.average == "binary":
            one = ratio(counts.pick([positive_of(counts.labels, self.positive)]))
            return Share(one.numerator[..., 0], one.denominator[..., 0])
        if self.average in ("micro", "weighted") and self._is_accuracy(tally):
            return Share(counts.hits.sum(-1), counts.total[..., 0])
        if self.average is not None:
            return None
        each = ratio(counts if self.labels is None else counts.pick(self.labels))
        return Share(each.numerator, each.denominator)

    def _is_accuracy(self, tally: Cells) -> bool:
        """Whether an average is the share of examples that are right, under another name."""
        if tally.gold.ndim > 1 or self.labels is not None:
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
            "average='binary' needs two labels or a positive one, and the labels are "
            f"{list_labels(labels)}; choose average='macro', or name the label with positive="
        )
    return labels[1]
