"""How far a score may have changed: bounds that hold where two systems hardly ever differ.

Of means over examples there are bounds too that hold though one looks after every batch.
"""

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tallystick.comparison.effects import open_source
from tallystick.comparison.paired import Paired
from tallystick.comparison.resamples import score_resamples
from tallystick.comparison.rows import (
    bound_share_differences,
    count_discordant,
    count_units,
    find_places,
    list_rows,
    score_pair,
    score_rows,
)
from tallystick.comparison.settings import Testing
from tallystick.comparison.significance import choose_test, compare_pairs
from tallystick.comparison.special_tests import compare_areas
from tallystick.errors import UsageError
from tallystick.frozen import dataclass, replace
from tallystick.scoring.counted import Counted
from tallystick.scoring.per_example import sum_each
from tallystick.statistics.anytime import bound_anytime
from tallystick.statistics.jackknife import lean_by
from tallystick.statistics.percentiles import bound_percentiles, widen_few
from tallystick.tallies.metric import Metric, Share, Values
from tallystick.tallies.resampling import SMOOTHING, resample_smoothed
from tallystick.tallies.tally import Tally

Margins = tuple[Values, Values]
"""The lower and the upper bounds of the differences new - old, one for each row."""

_NOISE = 3
"""Sets the random stream of what is added apart from those of resamples."""


def bound_changes(counted: Counted, testing: Testing) -> dict[Metric, Margins]:
    """The bounds of the first system's scores minus the second one's, on each row.

    Percentiles of resamples collapse where only a few examples differ, so that a worse system
    passes. Shares of the same examples have Tango's interval, areas DeLong's in Tango's form; for
    other metrics of labels a part of an example on which only one system is right is added before
    resampling, and for all others a part of one that is a complete failure of one system.

    Each bound of the two systems is an end of a two-sided interval at the confidence of the
    settings.
    """
    if counted.corrected is not None:
        outcomes = compare_pairs(counted, testing, pairs=[(counted.systems[0], counted.systems[1])])
        return {metric: (own.low[0], own.high[0]) for metric, own in outcomes.items()}
    found: dict[Metric, Margins] = {}
    for metric in counted.metrics:
        if choose_test(metric, counted, testing) == "delong":
            new, old = counted.systems
            low, high, _ = compare_areas(counted, counted.tally(metric), [(new, old)], testing)
            found[metric] = low[0], high[0]
    for metrics in counted.group_metrics(one for one in counted.metrics if one not in found):
        found |= _Family(counted, metrics, testing).bound()
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Family:
    """Metrics of one tally; differences are of shape (metrics, resamples, rows)."""

    counted: Counted
    metrics: tuple[Metric, ...]
    testing: Testing

    @property
    def tally(self) -> Any:
        return self.counted.tally(self.metrics[0])

    def bound(self) -> dict[Metric, Margins]:
        """The bounds of each metric; NaN where a score is undefined."""
        pair = self.counted.systems[0], self.counted.systems[1]
        new, old = score_pair(self.metrics, self.tally, self.counted.groups, pair)
        observed = new - old
        patterns = self.tally.patterns
        if patterns is not None and patterns.labelled:
            low, high = self._bound_labels(observed)
        else:
            noise = self._make_noise()
            low, high = self._widen(observed, self._resample() + noise)
            low, high = self._lean(observed, (low, high))
        return {
            metric: _restrict(metric, observed[at], (low[at], high[at]))
            for at, metric in enumerate(self.metrics)
        }

    def _score(self, tally: Tally) -> Values:
        return score_rows(self.metrics, tally, self.counted.groups)

    def _bound_labels(self, observed: Values) -> Margins:
        """With weights or clusters the wider of what they and what single examples leave open."""
        plain = replace(self.tally, weights=None, clusters=None)
        parts = [
            self._score(chunk.of(plain.systems[0])) - self._score(chunk.of(plain.systems[1]))
            for chunk in resample_smoothed(plain, self.testing.count, self.testing.random_seed)
        ]
        low, high = self._take_percentiles(np.concatenate(parts, axis=1))
        if not self.tally.plain:
            wide = self._widen(observed, self._resample())
            wide = self._lean(observed, wide)
            return np.fmin(low, wide[0]), np.fmax(high, wide[1])
        for at, metric in enumerate(self.metrics):
            share = bound_share_differences(
                metric, plain, self.counted.groups, self.testing.confidence
            )
            if share is not None:
                low[at] = np.where(np.isnan(share[0]), low[at], share[0])
                high[at] = np.where(np.isnan(share[1]), high[at], share[1])
        return low, high

    def _resample(self) -> Values:
        options = self.counted.groups, self.testing.count, self.testing.random_seed
        new, old = score_resamples(self.metrics, self.tally, *options).values()
        return new - old

    def _take_percentiles(self, resampled: Values) -> Margins:
        return bound_percentiles(resampled.swapaxes(0, 1), self.testing.confidence)

    def _widen(self, observed: Values, resampled: Values) -> Margins:
        """Percentiles whose distance from what was observed is widened where units are few."""
        low, high = self._take_percentiles(resampled)
        factor = widen_few(count_units(self.counted, self.tally), self.testing.confidence)
        return observed - (observed - low) * factor, observed + (high - observed) * factor

    def _lean(self, observed: Values, bounds: Margins) -> Margins:
        """Bounds that are farther on the side on which examples, or clusters, lie far out.

        Source: the first term of the Edgeworth expansion of Student's t, as in Johnson 1978,
            JASA 73, and Hall 1992, JRSS B 54, taken twice as for scores.
        """
        if not self.tally.tells_influence:
            return bounds
        source = open_source(self.metrics, self.tally, self.counted.groups)
        new, old = self.counted.systems[:2]
        effects = source.compare([(new, old)], observed[None])
        if not effects.values.shape[-1]:
            return bounds
        paired = Paired(self.metrics, observed[None], effects, labels=False)
        down, up = lean_by(paired.find_skewness()[0], self.testing.confidence)
        low, high = bounds
        return observed - (observed - low) * down, observed + (high - observed) * up

    def _make_noise(self) -> Values:
        """What the added parts of an example change, of the shape of resampled differences."""
        new, old = (self._score(self.tally.of(name))[:, 0] for name in self.counted.systems)
        stream = np.random.default_rng([self.testing.random_seed, _NOISE])
        shape = self.testing.count, len(self.counted.rows)
        gains, losses = stream.poisson(SMOOTHING, (2, *shape))
        parts = []
        for metric, *own in zip(self.metrics, new, old, strict=True):
            moved = (gains - losses) / self._count_examples(metric)
            if self.counted.groups:
                moved[:, -2] = moved[:, :-2].mean(1)
            parts.append(moved * _find_stake(metric, *own))
        return np.stack(parts)

    def _count_examples(self, metric: Metric) -> Values:
        """How many examples each row has; of areas, how many of its scarcest gold label."""
        whole = np.array([self.counted.size(row) for row in self.counted.rows], np.float64)
        if not metric.rests_on_scarcest:
            return whole
        counts = self.tally.count_gold()
        groups = counts[find_places(self.tally.groups, self.counted.groups)]
        rows = list_rows([*groups], counts.sum(0), counts.sum(0))
        return np.array([own[own > 0].min(initial=counts.sum()) for own in rows], np.float64)


def _find_stake(metric: Metric, new: Values, old: Values) -> Values:
    """How far an example that fails lies from the mean; an error rate of 1 is a failure.

    Of other numbers without a largest one a failure is twice the worse score.

    Of numbers without a least one nobody knows how bad a failure is.
    """
    low, high = metric.bounds
    if not np.isfinite(low):
        return np.zeros_like(new)
    if metric.better == "higher":
        return np.fmax(new, old) - low
    worst = high if np.isfinite(high) else np.fmax(metric.failure, 2 * np.fmax(new, old))
    return np.asarray(worst - np.fmin(new, old))


def _restrict(metric: Metric, observed: Values, bounds: Margins) -> Margins:
    """Bounds within what differences can reach; all of that where a single unit tells nothing."""
    reach = metric.bounds[1] - metric.bounds[0]
    low, high = (
        np.where(np.isnan(own), end, np.clip(own, -reach, reach))
        for own, end in zip(bounds, (-reach, reach), strict=True)
    )
    known = ~np.isnan(observed)
    return (
        np.where(known, np.minimum(low, observed), np.nan),
        np.where(known, np.maximum(high, observed), np.nan),
    )


_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class _Means:
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
        raise UsageError("--sequential takes examples as independent, without weights or clusters")
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
        found = count_discordant(metric, tally.patterns.of(*counted.systems))
        if found is None:
            _refuse(metric)
        won, lost, trials = found
        counts = np.stack([lost, trials - won - lost, won], axis=-1)
        return _Means(np.array([-1.0, 0.0, 1.0]), counts, (-1, 1))
    new, old = (_list_values(counted, metric, name) for name in counted.systems)
    low, high = metric.bounds
    return _gather(tally, new - old, _list_groups(counted), (low - high, high - low))


def _find_scores(counted: Counted, metric: Metric) -> _Means:
    name, tally = counted.systems[0], counted.tally(metric)
    if tally.patterns is not None:
        share: Share | None = None if metric.per_label else metric.share(tally.patterns.of(name))
        if share is None or share.method != "Wilson" or metric.adds_up:
            _refuse(metric)
        counts = np.stack([share.trials - share.hits, share.hits], axis=-1)
        return _Means(np.array([0.0, 1.0]), counts, (0, 1))
    values = _list_values(counted, metric, name)
    return _gather(tally, values, _list_groups(counted), metric.bounds)


def _list_values(counted: Counted, metric: Metric, name: str) -> Values:
    """The score of each example, whose mean is the score of all."""
    tally = counted.tally(metric)
    if not tally.tells_influence:
        _refuse(metric)
    if not counted.examples:
        raise UsageError(f"--sequential reads the examples of {metric.name}, not counts in a file")
    parts = [sum_each(tally.counter, block.of(name)) for block in counted.examples]
    values = np.concatenate([metric.score(part) for part in parts])
    whole = metric.score(tally.of(name).total())[0]
    if not abs(values.mean() - whole) <= _ROUNDING * max(1.0, abs(whole)):
        _refuse(metric)
    if not np.isfinite(metric.bounds).all():
        raise UsageError(f"--sequential needs a metric with limits, and {metric.name} has none")
    return np.asarray(values, np.float64)


def _list_groups(counted: Counted) -> NDArray[np.str_]:
    """The name of the group of each example."""
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
        f"--sequential checks shares and means of the same examples, such as accuracy, recall or "
        f"rouge1, not {metric.name}"
    )
