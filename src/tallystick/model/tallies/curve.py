"""The tally of probabilities: which scores the examples of each gold label got, by group."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.model.codes import Label, Labels, place_names, union
from tallystick.model.ragged_array import pick_ranges
from tallystick.model.tallies.groups import list_known, place
from tallystick.model.tallies.score_rows import ScoreRows, ScoreUnits, sort_column, sort_run
from tallystick.model.tallies.storage import Stored, drop_missing
from tallystick.model.tallies.tally import Kept, Owners, Tally, check_addable

ENOUGH = 10_000
"""More scores than this of a group and a label add nothing to what is known of their scatter."""

_FEW = 4
"""Where scores are this many times the distinct ones of their runs, these are counted."""


class CurveTally(Tally, frozen=True, eq=False):
    """Which scores the examples of each gold label got from one system, by group and scored label.

    It is kept as runs: ascending scores that share a group, a scored label and a gold label, so
    that a score costs its own bytes and nothing more; `steps` merges the runs of one curve into
    distinct scores with counts.

    Attributes:
        labels: The gold labels; for a binary task (negative, positive).
        columns: The labels that scores are for: only the positive one for a binary task, else all.
        scores: The runs one after another, float32 or float64.
        weights: The weight of each score, or None where all count 1.
        counts: How many examples have each score, where those of a run are distinct, as they are
            kept where few of them are; None where each represents one example.
        offsets: Run r is scores[offsets[r] : offsets[r + 1]].
        runs: int64 of shape (runs, 3): each run's group, column and gold label.
        n: The number of examples of each group, whatever they weigh.
        rows: The examples themselves, which resampling needs where runs do not tell which scores
            belong together; else None.
    """

    keeps_examples: ClassVar[bool] = True
    counter: Any
    systems: tuple[str, ...]
    groups: tuple[Label, ...]
    labels: tuple[Label, ...]
    columns: tuple[Label, ...]
    scores: NDArray[Any]
    weights: NDArray[np.float64] | None
    offsets: NDArray[np.int64]
    runs: NDArray[np.int64]
    n: NDArray[np.int64]
    rows: ScoreRows | None = None
    counts: NDArray[np.int64] | None = None

    @classmethod
    def join(cls, parts: Sequence["CurveTally"]) -> "CurveTally":
        return cls.add_up(list(parts))

    @classmethod
    def add_up(cls, tallies: list["CurveTally"]) -> "CurveTally":
        first = tallies[0]
        for other in tallies[1:]:
            check_addable(first, other)
        rows = list_known([one.rows for one in tallies])
        if not rows:
            return first if len(tallies) == 1 else merge_curves(tallies)
        tallies.clear()
        return sort_rows(ScoreRows.join(rows))

    def store(self) -> Stored:
        """Serializes the examples if they were kept, otherwise the distinct scores."""
        if self.rows is not None:
            return self.rows.store()
        names = {"groups": self.groups, "labels": self.labels, "columns": self.columns}
        own = ("scores", "weights", "offsets", "runs", "n", "counts")
        arrays = drop_missing({name: getattr(self, name) for name in own})
        return Stored("curve", self.systems, names, arrays)

    @classmethod
    def load(cls, counter: Any, stored: Stored) -> "CurveTally":
        groups, labels, columns = map(stored.list_names, ("groups", "labels", "columns"))
        scores = stored.read_scores((None,))
        offsets = stored.read_whole("offsets", (None,), most=len(scores))
        runs = stored.read_whole("runs", (max(len(offsets) - 1, 0), 3))
        n = stored.read_whole("n", (len(groups),))
        if (*offsets[:1], *offsets[-1:]) != (0, len(scores)) or (np.diff(offsets) < 1).any():
            raise ValueError("its runs are not those of its scores")
        ascends = np.diff(scores) >= 0
        ascends[offsets[1:-1] - 1] = True
        if not ascends.all():
            raise ValueError("its scores do not ascend in every run")
        if (runs >= (len(groups), len(columns), len(labels))).any():
            raise ValueError("its runs point beyond its groups, columns or labels")
        if len(columns) > 1 or columns != labels[1:] or len(stored.systems) != 1:
            raise ValueError("its columns are not the positive one of two labels")
        if len(np.unique(runs, axis=0)) < len(runs):
            raise ValueError("its runs are there twice")
        weights = None
        if "weights" in stored.arrays:
            weights = stored.read_reals("weights", scores.shape, least=0)
        counts = None
        if "counts" in stored.arrays:
            counts = stored.read_whole("counts", scores.shape, least=1)
        own = (groups, labels, columns, scores, weights, offsets, runs, n, None, counts)
        loaded = cls(counter, stored.systems, *own)
        if (np.bincount(runs[:, 0], loaded.sizes, len(n)) != n).any():
            raise ValueError("its n are not the sizes of its runs")
        return loaded if counts is None else loaded.expand().condense()

    @property
    def plain(self) -> bool:
        return self.weights is None and self.list_clusters() is None

    def list_clusters(self) -> Owners | None:
        return None if self.rows is None else self.rows.list_clusters()

    def resample(self, resamples: int, seed: int) -> Iterator["CurveTally"]:
        """Bootstrap resamples, one by one."""
        return self.list_rows().resample(resamples, seed)

    def list_rows(self) -> ScoreRows:
        """The examples themselves; runs of one system without clusters tell them."""
        if self.rows is not None:
            return self.rows
        runs = (np.repeat(self.runs[:, axis], self.sizes).astype(np.uint32) for axis in (0, 2))
        groups, labels = runs
        gold, owners = Labels(labels, self.labels), Labels(groups, self.groups)
        scores, weights = self.expand().scores, self.weights
        return ScoreRows(self.counter, self.systems, gold, owners, (scores,), sort_rows, weights)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many examples each run has."""
        if self.counts is None:
            return np.diff(self.offsets)
        return np.diff(np.concatenate([[0], np.cumsum(self.counts)])[self.offsets])

    @property
    def score_masses(self) -> NDArray[np.float64] | None:
        """What each score weighs; None where each counts 1."""
        return self.weights if self.counts is None else self.counts.astype(np.float64)

    def expand(self) -> "CurveTally":
        """The same with each example's score."""
        if self.counts is None:
            return self
        offsets = np.concatenate([[0], np.cumsum(self.sizes)])
        scores = np.repeat(self.scores, self.counts)
        return replace(self, scores=scores, offsets=offsets, counts=None)

    def condense(self) -> "CurveTally":
        """The same with distinct scores and their counts, where rounding has left few of many."""
        size, digits = len(self.scores), getattr(self.counter, "digits", None)
        if digits is None or self.rows is not None or self.weights is not None or not size:
            return self
        fresh = np.append(True, self.scores[1:] != self.scores[:-1])
        fresh[self.offsets[:-1]] = True
        firsts = np.flatnonzero(fresh)
        if len(firsts) * _FEW > size:
            return self
        counts, offsets = np.diff(np.append(firsts, size)), np.searchsorted(firsts, self.offsets)
        return replace(self, scores=self.scores[firsts], offsets=offsets, counts=counts)

    @property
    def several(self) -> bool:
        """Whether an example has a set of the scored labels."""
        return self.rows is not None and bool(self.rows.several)

    def positive(self, column: int | None) -> int:
        """The place of a scored label among the gold labels; of sets, that of having a label."""
        if self.several or column is None:
            return 1
        return self.labels.index(self.columns[column])

    def share_tied(self) -> float:
        """The largest share of pairs with and without a scored label, of all groups, that tie."""
        whole, shares = self.total(), [0.0]
        for column in range(len(self.columns)):
            counts = whole.steps(0, column)[1]
            own = counts[:, self.positive(column)].astype(np.float64)
            rest = counts.sum(1) - own
            pairs = own.sum() * rest.sum()
            shares += [float(own @ rest / pairs)] if pairs else []
        return max(shares)

    def of(self, *names: str) -> "CurveTally":
        """The tally itself, which is of one system."""
        if names != self.systems:
            raise UsageError(f"this is a tally of {self.systems[0]}, not of {', '.join(names)}")
        return self

    def rename_systems(self, *names: str) -> "CurveTally":
        rows = None if self.rows is None else self.rows.rename_systems(*names)
        return replace(self, systems=names, rows=rows)

    def gold_masses(self) -> NDArray[Any]:
        if self.rows is not None and self.rows.several:
            return self.rows.gold_masses()
        return np.array([self.masses(group, 0) for group in range(len(self.groups))])

    def weight_sums(self) -> NDArray[np.float64] | None:
        return None if self.weights is None else self.list_rows().weight_sums()

    def reweigh(self, factors: NDArray[np.float64]) -> "CurveTally":
        each = np.repeat(factors[self.runs[:, 0], self.runs[:, 2]], self.sizes)
        return replace(
            self.expand(),
            weights=each if self.weights is None else self.weights * each,
            rows=None if self.rows is None else self.rows.reweigh(factors),
        )

    def rename(
        self, groups: tuple[Label, ...], labels: tuple[Label, ...], columns: tuple[Label, ...]
    ) -> "CurveTally":
        """The same tally among these groups, labels and columns, which hold all of its own."""
        names = ((self.groups, groups), (self.columns, columns), (self.labels, labels))
        runs = [
            np.array(place_names(old, new), np.int64)[self.runs[:, axis]]
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

    def total(self) -> "CurveTally":
        """The sum over groups, as a tally of one group; it shares this one's memory."""
        if self.groups == ("all",):
            return self
        return replace(
            self,
            groups=("all",),
            runs=self.runs * (0, 1, 1),
            n=self.n.sum(keepdims=True),
            rows=None if self.rows is None else self.rows.total(),
        )

    def steps(self, group: int, column: int | None) -> tuple[NDArray[Any], NDArray[Any]]:
        """One curve as distinct ascending scores and their counts, of shape (scores, labels).

        All scored labels of a set are taken together where no column is named.
        """
        chosen, _ = self._spans(group, column)
        return self._merge(chosen, self.runs[chosen, 2], len(self.labels))

    def _merge(
        self, chosen: NDArray[np.intp], columns: NDArray[np.int64], wide: int
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """The distinct scores of some runs, and how often each occurs in the column of its run."""
        rows, starts = pick_ranges(self.offsets, chosen)
        order = np.argsort(self.scores[rows], kind="stable")  # which merges runs that ascend
        rows = rows[order]
        scores, masses = self.scores[rows], self.score_masses
        fresh = np.append(True, scores[1:] != scores[:-1])[: len(scores)]
        places = (fresh.cumsum() - 1) * wide + np.repeat(columns, np.diff(starts))[order]
        steps = scores[fresh]
        sums = np.bincount(places, None if masses is None else masses[rows], len(steps) * wide)
        whole = sums if self.counts is None else sums.astype(np.int64)
        return steps, whole.reshape(len(steps), wide)

    def list_runs(self, column: int) -> list[tuple[int, NDArray[Any], NDArray[Any] | None]]:
        """Each run of one scored label: its gold label, its scores, and what they weigh."""
        spans = ((at, slice(*self.offsets[at : at + 2])) for at in range(len(self.runs)))
        counted = self.weights if self.counts is None else self.counts
        return [
            (
                int(self.runs[at, 2]),
                self.scores[own],
                counted[own] if counted is not None else None,
            )
            for at, own in spans
            if self.runs[at, 1] == column
        ]

    def thin(self, most: int) -> tuple["CurveTally", NDArray[np.float64]]:
        """The same with at most this many scores of each run, and for how many each stands."""
        if self.counts is not None:
            return self, self.counts.astype(np.float64)
        if self.rows is not None or len(self.scores) <= most:
            return self, np.ones(len(self.scores) if self.rows is None else len(self.rows.gold))
        picked, factors = [np.zeros(0, np.int64)], [np.zeros(0)]
        for start, stop in pairwise(self.offsets.tolist()):
            step = max(1, -(-(stop - start) // most))
            own = np.arange(start + step // 2, stop, step) if step > 1 else np.arange(start, stop)
            picked.append(own)
            factors.append(np.full(len(own), (stop - start) / max(len(own), 1)))
        places, factor = np.concatenate(picked), np.concatenate(factors)
        weights = factor if self.weights is None else factor * self.weights[places]
        offsets = np.cumsum([len(own) for own in picked], dtype=np.int64)
        thinned = replace(self, scores=self.scores[places], weights=weights, offsets=offsets)
        return thinned, factor

    def list_units(self) -> ScoreUnits:
        """Its examples, or its runs of scores, in which one example may represent several."""
        rows = self.rows
        if rows is not None:
            return rows.list_units()
        groups, _, gold = np.repeat(self.runs, np.diff(self.offsets), axis=0).T
        masses = np.ones(len(self.scores)) if self.score_masses is None else self.score_masses
        return ScoreUnits(groups, gold[None], self.scores[None], masses)

    def list_kept(self) -> Kept:
        thinned, sizes = self.thin(ENOUGH)
        units = thinned.list_units()
        masses = units.masses / np.where(sizes > 0, sizes, 1)
        gold = units.gold[0]
        if thinned.rows is not None and thinned.rows.several:
            gold = thinned.rows.split_scarcest().codes.astype(np.int64)
        return Kept(thinned, units.groups, masses, sizes, gold)

    def masses(self, group: int, column: int | None) -> NDArray[Any]:
        """How many examples of each gold label one curve holds, or what they weigh together."""
        sums = np.zeros(len(self.labels), np.int64 if self.weights is None else np.float64)
        sizes = self.sizes
        for run in self._spans(group, column)[0]:
            start, stop = self.offsets[run], self.offsets[run + 1]
            weight = sizes[run] if self.weights is None else self.weights[start:stop].sum()
            sums[self.runs[run, 2]] += weight
        return sums

    def cut(self, group: int, thresholds: NDArray[Any]) -> NDArray[Any]:
        """The weight of negatives below and above each, and of positives: (thresholds, 4)."""
        kind = np.int64 if self.weights is None else np.float64
        counts = np.zeros((len(thresholds), 1, 2, 2), kind)
        for run, span in zip(*self._spans(group, 0), strict=True):
            places = np.searchsorted(self.scores[span], thresholds)
            heavy = self.weights if self.counts is None else self.counts
            if heavy is None:
                sums, whole = places, span.stop - span.start
            else:
                heaped = np.concatenate([np.zeros(1, heavy.dtype), np.cumsum(heavy[span])])
                sums, whole = heaped[places], heaped[-1]
            counts[:, 0, self.runs[run, 2], 0] += sums
            counts[:, 0, self.runs[run, 2], 1] += whole - sums
        return counts.reshape(-1, 4)

    def sample(
        self, group: int, step: int, ranges: NDArray[Any] | None = None
    ) -> NDArray[np.floating[Any]]:
        """Distinct scores of a curve: every `step`-th, the last, and the ends of `ranges`."""
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

    def _spans(self, group: int, column: int | None) -> tuple[NDArray[np.intp], list[slice]]:
        """The runs of one curve, and where their scores lie."""
        own = column is None or self.runs[:, 1] == column
        chosen = np.flatnonzero((self.runs[:, 0] == group) & own)
        return chosen, [slice(self.offsets[run], self.offsets[run + 1]) for run in chosen]

    def area(
        self, group: int, column: int | None, positives: Sequence[int], negatives: Sequence[int]
    ) -> float:
        """The Mann-Whitney U of two sets of gold labels: pairs in order, ties counted half."""
        chosen, _ = self._spans(group, column)
        chosen = chosen[np.isin(self.runs[chosen, 2], [*positives, *negatives])]
        won = np.isin(self.runs[chosen, 2], positives)
        lower, higher = self._merge(chosen, won.astype(np.int64), 2)[1].T
        return float((higher * (lower.cumsum() - lower / 2)).sum())


def sort_rows(rows: ScoreRows) -> CurveTally:
    """The runs of the only system of some examples."""
    (scores,) = rows.scores
    columns = [scores] if scores.ndim == 1 else list(scores.T)
    parts = [
        sort_column(column, rows.split(at), rows.owners, rows.weights)
        for at, column in enumerate(columns)
    ]
    ordered, weights, sizes, cells = zip(*parts, strict=True)
    places = np.repeat(np.arange(len(columns)), [len(part) for part in cells])
    stacked = np.concatenate(cells)
    single = len(columns) == 1
    return CurveTally(
        rows.counter,
        rows.systems,
        rows.groups,
        rows.split(0).names,
        rows.columns,
        ordered[0] if single else np.concatenate(ordered),
        weights[0] if single or weights[0] is None else np.concatenate(weights),
        np.concatenate([[0], np.cumsum(np.concatenate(sizes))]),
        np.stack([stacked[:, 0], places, stacked[:, 1]], -1),
        np.bincount(cells[0][:, 0], sizes[0], len(rows.groups)).astype(np.int64),
        rows,
    )


def load_scores(counter: object, stored: Stored) -> ScoreRows | CurveTally:
    """The examples of several systems that this is made of, or the curves of one."""
    rows = ScoreRows.load(counter, stored, sort_rows)
    return rows if len(stored.systems) > 1 else sort_rows(rows)


def merge_curves(parts: list[CurveTally]) -> CurveTally:
    """The sum of tallies without rows; the list is emptied to give memory back."""
    groups, labels, columns = (
        union(*(getattr(one, axis) for one in parts)) for axis in ("groups", "labels", "columns")
    )
    weighted = any(one.weights is not None for one in parts)
    parts[:] = [one.expand().rename(groups, labels, columns) for one in parts]
    counter, systems = parts[0].counter, parts[0].systems
    kind = np.result_type(*(one.scores for one in parts))
    n = np.sum([one.n for one in parts], axis=0)
    sizes: dict[tuple[int, ...], int] = {}
    for one in parts:
        for run, size in zip(one.runs.tolist(), np.diff(one.offsets).tolist(), strict=True):
            sizes[tuple(run)] = sizes.get(tuple(run), 0) + size
    runs = sorted(sizes)
    offsets = np.cumsum([0, *(sizes[run] for run in runs)], dtype=np.int64)
    scores = np.empty(offsets[-1], kind)
    weights = np.ones(offsets[-1]) if weighted else None
    places = dict(zip(runs, offsets.tolist(), strict=False))
    while parts:
        _move_runs(parts.pop(), places, scores, weights)
    for start, stop in pairwise(offsets.tolist()):
        sort_run(scores[start:stop], None if weights is None else weights[start:stop])
    table = np.array(runs, np.int64).reshape(-1, 3)
    own = (groups, labels, columns, scores, weights, offsets, table, n)
    return CurveTally(counter, systems, *own).condense()


def _move_runs(
    one: CurveTally,
    places: dict[tuple[int, ...], int],
    scores: NDArray[Any],
    weights: NDArray[np.float64] | None,
) -> None:
    """Puts the runs of a tally where the next ones of their kind belong."""
    for run, (start, stop) in zip(one.runs.tolist(), pairwise(one.offsets.tolist()), strict=True):
        place = places[tuple(run)]
        places[tuple(run)] = end = place + stop - start
        scores[place:end] = one.scores[start:stop]
        if weights is not None and one.weights is not None:
            weights[place:end] = one.weights[start:stop]
