"""The tally of label sets: how often each pair of gold and predicted set occurs, by group."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import _native
from tallystick.errors import UsageError
from tallystick.examples.examples import Examples
from tallystick.examples.labels import Label
from tallystick.examples.sets import LabelRows
from tallystick.tallies.confusion import count_groups
from tallystick.tallies.draws import draw_cells, open_streams, split_draws
from tallystick.tallies.groups import place, sum_owned, union
from tallystick.tallies.per_label import PerLabel

__all__ = ["LabelSets", "LabelSetsTally"]


@dataclass(frozen=True, slots=True, eq=False)
class LabelSetsTally:
    """How often each pair of gold and predicted label set occurs, by group.

    Attributes:
        groups: The groups, in the order of labels.
        labels: The labels that sets are made of.
        cells: The group of each cell, ascending.
        gold: The gold set of each cell as packed bits, of shape (cells, bytes).
        predicted: The predicted set of each cell, likewise.
        counts: int64 of shape (..., cells); float64 sums where examples are weighted.
        n: The number of examples of each group, whatever they weigh.
    """

    groups: tuple[Label, ...]
    labels: tuple[Label, ...]
    cells: NDArray[np.int64]
    gold: NDArray[np.uint8]
    predicted: NDArray[np.uint8]
    counts: NDArray[Any]
    n: NDArray[np.int64]

    def __add__(self, other: "LabelSetsTally") -> "LabelSetsTally":
        groups, labels = union(self.groups, other.groups), union(self.labels, other.labels)
        parts = [part._rename(groups, labels) for part in (self, other)]
        return _gather(
            groups,
            labels,
            np.concatenate([part.cells for part in parts]),
            np.concatenate([np.hstack([part.gold, part.predicted]) for part in parts]),
            np.concatenate([part.counts for part in parts], -1),
            parts[0].n + parts[1].n,
        )

    def _rename(self, groups: tuple[Label, ...], labels: tuple[Label, ...]) -> "LabelSetsTally":
        places = np.array([groups.index(group) for group in self.groups], np.int64)
        return LabelSetsTally(
            groups,
            labels,
            places[self.cells],
            LabelRows(self.gold, self.labels).recode(labels).bits,
            LabelRows(self.predicted, self.labels).recode(labels).bits,
            self.counts,
            place(self.n, 0, self.groups, groups),
        )

    def total(self) -> "LabelSetsTally":
        """The sum over groups, as a tally of one group."""
        patterns = np.hstack([self.gold, self.predicted])
        cells = np.zeros_like(self.cells)
        n = self.n.sum(keepdims=True)
        return _gather(("all",), self.labels, cells, patterns, self.counts, n)

    def draw(
        self, draws: int, seed: int, sizes: Sequence[float] | None = None
    ) -> Iterator["LabelSetsTally"]:
        """Replicates of the tally along a leading axis, in chunks, as `ConfusionTally.draw`."""
        streams = open_streams(seed, self.groups)
        own = self.n if sizes is None else sizes
        places = [np.flatnonzero(self.cells == place) for place in range(len(self.groups))]
        for chunk in split_draws(draws, len(self.cells)):
            drawn = np.zeros((chunk, len(self.cells)), np.int64)
            for here, size, stream in zip(places, own, streams, strict=True):
                drawn[:, here] = draw_cells(self.counts[here], size, chunk, stream)
            yield replace(self, counts=drawn)

    def mix(
        self, weights: NDArray[np.float64], owners: NDArray[np.int64], groups: tuple[Label, ...]
    ) -> "LabelSetsTally":
        """Replicates whose groups are weighted sums of this tally's, of shape (draws, cells)."""
        cells = owners[self.cells]
        ranks = np.argsort(cells, kind="stable")
        return LabelSetsTally(
            groups,
            self.labels,
            cells[ranks],
            self.gold[ranks],
            self.predicted[ranks],
            (weights[:, self.cells] * self.counts)[:, ranks],
            sum_owned(self.n, owners, len(groups)),
        )

    def sum_groups(self, values: NDArray[Any]) -> NDArray[Any]:
        """Sums values of shape (..., cells) by group, to shape (..., groups)."""
        sums = np.zeros((*values.shape[:-1], len(self.groups)), values.dtype)
        if len(self.cells):
            starts = np.flatnonzero(np.diff(self.cells, prepend=-1))
            sums[..., self.cells[starts]] = np.add.reduceat(values, starts, axis=-1)
        return sums

    def per_label(self) -> PerLabel:
        """Each label against the rest; arrays of shape (..., groups, labels)."""
        both = self.gold & self.predicted
        hits, predicted, gold = (
            self._sum_labels(bits) for bits in (both, self.predicted, self.gold)
        )
        total = self.sum_groups(self.counts)[..., None]
        return PerLabel(self.labels, hits, predicted, gold, total - gold, total)

    def _sum_labels(self, bits: NDArray[np.uint8]) -> NDArray[Any]:
        columns = [
            self.sum_groups(self.counts * ((bits[:, place // 8] >> (place % 8)) & 1))
            for place in range(len(self.labels))
        ]
        empty = np.zeros((*self.counts.shape[:-1], len(self.groups), 0), self.counts.dtype)
        return np.stack(columns, -1) if columns else empty


@dataclass(frozen=True, slots=True)
class LabelSets:
    """Counts pairs of gold and predicted label set."""

    def count(self, examples: Examples) -> LabelSetsTally:
        """Tallies examples of a multilabel task."""
        gold, predicted = examples.gold, examples.predicted
        if not (isinstance(gold, LabelRows) and isinstance(predicted, LabelRows)):
            raise UsageError("single labels are counted by Confusion, not by LabelSets")
        groups = examples.groups
        codes = np.zeros(len(gold), np.int64) if groups is None else groups.codes.astype(np.int64)
        counts = np.ones(len(gold), np.int64) if examples.weights is None else examples.weights
        patterns = np.hstack([gold.bits, predicted.bits])
        names = ("all",) if groups is None else groups.names
        return _gather(names, gold.names, codes, patterns, counts, count_groups(examples))

    def empty(self) -> LabelSetsTally:
        """The tally of no examples, neutral in sums."""
        nothing = np.zeros((0, 0), np.uint8)
        none = np.zeros(0, np.int64)
        return LabelSetsTally((), (), none, nothing, nothing, none, none)


def _sum_by(counts: NDArray[Any], places: NDArray[np.int64]) -> NDArray[Any]:
    """Sums the last axis by the place of each of its items; every place occurs."""
    if not len(places):
        return counts
    order = np.argsort(places, kind="stable")
    starts = np.flatnonzero(np.diff(places[order], prepend=-1))
    return np.add.reduceat(counts[..., order], starts, axis=-1)


def _gather(
    groups: tuple[Label, ...],
    labels: tuple[Label, ...],
    cells: NDArray[np.int64],
    patterns: NDArray[np.uint8],
    counts: NDArray[Any],
    n: NDArray[np.int64],
) -> LabelSetsTally:
    """Adds up the cells of equal group and pattern, and puts cells into one fixed order."""
    keys = np.hstack([cells.astype(">i8")[:, None].view(np.uint8), patterns])
    first, inverse = _native.group_rows(np.ascontiguousarray(keys))
    distinct = keys[first]
    ranks = np.lexsort(distinct.T[::-1])
    places = np.empty_like(ranks)
    places[ranks] = np.arange(len(ranks))
    sums = _sum_by(counts, places[inverse])
    gold, predicted = np.hsplit(patterns[first[ranks]], 2)
    return LabelSetsTally(groups, labels, cells[first[ranks]], gold, predicted, sums, n)
