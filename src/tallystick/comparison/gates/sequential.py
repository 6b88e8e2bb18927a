"""Bounds of means over examples that hold though one looks after every batch of them."""

from typing import Any, NoReturn

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.comparison.contributions import count_discordant
from tallystick.comparison.rows import find_places, list_rows
from tallystick.errors import UsageError
from tallystick.model.tallies.metric import Metric, Share, Values
from tallystick.model.tallies.tally import Tally
from tallystick.scoring.counted import Counted
from tallystick.scoring.per_example import sum_each
from tallystick.statistics.anytime import bound_anytime

Margins = tuple[Values, Values]
"""The lower and the upper bounds of the differences new - old, one for each row."""

_ROUNDING = 1e-9


class _Means(Struct, frozen=True, eq=False):
    """What a mean is taken of, by group.

    Counts are how often each distinct value occurs in each group, of shape (groups, values), and
    limits the smallest and the largest value that there can be.
    """

    values: Values
    counts: NDArray[Any]
    limits: tuple[float, float]


def bound_means(counted: Counted, confidence: float, *, changes: bool) -> dict[Metric, Margins]:
    """The bounds of the first system's scores on each row, or of what they gain on the second's.

    Each bound has the confidence; metrics that are no mean over examples, weights and clusters are
    refused.
    """
    find = _find_changes if changes else _find_scores
    if counted.facts.clustered or counted.facts.weighted:
        raise UsageError(
            "`sequential=True` takes examples as independent, without weights or clusters"
        )
    return {
        metric: _bound_rows(counted, metric, find(counted, metric), confidence)
        for metric in counted.metrics
    }


def _bound_rows(counted: Counted, metric: Metric, means: _Means, confidence: float) -> Margins:
    """The bounds on each row; NaN for the mean over groups, which is no mean over examples."""
    rows = means.counts[find_places(counted.tally(metric).groups, counted.groups)]
    *groups, whole = (
        bound_anytime(means.values, own, means.limits, confidence)
        for own in (*rows, means.counts.sum(0))
    )
    low, high = np.array(list_rows(groups, (np.nan, np.nan), whole)).T
    return low, high


def _find_changes(counted: Counted, metric: Metric) -> _Means:
    tally = counted.tally(metric)
    if tally.patterns is not None:
        own = tally.patterns.of(*counted.systems)
        found = count_discordant(metric, own, [*map(str, own.groups)], np.array([[0, 1]]))
        if found is None:
            _refuse(metric)
        sides = (found.wins, found.losses, found.trials)
        won, lost, trials = (side[0, : len(own.groups)] for side in sides)
        counts = np.stack([lost, trials - won - lost, won], axis=-1)
        return _Means(np.array([-1.0, 0.0, 1.0]), counts, (-1, 1))
    new, old = (_list_values(counted, metric, name) for name in counted.systems)
    low, high = metric.bounds
    return _gather(tally, new - old, _list_groups(counted), (low - high, high - low))


def _find_scores(counted: Counted, metric: Metric) -> _Means:
    name, tally = counted.systems[0], counted.tally(metric)
    if tally.patterns is not None:
        share: Share | None = None if metric.per_label else metric.estimand(tally.patterns.of(name))
        if share is None or share.method != "Wilson" or metric.adds_up:
            _refuse(metric)
        counts = np.stack([share.trials - share.hits, share.hits], axis=-1)
        return _Means(np.array([0.0, 1.0]), counts, (0, 1))
    values = _list_values(counted, metric, name)
    return _gather(tally, values, _list_groups(counted), metric.bounds)


def _list_values(counted: Counted, metric: Metric, name: str) -> Values:
    """The score of each example, whose mean is the score of all."""
    tally = counted.tally(metric)
    if tally.keeps_examples:
        _refuse(metric)
    if not counted.examples:
        raise UsageError(
            f"`sequential=True` reads the examples of {metric.name}, not counts in a file"
        )
    parts = [sum_each(tally.counter, block.of(name)) for block in counted.examples]
    values = np.concatenate([metric.score(part) for part in parts])
    whole = metric.score(tally.of(name).total())[0]
    if not abs(values.mean() - whole) <= _ROUNDING * max(1.0, abs(whole)):
        _refuse(metric)
    if not np.isfinite(metric.bounds).all():
        raise UsageError(
            f"`sequential=True` needs a metric with limits, and {metric.name} has none"
        )
    return np.asarray(values, np.float64)


def _list_groups(counted: Counted) -> NDArray[np.str_]:
    return np.concatenate(
        [
            np.full(len(block), "all")
            if block.groups is None
            else np.array(list(map(str, block.groups.names)))[block.groups.codes]
            for block in counted.examples
        ]
    )


def _gather(
    tally: Tally, values: Values, owners: NDArray[np.str_], limits: tuple[float, float]
) -> _Means:
    """Values of single examples, counted by group."""
    distinct, places = np.unique(values, return_inverse=True)
    counts = np.stack(
        [
            np.bincount(places[owners == str(group)], minlength=len(distinct))
            for group in tally.groups
        ]
    )
    return _Means(distinct, counts, limits)


def _refuse(metric: Metric) -> NoReturn:
    raise UsageError(
        f"`sequential=True` checks shares and means of the same examples, such as accuracy, recall "
        f"or rouge1, not {metric.name}"
    )
