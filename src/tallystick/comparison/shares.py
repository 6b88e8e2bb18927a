"""Differences of shares of the same examples: how often only one of two systems is right."""

from collections.abc import Sequence

import numpy as np

from tallystick.comparison.rows import find_places, list_rows
from tallystick.scoring.intervals.bounds import part_cells
from tallystick.statistics import permutations
from tallystick.statistics.tango import bound_difference
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import Metric, Share, Values
from tallystick.tallies.tally import Pair

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


def find_hits(metric: Metric, tally: Cells) -> tuple[Values, Values] | None:
    """Whether one example of each cell of one system is a hit, and whether it is a trial.

    None where the metric is no plain share of the examples.
    """
    if metric.per_label or metric.adds_up:
        return None
    shares: list[Share | None] = [metric.share(one) for one in (tally, part_cells(tally))]
    if any(share is None or share.method != "Wilson" for share in shares):
        return None
    (share,) = shares[1:]
    assert share is not None
    return share.hits.astype(np.float64), share.trials.astype(np.float64)


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
