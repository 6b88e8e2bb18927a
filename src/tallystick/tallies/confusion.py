"""The tally of labels: how often each gold label was predicted as each label, by group."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import _native
from tallystick.errors import InputError, UsageError
from tallystick.examples.examples import Examples
from tallystick.examples.labels import Label, Labels
from tallystick.tallies.draws import draw_cells, open_streams, split_draws
from tallystick.tallies.groups import mix_sums, place, sum_owned, union
from tallystick.tallies.per_label import PerLabel, sum_others

__all__ = ["Confusion", "ConfusionTally"]

_MOST_CELLS = 1 << 28
_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class ConfusionTally:
    """How often each gold label was predicted as each label, by group.

    Attributes:
        groups: The groups, in the order of labels.
        labels: The labels of the rows (gold) and of the columns (predicted).
        counts: int64 of shape (..., groups, labels, labels); float64 sums where examples are
            weighted. Leading axes are replicates of the whole tally.
        n: The number of examples of each group, whatever they weigh.
    """

    groups: tuple[Label, ...]
    labels: tuple[Label, ...]
    counts: NDArray[Any]
    n: NDArray[np.int64]

    def __add__(self, other: "ConfusionTally") -> "ConfusionTally":
        groups, labels = union(self.groups, other.groups), union(self.labels, other.labels)
        return ConfusionTally(
            groups,
            labels,
            self._widen(groups, labels) + other._widen(groups, labels),
            place(self.n, 0, self.groups, groups) + place(other.n, 0, other.groups, groups),
        )

    def _widen(self, groups: tuple[Label, ...], labels: tuple[Label, ...]) -> NDArray[Any]:
        counts = place(self.counts, -3, self.groups, groups)
        counts = place(counts, -2, self.labels, labels)
        return place(counts, -1, self.labels, labels)

    def total(self) -> "ConfusionTally":
        """The sum over groups, as a tally of one group."""
        return ConfusionTally(
            ("all",), self.labels, self.counts.sum(-3, keepdims=True), self.n.sum(keepdims=True)
        )

    def draw(
        self, draws: int, seed: int, sizes: Sequence[float] | None = None
    ) -> Iterator["ConfusionTally"]:
        """Replicates of the tally along a leading axis, in chunks: each group drawn anew.

        Args:
            draws: How many replicates.
            seed: Where the random streams begin.
            sizes: How many plain examples each group is worth; None takes their numbers.
        """
        cells = self.counts.reshape(len(self.groups), -1)
        streams = open_streams(seed, self.groups)
        own = self.n if sizes is None else sizes
        for chunk in split_draws(draws, cells.size):
            drawn = [
                draw_cells(one, size, chunk, stream)
                for one, size, stream in zip(cells, own, streams, strict=True)
            ]
            yield replace(self, counts=np.stack(drawn, 1).reshape(chunk, *self.counts.shape))

    def mix(
        self, weights: NDArray[np.float64], owners: NDArray[np.int64], groups: tuple[Label, ...]
    ) -> "ConfusionTally":
        """Replicates whose groups are weighted sums of this tally's, of shape (draws, groups)."""
        counts = mix_sums(weights, self.counts, owners, len(groups))
        return ConfusionTally(groups, self.labels, counts, sum_owned(self.n, owners, len(groups)))

    def per_label(self) -> PerLabel:
        """Each label against all others; arrays of shape (..., groups, labels)."""
        counts, gold = self.counts, self.counts.sum(-1)
        return PerLabel(
            self.labels,
            np.diagonal(counts, axis1=-2, axis2=-1),
            counts.sum(-2),
            gold,
            sum_others(gold),
            counts.sum((-2, -1))[..., None],
        )


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts pairs of gold and predicted label."""

    def count(self, examples: Examples) -> ConfusionTally:
        """Tallies examples of a binary or multiclass task."""
        gold, predicted = examples.gold, examples.predicted
        if not (isinstance(gold, Labels) and isinstance(predicted, Labels)):
            raise UsageError("label sets are counted by LabelSets, not by Confusion")
        groups = examples.groups
        if groups is None:
            groups = Labels(np.zeros(0, np.uint8), ("all",))
        cells = len(groups.names) * len(gold.names) ** 2
        if cells > _MOST_CELLS:
            raise InputError(
                f"{len(gold.names)} distinct labels in {len(groups.names)} groups are too many "
                "to tabulate; is the label column really a column of labels?"
            )
        counts = _native.count_confusion(
            *_alike(gold.codes, predicted.codes, groups.codes),
            examples.weights,
            len(gold.names),
            len(groups.names),
        )
        return ConfusionTally(groups.names, gold.names, counts, count_groups(examples))

    def empty(self) -> ConfusionTally:
        """The tally of no examples, neutral in sums."""
        return ConfusionTally((), (), np.zeros((0, 0, 0), np.int64), np.zeros(0, np.int64))


def count_groups(examples: Examples) -> NDArray[np.int64]:
    """The number of examples of each group; of all examples where there are no groups."""
    if examples.groups is None:
        return np.array([len(examples)], np.int64)
    codes, size = examples.groups.codes, len(examples.groups.names)
    # In blocks, because NumPy widens the codes it counts to eight bytes each.
    blocks = (codes[start : start + _BLOCK] for start in range(0, len(codes), _BLOCK))
    return sum((np.bincount(block, minlength=size) for block in blocks), np.zeros(size, np.int64))


def _alike(
    gold: NDArray[Any], predicted: NDArray[Any], groups: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]:
    kind = np.result_type(gold, predicted, groups)
    grouped = groups.astype(kind, copy=False) if len(groups) else None
    return gold.astype(kind, copy=False), predicted.astype(kind, copy=False), grouped
