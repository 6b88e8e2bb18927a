"""The scores of every row, how they rise with the weight of each kind of example, and shares.

Rows are the groups, their mean, and their sum; or all examples alone. Of shares of the same
examples it matters how often only one of two systems is right.
"""

from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick.scoring.counted import Counted
from tallystick.scoring.intervals import influence
from tallystick.scoring.intervals.bounds import average_groups
from tallystick.scoring.intervals.influence import find_hits
from tallystick.statistics import permutations
from tallystick.statistics.tango import bound_difference
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import Metric, Values
from tallystick.tallies.tally import Pair, Tally

_Own = TypeVar("_Own")


def score_rows(metrics: Sequence[Metric], tally: Tally, groups: Sequence[str]) -> Values:
    """The scores of one system, of shape (metrics, resamples, rows); a tally itself is one.

    Without groups all examples are one row.
    """
    whole = tally.total()
    each = [metric.score(whole) for metric in metrics]
    if groups:
        each = [
            _add_groups(metric, tally, groups, own)
            for metric, own in zip(metrics, each, strict=True)
        ]
    scored = np.stack(each)
    return scored.reshape(len(metrics), -1, scored.shape[-1])


def score_pair(
    metrics: Sequence[Metric], tally: Tally, groups: Sequence[str], pair: Pair
) -> tuple[Values, Values]:
    """The scores of two systems, of shape (metrics, rows), as `compare` subtracts them."""
    both = tally.of(*pair).relative()
    one, other = (score_rows(metrics, both.of(name), groups)[:, 0] for name in pair)
    return one, other


def count_units(counted: Counted, tally: Tally) -> NDArray[np.int64]:
    """How many examples each row has, or clusters where they belong to some."""
    found = tally.count_clusters()
    if found is None:
        return np.array([counted.size(row) for row in counted.rows], np.int64)
    sizes, whole = found
    own = sizes[find_places(tally.groups, counted.groups)]
    return np.array(list_rows([*own], whole, whole), np.int64)


def _add_groups(metric: Metric, tally: Tally, groups: Sequence[str], whole: Values) -> Values:
    """The scores of each group, their mean, and the score of all."""
    values = place_groups(metric.score(tally), tally.groups, groups)
    mean = metric.combine_groups(tally) if metric.between else average_groups(metric, values)
    return np.concatenate([values, np.asarray(mean)[..., None], whole], axis=-1)


def find_places(names: Iterable[object], groups: Sequence[str]) -> list[int]:
    """The place of each group of the rows among the names of a tally's groups; -1 of others."""
    places = {str(name): place for place, name in enumerate(names)}
    return [places.get(group, -1) for group in groups]


def list_rows(groups: Sequence[_Own], mean: _Own, whole: _Own) -> list[_Own]:
    """What belongs to each row: to the groups, their mean, and their sum; or to all alone."""
    return [*groups, mean, whole] if groups else [whole]


def place_groups(values: Values, names: Iterable[object], groups: Sequence[str]) -> Values:
    """The values of named groups, of shape (..., names), for those of the rows; NaN for others."""
    places = find_places(names, groups)
    if places == list(range(values.shape[-1])):
        return values
    return np.where([place >= 0 for place in places], values[..., places], np.nan)


def find_slopes(metrics: Sequence[Metric], tally: Tally, groups: Sequence[str]) -> Values:
    """How the scores of one system rise with the weight of each kind: (metrics, rows, kinds)."""
    if any(metric.between for metric in metrics):
        return np.concatenate([_find_slopes_between(one, tally, groups) for one in metrics])
    base = score_rows(metrics, tally.relative(), groups)
    slopes = np.stack(
        [_list_slopes(one, tally, own[0], groups) for one, own in zip(metrics, base, strict=True)]
    )
    return np.where(np.isnan(base).swapaxes(1, 2), np.nan, np.nan_to_num(slopes))


def _list_slopes(metric: Metric, tally: Tally, scores: Values, groups: Sequence[str]) -> Values:
    """The slopes of each row of scores, from those of the groups of the tally, and of all."""
    whole = tally.merge_groups()
    rows = [influence.find_slopes(metric, whole)]
    if groups:
        own = influence.find_slopes(metric, tally)
        owners = tally.list_owners()
        here = np.stack([owners == at for at in find_places(tally.groups, groups)])
        by_group = np.where(here, own, 0)
        defined = max(int((~np.isnan(scores[: len(groups)])).sum()), 1)
        rows[:0] = [*by_group, by_group.sum(0) / defined]
    return np.array(rows, np.float64)


def _find_slopes_between(metric: Metric, tally: Tally, groups: Sequence[str]) -> Values:
    """The slopes of what holds groups against each other follow from those of the groups."""
    if not metric.between:
        return find_slopes([metric], tally, groups)
    from tallystick.kinds.between import Between, weigh_groups

    assert isinstance(metric, Between)
    values = score_rows(metric.parts, tally, groups)[:, 0, : len(groups)]
    own = find_slopes(metric.parts, tally, groups)
    slopes = np.full((1, *own.shape[1:]), np.nan)
    rises = weigh_groups(metric, values)
    slopes[0, -2] = np.einsum("pg,pgk->k", rises, np.nan_to_num(own[:, : len(groups)]))
    return slopes


Discordant = tuple[Values, Values, Values]
"""How many trials only A hits, only B hits, and how many there are; each of shape (groups)."""


def count_discordant(metric: Metric, pair: Cells) -> Discordant | None:
    """In which trials of a share only one of two systems has a hit, by group.

    None where the metric is no plain share of the examples, or the systems have other trials.
    """
    if not pair.plain:
        return None
    sides = []
    for name in pair.systems:
        own = find_hits(metric, pair.of(name))
        if own is None:
            return None
        sides.append([one[pair.project(name).places] for one in own])
    (hits, trials), (other_hits, other_trials) = sides
    if not np.array_equal(trials, other_trials):
        return None
    only_a = pair.sum_groups(pair.counts * (hits > other_hits))
    only_b = pair.sum_groups(pair.counts * (hits < other_hits))
    return only_a, only_b, pair.sum_groups(pair.counts * trials)


def test_shares(
    metric: Metric, tally: Cells, pairs: Sequence[Pair], differences: Values
) -> Values | None:
    """The p-values, by exchanges, of pairs of systems whose shares of all examples differ so.

    They follow from how many examples each of two systems alone has right. None where the metric is
    no plain share of the same examples.
    """
    if not tally.plain:
        return None
    found = [(tally.project(name), find_hits(metric, tally.of(name))) for name in tally.systems]
    sides = [[one[own.places] for one in side] for own, side in found if side is not None]
    if len(sides) < len(found) or any(not np.array_equal(side[1], sides[0][1]) for side in sides):
        return None
    hits = np.stack([side[0] for side in sides])
    shared = (hits * tally.counts) @ hits.T
    alone = np.diag(shared)[:, None] - shared
    trial = 1 / np.maximum(tally.counts @ sides[0][1], 1)
    ends, differ = np.array([trial, -trial]), np.ones(2, bool)
    places = {name: place for place, name in enumerate(tally.systems)}
    a, b = np.transpose([[places[name] for name in pair] for pair in pairs])
    wins = np.stack([alone[a, b], alone[b, a]], axis=-1)
    return permutations.p_value(differences, ends, wins, differ)


def bound_share_differences(
    metric: Metric, pair: Cells, groups: Sequence[str], confidence: float
) -> tuple[Values, Values] | None:
    """The bounds of the difference of a share on each row; NaN for the mean over groups.

    None where the metric is no plain share of the same examples. Even where two systems never
    differ, the bounds do not meet: a few examples prove nothing.
    """
    found = count_discordant(metric, pair)
    if found is None:
        return None
    places = find_places(pair.groups, groups)
    only_a, only_b, n = (
        np.array(list_rows([*side[places]], np.nan, side.sum()), np.float64) for side in found
    )
    known = n > 0
    low, high = bound_difference(
        np.where(known, only_a, 0), np.where(known, only_b, 0), np.where(known, n, 1), confidence
    )
    return np.where(known, low, np.nan), np.where(known, high, np.nan)
