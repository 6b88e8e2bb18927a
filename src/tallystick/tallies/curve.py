"""The tally of probabilities: which scores the examples of each gold label got, by group."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import _native
from tallystick.errors import UsageError
from tallystick.examples.examples import Examples
from tallystick.examples.labels import Label, Labels
from tallystick.tallies.confusion import ConfusionTally, count_groups
from tallystick.tallies.groups import place, union

__all__ = ["Curve", "CurveTally"]


@dataclass(frozen=True, slots=True, eq=False)
class CurveTally:
    """Which scores the examples of each gold label got, by group and by scored label.

    It is kept as runs: ascending scores that share a group, a scored label and a gold label. Adding
    tallies only puts their runs side by side, so a score costs its own bytes and nothing more;
    `steps` merges the runs of one curve into distinct scores with counts.

    Attributes:
        groups: The groups, in the order of labels.
        labels: The gold labels; for a binary task (negative, positive).
        columns: The labels that scores are for: only the positive one for a binary task, else all.
        scores: The runs one after another, float32 or float64.
        weights: The weight of each score, or None where all count 1.
        offsets: Run r is scores[offsets[r] : offsets[r + 1]].
        runs: int64 of shape (runs, 3): each run's group, column and gold label.
        n: The number of examples of each group, whatever they weigh.
    """

    groups: tuple[Label, ...]
    labels: tuple[Label, ...]
    columns: tuple[Label, ...]
    scores: NDArray[Any]
    weights: NDArray[np.float64] | None
    offsets: NDArray[np.int64]
    runs: NDArray[np.int64]
    n: NDArray[np.int64]

    def __add__(self, other: "CurveTally") -> "CurveTally":
        groups, labels = union(self.groups, other.groups), union(self.labels, other.labels)
        columns = union(self.columns, other.columns)
        parts = [part._rename(groups, labels, columns) for part in (self, other)]
        weighted = any(part.weights is not None for part in parts)
        return CurveTally(
            groups,
            labels,
            columns,
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part._weigh() for part in parts]) if weighted else None,
            np.concatenate([parts[0].offsets, parts[0].offsets[-1] + parts[1].offsets[1:]]),
            np.concatenate([part.runs for part in parts]),
            parts[0].n + parts[1].n,
        )

    def _rename(
        self, groups: tuple[Label, ...], labels: tuple[Label, ...], columns: tuple[Label, ...]
    ) -> "CurveTally":
        names = ((self.groups, groups), (self.columns, columns), (self.labels, labels))
        runs = [
            np.array([new.index(name) for name in old], np.int64)[self.runs[:, axis]]
            for axis, (old, new) in enumerate(names)
        ]
        return replace(
            self,
            groups=groups,
            labels=labels,
            columns=columns,
            runs=np.stack(runs, -1),
            n=place(self.n, 0, self.groups, groups),
        )

    def _weigh(self) -> NDArray[np.float64]:
        return np.ones(len(self.scores)) if self.weights is None else self.weights

    def total(self) -> "CurveTally":
        """The sum over groups, as a tally of one group; it shares this one's memory."""
        return replace(
            self, groups=("all",), runs=self.runs * (0, 1, 1), n=self.n.sum(keepdims=True)
        )

    def steps(self, group: int, column: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """One curve as distinct ascending scores and their counts, of shape (scores, labels)."""
        chosen, spans = self._spans(group, column)
        empty = self.scores[:0]
        sizes = [span.stop - span.start for span in spans]
        weights = self.weights
        return _native.merge_runs(
            np.concatenate([empty, *(self.scores[span] for span in spans)]),
            None
            if weights is None
            else np.concatenate([weights[:0], *(weights[s] for s in spans)]),
            np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64),
            np.ascontiguousarray(self.runs[chosen, 2]),
            len(self.labels),
        )

    def masses(self, group: int, column: int) -> NDArray[Any]:
        """How many examples of each gold label one curve holds, or what they weigh together."""
        sums = np.zeros(len(self.labels), np.int64 if self.weights is None else np.float64)
        for run in np.flatnonzero((self.runs[:, 0] == group) & (self.runs[:, 1] == column)):
            start, stop = self.offsets[run], self.offsets[run + 1]
            weight = stop - start if self.weights is None else self.weights[start:stop].sum()
            sums[self.runs[run, 2]] += weight
        return sums

    def cut(self, group: int, thresholds: NDArray[Any]) -> ConfusionTally:
        """The labels predicted by a binary curve, positive from a threshold on.

        The thresholds, of the scores' type, are the leading axis of the counts.
        """
        kind = np.int64 if self.weights is None else np.float64
        counts = np.zeros((len(thresholds), 1, 2, 2), kind)
        for run, span in zip(*self._spans(group, 0), strict=True):
            places = np.searchsorted(self.scores[span], thresholds)
            if self.weights is None:
                sums, whole = places, span.stop - span.start
            else:
                heaped = np.cumsum(np.concatenate([[0], self.weights[span]]))
                sums, whole = heaped[places], heaped[-1]
            counts[:, 0, self.runs[run, 2], 0] += sums
            counts[:, 0, self.runs[run, 2], 1] += whole - sums
        return ConfusionTally(("all",), self.labels, counts, self.n[group : group + 1])

    def sample(
        self, group: int, step: int, ranges: NDArray[Any] | None = None
    ) -> NDArray[np.floating[Any]]:
        """Distinct ascending scores of a binary curve: every `step`-th of each run, and the last.

        Args:
            group: The group of the curve.
            step: At 1, no score is left out.
            ranges: The lowest and the highest score of each range, of shape (ranges, 2). They are
                among the result, and else only scores between them.
        """
        if ranges is None:
            runs = [self.scores[span] for span in self._spans(group, 0)[1]]
            parts = [part for run in runs for part in (run[::step], run[-1:])]
            return np.unique(np.concatenate([self.scores[:0], *parts]))
        parts = [ranges.ravel()]
        for span in self._spans(group, 0)[1]:
            run = self.scores[span]
            starts = np.searchsorted(run, ranges[:, 0], "right")
            stops = np.searchsorted(run, ranges[:, 1], "left")
            parts += [run[a:b:step] for a, b in zip(starts, stops, strict=True)]
        return np.unique(np.concatenate(parts))

    def neighbours(self, group: int, threshold: Any) -> tuple[float | None, float | None]:
        """The highest score below a threshold of a binary curve, and the lowest from it on."""
        below: list[float] = []
        beyond: list[float] = []
        for span in self._spans(group, 0)[1]:
            run = self.scores[span]
            place = np.searchsorted(run, threshold)
            below += run[:place][-1:].tolist()
            beyond += run[place:][:1].tolist()
        return max(below, default=None), min(beyond, default=None)

    def _spans(self, group: int, column: int) -> tuple[NDArray[np.intp], list[slice]]:
        """The runs of one curve, and where their scores lie."""
        chosen = np.flatnonzero((self.runs[:, 0] == group) & (self.runs[:, 1] == column))
        return chosen, [slice(self.offsets[run], self.offsets[run + 1]) for run in chosen]

    def area(
        self, group: int, column: int, positives: Sequence[int], negatives: Sequence[int]
    ) -> float:
        """The Mann-Whitney U of two sets of gold labels: pairs in order, ties counted half."""
        here = (self.runs[:, 0] == group) & (self.runs[:, 1] == column)
        sides = np.full(len(self.runs), -1, np.int64)
        sides[here & np.isin(self.runs[:, 2], positives)] = 1
        sides[here & np.isin(self.runs[:, 2], negatives)] = 0
        return _native.rank_area(self.scores, self.weights, self.offsets, sides)


@dataclass(frozen=True, slots=True)
class Curve:
    """Sorts the scores of the examples by group, scored label and gold label."""

    def count(self, examples: Examples) -> CurveTally:
        """Tallies examples that have probabilities."""
        gold, scores = examples.gold, examples.probabilities
        if scores is None or not isinstance(gold, Labels):
            raise UsageError("curves need probabilities, and these examples have none")
        groups = examples.groups
        if groups is None:
            groups = Labels(np.zeros(len(gold), np.uint8), ("all",))
        names = gold.names
        columns = names[1:] if scores.ndim == 1 else names
        parts = [
            _sort(scores if scores.ndim == 1 else scores[:, place], gold, groups, examples.weights)
            for place in range(len(columns))
        ]
        sorted_scores, weights, sizes, runs = zip(*parts, strict=True)
        places = np.repeat(np.arange(len(columns)), [len(part) for part in runs])
        stacked = np.concatenate(runs)
        return CurveTally(
            groups.names,
            names,
            columns,
            np.concatenate(sorted_scores) if len(columns) > 1 else sorted_scores[0],
            None if weights[0] is None else np.concatenate(weights),
            np.concatenate([[0], np.cumsum(np.concatenate(sizes))]),
            np.stack([stacked[:, 0], places, stacked[:, 1]], -1),
            count_groups(examples),
        )

    def empty(self) -> CurveTally:
        """The tally of no examples, neutral in sums."""
        none = np.zeros(0, np.int64)
        return CurveTally(
            (), (), (), np.zeros(0), None, np.zeros(1, np.int64), none.reshape(0, 3), none
        )


def _sort(
    scores: NDArray[Any], gold: Labels, groups: Labels, weights: NDArray[np.float64] | None
) -> tuple[NDArray[Any], NDArray[np.float64] | None, NDArray[np.int64], NDArray[np.int64]]:
    """Sorts one column: scores, weights, the sizes of its runs, and their (group, gold label)."""
    wide = len(gold.names)
    count = wide * len(groups.names)
    kind = np.uint8 if count < 256 else np.uint32
    cells: NDArray[np.unsignedinteger[Any]] = groups.codes.astype(kind)
    np.multiply(cells, kind(wide), out=cells)
    np.add(cells, gold.codes, out=cells, casting="unsafe")
    if weights is None:
        ordered, offsets = _native.split_runs(np.ascontiguousarray(scores), cells, count)
        for start, stop in pairwise(offsets):
            ordered[start:stop].sort()
        sizes = np.diff(offsets)
    else:
        ranks = np.lexsort((scores, cells))
        ordered, weights = scores[ranks], weights[ranks]
        sizes = np.bincount(cells, minlength=count)
    filled = np.flatnonzero(sizes)
    return ordered, weights, sizes[filled], np.stack(np.divmod(filled, wide), -1)
