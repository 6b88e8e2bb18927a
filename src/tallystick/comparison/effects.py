"""What single examples, or clusters, add to the difference of two systems."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.comparison.rows import find_places, find_slopes, list_rows, score_rows
from tallystick.frozen import dataclass, replace
from tallystick.scoring.intervals.influence import find_hits
from tallystick.tallies.cells import Cells
from tallystick.tallies.clusters import Clusters
from tallystick.tallies.metric import Metric, Values
from tallystick.tallies.second_moments import Products, Rows
from tallystick.tallies.sums import Sums
from tallystick.tallies.tally import Pair, Tally

_STILL = 1e-9
"""A smaller influence, as a share of the largest one, is rounding."""

_MOST_EFFECTS = 1 << 14
"""Effects of so many kinds of examples are found at once."""

_TINY = float(np.finfo(float).tiny)
_STEP = 1e-4
"""How far sums are moved for a slope, as a share of themselves."""


@dataclass(frozen=True, slots=True, eq=False)
class Effects:
    """What kinds of examples, or clusters, add to differences of pairs, by each metric on each row.

    `values`, of shape (pairs, metrics, rows, kinds), is what one of each kind adds: they add up to
    the difference, and scatter as they would if there were none. `sizes`, likewise, is its weight
    as far as it matters to the metric. `counts` has shape (kinds), and `differ`, whether the
    outputs do, (pairs, 1, 1, kinds). `normal`, of shape (pairs, metrics, rows), is the variance of
    further effects, too many to list, and `n` how many examples, or clusters, matter.
    """

    values: Values
    sizes: Values
    counts: NDArray[Any]
    differ: NDArray[np.bool_]
    normal: Values
    n: Values
    clustered: bool = False

    @property
    def variance(self) -> Values:
        """The variance of the difference if there is none, of shape (pairs, metrics, rows)."""
        return np.asarray(self.values**2 @ self.counts + self.normal)

    @property
    def skewness(self) -> Values:
        """The skewness of the difference if there is none, likewise."""
        variance = self.variance
        shares = self.values / np.sqrt(np.where(variance > 0, variance, 1))[..., None]
        return np.asarray((shares * shares * shares) @ self.counts)

    @property
    def step(self) -> Values:
        """How far an example on which the systems differ moves the difference, likewise."""
        turned = (self.values != 0) & self.differ
        many = turned @ self.counts
        squares = np.where(turned, self.values**2, 0) @ self.counts
        alone = 1 / np.maximum(self.n, 1)
        return np.where(many > 0, np.sqrt(squares / np.maximum(many, 1)), alone)


def open_source(
    metrics: Sequence[Metric], tally: Tally, groups: Sequence[str]
) -> "_LabelSource | _RowSource | _ProductSource":
    """The source of the effects of all pairs of a tally's systems.

    It compares `most_pairs` of them at once, whose scores differ by what it is given, of shape
    (pairs, metrics, rows).

    Source: Efron and Stein 1981, Annals of Statistics 9 (jackknife); Hampel 1974, JASA 69.
    """
    if tally.patterns is not None:
        return _LabelSource.of(metrics, tally.patterns, groups)
    sums = tally.need(Sums)
    return (_RowSource if sums.rows else _ProductSource).of(metrics, sums, groups)


def _list_scopes(
    codes: NDArray[Any], names: Sequence[Any], groups: Sequence[str]
) -> NDArray[np.bool_]:
    """Which kinds each row of scores is about, from the group of each kind: (rows, kinds)."""
    rows = [codes == at for at in find_places(names, groups)]
    everything = np.ones(len(codes), bool)
    return np.stack(list_rows(rows, everything, everything))


def _contrast(
    slopes: tuple[Values, Values],
    moving: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    masses: NDArray[Any],
    differences: Values,
    scopes: NDArray[np.bool_],
) -> tuple[Values, NDArray[np.bool_]]:
    """What a unit of weight of each kind adds to the difference, and which kinds matter.

    What a system's examples add to its score they add beside that score itself; the difference
    comes back to all that are `moving` one of them, in equal parts. Where all examples are alike
    none moves a score, and those of the row matter on which the systems differ.
    """
    used = moving[0] | moving[1]
    used = np.where(used.any(-1, keepdims=True), used, scopes)
    total = used @ masses
    added = slopes[0] - slopes[1]
    shift = (differences - added @ masses) / np.where(total > 0, total, np.inf)
    return _drop_rounding(added + used * shift[..., None]), used


def _find_moving(values: Values) -> NDArray[np.bool_]:
    """Which values, along the last axis, are more than rounding beside the largest."""
    sizes = np.abs(values)
    return np.asarray(sizes > _STILL * sizes.max(-1, keepdims=True, initial=0))


def _drop_rounding(values: Values) -> Values:
    small = np.abs(values) <= _STILL * np.abs(values).max(-1, keepdims=True, initial=0)
    return np.where(small, 0.0, values)


@dataclass(frozen=True, slots=True, eq=False)
class _Influence:
    """What each kind of example of one system adds to its scores, by unit of weight.

    `slopes` has shape (metrics, rows, kinds). `hits` tells of each metric that is a share of the
    examples whether a kind is a hit, and whether it is a trial; None of others. `places` is the
    kind to which each cell of all systems belongs.
    """

    slopes: Values
    hits: list[tuple[Values, Values] | None]
    places: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _LabelSource:
    """Effects of the cells of labels and label sets."""

    tally: Cells
    groups: Sequence[str]
    influences: dict[str, _Influence]
    most_pairs: int = 1

    @classmethod
    def of(cls, metrics: Sequence[Metric], tally: Cells, groups: Sequence[str]) -> "_LabelSource":
        """Finds the influences of every system, which no other system changes."""
        found = {}
        for name in tally.systems:
            own = tally.of(name)
            hits = [find_hits(metric, own) for metric in metrics]
            slopes = find_slopes(metrics, own, groups)
            found[name] = _Influence(slopes, hits, tally.project(name).places)
        return cls(tally, groups, found)

    def compare(self, pairs: Sequence[Pair], differences: Values) -> Effects:
        """The effects of two systems, whose kinds are those of no other pair."""
        ((a, b),) = pairs
        tally, sides = self.tally, (self.influences[a], self.influences[b])
        kinds = _Kinds.of(tally, sides)
        masses, squares = kinds.sum_weights(tally)
        both = [side.slopes[None, ..., at] for side, at in zip(sides, kinds.own, strict=True)]
        left, right = (tally.outputs[tally.systems.index(name)][kinds.first] for name in (a, b))
        differ = left != right
        scopes = _list_scopes(tally.owners[kinds.first], tally.groups, self.groups) & differ
        moving = _find_moving(both[0]), _find_moving(both[1])
        added, used = _contrast((both[0], both[1]), moving, masses, differences, scopes)
        for metric, hits, trials in _find_shares(sides, kinds):
            rows = self._weigh_trials(trials, kinds, masses)
            added[:, metric], used[:, metric] = hits * rows, rows > 0
        if tally.clusters is not None:
            return _gather(tally.clusters, kinds.of_cells, added, used, differ)
        typical = np.sqrt(squares / np.maximum(kinds.counts, 1))
        normal = np.zeros(added.shape[:-1])
        return Effects(
            added * typical, used * typical, kinds.counts, differ, normal, used @ kinds.counts
        )

    def _weigh_trials(self, trials: Values, kinds: "_Kinds", masses: Values) -> Values:
        """The part that one trial of each kind has in the share of each row: (rows, kinds)."""
        owners = self.tally.owners[kinds.first]
        places = find_places(self.tally.groups, self.groups)
        rows = [np.where(owners == place, trials, 0) for place in places]
        *groups, whole = (own / max(float(own @ masses), _TINY) for own in (*rows, trials))
        known = [own for own in groups if own.any()]
        mean = np.sum(known, axis=0) / max(len(known), 1) + np.zeros(len(trials))
        return np.stack(list_rows(groups, mean, whole))


def _find_shares(
    sides: tuple[_Influence, _Influence], kinds: "_Kinds"
) -> Iterator[tuple[int, Values, Values]]:
    """Which metrics are shares of the same trials, with where which system alone has a hit."""
    for metric, found in enumerate(zip(*(side.hits for side in sides), strict=True)):
        if found[0] is not None and found[1] is not None:
            (hits, trials), (other_hits, other_trials) = (
                [own[at] for own in side] for side, at in zip(found, kinds.own, strict=True)
            )
            if np.array_equal(trials, other_trials):
                yield metric, hits - other_hits, trials


@dataclass(frozen=True, slots=True, eq=False)
class _Kinds:
    """Projects the contingency counts of all systems onto two of them.

    `keys` tells the kind of each cell, `found` is the key of each kind, ascending, `first` a cell
    of each, and `own` its kind among those of either system alone.
    """

    keys: NDArray[np.int64]
    found: NDArray[np.int64]
    first: NDArray[np.intp]
    own: tuple[NDArray[np.int64], NDArray[np.int64]]
    counts: NDArray[np.float64]

    @classmethod
    def of(cls, tally: Cells, sides: tuple[_Influence, _Influence]) -> "_Kinds":
        """The kinds, in an order that no other system changes."""
        one, other = (side.places for side in sides)
        keys = one * (int(other.max(initial=0)) + 1) + other
        most = int(keys.max(initial=-1)) + 1
        if most > len(keys):  # too many to have a place for each that could be
            found, first, places = np.unique(keys, return_index=True, return_inverse=True)
            counts = np.bincount(places, tally.counts, len(found))
        else:
            sums, last = np.bincount(keys, tally.counts, most), np.empty(most, np.intp)
            last[keys] = np.arange(len(keys))
            found = np.flatnonzero(sums)
            first, counts = last[found], sums[found]
        return cls(keys, found, first, (one[first], other[first]), counts.astype(np.float64))

    @property
    def of_cells(self) -> NDArray[np.intp]:
        """The kind of each cell."""
        return np.searchsorted(self.found, self.keys)

    def sum_weights(self, tally: Cells) -> Values:
        """The sums of weights of each kind, and of their squares."""
        if tally.weights is None:
            return np.stack([self.counts] * 2)
        places = self.of_cells
        own = [np.bincount(places, one, len(self.first)) for one in tally.weights[:2]]
        return np.stack(own).astype(np.float64)


def _add_up(values: Values, owners: NDArray[Any], size: int) -> Values:
    """Adds up, along the last axis, the values of each of so many owners."""
    flat = values.reshape(-1, values.shape[-1])
    sums = [np.bincount(owners, own, size) for own in flat]
    return np.array(sums, np.float64).reshape(*values.shape[:-1], size)


def _gather(
    clusters: Clusters,
    kinds: NDArray[np.intp],
    added: Values,
    used: NDArray[np.bool_],
    differ: NDArray[np.bool_],
) -> Effects:
    """The effects of clusters: the sums of those of their examples."""
    size, wide = len(clusters.names), len(differ)
    # In an order that depends on no other system, so that sums have the same last digit.
    keys, places = np.unique(clusters.owners * wide + kinds[clusters.cells], return_inverse=True)
    owners, entries = np.divmod(keys, wide)
    masses = clusters.counts if clusters.weights is None else clusters.weights[0]
    masses = np.bincount(places, masses, len(keys))
    sizes = _add_up(used.astype(np.float64)[..., entries] * masses, owners, size)
    return Effects(
        _drop_rounding(_add_up(added[..., entries] * masses, owners, size)),
        sizes,
        np.ones(size),
        np.bincount(owners, differ[entries], size) > 0,
        np.zeros(added.shape[:-1]),
        (sizes > 0).sum(-1).astype(np.float64),
        clustered=True,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _RowSource:
    """Effects of texts, or of clusters of them, whose rows are kept.

    `slopes`, of shape (systems, metrics, rows, kinds), is how the scores of each system rise with a
    unit of weight of each row, `moving` where that is no rounding, and `masses` the weight of each.
    """

    rows: Rows
    slopes: Values
    moving: NDArray[np.bool_]
    scopes: NDArray[np.bool_]
    systems: tuple[str, ...]
    masses: Values
    counter: Any

    @classmethod
    def of(cls, metrics: Sequence[Metric], tally: Sums, groups: Sequence[str]) -> "_RowSource":
        """Finds the slopes of every system, which no other system changes."""
        rows = tally.list_rows()
        masses = _find_masses(tally.counter, rows)
        slopes = np.stack([find_slopes(metrics, own, groups) for own in tally.part_rows(rows)])
        slopes /= np.where(masses > 0, masses, 1)
        scopes = _list_scopes(rows.groups.codes, rows.groups.names, groups)
        return cls(rows, slopes, _find_moving(slopes), scopes, tally.systems, masses, tally.counter)

    @property
    def most_pairs(self) -> int:
        """So many that their effects fit into the cache of a processor."""
        return max(_MOST_EFFECTS // max(math.prod(self.slopes.shape[1:]), 1), 1)

    def compare(self, pairs: Sequence[Pair], differences: Values) -> Effects:
        places = [[self.systems.index(name) for name in pair] for pair in pairs]
        differ = np.stack([self.rows.tell_apart(*both) for both in places])[:, None, None]
        a, b = np.transpose(places)
        slopes, moving = (self.slopes[a], self.slopes[b]), (self.moving[a], self.moving[b])
        scopes = self.scopes & differ
        added, used = _contrast(slopes, moving, self.masses, differences, scopes)
        added, sizes = added * self.masses, used * self.masses
        clusters = self.rows.clusters
        if clusters is not None:
            both = [self.rows.values[:, pair].sum(1) for pair in places]
            weights = np.stack([_measure_clusters(self.counter, own) for own in both])
            sizes = sizes * weights[:, None, None]
            codes, size = clusters.codes, len(clusters.names)  # one may have rows in several groups
            added, sizes = (_add_up(own, codes, size) for own in (added, sizes))
            differ = _add_up(differ.astype(np.float64), codes, size) > 0
        n = (sizes > 0).sum(-1).astype(np.float64)
        normal = np.zeros(added.shape[:-1])
        ones = np.ones(added.shape[-1])
        return Effects(added, sizes, ones, differ, normal, n, clusters is not None)


def _find_masses(counter: Any, rows: Rows) -> Values:
    """What each row weighs: of numbers as much as their example, where it is one alone."""
    if rows.clusters is not None or not counter.kind.numeric:
        return np.ones(len(rows.values))
    return np.asarray(rows.values[:, 0, counter.columns.index("examples")], np.float64)


def _measure_clusters(counter: Any, rows: Values) -> Values:
    """How much clusters count for, from their rows: of numbers by their examples, else words."""
    if counter.kind.numeric:
        return np.asarray(rows[:, counter.columns.index("examples")], np.float64)
    return np.asarray(np.abs(rows).sum(-1))


@dataclass(frozen=True, slots=True, eq=False)
class _ProductSource:
    """Effects of texts so many that only the products of their rows are kept."""

    products: Products
    slopes: dict[str, Values]
    systems: tuple[str, ...]
    most_pairs: int = 1

    @classmethod
    def of(cls, metrics: Sequence[Metric], tally: Sums, groups: Sequence[str]) -> "_ProductSource":
        """Finds the slopes of every system in its sums: (metrics, rows, groups, columns)."""
        products = tally.list_products()
        slopes = {}
        for at, name in enumerate(tally.systems):
            scale = _find_scale(tally.counter, products.of([at]))
            slopes[name] = _differentiate(metrics, tally.of(name).relative(), scale, groups)
        return cls(products, slopes, tally.systems)

    def compare(self, pairs: Sequence[Pair], differences: Values) -> Effects:
        """The effects of two systems, as one normal sum."""
        ((a, b),) = pairs
        places = [self.systems.index(name) for name in (a, b)]
        own = self.products.of(places)
        slopes = np.stack([self.slopes[a], -self.slopes[b]], axis=-2)
        flat = slopes.reshape(*slopes.shape[:3], -1)
        size = flat.shape[-1]
        n = np.maximum(own.n, 1)
        sums = own.sums.reshape(len(n), size).astype(np.float64)
        spread = own.products.reshape(len(n), size, size)
        spread = spread - sums[:, :, None] * sums[:, None, :] / n[:, None, None]
        used = (flat != 0).any(-1) @ own.n.astype(np.float64)
        variance = np.einsum("mrgi,gij,mrgj->mr", flat, spread, flat)
        normal = np.maximum(variance, 0) + differences**2 / np.maximum(used, 1)
        none = np.zeros((*differences.shape, 0))
        return Effects(none, none, np.zeros(0), np.zeros(0, bool), normal, used[None])


def _find_scale(counter: Any, products: Products) -> Values:
    """How large the sums are; of numbers, which may cancel each other, how large they could be."""
    if not counter.kind.numeric:
        return np.asarray(products.sums[:, 0], np.float64)
    squares: Values = np.einsum("gcc->gc", products.products[:, 0, :, 0])
    return np.asarray(np.sqrt(np.maximum(squares * products.n[:, None], 0)))


def _differentiate(
    metrics: Sequence[Metric], tally: Sums, scale: Values, groups: Sequence[str]
) -> Values:
    """The slopes of scores in each sum of each group; 0 where all that is summed is 0."""
    sums = tally.sums[0].astype(np.float64)
    steps = _STEP * scale.ravel()
    moved = np.diag(steps).reshape(-1, *sums.shape)
    ends = [
        score_rows(metrics, replace(tally, sums=(sums + sign * moved)[None], scatter=None), groups)
        for sign in (1, -1)
    ]
    rise = (ends[0] - ends[1]) / np.where(steps != 0, 2 * steps, np.inf)[:, None]
    base = score_rows(metrics, tally, groups)
    slopes = np.where(np.isnan(base), np.nan, np.nan_to_num(rise)).swapaxes(1, 2)
    return slopes.reshape(*slopes.shape[:2], *sums.shape)
