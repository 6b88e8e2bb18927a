"""The tally of scores of rated systems, which people and metrics gave for the same items."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.kinds.numbers import NUMBERS
from tallystick.kinds.numbers.number_counters import check_plain, find_pairs
from tallystick.model.codes import Label, Labels, append, order, place_names, unify
from tallystick.model.reading import Needed
from tallystick.model.systems import Systems
from tallystick.model.tallies.clusters import find_units
from tallystick.model.tallies.groups import group_codes
from tallystick.model.tallies.metric import Values
from tallystick.model.tallies.storage import LARGEST, Stored
from tallystick.model.tallies.tally import Kept, Owners, Tally, check_addable


class RatedScores(Struct, frozen=True):
    """Puts the scores of people and metrics into tables of items x rated systems."""

    kind = NUMBERS
    needs = Needed(gold=True)

    def count(self, systems: Systems) -> "RatedItems":
        check_plain(systems)
        rated, (gold, outputs) = NUMBERS.of(systems).rated, find_pairs(systems, None)
        if rated is None:
            raise UsageError(
                "these metrics compare rated systems with each other: name the column that "
                "contains the names of the rated systems with `rated=`"
            )
        groups, owners = group_codes(systems)
        items = _name_in_order([rated.items])
        keys = np.stack([own.astype(np.int64) for own in (owners, items.codes)])
        found, first, places = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        shape = (1 + len(outputs), found.shape[1], len(rated.systems.names))
        scores = np.full(shape, np.nan)
        scores[:, places.ravel(), rated.systems.codes] = np.stack([gold, *outputs])
        owned = rated.items if systems.clusters is None else systems.clusters
        clusters = owned.take(first)
        torn = clusters.codes[places.ravel()] != owned.codes
        if torn.any():
            item = items.names[items.codes[int(np.argmax(torn))]]
            raise InputError(f"the item {item!r} is in several clusters")
        return RatedItems(
            self,
            systems.names,
            Labels(found[0].astype(np.uint32), groups),
            Labels(found[1].astype(np.uint32), items.names),
            clusters,
            rated.systems.names,
            scores,
        ).arrange()


class Grid(Struct, frozen=True, eq=False):
    """The scores of one metric next to those of people; NaN in both where one is missing.

    Attributes:
        gold: The scores of people, of shape (items, rated systems); `output` are the metric's.
        times: How often each item is in each resample, of shape (resamples, items), or None.
        order: The place of each item in the data, which random signs follow.
    """

    gold: Values
    output: Values
    times: Values | None
    order: NDArray[np.uint32]

    @property
    def known(self) -> NDArray[np.bool_]:
        return ~np.isnan(self.gold)

    @property
    def weights(self) -> Values:
        """How often each item counts, of shape (resamples, items)."""
        return np.ones((1, len(self.gold))) if self.times is None else self.times

    def average_systems(self) -> tuple[Values, Values]:
        """The mean scores of each rated system, of shape (resamples, rated systems).

        They are rounded, so that equal means are equal and tied.
        """
        counts = self.weights @ self.known
        counts = np.where(counts > 0, counts, np.nan)
        gold, output = (self.weights @ np.nan_to_num(own) for own in (self.gold, self.output))
        return _round(gold / counts), _round(output / counts)

    def move_means(self, far: float) -> tuple[Values, Values]:
        """The mean scores of each rated system with more weight on one item: (items, systems)."""
        counts = self.known.sum(0) + far * self.known
        counts = np.where(counts > 0, counts, np.nan)
        sides = (np.nan_to_num(own) for own in (self.gold, self.output))
        gold, output = (_round((own.sum(0) + far * own) / counts) for own in sides)
        return gold, output


def _name_in_order(parts: Sequence[Labels]) -> Labels:
    names: dict[Label, int] = {}
    found = []
    for own in parts:
        _, first = np.unique(own.codes, return_index=True)
        for row in np.sort(first).tolist():
            names.setdefault(own.names[own.codes[row]], len(names))
        found.append(np.array([names.get(name, 0) for name in own.names], np.uint32)[own.codes])
    return Labels(np.concatenate(found), tuple(names))


def _round(means: Values) -> Values:
    """Means to about twelve digits of the largest."""
    largest = float(np.abs(np.nan_to_num(means)).max(initial=0))
    if not 0 < largest < np.inf:
        return means
    step = 2.0 ** (math.frexp(largest)[1] - 40)
    return np.asarray(np.rint(means / step) * step)


class RatedItems(Tally, frozen=True, eq=False):
    """The items themselves, each with the scores of all rated systems.

    There is a row for each group of an item. Rows are sorted by group, cluster and item.

    Attributes:
        items: The item of each row; their names are in the order of the data.
        clusters: What is resampled as a whole: the item, or what was named.
        scores: float64 of shape (1 + metrics, rows, rated systems), those of people first; NaN
            where a score is missing.
        times: int64 of shape (resamples, rows), how often each row is drawn, or None.
    """

    keeps_examples: ClassVar[bool] = True
    counter: RatedScores
    systems: tuple[str, ...]
    owners: Labels
    items: Labels
    clusters: Labels
    rated: tuple[Label, ...]
    scores: Values
    times: NDArray[np.int64] | None = None

    @property
    def groups(self) -> tuple[Label, ...]:
        return self.owners.names

    @property
    def n(self) -> NDArray[np.int64]:
        """The number of scored outputs of each group: pairs of an item and a rated system."""
        known = (~np.isnan(self.scores[0])).sum(-1)
        return np.bincount(self.owners.codes, known, len(self.groups)).astype(np.int64)

    def list_grids(self) -> Iterator[tuple[NDArray[np.intp], Grid]]:
        """The rows of each group of the only metric, and their table."""
        gold, output = self.scores
        missing = np.isnan(gold) | np.isnan(output)
        gold, output = (np.where(missing, np.nan, own) for own in (gold, output))
        for place in range(len(self.groups)):
            here = np.flatnonzero(self.owners.codes == place)
            times = None if self.times is None else self.times[:, here].astype(np.float64)
            yield here, Grid(gold[here], output[here], times, self.items.codes[here])

    def score_groups(self, measure: Callable[[Grid], Values]) -> Values:
        """Measures each group: (groups,), or (resamples, groups) where there are resamples."""
        values = np.stack([measure(grid) for _, grid in self.list_grids()], axis=-1)
        return np.asarray(values[0] if self.times is None else values)

    def arrange(self) -> "RatedItems":
        """The same, with rows in an order that does not depend on the order of the input."""
        keys = (self.items.codes, self.clusters.codes, self.owners.codes)
        return self._take(np.lexsort(keys))

    def _take(self, rows: NDArray[np.intp]) -> "RatedItems":
        return replace(
            self,
            owners=self.owners.take(rows),
            items=self.items.take(rows),
            clusters=self.clusters.take(rows),
            scores=self.scores[:, rows],
            times=None if self.times is None else self.times[:, rows],
        )

    @classmethod
    def join(cls, parts: Sequence["RatedItems"]) -> "RatedItems":
        first = parts[0]
        for other in parts[1:]:
            check_addable(first, other)
        rated = order({name for one in parts for name in one.rated})
        joined = replace(
            first,
            owners=append(unify(*(one.owners for one in parts))),
            items=_name_in_order([one.items for one in parts]),
            clusters=append(unify(*(one.clusters for one in parts))),
            rated=rated,
            scores=np.concatenate([one._spread(rated) for one in parts], axis=1),
        )
        return joined._merge().arrange()

    def _spread(self, rated: tuple[Label, ...]) -> Values:
        found = np.full((*self.scores.shape[:2], len(rated)), np.nan)
        found[..., place_names(self.rated, rated)] = self.scores
        return found

    def _merge(self) -> "RatedItems":
        keys = np.stack([self.owners.codes, self.items.codes]).astype(np.int64)
        _, first, places = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        if len(first) == len(self.items):
            return self
        known = ~np.isnan(self.scores)
        sums, counts = np.zeros((2, len(self.scores), len(first), len(self.rated)))
        for row, place in enumerate(places.ravel().tolist()):
            sums[:, place] += np.nan_to_num(self.scores[:, row])
            counts[:, place] += known[:, row]
        if counts.max() > 1:
            row = int(np.argmax((counts > 1).any((0, 2))))
            item = self.items.names[self.items.codes[first[row]]]
            raise InputError(f"the item {item!r} has several scores of the same rated system")
        return replace(self._take(first), scores=np.where(counts > 0, sums, np.nan))

    def total(self) -> "RatedItems":
        if self.groups == ("all",):
            return self
        owners = Labels(np.zeros(len(self.items), np.uint32), ("all",))
        return replace(self, owners=owners)._merge().arrange()

    def of(self, *names: str) -> "RatedItems":
        places = [0, *(1 + self.systems.index(name) for name in names)]
        return replace(self, systems=names, scores=self.scores[places])

    def store(self) -> Stored:
        columns = {"groups": self.owners, "items": self.items, "clusters": self.clusters}
        names = {name: own.names for name, own in columns.items()} | {"rated": self.rated}
        codes = {name: own.codes.astype(np.uint32) for name, own in columns.items()}
        known = ~np.isnan(self.scores)
        arrays = {**codes, "scores": np.where(known, self.scores, 0.0), "known": known.view("u1")}
        return Stored("rated", self.systems, names, arrays)

    @classmethod
    def load(cls, counter: RatedScores, stored: Stored) -> "RatedItems":
        size, rated = len(stored.read("items", (None,))), stored.list_names("rated")
        shape = (1 + len(stored.systems), size, len(rated))
        known = stored.read("known", shape)
        if known.dtype != np.uint8 or known.max(initial=0) > 1:
            raise ValueError("its known scores are not given as 0 and 1")
        owners, items, clusters = (
            stored.read_labels(name, name, size) for name in ("groups", "items", "clusters")
        )
        pairs = np.unique(np.stack([owners.codes, items.codes]), axis=1)
        if pairs.shape[1] < size:
            raise ValueError("its items have several rows in a group")
        scores = stored.read_reals("scores", shape)
        if (np.abs(scores) > LARGEST).any():
            raise ValueError("its scores are larger than numbers that are read")
        scores = np.where(known == 1, scores, np.nan)
        tally = cls(counter, stored.systems, owners, items, clusters, rated, scores).arrange()
        tally.total()  # refuses items that have several scores of one system over all groups
        return tally

    def list_kept(self) -> Kept:
        size = len(self.owners.codes)
        return Kept(self, self.list_clusters()[0], np.ones(size), np.ones(size, np.int64))

    def list_clusters(self) -> Owners:
        return self.owners.codes.astype(np.int64), self.clusters.codes.astype(np.int64)

    def resample(self, resamples: int, seed: int) -> Iterator["RatedItems"]:
        """Bootstrap resamples of clusters, in chunks with a leading axis."""
        units = find_units(*self.list_clusters(), self.groups)
        for drawn in units.draw(resamples, seed):
            yield replace(self, times=drawn.astype(np.int64)[:, units.of])
