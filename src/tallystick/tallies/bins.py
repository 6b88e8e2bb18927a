"""The tally of binned probabilities: how many examples of each gold label have scores in a bin."""

from collections.abc import Iterator, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import Label, place_names
from tallystick.errors import InputError, UsageError
from tallystick.frozen import dataclass, replace
from tallystick.tallies.arrays.distinct import add_at, merge_rows
from tallystick.tallies.arrays.units import find_units
from tallystick.tallies.groups import list_known, place, union
from tallystick.tallies.storage import Stored
from tallystick.tallies.tally import Owners, Tally, check_addable

PARTS = 1 << 20
"""Into so many parts the width of a bin is divided, in which sums of scores are kept."""

FRACTION, HALF = 32, 23
"""Losses are kept as whole numbers of 2^-32, in two halves the lower of which has 23 bits, so that
the sums of 2^38 examples do not overflow, whatever their scores."""

ROUNDING = 2.0 ** -(FRACTION + 1)
"""How far a mean loss can be from that of unrounded losses."""

SQUARE, SURPRISE = 0, 1
"""The losses whose sums are kept: squared distances, and negative logarithms."""

_UNPAIRED = (
    "bins count the probabilities of each system on its own, so that nothing tells which of them "
    "are of the same example, as tests and ranks need it; leave out --bins, or name --clusters, "
    "whose counts are paired"
)

_ARRAYS = ("cells", "counts", "sums", "owners", "losses", "n")

_MOST_LOSS = 40.0
"""No loss is larger: the negative logarithm of the step of double precision is 36.04."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Bins(Tally):
    """How many examples of each gold label got scores in each bin, by system, group and label.

    With b bins, the scores k / b for k from 0 to b are bins of a single score, with the numbers
    2k, and the scores between k / b and (k + 1) / b are the bins 2k + 1. So scores with few
    decimals are told exactly, a threshold of k / b parts bins, and so do the edges of a
    calibration error whose number of bins divides b. All numbers are whole, and only cells that
    hold an example are kept: their number is bounded whatever the number of examples.

    Attributes:
        counter: What counted; its `bins` is b.
        labels: The gold labels; for a binary task (negative, positive).
        columns: The labels that scores are for: only the positive one for a binary task, else all.
        clusters: The clusters; None where examples stand for themselves.
        cells: int64 of shape (cells, 6), ascending: each cell's system, group, cluster (0 where
            there are none), column, gold label and bin.
        counts: How many examples each cell has.
        sums: How far their scores lie above the lower end of the bin, in 2^-20ths of its width,
            rounded down.
        owners: int64 of shape (owners, 4), ascending: system, group, cluster and gold label.
        losses: int64 of shape (owners, 2, 3, 2): of the squared distance and of the negative
            logarithm the sums over examples, of squares and of cubes, each as high and low half.
        n: The number of examples of each group.
    """

    counter: Any
    systems: tuple[str, ...]
    groups: tuple[Label, ...]
    labels: tuple[Label, ...]
    columns: tuple[Label, ...]
    clusters: tuple[Label, ...] | None
    cells: NDArray[np.int64]
    counts: NDArray[np.int64]
    sums: NDArray[np.int64]
    owners: NDArray[np.int64]
    losses: NDArray[np.int64]
    n: NDArray[np.int64]

    @classmethod
    def join(cls, parts: Sequence["Bins"]) -> "Bins":
        first = parts[0]
        for other in parts[1:]:
            check_addable(first, other)
            list_known((first.clusters, other.clusters))
            if first.labels != other.labels and len(first.columns) > 1:
                raise InputError("tallies of probabilities of different labels cannot be added")
        groups, clusters, columns, labels = (
            union(*(getattr(one, axis) or () for one in parts))
            for axis in ("groups", "clusters", "columns", "labels")
        )
        parts = [one._rename(groups, clusters, columns, labels) for one in parts]
        cells, counts, sums, owners, losses = (
            np.concatenate([getattr(one, name) for one in parts]) for name in _ARRAYS[:-1]
        )
        n = np.sum([place(one.n, 0, one.groups, groups) for one in parts], axis=0)
        return replace(
            first,
            groups=groups,
            labels=labels,
            columns=columns,
            clusters=None if first.clusters is None else clusters,
            n=n,
            cells=cells,
            counts=counts,
            sums=sums,
            owners=owners,
            losses=losses,
        ).merge()

    def _rename(self, *names: tuple[Label, ...]) -> "Bins":
        """The same cells and owners among further groups, clusters, columns and labels."""
        olds = (self.groups, self.clusters or (), self.columns, self.labels)
        pairs = zip(olds, names, strict=True)
        tables = [np.array(place_names(old, new) or [0], np.int64) for old, new in pairs]
        cells, owners = self.cells.copy(), self.owners.copy()
        for at, table in enumerate(tables, start=1):
            cells[:, at] = table[cells[:, at]]
        for at, table in enumerate((*tables[:2], tables[3]), start=1):
            owners[:, at] = table[owners[:, at]]
        return replace(self, cells=cells, owners=owners)

    def merge(self) -> "Bins":
        """The same with one cell, and one owner of losses, for each that there is several times."""
        cells, (counts, sums) = merge_rows(self.cells, self.counts, self.sums)
        owners, (losses,) = merge_rows(self.owners, self.losses)
        return replace(self, cells=cells, counts=counts, sums=sums, owners=owners, losses=losses)

    def total(self) -> "Bins":
        if self.groups == ("all",):
            return self
        return replace(
            self,
            groups=("all",),
            cells=self.cells * (1, 0, 1, 1, 1, 1),
            owners=self.owners * (1, 0, 1, 1),
            n=self.n.sum(keepdims=True),
        ).merge()

    def of(self, *names: str) -> "Bins":
        if names == self.systems:
            return self
        places = [self.systems.index(name) for name in names]
        table = np.full(len(self.systems), -1, np.int64)
        table[places] = np.arange(len(places))
        cells, owners = self.cells.copy(), self.owners.copy()
        cells[:, 0], owners[:, 0] = table[cells[:, 0]], table[owners[:, 0]]
        kept, held = cells[:, 0] >= 0, owners[:, 0] >= 0
        return replace(
            self,
            systems=names,
            cells=cells[kept],
            counts=self.counts[kept],
            sums=self.sums[kept],
            owners=owners[held],
            losses=self.losses[held],
        ).merge()

    def scored_labels(self) -> tuple[Label, ...]:
        return self.columns

    def bin_count(self) -> int:
        return int(self.counter.bins)

    def gold_masses(self) -> NDArray[np.int64]:
        sums = np.zeros((len(self.groups), len(self.labels)), np.int64)
        own = (self.cells[:, 0] == 0) & (self.cells[:, 3] == 0)  # all systems have the same gold
        np.add.at(sums, (self.cells[own, 1], self.cells[own, 4]), self.counts[own])
        return sums

    def cell_sizes(self) -> NDArray[np.int64]:
        return self.counts

    def is_due(self, waiting: Sequence["Bins"]) -> bool:
        """Whether those that wait have more cells than it has."""
        return sum(len(one.counts) for one in waiting) > len(self.counts)

    def store(self) -> Stored:
        names = {"groups": self.groups, "labels": self.labels, "columns": self.columns}
        if self.clusters is not None:
            names["clusters"] = self.clusters
        return Stored("bins", self.systems, names, {name: getattr(self, name) for name in _ARRAYS})

    @classmethod
    def load(cls, counter: Any, stored: Stored) -> "Bins":
        counts = stored.read_whole("counts", (None,), least=1)
        cells = stored.read_whole("cells", (len(counts), 6))
        owners = stored.read_whole("owners", (None, 4))
        clusters = stored.list_names("clusters") if "clusters" in stored.names else None
        groups, columns, labels = map(stored.list_names, ("groups", "columns", "labels"))
        axes = (stored.systems, groups, clusters or ("",), columns, labels)
        sizes = (*map(len, axes), 2 * counter.bins + 1)
        if columns not in (labels, labels[1:]):
            raise ValueError("its columns are not its labels")
        if (cells >= sizes).any() or (owners >= (*sizes[:3], sizes[4])).any():
            raise ValueError("its cells point beyond its bins or names")
        most = counts * (cells[:, 5] % 2) * (PARTS - 1)
        if (stored.read_whole("sums", counts.shape) > most).any():
            raise ValueError("its sums are not those of scores within their bins")
        parts = {name: stored.arrays[name] for name in _ARRAYS}
        stored.read_whole("losses", (len(owners), 2, 3, 2))
        stored.read_whole("n", (len(groups),))
        tally = cls(counter, stored.systems, groups, labels, columns, clusters, **parts).merge()
        tally._check_sizes()
        return tally

    def _check_sizes(self) -> None:
        """Raises a ValueError where cells, losses and groups are not of the same examples."""
        sizes: list[NDArray[np.int64]] = []
        for column in range(len(self.columns)):
            own = self.cells[:, 3] == column
            owners, (counts,) = merge_rows(self.cells[own][:, [0, 1, 2, 4]], self.counts[own])
            if not np.array_equal(owners, self.owners) or (sizes and (sizes[0] != counts).any()):
                raise ValueError("its counts are not those of the same examples for every label")
            sizes.append(counts)
        for system in range(len(self.systems)):
            own = self.owners[:, 0] == system
            n = np.bincount(self.owners[own, 1], sizes[0][own], len(self.n))
            if (n != self.n).any():
                raise ValueError("its n are not the sums of its counts")
        single = replace(self, systems=("",))
        powers = np.stack([single.lose_each(loss) for loss in (SQUARE, SURPRISE)])
        first, second, third = np.moveaxis(powers, -1, 0)
        slack, n = 1 + 2.0**-20, sizes[0]
        error = n / (1 << FRACTION)
        wrong = (first * first > (second + error) * n * slack) | (
            second * second > (first + error) * (third + error) * slack
        )
        if wrong.any() or (first > n * _MOST_LOSS).any():
            raise ValueError("its losses are not sums of losses, of squares and of cubes")

    def check_test(self, test: str | None) -> None:
        """Raises a UsageError without clusters, which alone pair systems, or for another test."""
        if self.clusters is None:
            raise UsageError(_UNPAIRED)
        if test not in (None, "t"):
            raise UsageError(f"{test} needs each probability; with --bins choose t")

    def need_scores(self, what: str) -> None:
        """Raises a UsageError: scores have been counted."""
        raise UsageError(f"{what} needs each probability; leave out --bins")

    def find_error(self, metric: Any) -> NDArray[np.float64]:
        """How far the score of each group can be from that without bins."""
        return np.asarray(np.nan_to_num(metric.bin_error(self)))

    def count_gold(self) -> NDArray[np.int64]:
        """How many examples of each gold label each group has: (groups, labels)."""
        return self.gold_masses()

    def list_clusters(self) -> Owners | None:
        """The group and the cluster of each owner."""
        return None if self.clusters is None else (self.owners[:, 1], self.owners[:, 2])

    def resample(self, resamples: int, seed: int) -> Iterator["Bins"]:
        """Resamples one by one: clusters drawn as for probabilities without bins."""
        if self.clusters is None:
            raise UsageError(_UNPAIRED)
        pairs, of_owners = np.unique(self.owners[:, 1:3], axis=0, return_inverse=True)
        width = len(self.clusters)
        of_cells = np.searchsorted(pairs @ (width, 1), self.cells[:, 1:3] @ (width, 1))
        units = find_units(pairs[:, 0], pairs[:, 1], self.groups)
        cells, to_cells = np.unique(self.cells * (1, 1, 0, 1, 1, 1), axis=0, return_inverse=True)
        owners, to_owners = np.unique(self.owners * (1, 1, 0, 1), axis=0, return_inverse=True)
        sizes = np.zeros((len(self.groups), len(units.strata)), np.int64)
        first = (self.cells[:, 0] == 0) & (self.cells[:, 3] == 0)
        np.add.at(sizes, (self.cells[first, 1], units.of[of_cells[first]]), self.counts[first])
        for weights in units.draw(resamples, seed):
            for own in weights.astype(np.int64):
                times = own[units.of]
                counts = add_at(self.counts * times[of_cells], to_cells.ravel(), len(cells))
                held = counts > 0
                sums = add_at(self.sums * times[of_cells], to_cells.ravel(), len(cells))
                many = times[of_owners.ravel()][:, None, None, None]
                yield replace(
                    self,
                    clusters=None,
                    cells=cells[held],
                    counts=counts[held],
                    sums=sums[held],
                    owners=owners,
                    losses=add_at(self.losses * many, to_owners.ravel(), len(owners)),
                    n=sizes @ own,
                )

    def find(self, group: int, column: int) -> NDArray[np.intp]:
        """The cells of one curve of the only system."""
        self._check_single()
        return np.flatnonzero((self.cells[:, 1] == group) & (self.cells[:, 3] == column))

    def steps(self, group: int, column: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """One curve as the mean score of each bin, ascending, and its counts: (bins, labels)."""
        own = self.find(group, column)
        codes, places = np.unique(self.cells[own, 5], return_inverse=True)
        counts = np.zeros((len(codes), len(self.labels)), np.int64)
        np.add.at(counts, (places, self.cells[own, 4]), self.counts[own])
        sums = add_at(self.sums[own], places, len(codes))
        low, open_bins = codes // 2, codes % 2
        within = open_bins * (sums / counts.sum(1) + 0.5) / PARTS
        return np.asarray((low + within) / self.counter.bins), counts

    def list_runs(self, column: int) -> list[tuple[int, NDArray[Any], NDArray[Any] | None]]:
        """The mean scores of the bins of one scored label, with how many of a gold label each has.

        The tally is one of a single group; all other gold labels than the scored one are taken
        together, as the first of them.
        """
        scores, counts = self.steps(0, column)
        own = self.labels.index(self.columns[column])
        rest = counts.sum(1) - counts[:, own]
        return [(own, scores, counts[:, own]), (int(own == 0), scores, rest)]

    def ends(self, group: int, column: int) -> NDArray[np.float64]:
        """The lowest and the highest score that each bin of `steps` may hold: (2, bins)."""
        codes = np.unique(self.cells[self.find(group, column), 5])
        return np.asarray(np.stack([codes // 2, (codes + 1) // 2]) / self.counter.bins)

    def masses(self, group: int, column: int) -> NDArray[np.int64]:
        """How many examples of each gold label one curve holds."""
        own = self.find(group, column)
        return add_at(self.counts[own], self.cells[own, 4], len(self.labels))

    def area(
        self, group: int, column: int, positives: Sequence[int], negatives: Sequence[int]
    ) -> float:
        """The Mann-Whitney U of two sets of gold labels: pairs in order, those in a bin half."""
        counts = self.steps(group, column)[1]
        above, below = (counts[:, list(side)].sum(1) for side in (positives, negatives))
        return float(above @ (np.cumsum(below) - below / 2))

    def tie(
        self, group: int, column: int, positives: Sequence[int], negatives: Sequence[int]
    ) -> float:
        """Half the number of pairs whose scores share a bin, and need not be equal."""
        counts = self.steps(group, column)[1]
        low, high = self.ends(group, column)
        above, below = (
            counts[:, list(side)].sum(1).astype(float) for side in (positives, negatives)
        )
        return float(((low < high) * above) @ below / 2)

    def edges(self, group: int) -> NDArray[np.int64]:
        """The ends of the bins that a binary curve fills, ascending: k stands for k / b."""
        codes = self.cells[self.find(group, 0), 5]
        return np.unique(np.concatenate([codes // 2, (codes + 1) // 2]))

    def cut(self, group: int, edges: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many examples of a binary curve are predicted as what, positive from an edge on.

        Of shape (edges, 4): negatives below and from the edge on, then positives.
        """
        own = self.find(group, 0)
        counts = np.zeros((len(edges), 2, 2), np.int64)
        for label in (0, 1):
            held = own[self.cells[own, 4] == label]
            ranks = held[np.argsort(self.cells[held, 5])]
            heaped = np.cumsum(np.append(0, self.counts[ranks]))
            below = heaped[np.searchsorted(self.cells[ranks, 5], 2 * edges)]
            counts[:, label] = np.stack([below, heaped[-1] - below], -1)
        return counts.reshape(-1, 4)

    def lose(self, group: int, loss: int) -> NDArray[np.float64]:
        """The sum of one of the losses over the examples of a group, of its squares and cubes."""
        return np.asarray(self.lose_each(loss)[self.owners[:, 1] == group].sum(0))

    def lose_each(self, loss: int) -> NDArray[np.float64]:
        """The same sums of each owner, of shape (owners, 3)."""
        self._check_single()
        high, low = np.moveaxis(self.losses[:, loss].astype(np.float64), -1, 0)
        return np.asarray((high * (1 << HALF) + low) / (1 << FRACTION))

    def _check_single(self) -> None:
        if len(self.systems) != 1:
            raise UsageError("a metric scores the bins of one system at a time")
