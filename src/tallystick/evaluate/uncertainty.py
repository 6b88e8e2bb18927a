"""The interval of every score of one system: by formula where there is one, else from draws."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.evaluate.observed import Observed, Side
from tallystick.examples.labels import Label
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
from tallystick.tallies import ConfusionTally, CurveTally, LabelSetsTally
from tallystick.tallies.share import Share
from tallystick.tallies.sums import SumsTally

__all__ = ["Bounds", "Source", "Spread", "measure_spreads"]

_MOST_LOST = 0.5
"""Where more draws than this lack a label, leaving them out would leave too little."""


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
        lost: The share of draws that were left out because they could not be scored.
    """

    groups: Bounds | None
    whole: Bounds
    method: str
    lost: float = 0


@dataclass(frozen=True, slots=True)
class Source:
    """Where the intervals of one system come from.

    Attributes:
        settings: Level, number of draws and seed.
        kind: What is drawn, such as `multinomial draws`.
        draw: Gives the replicates of a tally along a leading axis, in chunks.
        redraw: Gives few replicates of a tally of curves, which has no cells, one by one.
        shrink: What the standard deviation of scores from `redraw` is to be multiplied by.
        plain: Whether examples count alike and stand for themselves, as formulas need it.
        clusters: How many clusters each of these groups has; None where examples stand for
            themselves.
    """

    settings: Intervals
    kind: str
    draw: Callable[[Any], Iterator[Any]]
    redraw: Callable[[Any], Iterator[Any]] | None = None
    shrink: float = 1
    plain: bool = True
    clusters: Callable[[tuple[Label, ...]], NDArray[np.int64]] | None = None

    def widen(self, tally: Any) -> tuple[Values, Values]:
        """What deviations are to be multiplied by where clusters are few: by group, and in all."""
        if self.clusters is None:
            return np.ones(len(tally.groups)), np.ones(1)
        units = self.clusters(tally.groups)
        level = self.settings.level
        return widen_few(units, level), widen_few(units.sum(keepdims=True), level)


def measure_spreads(observed: Mapping[Metric, Observed], source: Source) -> dict[Metric, Spread]:
    """The intervals of metrics from their tallies."""
    spreads: dict[Metric, Spread] = {}
    rest: dict[int, dict[Metric, Observed]] = {}
    for metric, one in observed.items():
        if (metric.adds_up and metric.better == "neither") or not one.groups.tally.n.sum():
            continue  # how many examples there are is no estimate
        found = _bound_plainly(metric, one, source.settings.level) if source.plain else None
        if found is None:
            rest.setdefault(id(one.groups.tally), {})[metric] = one
        else:
            spreads[metric] = found
    for same in rest.values():
        curves = isinstance(next(iter(same.values())).groups.tally, CurveTally)
        spreads |= _redraw_spreads(same, source) if curves else _draw_spreads(same, source)
    return spreads


def _bound_plainly(metric: Metric, observed: Observed, level: float) -> Spread | None:
    """The intervals that a formula gives; None where there is none for the metric."""
    if isinstance(metric, ROCAUC):
        if len(observed.groups.tally.columns) > 1:
            return None
        groups = _bound_areas(observed.groups.tally, observed.groups.values, level)
        whole = _bound_areas(observed.whole.tally, observed.whole.values, level)
        return Spread(groups, _take(whole), "Newcombe's method 5")
    share, pooled = metric.share(observed.groups.tally), metric.share(observed.whole.tally)
    if share is None or pooled is None:
        return None
    bounds = None if metric.per_label else _bound_shares(share, level)
    return Spread(bounds, _take(_bound_shares(pooled, level)), share.method)


def _bound_areas(tally: CurveTally, areas: Values, level: float) -> Bounds:
    masses = np.array([tally.masses(group, 0) for group in range(len(tally.groups))], np.float64)
    return Bounds(*bound_area(areas, masses[:, 1], masses[:, 0], level))


def _bound_shares(share: Share, level: float) -> Bounds:
    ends = bound_share(share.hits, share.trials, level)
    return Bounds(*(share.to_score(end) for end in ends))


def _take(bounds: Bounds) -> Bounds:
    """The bounds of the only group."""
    return Bounds(bounds.low[0], bounds.high[0])


def _draw_spreads(observed: Mapping[Metric, Observed], source: Source) -> dict[Metric, Spread]:
    """The intervals of metrics of one tally, from replicates of it."""
    some = next(iter(observed.values()))
    tally, total = some.groups.tally, some.whole.tally
    scored = {metric: _find_each(metric, tally, source.plain) or metric for metric in observed}
    parts: dict[Metric, list[_Draws]] = {metric: [] for metric in scored.values()}
    for chunk in source.draw(tally):
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
            spreads[metric] = _read_draws(metric, observed[metric], draws, source)
        else:
            spreads[metric] = _combine_labels(each, observed[metric], draws, source)
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


def _read_draws(metric: Metric, observed: Observed, draws: _Draws, source: Source) -> Spread:
    """The interval of a share that scatters as the draws do; percentiles of texts and counts."""
    groups = _leave_out(draws.groups, draws.lost)
    whole = _leave_out(draws.whole, draws.lost_whole)
    lost = float(np.isnan(whole).mean())
    level, kind = source.settings.level, f"{len(whole)} {source.kind}"
    plainly = isinstance(observed.groups.tally, SumsTally) or not np.isfinite(metric.bounds[1])
    bound = _bound_between if plainly else _bound_share_like
    sides = zip(
        observed.sides(), (groups, whole[:, None]), source.widen(observed.groups.tally), strict=True
    )
    bounds = [bound(metric, one, draws, widened, level) for one, draws, widened in sides]
    if not plainly:
        kind = f"Wilson at the effective size of {kind}"
    groups_too = None if metric.per_label else bounds[0]
    return Spread(groups_too, _take(bounds[1]), kind, lost)


def _bound_between(
    metric: Metric, side: Side, draws: Values, widened: Values, level: float
) -> Bounds:
    """The percentiles of draws, as much farther from the value as few clusters ask for."""
    value = side.values
    factor = widened.reshape(-1, *(1,) * (value.ndim - 1))
    ends = bound_percentiles(draws, level)
    return Bounds(*(np.clip(value + factor * (end - value), *metric.bounds) for end in ends))


def _bound_share_like(
    metric: Metric, side: Side, draws: Values, widened: Values, level: float
) -> Bounds:
    """The interval of a share that scatters as the draws do."""
    wide = (-1, *(1,) * (side.values.ndim - 1))
    deviation = measure_deviation(draws) * widened.reshape(wide)
    sizes = np.broadcast_to(side.tally.n.reshape(wide), side.values.shape)
    return Bounds(*bound_effectively(side.values, deviation, sizes, metric.bounds, level))


def _combine_labels(each: Metric, observed: Observed, draws: _Draws, source: Source) -> Spread:
    """The mean of labels whose intervals a formula gives, and whose correlations the draws give."""
    level = source.settings.level
    groups = _bound_means(each, observed.groups.tally, draws.groups, level)
    whole = _bound_means(each, observed.whole.tally, draws.whole[:, None], level)
    kind = f"{len(draws.whole)} {source.kind}"
    return Spread(groups, _take(whole), f"Wilson of each label, combined by {kind}")


def _bound_means(each: Metric, tally: Any, draws: Values, level: float) -> Bounds:
    share = each.share(tally)
    if share is None:
        raise TypeError(f"{each!r} has no intervals of labels to combine")
    ends, values = _bound_shares(share, level), each.score(tally)
    means = [
        bound_mean(values[group], ends.low[group], ends.high[group], correlate(draws[:, group]))
        for group in range(len(values))
    ]
    return Bounds(*np.array(means, np.float64).reshape(-1, 2).T)


def _find_lost(tally: Any, drawn: Any) -> NDArray[np.bool_]:
    """Whether a draw lacks a gold label that the examples have, of shape (draws, groups)."""
    if not isinstance(tally, ConfusionTally | LabelSetsTally):
        return np.zeros((len(drawn.sums), len(tally.groups)), bool)
    gone = (drawn.per_label().gold == 0) & (tally.per_label().gold > 0)
    lost: NDArray[np.bool_] = gone.any(-1)
    return lost


def _leave_out(values: Values, lost: NDArray[np.bool_]) -> Values:
    """The values without those of draws that lack a label, unless too many do."""
    few = lost & (lost.mean(0) <= _MOST_LOST)
    return np.where(few.reshape(few.shape + (1,) * (values.ndim - few.ndim)), np.nan, values)


def _redraw_spreads(observed: Mapping[Metric, Observed], source: Source) -> dict[Metric, Spread]:
    """The interval of a share that scatters as few replicates do; of a loss, standard errors."""
    if source.redraw is None:
        return {}
    parts: dict[Metric, list[tuple[Values, Values]]] = {metric: [] for metric in observed}
    for drawn in source.redraw(next(iter(observed.values())).groups.tally):
        total = drawn.total()
        for metric, own in parts.items():
            own.append((metric.score(drawn), metric.score(total)))
    spreads = {}
    for metric, own in parts.items():
        bounds, sides = [], zip(*own, strict=True)
        one = observed[metric]
        for side, drawn, widened in zip(
            one.sides(), sides, source.widen(one.groups.tally), strict=True
        ):
            deviation = source.shrink * widened * measure_deviation(np.stack(drawn))
            bounds.append(_bound_redrawn(metric, side, deviation, source))
        finite = np.isfinite(metric.bounds[1])
        kind = f"{'Wilson at the effective size' if finite else 'standard error'} of {len(own)}"
        spreads[metric] = Spread(bounds[0], _take(bounds[1]), f"{kind} redrawn samples")
    return spreads


def _bound_redrawn(metric: Metric, side: Side, deviation: Values, source: Source) -> Bounds:
    value, tally, level = side.values, side.tally, source.settings.level
    sizes = tally.n.astype(np.float64)
    if not np.isfinite(metric.bounds[1]):
        ends = bound_spread(value, deviation, level)
        return Bounds(*(np.clip(end, *metric.bounds) for end in ends))
    if isinstance(metric, AveragePrecision) and source.plain and len(tally.columns) == 1:
        # No surer than a share of the positives, of which a few show too little of the scatter:
        # Boyd, Eng and Page 2013, ECML PKDD, for the binomial interval.
        sizes = np.array([tally.masses(group, 0)[1] for group in range(len(value))], np.float64)
        deviation = np.maximum(deviation, np.sqrt(value * (1 - value) / np.maximum(sizes, 1)))
    return Bounds(*bound_effectively(value, deviation, sizes, metric.bounds, level))
