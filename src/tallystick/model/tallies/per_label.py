"""The counts of one label against all others, which both kinds of label tally can give."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.model.codes import Label
from tallystick.model.tallies.arrays.distinct import sum_by, widen
from tallystick.model.tallies.code_sets import Members

Counts = NDArray[Any]
"""int64, or float64 sums of weights."""


class PerLabel(Struct, frozen=True, eq=False):
    """How often each label was right, predicted, and gold; arrays of shape (..., labels).

    Attributes:
        hits: Examples that have the label in gold and prediction (true positives).
        predicted: Examples that have it in the prediction.
        gold: Examples that have it in the gold.
        negatives: Examples that do not have it in the gold; exactly 0 where there are none, which
            `total - gold` would not be for weights.
        total: All examples, of shape (..., 1).
        used: Which labels occur in gold or prediction, be it with the weight 0 beside others.
    """

    labels: tuple[Label, ...]
    hits: Counts
    predicted: Counts
    gold: Counts
    negatives: Counts
    total: Counts
    used: NDArray[np.bool_]

    @property
    def false_positives(self) -> Counts:
        """Examples that have the label in the prediction only."""
        return self.predicted - self.hits

    @property
    def false_negatives(self) -> Counts:
        """Examples that have the label in the gold only."""
        return self.gold - self.hits

    @property
    def true_negatives(self) -> Counts:
        """Examples that have the label on neither side."""
        return self.negatives - self.false_positives

    @property
    def covariance(self) -> Counts:
        """How far gold and prediction go together: n^2 times their covariance, over all labels."""
        hits, misses = self.hits.astype(np.float64), self.false_negatives.astype(np.float64)
        sums: Counts = (hits * self.true_negatives - misses * self.false_positives).sum(-1)
        return sums

    def pick(self, labels: Sequence[Label]) -> "PerLabel":
        """The counts of these labels in this order; a label never seen has counts of zero."""
        _check_types(labels, self.labels)
        known = {label: place for place, label in enumerate(self.labels)}
        places = [known.get(label, -1) for label in labels]

        def at(counts: Counts, unseen: Counts) -> Counts:
            if len(places) == 1:  # needs no copy
                return unseen if places[0] < 0 else counts[..., places[0] : places[0] + 1]
            return np.concatenate([counts, unseen], -1)[..., places]

        zero = np.zeros_like(self.total)
        return PerLabel(
            tuple(labels),
            at(self.hits, zero),
            at(self.predicted, zero),
            at(self.gold, zero),
            at(self.negatives, self.total),
            self.total,
            at(self.used, np.zeros_like(self.total, bool)),
        )

    def pool(self) -> "PerLabel":
        """All labels taken together, as micro averages see them: one column, `total` per label."""
        return PerLabel(
            ("micro",),
            self.hits.sum(-1, keepdims=True),
            self.predicted.sum(-1, keepdims=True),
            self.gold.sum(-1, keepdims=True),
            self.negatives.sum(-1, keepdims=True),
            self.total * len(self.labels),
            np.asarray(self.used.any(-1, keepdims=True)),
        )


def sum_others(counts: Counts) -> Counts:
    """For each entry of the last axis the sum of all others: exactly 0 where all others are."""
    if counts.dtype.kind == "i":
        return np.asarray(counts.sum(-1, keepdims=True) - counts)
    return _sum_before(counts) + _sum_before(counts[..., ::-1])[..., ::-1]


def _sum_before(counts: Counts) -> Counts:
    sums = np.zeros_like(counts)
    np.cumsum(counts[..., :-1], -1, out=sums[..., 1:])
    return sums


def _check_types(wanted: Sequence[Label], known: Sequence[Label]) -> None:
    kinds = {isinstance(label, str) for label in known}
    for label in wanted:
        if kinds and isinstance(label, str) not in kinds:
            raise UsageError(
                f"no label can be {label!r}: the labels are "
                f"{'text' if kinds == {True} else 'numbers'}, such as {known[0]!r}"
            )


def count_labels(
    labels: tuple[Label, ...],
    owners: NDArray[np.int64],
    groups: int,
    gold: NDArray[Any],
    predicted: NDArray[Any],
    mass: Counts,
) -> PerLabel:
    """Counts each label against all others in cells of single labels: (..., groups, labels).

    Each cell has its group, the codes of both labels (beyond the labels for what is none), and
    what its examples weigh, of shape (..., cells).
    """
    wide = len(labels)

    def count(chosen: NDArray[np.bool_] | bool, codes: NDArray[Any]) -> Counts:
        places = np.where(chosen, owners * wide + codes, -1)
        sums = widen(sum_by(mass, places, groups * wide))
        return sums.reshape(*sums.shape[:-1], groups, wide)

    hits, outputs = count(gold == predicted, gold), count(predicted < wide, predicted)
    all_gold = count(True, gold)
    total = widen(sum_by(mass, owners, groups))[..., None]
    used = all_gold + outputs > 0
    return PerLabel(labels, hits, outputs, all_gold, sum_others(all_gold), total, used)


def count_members(
    labels: tuple[Label, ...],
    owners: NDArray[np.int64],
    groups: int,
    mass: Counts,
    members: Sequence[Members],
) -> PerLabel:
    """The same of label sets: of the members that both sides share, the predicted, and the gold."""
    wide = len(labels)

    def count(items: NDArray[np.int64], codes: NDArray[np.int64]) -> Counts:
        places = np.where(codes < wide, owners[items] * wide + codes, -1)
        sums = widen(sum_by(mass, places, groups * wide, items))
        return sums.reshape(*sums.shape[:-1], groups, wide)

    hits, outputs, all_gold = (count(*own) for own in members)
    total = widen(sum_by(mass, owners, groups))[..., None]
    used = np.ones_like(all_gold, bool)
    return PerLabel(labels, hits, outputs, all_gold, total - all_gold, total, used)
