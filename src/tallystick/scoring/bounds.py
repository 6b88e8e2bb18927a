"""The interval of every score of one system: by formula where there is one, else by resampling."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.intervals.areas import bound_area
from tallystick.intervals.draws import (
    bound_effectively,
    bound_percentiles,
    bound_spread,
    measure_deviation,
    widen_few,
)
from tallystick.intervals.means import bound_mean, correlate
from tallystick.intervals.settings import Intervals
from tallystick.intervals.wilson import bound_share
from tallystick.metrics.average_precision import AveragePrecision
from tallystick.metrics.metric import Metric, Values
from tallystick.metrics.roc_auc import ROCAUC
from tallystick.tallies.cells import Cells
from tallystick.tallies.curve import CurveTally
from tallystick.tallies.resampling import (
    count_clusters,
    crosses_groups,
    is_plain,
    resample,
    sample_scores,
)
from tallystick.tallies.scatter import Products
from tallystick.tallies.share import Share
from tallystick.tallies.sums import Sums

__all__ = ["Bounds", "Observed", "Side", "Spread", "measure_spreads", "observe"]

_MOST_LOST = 0.5
"""Where more resamples than this lack a label, leaving them out would leave too little."""

_SAMPLES = 200
_MOST_SAMPLED = 20_000
"""How many examples a sample of probabilities has; its scores scatter more, by a known factor."""


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """The intervals of scores, of the shape of their values."""

    low: Values
    high: Values

    def at(self, place: int | tuple[()]) -> tuple[float, float]:
        """One of the intervals."""
        return float(self.low[place]), float(self.high[place])


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """The intervals of one metric.

    Attributes:
        groups: Those of each group; None for a metric per label, which is shown for all together.
        whole: That of all groups together, or of each label there.
        method: What the intervals come from.
        lost: The share of resamples that were left out because they could not be scored.
        correlation: The correlations between groups, where clusters have examples in several.
    """

    groups: Bounds | None
    whole: Bounds
    method: str
    lost: float = 0
    correlation: Values | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """A tally and its scores, of shape (groups,), or (groups, labels) if per label."""

    tally: Any
    values: Values


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """What was observed by one metric: in each group, and in all together as one group."""

    groups: Side
    whole: Side

    def sides(self) -> tuple[Side, Side]:
        """Both, one after the other."""
        return self.groups, self.whole


def observe(tallies: Mapping[Metric, Any]) -> dict[Metric, Observed | None]:
    """Scores the tally of each metric, as far as there is one."""
    totals = {id(tally): tally.total() for tally in tallies.values() if tally is not None}
    return {
        metric: None if tally is None else _observe(metric, tally, totals[id(tally)])
        for metric, tally in tallies.items()
    }


def _observe(metric: Metric, tally: Any, total: Any) -> Observed:
    groups = Side(tally, metric.score(tally))
    return Observed(groups, groups if total is tally else Side(total, metric.score(total)))


def measure_spreads(
    observed: Mapping[Metric, Observed | None], settings: Intervals
) -> dict[Metric, Spread]:
    """The intervals of one system's metrics from its tallies."""
    spreads: dict[Metric, Spread] = {}
    rest: dict[int, dict[Metric, Observed]] = {}
    for metric, one in observed.items():
        if one is None or (metric.adds_up and metric.better == "neither"):
            continue  # how many examples there are is no estimate
        tally = one.groups.tally
        found = _bound_plainly(metric, one, settings.confidence) if is_plain(tally) else None
        if found is None:
            rest.setdefault(id(tally), {})[metric] = one
        else:
            spreads[metric] = found
    for same in rest.values():
        curves = isinstance(next(iter(same.values())).groups.tally, CurveTally)
        measure = _sample_spreads if curves else _resample_spreads
        spreads |= measure(same, settings)
    return spreads


def _widen(tally: Any, confidence: float) -> tuple[Values, Values]:
    """What deviations are to be multiplied by where clusters are few: by group, and in all."""
    found = count_clusters(tally)
    if found is None:
        return np.ones(len(tally.groups)), np.ones(1)
    groups, all_clusters = found
    return widen_few(groups, confidence), widen_few(np.array([all_clusters]), confidence)


def _name_resamples(tally: Any, resamples: int) -> str:
    """What the resamples of a tally are called."""
    if count_clusters(tally) is not None:
        return f"{resamples} bootstrap resamples of clusters"
    if isinstance(tally, Sums):
        normal = isinstance(tally.scatter, Products)
        return f"{resamples} {'normal resamples of sums' if normal else 'bootstrap resamples'}"
    return f"{resamples} bootstrap resamples"


def _bound_plainly(metric: Metric, observed: Observed, confidence: float) -> Spread | None:
    """The intervals that a formula gives; None where there is none for the metric."""
    if isinstance(metric, ROCAUC):
        if len(observed.groups.tally.columns) > 1:
            return None
        groups = _bound_areas(observed.groups.tally, observed.groups.values, confidence)
        whole = _bound_areas(observed.whole.tally, observed.whole.values, confidence)
        return Spread(groups, _take(whole), "Newcombe's method 5")
    share, pooled = metric.share(observed.groups.tally), metric.share(observed.whole.tally)
    if share is None or pooled is None:
        return None
    bounds = None if metric.per_label else _bound_shares(share, confidence)
    return Spread(bounds, _take(_bound_shares(pooled, confidence)), share.method)


def _bound_areas(tally: CurveTally, areas: Values, confidence: float) -> Bounds:
    masses = np.array([tally.masses(group, 0) for group in range(len(tally.groups))], np.float64)
    return Bounds(*bound_area(areas, masses[:, 1], masses[:, 0], confidence))


def _bound_shares(share: Share, confidence: float) -> Bounds:
    ends = bound_share(share.hits, share.trials, confidence)
    return Bounds(*(share.to_score(end) for end in ends))


def _take(bounds: Bounds) -> Bounds:
    """The bounds of the only group."""
    return Bounds(bounds.low[0], bounds.high[0])


def _resample_spreads(
    observed: Mapping[Metric, Observed], settings: Intervals
) -> dict[Metric, Spread]:
    """The intervals of metrics of one tally, from resamples of it."""
    some = next(iter(observed.values()))
    tally, total = some.groups.tally, some.whole.tally
    plain = is_plain(tally)
    scored = {metric: _find_each(metric, tally, plain) or metric for metric in observed}
    parts: dict[Metric, list[_Draws]] = {metric: [] for metric in scored.values()}
    for chunk in resample(tally, settings.resamples, settings.random_seed):
        lost = _find_lost(tally, chunk)
        # One group is all there is, and need not be scored again.
        pooled = chunk.total() if len(tally.groups) > 1 else None
        lost_whole = lost if pooled is None else _find_lost(total, pooled)
        for metric, own in parts.items():
            values = metric.score(chunk)
            together = values if pooled is None else metric.score(pooled)
            own.append(_Draws(values, together[:, 0], lost, lost_whole[:, 0]))
    spreads = {}
    for metric, each in scored.items():
        draws = _join(parts[each])
        if each is metric:
            spreads[metric] = _read_resamples(metric, observed[metric], draws, settings)
        else:
            spreads[metric] = _combine_labels(each, observed[metric], draws, settings)
    return spreads


def _find_each(metric: Metric, tally: Any, plain: bool) -> Metric | None:
    """The metric per label that the metric is the mean of, where those have an interval."""
    each = metric.each if plain else None
    return each if each is not None and each.share(tally) is not None else None


@dataclass(frozen=True, slots=True, eq=False)
class _Draws:
    """The scores of replicates.

    Attributes:
        groups: Of shape (draws, groups), with an axis of labels for a metric per label.
        whole: The scores of all groups together, without the axis of groups.
        lost: Whether a label of the examples is lacking, of shape (draws, groups).
        lost_whole: Likewise in all groups together.
    """

    groups: Values
    whole: Values
    lost: NDArray[np.bool_]
    lost_whole: NDArray[np.bool_]


def _join(chunks: Sequence[_Draws]) -> _Draws:
    names = ("groups", "whole", "lost", "lost_whole")
    return _Draws(*(np.concatenate([getattr(one, name) for one in chunks]) for name in names))


def _read_resamples(
    metric: Metric, observed: Observed, draws: _Draws, settings: Intervals
) -> Spread:
    """Wilson at the size at which a share scatters as the resamples do; percentiles of the rest."""
    groups = _leave_out(draws.groups, draws.lost)
    whole = _leave_out(draws.whole, draws.lost_whole)
    lost = float(np.isnan(whole).mean())
    tally, confidence = observed.groups.tally, settings.confidence
    kind = _name_resamples(tally, len(whole))
    plainly = isinstance(tally, Sums) or not np.isfinite(metric.bounds[1])
    bound = _bound_between if plainly else _bound_share_like
    sides = zip(observed.sides(), (groups, whole[:, None]), _widen(tally, confidence), strict=True)
    bounds = [bound(metric, one, draws, widened, confidence) for one, draws, widened in sides]
    if not plainly:
        kind = f"Wilson at the effective size of {kind}"
    groups_too = None if metric.per_label else bounds[0]
    crosses = crosses_groups(tally) and groups_too is not None
    correlation = correlate(groups) if crosses else None
    return Spread(groups_too, _take(bounds[1]), kind, lost, correlation)


def _bound_between(
    metric: Metric, side: Side, draws: Values, widened: Values, confidence: float
) -> Bounds:
    """The percentiles of draws, as much farther from the value as few clusters ask for."""
    value = side.values
    factor = widened.reshape(-1, *(1,) * (value.ndim - 1))
    ends = bound_percentiles(draws, confidence)
    return Bounds(*(np.clip(value + factor * (end - value), *metric.bounds) for end in ends))


def _bound_share_like(
    metric: Metric, side: Side, draws: Values, widened: Values, confidence: float
) -> Bounds:
    """The interval of a share that scatters as the draws do."""
    wide = (-1, *(1,) * (side.values.ndim - 1))
    deviation = measure_deviation(draws) * widened.reshape(wide)
    sizes = np.broadcast_to(side.tally.n.reshape(wide), side.values.shape)
    return Bounds(*bound_effectively(side.values, deviation, sizes, metric.bounds, confidence))


def _combine_labels(each: Metric, observed: Observed, draws: _Draws, settings: Intervals) -> Spread:
    """The mean of labels whose intervals a formula gives, and their correlations the resamples."""
    confidence = settings.confidence
    groups = _bound_means(each, observed.groups.tally, draws.groups, confidence)
    whole = _bound_means(each, observed.whole.tally, draws.whole[:, None], confidence)
    kind = _name_resamples(observed.groups.tally, len(draws.whole))
    return Spread(groups, _take(whole), f"Wilson of each label, combined by {kind}")


def _bound_means(each: Metric, tally: Any, draws: Values, confidence: float) -> Bounds:
    share = each.share(tally)
    if share is None:
        raise TypeError(f"{each!r} has no intervals of labels to combine")
    ends, values = _bound_shares(share, confidence), each.score(tally)
    means = [
        bound_mean(values[group], ends.low[group], ends.high[group], correlate(draws[:, group]))
        for group in range(len(values))
    ]
    return Bounds(*np.array(means, np.float64).reshape(-1, 2).T)


def _find_lost(tally: Any, drawn: Any) -> NDArray[np.bool_]:
    """Whether a resample lacks a gold label that the examples have, of shape (draws, groups)."""
    if not isinstance(tally, Cells):
        return np.zeros((drawn.sums.shape[1], len(tally.groups)), bool)
    gone = (drawn.per_label().gold == 0) & (tally.per_label().gold > 0)
    lost: NDArray[np.bool_] = gone.any(-1)
    return lost


def _leave_out(values: Values, lost: NDArray[np.bool_]) -> Values:
    """The values without those of draws that lack a label, unless too many do."""
    few = lost & (lost.mean(0) <= _MOST_LOST)
    return np.where(few.reshape(few.shape + (1,) * (values.ndim - few.ndim)), np.nan, values)


def _sample_spreads(
    observed: Mapping[Metric, Observed], settings: Intervals
) -> dict[Metric, Spread]:
    """Wilson at the size at which a share scatters as a few samples do; of a loss, their errors."""
    tally = next(iter(observed.values())).groups.tally
    shrink = min(1.0, _MOST_SAMPLED / max(int(tally.n.sum()), 1)) ** 0.5
    parts: dict[Metric, list[tuple[Values, Values]]] = {metric: [] for metric in observed}
    for drawn in sample_scores(tally, _SAMPLES, settings.random_seed, _MOST_SAMPLED):
        total = drawn.total()
        for metric, own in parts.items():
            own.append((metric.score(drawn), metric.score(total)))
    spreads = {}
    for metric, own in parts.items():
        bounds, one = [], observed[metric]
        sampled = [np.stack(side) for side in zip(*own, strict=True)]
        for side, values, widened in zip(
            one.sides(), sampled, _widen(tally, settings.confidence), strict=True
        ):
            deviation = shrink * widened * measure_deviation(values)
            bounds.append(_bound_sampled(metric, side, deviation, settings.confidence))
        finite = np.isfinite(metric.bounds[1])
        kind = "Wilson at the effective size" if finite else "standard error"
        spreads[metric] = Spread(
            bounds[0],
            _take(bounds[1]),
            f"{kind} of {_name_resamples(tally, len(own))}",
            correlation=correlate(sampled[0]) if crosses_groups(tally) else None,
        )
    return spreads


def _bound_sampled(metric: Metric, side: Side, deviation: Values, confidence: float) -> Bounds:
    value, tally = side.values, side.tally
    sizes = tally.n.astype(np.float64)
    if not np.isfinite(metric.bounds[1]):
        ends = bound_spread(value, deviation, confidence)
        return Bounds(*(np.clip(end, *metric.bounds) for end in ends))
    if isinstance(metric, AveragePrecision) and is_plain(tally) and len(tally.columns) == 1:
        # No surer than a share of the positives, of which a few show too little of the scatter:
        # Boyd, Eng and Page 2013, ECML PKDD, for the binomial interval.
        sizes = np.array([tally.masses(group, 0)[1] for group in range(len(value))], np.float64)
        deviation = np.maximum(deviation, np.sqrt(value * (1 - value) / np.maximum(sizes, 1)))
    return Bounds(*bound_effectively(value, deviation, sizes, metric.bounds, confidence))
