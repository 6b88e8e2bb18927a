"""The tally of labels, label sets or numbers: how often each pattern of gold and outputs occurs."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.model.codes import Label, order, place_names, union
from tallystick.model.systems import Systems
from tallystick.model.tallies.clusters import (
    Clusters,
    draw_cells,
    draw_clusters,
    find_units,
    join_clusters,
    multiply_weights,
    read_weights,
    slice_chunks,
)
from tallystick.model.tallies.groups import (
    count_groups,
    count_rows,
    find_distinct,
    find_runs,
    group_codes,
    place,
    sum_by,
    sum_runs,
    to_bytes,
    weigh_rows,
    widen,
)
from tallystick.model.tallies.per_label import (
    CodeSets,
    PerLabel,
    count_labels,
    count_members,
    read_sides,
    recode,
)
from tallystick.model.tallies.storage import Stored, drop_missing
from tallystick.model.tallies.tally import Counter, Lighter, Owners, Tally, check_addable

if TYPE_CHECKING:
    from tallystick.model.tallies.unit_weights import UnitWeights

Sides = NDArray[Any]
"""Codes of labels or of label sets, or numbers."""


_MOST_KEPT = 1 << 22
"""The tallies of single systems are kept, unless cells of all systems are more than this."""


class Cells(Tally, frozen=True, eq=False, dict=True):
    """How often each pattern of a gold answer and all systems' outputs occurs, by group.

    Cells are sorted by group and pattern, so that no order of examples shows. An output that is no
    label has a code beyond those of the labels; among sets it is the set of that code alone.

    Attributes:
        labels: The labels that codes point to; none where cells hold numbers.
        listed: The labels that the gold lists, which count in full in a multilabel task.
        owners: int64; the group of each cell, ascending.
        gold: The gold label, or label set, of each cell as a code, or its number as float64.
        outputs: Likewise for each system, of shape (systems, cells).
        counts: Whole numbers of shape (..., cells): how many examples there are of each, without
            those of weight 0, which only tell which labels occur. Leading axes are resamples of
            the whole tally, which are side by side in memory.
        n: The number of examples of each group that have a weight above 0.
        weights: float64 of shape (2, ..., cells): the sums of weights, and of their squares; None
            where all examples count the same.
        clusters: The examples that belong together; None where each counts by itself.
        sets: The label sets, all different and ascending, that codes point to; None of single
            labels and of numbers.
    """

    counter: Any
    systems: tuple[str, ...]
    groups: tuple[Label, ...]
    labels: tuple[Label, ...]
    listed: tuple[Label, ...]
    owners: NDArray[np.int64]
    gold: Sides
    outputs: Sides
    counts: NDArray[np.integer[Any]]
    n: NDArray[np.int64]
    weights: NDArray[np.float64] | None = None
    clusters: Clusters | None = None
    sets: CodeSets | None = None

    @cached_property
    def _alone(self) -> dict[str, "Cells"]:
        return {}

    @cached_property
    def _projections(self) -> dict[str, "Projection"]:
        return {}

    @classmethod
    def join(cls, parts: Sequence["Cells"]) -> "Cells":
        for other in parts[1:]:
            check_addable(parts[0], other)
        groups = union(*(one.groups for one in parts))
        listed = union(*(one.listed for one in parts))
        others = set().union(*(one.labels for one in parts)) - {*listed}
        labels = (*listed, *order(others))
        parts = _share_sets([one._recode(groups, labels) for one in parts])
        weighted = any(one.weights is not None for one in parts)
        counts = np.concatenate([one.cell_sizes() for one in parts])
        weights = np.concatenate([one._masses() for one in parts], -1) if weighted else None
        joined = replace(
            parts[0],
            listed=listed,
            owners=np.concatenate([one._entries(one.owners) for one in parts]),
            gold=np.concatenate([one._entries(one.gold) for one in parts]),
            outputs=np.concatenate([one._entries(one.outputs, 1) for one in parts], axis=1),
            counts=counts,
            n=np.sum([one.n for one in parts], axis=0),
            weights=weights,
            clusters=join_clusters([one.clusters for one in parts], counts, weights),
        )
        del parts, counts, weights  # many cells of them would stay beside those that are merged
        return joined.merge(ascending=True)

    def _recode(self, groups: tuple[Label, ...], labels: tuple[Label, ...]) -> "Cells":
        if (groups, labels) == (self.groups, self.labels):
            return self
        owners = np.array(place_names(self.groups, groups), np.int64)[self.owners]
        n = place(self.n, 0, self.groups, groups)
        named = replace(self, groups=groups, labels=labels, owners=owners, n=n)
        if self.sets is not None:
            table = np.array([*place_names(self.labels, labels), len(labels)], np.int64)
            return replace(named, sets=self.sets.recode(table))
        columns = (self.gold, *self.outputs)
        gold, *outputs = (recode(column, self.labels, labels) for column in columns)
        return replace(named, gold=gold, outputs=np.stack(outputs))

    def _entries(self, values: NDArray[Any], axis: int = 0) -> NDArray[Any]:
        """Values of cells, once for each cluster of a cell."""
        return values if self.clusters is None else values.take(self.clusters.cells, axis)

    def cell_sizes(self) -> NDArray[np.integer[Any]]:
        """How many examples there are in each cell, or in each cluster of it."""
        return self.counts if self.clusters is None else self.clusters.counts

    def _masses(self) -> NDArray[np.float64]:
        """The weights of each entry; where there are none, every example weighs 1."""
        masses = self.weights if self.clusters is None else self.clusters.weights
        return np.stack([self.cell_sizes()] * 2).astype(np.float64) if masses is None else masses

    @property
    def mass(self) -> NDArray[Any]:
        """What the examples of each cell weigh together: their number where all count the same."""
        return self.counts if self.weights is None else self.weights[0]

    def squared(self) -> "Cells":
        """The same tally with the sums of squared weights in the place of those of weights."""
        if self.weights is None:
            return self
        return replace(self, weights=np.stack([self.weights[1], self.weights[1]]))

    @property
    def patterns(self) -> "Cells":
        """The patterns: itself."""
        return self

    @property
    def labelled(self) -> bool:
        """Whether outputs are answers such as gold, which are right where they equal it."""
        return bool(self.counter.kind.side == "labels")

    @property
    def predicted(self) -> NDArray[Any]:
        """The outputs of the only system."""
        (only,) = self.outputs
        return np.asarray(only)

    @property
    def right(self) -> NDArray[np.bool_]:
        """Whether the only system's output is the gold one; for sets, whether all of it is."""
        return np.asarray(self.gold == self.predicted)

    @property
    def invalid(self) -> NDArray[Any]:
        """What the examples weigh for which the only system gave no label: (..., groups)."""
        return self.sum_groups(self.mass * (self.predicted == len(self.labels)))

    def total(self) -> "Cells":
        if self.groups == ("all",):
            return self
        return self.merge_groups().merge()

    def merge(self, *, ascending: bool = False) -> "Cells":
        """The same with equal cells added up; `ascending` is faster if most cells are sorted."""
        if not ascending or not self.plain:
            return Projection.onto(self).apply(self)
        ranks, starts = find_runs((self.owners, self.gold, *self.outputs))
        return replace(self.pick(ranks[starts]), counts=sum_runs(self.counts, ranks, starts))

    def pick(self, cells: NDArray[np.intp]) -> "Cells":
        """The patterns of some of the cells, without counts of their own."""
        outputs = self.outputs
        if outputs.strides[1:] == (0,):  # those of systems that have one output each
            outputs = np.broadcast_to(outputs[:, :1], (len(outputs), len(cells)))
        else:
            outputs = outputs[:, cells]
        return replace(self, owners=self.owners[cells], gold=self.gold[cells], outputs=outputs)

    def merge_groups(self) -> "Cells":
        """The same cells, some of which may be equal now, in one group."""
        owners, n = np.zeros_like(self.owners), self.n.sum(keepdims=True)
        return replace(self, groups=("all",), owners=owners, n=n)

    def of(self, *names: str) -> "Cells":
        """The tally of some of the systems, without sets' labels that only others predict."""
        if names == self.systems:
            return self
        if len(names) > 1 or self.outputs.size > _MOST_KEPT:
            return self.project(*names).apply(self)
        if names[0] not in self._alone:
            self._alone[names[0]] = self.project(*names).apply(self)
        return self._alone[names[0]]

    def gold_masses(self) -> NDArray[Any] | None:
        if not self.labelled:
            return None
        systems, outputs = self.systems[:1], self.outputs[:1]
        one = self if len(self.outputs) == 1 else replace(self, systems=systems, outputs=outputs)
        return one.per_label().gold

    def weight_sums(self) -> NDArray[np.float64] | None:
        return None if self.weights is None else self.sum_groups(self.weights)

    def reweigh(self, factors: NDArray[np.float64]) -> "Cells":
        """The same with each weight multiplied by the factor of its group and its gold label."""
        own, clusters = factors[self.owners, self.gold], self.clusters
        return replace(
            self,
            weights=multiply_weights(self.counts, self.weights, own),
            clusters=None if clusters is None else clusters.reweigh(own),
        )

    def project(self, *names: str) -> "Projection":
        """Which cells become one where only some of the systems are told."""
        if names[0] in self._projections and len(names) == 1:
            return self._projections[names[0]]
        places = [self.systems.index(name) for name in names]
        chosen = replace(self, systems=names, outputs=self.outputs[places])
        found = Projection.onto(chosen.drop_strangers())
        if len(names) == 1 and self.outputs.size <= _MOST_KEPT:
            self._projections[names[0]] = found
        return found

    def drop_strangers(self) -> "Cells":
        """Label sets without labels that the gold does not list and nobody predicts."""
        if self.sets is None:
            return self
        known = len(self.listed)
        used = np.append(np.arange(len(self.labels)) < known, True)
        used[self.sets.take(np.unique(self.outputs)).codes] = True
        labels = tuple(name for name, one in zip(self.labels, used, strict=False) if one)
        present, codes = np.unique([self.gold, *self.outputs], return_inverse=True)
        sets = self.sets.take(present).recode(np.cumsum(used) - 1)
        distinct, places = sets.encode()
        gold, *outputs = places[codes].reshape(len(self.outputs) + 1, len(self.gold))
        return replace(self, labels=labels, gold=gold, outputs=np.stack(outputs), sets=distinct)

    def store(self) -> Stored:
        names = {"groups": self.groups, "labels": self.labels, "listed": self.listed}
        own = ("owners", "gold", "outputs", "counts", "n", "weights")
        arrays = {name: getattr(self, name) for name in own}
        if self.sets is not None:
            arrays |= {"sets.offsets": self.sets.offsets, "sets.codes": self.sets.codes}
        if self.clusters is not None:
            names["clusters"] = self.clusters.names
            arrays |= self.clusters.store()
        return Stored("cells", self.systems, names, drop_missing(arrays))

    @classmethod
    def load(cls, counter: Any, stored: Stored) -> "Cells":
        counts = stored.read_whole("counts", (None,), least="weights" not in stored.arrays)
        size = len(counts)
        groups = stored.list_names("groups")
        owners = stored.read_whole("owners", (size,), most=len(groups) - 1)
        labels, listed = stored.list_names("labels"), stored.list_names("listed")
        if labels[: len(listed)] != listed:
            raise ValueError("its listed labels are not the first of its labels")
        gold, outputs, sets = read_sides(counter.kind, stored, len(labels), size)
        n = stored.read_whole("n", (len(groups),))
        if (sum_by(counts, owners, len(n)) != n).any():
            raise ValueError("its n are not the sums of its counts")
        weights = read_weights(stored, "weights", counts) if "weights" in stored.arrays else None
        clusters = None
        if "clusters" in stored.names:
            clusters = Clusters.load(stored, size, weighted=weights is not None)
            if (sum_by(clusters.counts, clusters.cells, size) != counts).any():
                raise ValueError("its counts are not the sums of those of its clusters")
        names = (stored.systems, groups, labels, listed)
        tally = cls(counter, *names, owners, gold, outputs, counts, n, weights, clusters, sets)
        return tally.merge() if size else tally

    def check_outputs(self, least: int) -> None:
        """Raises a ValueError unless all outputs are labels, from one of these on."""
        if self.outputs.size and not least <= self.outputs.min() <= self.outputs.max() < len(
            self.labels
        ):
            raise ValueError("its outputs point beyond its labels")

    @property
    def plain(self) -> bool:
        return self.weights is None and self.clusters is None

    def list_clusters(self) -> Owners | None:
        """The group and the cluster of each entry of its clusters that has a weight above 0."""
        if self.clusters is None:
            return None
        some = self.clusters.counts > 0
        return self.owners[self.clusters.cells[some]], self.clusters.owners[some]

    def weigh_units(self, units: int) -> "UnitWeights | None":
        """The tally of one system and group by the weights of its units, if they only add.

        Args:
            units: How many there are; each is a cluster of the tally that is called by its number.
        """
        own = self.clusters
        if own is None or not self.labelled:
            return None
        from tallystick.model.tallies.unit_weights import UnitWeights

        places = np.zeros(units, np.int64)
        places[np.array(own.names, np.int64)[own.owners]] = own.cells

        def form(sums: NDArray[np.float64]) -> "Cells":
            return replace(self, weights=np.stack([sums, sums]), clusters=None)

        return UnitWeights(len(self.owners), places, form, share_like=True)

    def split_clusters(self) -> tuple["Cells", NDArray[np.int64]]:
        """The tally with each cluster as a group, and how many clusters each group has."""
        own = self.clusters
        assert own is not None
        wide = len(own.names)
        names, owners = np.unique(self.owners[own.cells] * wide + own.owners, return_inverse=True)
        split = replace(
            self,
            groups=tuple(names.tolist()),
            owners=owners,
            gold=self.gold[own.cells],
            outputs=self.outputs[:, own.cells],
            counts=own.counts,
            n=np.bincount(owners, own.counts, len(names)).astype(np.int64),
            weights=own.weights,
            clusters=None,
        )
        sizes = np.bincount(names // wide, minlength=len(self.groups))
        return split, sizes

    def resample(self, resamples: int, seed: int) -> Iterator["Cells"]:
        """Bootstrap resamples of counts, which are multinomial, in chunks with a leading axis."""
        if self.clusters is None:
            units = find_units(self.owners, None, self.groups)
            drawn = draw_cells(self.counts, self.weights, units, resamples, seed)
        else:
            owners = self.owners[self.clusters.cells]
            units = find_units(owners, self.clusters.owners, self.groups)
            drawn = draw_clusters(self.clusters, units, len(self.owners), resamples, seed)
        for counts, weights in drawn:
            resampled = replace(self, counts=counts, weights=weights, clusters=None)
            for here in slice_chunks(len(counts), len(self.groups) * len(self.labels)):
                part = resampled.part(here)
                part._projections.update(self._projections)
                yield part

    def leave_one_out(self, part: float) -> Iterator[Lighter]:
        """The tally of one system without such a part of an example of some cells.

        They come in chunks, with one cell of each group at a time: their tallies with a leading
        axis, which cell is lighter in each group, -1 for none, of shape (chunk, groups), and how
        much weight is missing of each of all cells, where an example weighs what those of its cell
        do on average. Last comes the share of its group that one example of each cell is.
        """
        size, sums = len(self.owners), self.mass.astype(np.float64)
        missing, whole = part * self.unit_masses, self.sum_groups(self.mass)[self.owners]
        shares = np.asarray(self.unit_masses / np.where(whole > 0, whole, 1))
        starts = np.searchsorted(self.owners, np.arange(len(self.groups) + 1))
        for here in slice_chunks(int(np.diff(starts).max(initial=0)), 2 * size):
            places = starts[:-1] + np.arange(here.start, here.stop)[:, None]
            places = np.where(places < starts[1:], places, -1)
            own = np.repeat(sums[None], len(places), axis=0)
            rows, _ = np.nonzero(places >= 0)
            cells = places[places >= 0]
            own[rows, cells] = np.maximum(own[rows, cells] - missing[cells], 0)
            light = replace(self, weights=np.stack([own, own]), clusters=None)
            yield light, places, missing, shares

    @property
    def unit_masses(self) -> NDArray[np.float64]:
        """What an example of each cell weighs, chosen by its weight, so that none of 0 counts."""
        if self.weights is None:
            return np.ones(len(self.owners))
        sums, squares = self.weights[:2]
        return np.asarray(np.minimum(squares / np.where(sums > 0, sums, np.inf), sums))

    def part(self, resamples: slice) -> "Cells":
        """Some of the resamples along the leading axis."""
        weights = None if self.weights is None else self.weights[:, resamples]
        return replace(self, counts=self.counts[resamples], weights=weights)

    def sum_groups(self, values: NDArray[Any]) -> NDArray[Any]:
        """Sums values of shape (..., cells) by group, to shape (..., groups)."""
        return widen(sum_by(values, self.owners, len(self.groups)))

    def per_label(self) -> PerLabel:
        """Each label against all others, of the only system; arrays (..., groups, labels)."""
        return self._by_label

    @cached_property
    def _by_label(self) -> PerLabel:
        return self._count_labels() if self.sets is None else self._count_sets()

    def _count_labels(self) -> PerLabel:
        sides = (self.owners, len(self.groups), self.gold, self.predicted)
        found = count_labels(self.labels, *sides, self.mass)
        if self.weights is None:
            return found
        seen = count_labels(self.labels, *sides, np.ones(len(self.owners))).used
        return replace(found, used=found.used | (seen & (found.total > 0)))

    def _count_sets(self) -> PerLabel:
        assert self.sets is not None
        shared, _, _ = self.sets.compare(self.gold, self.predicted)
        sides = (self.sets.take(codes).list_members() for codes in (self.predicted, self.gold))
        groups = len(self.groups)
        return count_members(self.labels, self.owners, groups, self.mass, (shared, *sides))

    def tabulate(self) -> NDArray[Any]:
        """The confusion matrix of valid outputs: (..., groups, gold label, predicted label)."""
        wide = len(self.labels)
        places = (self.owners * wide + self.gold) * wide + self.predicted
        known = np.where(self.predicted < wide, places, -1)
        sums = widen(sum_by(self.mass, known, len(self.groups) * wide**2))
        return sums.reshape(*sums.shape[:-1], len(self.groups), wide, wide)


class Projection(Struct, frozen=True, eq=False):
    """Which cells become one if fewer systems are told apart: the tally, and each cell's place."""

    like: Cells
    places: NDArray[np.int64]

    @classmethod
    def onto(cls, renamed: Cells) -> "Projection":
        """The projection of cells of which some are equal now."""
        first = places = renamed.owners
        if len(first):
            outputs = [own for own in renamed.outputs if own.strides != (0,)]
            columns = (renamed.owners, renamed.gold, *outputs)
            first, places = find_distinct([to_bytes(column) for column in columns])
        return cls(renamed.pick(first), places)

    def apply(self, cells: Cells) -> Cells:
        """Merges cells with equal keys by summing their counts."""
        size, weights, clusters = len(self.like.owners), cells.weights, cells.clusters
        alone = cells.counts.ndim == 1 and bool((cells.counts == 1).all())
        return replace(
            self.like,
            counts=np.bincount(self.places) if alone else sum_by(cells.counts, self.places, size),
            weights=None if weights is None else sum_by(weights, self.places, size),
            clusters=None if clusters is None else clusters.move(self.places),
        )


def _share_sets(parts: list[Cells]) -> list[Cells]:
    """The same tallies, of label sets with codes of the same sets."""
    tables = [own.sets for own in parts if own.sets is not None]
    if not tables:
        return parts
    sets, codes = CodeSets.concatenate(tables).encode()
    ends = np.cumsum(list(map(len, tables)))
    own_codes = np.split(codes, ends[:-1])
    return [
        replace(own, sets=sets, gold=table[own.gold], outputs=table[own.outputs])
        for own, table in zip(parts, own_codes, strict=True)
    ]


def count_patterns(
    counter: Counter,
    systems: Systems,
    labels: tuple[Label, ...],
    listed: tuple[Label, ...],
    gold: Sides,
    outputs: Sides,
) -> Cells:
    """Counts how often each pattern of gold and outputs occurs; the arguments are as in `Cells`."""
    groups, owners = group_codes(systems)
    own, counts, weights = systems.clusters, count_rows(systems), weigh_rows(systems)
    clusters = None
    if own is not None:
        codes = own.codes.astype(np.int64)
        clusters = Clusters(own.names, codes, np.arange(len(codes)), counts, weights)
    return Cells(
        counter,
        systems.names,
        groups,
        labels,
        listed,
        owners.astype(np.int64),
        gold,
        outputs,
        counts,
        count_groups(systems),
        weights,
        clusters,
    ).merge()
