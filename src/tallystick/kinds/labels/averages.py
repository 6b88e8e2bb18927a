"""Per-label ratios brought to one number: binary, macro, micro, weighted, or over samples."""

import abc
from collections.abc import Callable
from typing import Any

import numpy as np

from tallystick.codes import Label, list_labels
from tallystick.errors import UsageError
from tallystick.frozen import replace
from tallystick.kinds.labels.counters import Confusion, LabelSets
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import (
    Average,
    Metric,
    Share,
    Values,
    fold_option,
)
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

    def __post_init__(self) -> None:
        check_average(self)
        self.check()

    def check(self) -> None:
        """Raises a UsageError for a wrong option of its own."""

    @abc.abstractmethod
    def ratio(self, counts: PerLabel) -> Ratio:
        """The numerator and the denominator of each label."""

    def score(self, tally: Cells) -> Values:
        return average_ratio(self, tally, self.ratio)

    def by_label(self, labels: tuple[Label, ...] | None) -> "AveragedRatio":
        """The same metric of each label."""
        return replace(self, average=None, labels=labels)  # type: ignore[type-var]


def check_average(metric: Any) -> None:
    """Raises a UsageError unless the metric's options have values that they may have."""
    fold_option(metric, "average", AVERAGES)
    check_zero_division(metric.zero_division)
    check_labels(metric)
    check_positive(metric.positive)


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


def average_ratio(metric: Any, tally: Cells, ratio: Callable[[PerLabel], Ratio]) -> Values:
    """The score of a metric with the options average, labels, positive and zero_division.

    With `labels=None`, labels that a group has neither in gold nor in predictions have no part in
    its averages, and those that it has with the weight 0 only have one, as in scikit-learn; the
    label sets of a multilabel task always count in full.
    """
    counts = tally.per_label()
    if metric.average == "binary":
        positive = positive_of(counts.labels, metric.positive)
        return divide(ratio(counts.pick([positive])), metric.zero_division)[..., 0]
    if metric.average == "samples":
        return _average_samples(metric, tally, ratio)
    if metric.labels is not None:
        counts = counts.pick(metric.labels)
    if metric.average == "micro":
        return divide(ratio(counts.pool()), metric.zero_division)[..., 0]
    values = divide(ratio(counts), metric.zero_division)
    if metric.labels is None and tally.gold.ndim == 1:
        values = np.where(counts.used, values, np.nan)
    if metric.average is None:
        return values
    return weigh(values, counts.gold if metric.average == "weighted" else np.ones_like(values))


def label_share(metric: Any, tally: Cells, ratio: Callable[[PerLabel], Ratio]) -> Share | None:
    """The hits and trials of the positive label, or of each label; None where labels are averaged.

    `ratio` gives hits and trials of a score that `average_ratio` brings to one number.
    """
    counts = tally.per_label()
    if metric.average == "binary":
        one = ratio(counts.pick([positive_of(counts.labels, metric.positive)]))
        return Share(one.numerator[..., 0], one.denominator[..., 0])
    if metric.average in ("micro", "weighted") and _is_accuracy(metric, tally):
        return Share(counts.hits.sum(-1), counts.total[..., 0])
    if metric.average is not None:
        return None
    each = ratio(counts if metric.labels is None else counts.pick(metric.labels))
    return Share(each.numerator, each.denominator)


def _is_accuracy(metric: Any, tally: Cells) -> bool:
    """Whether an average is the share of examples that are right, under another name."""
    if tally.gold.ndim > 1 or metric.labels is not None:
        return False
    if metric.average == "weighted":
        return bool(metric.short == "recall")
    # Sums of weights would be equal but for rounding.
    every = bool((tally.predicted < len(tally.labels)).all())
    return metric.short in ("precision", "recall", "f1", "f_beta") and every


def count_share(metric: Any, tally: Cells, count: Callable[[PerLabel], Any]) -> Share:
    """A count of the positive label, or of each label, as a share of all examples."""
    counts = tally.per_label()
    if metric.average == "binary":
        counts = counts.pick([positive_of(counts.labels, metric.positive)])
    hits = count(counts)
    trials = np.broadcast_to(counts.total, hits.shape)
    if metric.average == "binary":
        hits, trials = hits[..., 0], trials[..., 0]
    return Share(hits, trials, lambda shares: shares * trials)


def _average_samples(metric: Any, tally: Cells, ratio: Callable[[PerLabel], Ratio]) -> Values:
    """The mean over examples of each example's own score; the examples are the rows of labels."""
    if tally.gold.ndim == 1:
        raise UsageError("average='samples' is for multilabel tasks; choose 'macro' or 'micro'")
    labels = tally.labels if metric.labels is None else metric.labels
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
    values = divide(ratio(examples), metric.zero_division)
    counts = np.where(np.isnan(values), 0, tally.mass)
    sums = tally.sum_groups(counts * np.nan_to_num(values))
    return divide(Ratio(sums, tally.sum_groups(counts)), np.nan)
