"""How far each example, or cluster, moves the scores of all systems, and so their differences."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.metric import Metric, Values, averages_labels, compares_groups
from tallystick.model.tallies.tally import Tally, need, relative
from tallystick.scoring.counted import Counted
from tallystick.scoring.data_warnings import find_rarest
from tallystick.scoring.influence import (
    FEW,
    Entries,
    find_hits,
    find_unlisted,
    limit_units,
    list_covariances,
    list_shared,
)
from tallystick.scoring.score_table import average_groups
from tallystick.statistics.influence import Covariances, Influence, Scatter, join_scatters, sum_at
from tallystick.statistics.p_values import erfc
from tallystick.statistics.paired import exchange

_Own = TypeVar("_Own")


def score_rows(metrics: Sequence[Metric], tally: Tally, groups: Sequence[str]) -> Values:
    """The scores of one system: (metrics, resamples, rows); a tally itself is one resample."""
    whole = tally.total()
    each = [metric.score(whole) for metric in metrics]
    if groups:
        each = [
            _add_groups(metric, tally, groups, own)
            for metric, own in zip(metrics, each, strict=True)
        ]
    scored = np.stack(each)
    return scored.reshape(len(metrics), -1, scored.shape[-1])


def count_units(counted: Counted, tally: Tally) -> NDArray[np.int64]:
    """How many examples each row has, or clusters where they belong to some."""
    found = tally.list_clusters()
    if found is None:
        return np.array([counted.size(row) for row in counted.rows], np.int64)
    pairs = np.unique(np.stack(found), axis=1)
    own = np.bincount(pairs[0], minlength=len(tally.groups))
    whole = len(np.unique(pairs[1]))
    own = own[find_places(tally.groups, counted.groups)]
    return np.array(list_rows([*own], whole, whole), np.int64)


def _add_groups(metric: Metric, tally: Tally, groups: Sequence[str], whole: Values) -> Values:
    values, places = metric.score(tally), find_places(tally.groups, groups)
    if places != list(range(values.shape[-1])):
        values = np.where([place >= 0 for place in places], values[..., places], np.nan)
    if compares_groups(metric):
        from tallystick.kinds.composite_metrics import Between

        assert isinstance(metric, Between)
        mean = metric.combine_groups(tally)
    else:
        mean = average_groups(metric, values)
    return np.concatenate([values, np.asarray(mean)[..., None], whole], axis=-1)


def find_places(names: Iterable[object], groups: Sequence[str]) -> list[int]:
    """The place of each group of the rows among the names of a tally's groups; -1 of others."""
    places = {str(name): place for place, name in enumerate(names)}
    return [places.get(group, -1) for group in groups]


def list_rows(groups: Sequence[_Own], mean: _Own, whole: _Own) -> list[_Own]:
    """What belongs to each row: to the groups, their mean, and their sum; or to all alone."""
    return [*groups, mean, whole] if groups else [whole]


Places = NDArray[np.intp]
"""Pairs of places of systems, of shape (pairs, 2)."""

_STILL = 1e-9
"""A smaller contribution, as a share of the largest one, is rounding."""


class Contributions(Struct, frozen=True, eq=False):
    """Those to the scores of all systems by one metric, on each row of scores.

    `parts` are about the scores of groups, their mean, and the score of all together; about the
    last alone where there are no groups. `places` are the groups of the rows among those. `entries`
    are what single examples add to the scores of groups, and to the score of all; there are none
    where they are too many to be listed. `mean` is what they add to the mean over groups.
    """

    metric: Metric
    tally: Tally
    parts: tuple[Influence, ...] | tuple[Covariances, ...]
    places: Sequence[int]
    entries: tuple[Entries, Entries] | None
    mean: Values | None = None

    @classmethod
    def of(
        cls, metric: Metric, tally: Tally, groups: Sequence[str], values: Values
    ) -> "Contributions":
        """Finds those of systems whose scores are `values`, of shape (systems, rows)."""
        places = find_places(tally.groups, groups)
        scores = np.full((len(tally.systems), len(tally.groups)), np.nan)
        for row, place in enumerate(places):
            if place >= 0:
                scores[:, place] = values[:, row]
        defined = ~np.isnan(scores)
        if (unlisted := find_unlisted(tally)) is not None:
            own, whole, mean = list_covariances(metric, unlisted, scores)
            return cls(metric, tally, (own, mean, whole) if groups else (whole,), places, None)
        if compares_groups(metric):
            found, defined = _hold_apart(metric, tally), np.ones_like(defined)
            shares = np.ones(scores.shape)
        else:
            found = list_shared(metric, tally)
            shares = defined / np.maximum(defined.sum(1, keepdims=True), 1)
        found = replace(found, own=np.nan_to_num(found.own))
        every = found
        if tally.keeps_examples and len(tally.groups) > 1:  # some of several groups may be one
            every = list_shared(metric, tally.total())
        every = replace(every, whole=np.nan_to_num(every.whole))
        together = every.gather(every.whole, np.zeros_like(every.groups), 1)
        if not groups:
            return cls(metric, tally, (together,), places, (found, every))
        each = found.gather(found.own, found.groups, len(tally.groups))
        moves = found.own * shares[:, found.groups]
        parts = each, found.unite(moves, defined.any(0)), together
        return cls(metric, tally, parts, places, (found, every), moves)

    def compare(self, pairs: Places) -> Scatter:
        """How the differences of pairs of systems scatter, of shape (pairs, rows)."""
        found = [part.compare(pairs) for part in self.parts]
        gold = self.tally.gold_masses()
        if getattr(self.metric, "rests_on_scarcest", 0) and gold is not None:
            every = gold.sum(0, keepdims=True)
            sides = zip(found, (gold, every, every)[-len(found) :], strict=True)
            found = [limit_units(*both) for both in sides]
        if averages_labels(self.metric) and find_rarest(self.tally.total())[0][0] < FEW:
            found[-1] = replace(found[-1], rare=1.0)
        if len(found) > 1:
            take = np.array(self.places)
            found[0] = found[0].change(
                lambda own: np.where(take >= 0, own[:, take], np.nan)  # no scores in some groups
            )
        return join_scatters(found, 1)

    @property
    def listed(self) -> Sequence[Influence]:
        """Those of single examples, or clusters, where these are kept."""
        return [part for part in self.parts if isinstance(part, Influence)]

    def exchange(self, pairs: Places, differences: Values) -> Values:
        """The p-values by random signs of contributions; differences are of shape (pairs, rows)."""
        if self.entries is None:
            variance = self.compare(pairs).variance
            far = np.abs(differences) / np.sqrt(2 * np.maximum(variance, 1e-300))
            return np.asarray(erfc(far))
        p = np.full(differences.shape, np.nan)
        for at, (a, b) in enumerate(pairs.tolist()):
            for row, one in enumerate(differences[at].tolist()):
                if not np.isnan(one):
                    p[at, row] = self._exchange(a, b, row, one)
        return p

    def _exchange(self, a: int, b: int, row: int, difference: float) -> float:
        assert self.entries is not None
        rows = len(self.places) + 2 * (len(self.parts) > 1)
        entries = self.entries[row == rows - 1]
        here = np.ones(len(entries.groups), bool)
        if row < rows - 2:
            sides, here = entries.own, entries.groups == self.places[row]
        else:
            sides = self.mean if self.mean is not None and row < rows - 1 else entries.whole
        differ = self._tell_apart(sides, a, b) & here
        size = np.abs(sides[[a, b]]).max(0)
        moving = differ & (size > _STILL * size.max(initial=0))
        differ = moving if moving.any() else differ
        masses = entries.masses if entries.masses.ndim == 1 else entries.masses[[a, b]].max(0)
        moves, counts = sides[a] - sides[b], entries.counts
        moves, masses = np.where(differ, moves, 0), np.where(differ, masses, 0)
        if entries.clusters is not None:
            many = int(entries.clusters.max(initial=0)) + 1
            moves, masses = (sum_at(one, entries.clusters, many) for one in (moves, masses))
            counts = np.ones(len(moves))
        return exchange(difference, moves, masses, counts)

    def _tell_apart(self, sides: Values, a: int, b: int) -> NDArray[np.bool_]:
        """Which entries have other outputs of two systems."""
        cells = self.tally.patterns
        if cells is not None:
            differ = np.asarray(cells.outputs[a] != cells.outputs[b])
            return differ if cells.clusters is None else differ[cells.clusters.cells]
        if self.tally.keeps_examples:
            return np.asarray(sides[a] != sides[b])
        from tallystick.model.tallies.sums import Sums

        return need(self.tally, Sums).list_rows().tell_apart(a, b)


def _hold_apart(metric: Metric, tally: Tally) -> Entries:
    """What examples contribute to a score that compares groups."""
    from tallystick.kinds.composite_metrics import Between, weigh_groups

    assert isinstance(metric, Between)
    alone = [tally.of(name) for name in tally.systems]
    values = [np.stack([part.score(one) for part in metric.parts]) for one in alone]
    rises = np.stack([weigh_groups(metric, own) for own in values])
    each = [list_shared(part, tally) for part in metric.parts]
    moves = np.sum(
        [np.nan_to_num(one.own) * rises[:, at, one.groups] for at, one in enumerate(each)], axis=0
    )
    return replace(each[0], own=moves, whole=moves)


def covary(contributions: Sequence[Contributions]) -> Values:
    """The covariances of the scores of all systems, metric by metric: (rows, scores, scores)."""
    found = []
    for same in zip(*(one.listed for one in contributions), strict=True):
        values = np.concatenate([one.values for one in same])
        masses = same[0].masses
        if not all(np.array_equal(one.masses, masses) for one in same):
            masses = np.concatenate([np.broadcast_to(one.masses, one.values.shape) for one in same])
        found.append(replace(same[0], values=values, masses=masses).covary())
    if len(found) > 1:
        take = np.array(contributions[0].places)
        found[0] = np.where((take >= 0)[:, None, None], found[0][take], 0)
    return np.concatenate(found)


class Discordance(Struct, frozen=True, eq=False):
    """How often only one of two systems has a hit: (pairs, rows), NaN on rows of no shares."""

    wins: Values
    losses: Values
    trials: Values
    scale: float

    def measure(self) -> Scatter:
        """How the differences scatter, whose trials are plain examples."""
        n = np.where(self.trials > 1, self.trials, np.nan)
        mean = (self.wins - self.losses) / n
        variance = ((self.wins + self.losses) / n - mean**2) / (n - 1) * self.scale**2
        none = np.zeros(n.shape)
        return Scatter(variance, n - 1, n, none, n, none)


def count_discordant(
    metric: Metric, tally: Cells, groups: Sequence[str], pairs: Places
) -> Discordance | None:
    """The discordant trials of pairs of systems; None unless unweighted, unclustered shares."""
    if not tally.plain or compares_groups(metric):
        return None
    sides = []
    for name in tally.systems:
        found = find_hits(metric, tally.of(name))
        if found is None:
            return None
        sides.append([one[tally.project(name).places] for one in found])
    hits, trials = (np.stack(one) for one in zip(*sides, strict=True))
    if (trials != trials[0]).any():
        return None
    a, b = pairs.T
    last = np.cumsum(np.bincount(tally.owners, minlength=len(tally.groups)))
    starts = [0, *last[:-1].tolist()]
    size = tally.sum_groups(tally.counts * trials[0])
    won = []
    for start, end in zip(starts, last.tolist(), strict=True):
        own = hits[:, start:end]
        shared = (own * tally.counts[start:end]) @ own.T  # whole numbers, whatever their order
        alone = np.diag(shared)[:, None] - shared
        won.append(np.stack([alone[a, b], alone[b, a]]))
    wins, losses = np.stack(won, axis=-1)
    places = find_places(tally.groups, groups)
    share = metric.estimand(tally.of(tally.systems[0]))
    assert share is not None
    low, high = share.to_score(np.array([0.0, 1.0])).tolist()

    def write(own: Values) -> Values:
        each = [np.where(place >= 0, own[:, place], 0) for place in places]
        none = np.full(len(own), np.nan)
        return np.stack(list_rows(each, none, own.sum(1)), axis=1).astype(np.float64)

    n = np.broadcast_to(size, wins.shape)
    return Discordance(write(wins), write(losses), write(n), high - low)


_JITTER = 1e-12
"""What is added to variances, as a share of these, so that systems that are alike do no harm."""


def score_resamples(
    metrics: Sequence[Metric], tally: Tally, groups: Sequence[str], resamples: int, seed: int
) -> dict[str, Values]:
    """The scores of each system on the same bootstrap resamples, as `compare` subtracts them."""
    tally = relative(tally)
    parts: dict[str, list[Values]] = {name: [] for name in tally.systems}
    for resampled in tally.resample(resamples, seed):
        for name, own in parts.items():
            own.append(score_rows(metrics, resampled.of(name), groups))
    return {name: np.concatenate(own, axis=1) for name, own in parts.items()}


def draw_normal_scores(
    metrics: Sequence[Metric], tally: Tally, groups: Sequence[str], resamples: int, seed: int
) -> Values:
    """Normal scores of all systems, which vary together as their contributions do.

    Where examples are too many to list these, their sums are normal. Of shape (metrics, systems,
    resamples, rows).

    Source: Hampel 1974, JASA 69 (the infinitesimal jackknife).
    """
    if find_unlisted(tally) is not None:
        scored = score_resamples(metrics, tally, groups, resamples, seed)
        return np.stack(list(scored.values()), axis=1)
    values = np.stack(
        [score_rows(metrics, tally.of(name), groups)[:, 0] for name in tally.systems], axis=1
    )
    found = [
        Contributions.of(metric, tally, groups, own)
        for metric, own in zip(metrics, values, strict=True)
    ]
    first: dict[bytes, int] = {}
    moves = (row for one in found for row in np.concatenate([p.values for p in one.listed], -1))
    same = [first.setdefault(sha256(row).digest(), at) for at, row in enumerate(moves)]
    stream = np.random.default_rng([seed, len(tally.systems)])
    drawn = []
    for covariance in np.nan_to_num(covary(found)):
        scale = np.sqrt(np.diag(covariance))
        scale = np.where(scale > 0, scale, 1)
        alike = covariance / np.outer(scale, scale) + _JITTER * np.eye(len(scale))
        own = np.linalg.cholesky(alike) @ stream.standard_normal((len(scale), resamples))
        own = (own * scale[:, None])[same]  # systems that are equal are so in every resample
        drawn.append(own.reshape(*values.shape[:2], resamples))
    low, high = np.array([metric.bounds for metric in metrics]).T[..., None, None, None]
    return np.clip(values[:, :, None] + np.stack(drawn, axis=-1), low, high)
