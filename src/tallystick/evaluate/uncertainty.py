"""The interval of every score of one system: by formula where there is one, else from draws."""

from collections.abc import Callable, Iterator, Mapping, Sequence
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
)
from tallystick.intervals.means import bound_mean, correlate
from tallystick.intervals.settings import Intervals
from tallystick.intervals.wilson import bound_share
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
    """

    settings: Intervals
    kind: str
    draw: Callable[[Any], Iterator[Any]]
    redraw: Callable[[Any], Iterator[Any]] | None = None
    shrink: float = 1
    plain: bool = True


def measure_spreads(tallies: Mapping[Metric, Any], source: Source) -> dict[Metric, Spread]:
    """The intervals of metrics from their tallies."""
    level = source.settings.level
    spreads: dict[Metric, Spread] = {}
    rest: dict[int, list[Metric]] = {}
    for metric, tally in tallies.items():
        if (metric.adds_up and metric.better == "neither") or not tally.n.sum():
            continue  # how many examples there are is no estimate
        found = _bound_plainly(metric, tally, level) if source.plain else None
        if found is None:
            rest.setdefault(id(tally), []).append(metric)
        else:
            spreads[metric] = found
    for metrics in rest.values():
        tally = tallies[metrics[0]]
        if isinstance(tally, CurveTally):
            spreads |= _redraw_spreads(metrics, tally, source)
        else:
            spreads |= _draw_spreads(metrics, tally, source)
    return spreads


def _bound_plainly(metric: Metric, tally: Any, level: float) -> Spread | None:
    """The intervals that a formula gives; None where there is none for the metric."""
    whole = tally.total()
    if isinstance(metric, ROCAUC):
        if len(tally.columns) > 1:
            return None
        parts = [_bound_areas(metric, one, level) for one in (tally, whole)]
        return Spread(parts[0], _take(parts[1]), "Newcombe's method 5")
    share, pooled = metric.share(tally), metric.share(whole)
    if share is None or pooled is None:
        return None
    groups = None if metric.per_label else _bound_shares(share, level)
    return Spread(groups, _take(_bound_shares(pooled, level)), share.method)


def _bound_areas(metric: Metric, tally: CurveTally, level: float) -> Bounds:
    masses = np.array([tally.masses(group, 0) for group in range(len(tally.groups))], np.float64)
    return Bounds(*bound_area(metric.score(tally), masses[:, 1], masses[:, 0], level))


def _bound_shares(share: Share, level: float) -> Bounds:
    ends = bound_share(share.hits, share.trials, level)
    return Bounds(*(share.to_score(end) for end in ends))


def _take(bounds: Bounds) -> Bounds:
    """The bounds of the only group."""
    return Bounds(bounds.low[0], bounds.high[0])


def _draw_spreads(metrics: Sequence[Metric], tally: Any, source: Source) -> dict[Metric, Spread]:
    """The intervals of metrics of one tally, from replicates of it."""
    scored = {metric: _find_each(metric, tally, source.plain) or metric for metric in metrics}
    parts: dict[Metric, list[_Draws]] = {metric: [] for metric in scored.values()}
    whole = tally.total()
    for chunk in source.draw(tally):
        lost = _find_lost(tally, chunk)
        # One group is all there is, and need not be scored again.
        pooled = chunk.total() if len(tally.groups) > 1 else None
        lost_whole = lost if pooled is None else _find_lost(whole, pooled)
        for metric, own in parts.items():
            values = metric.score(chunk)
            together = values if pooled is None else metric.score(pooled)
            own.append(_Draws(values, together[:, 0], lost, lost_whole[:, 0]))
    spreads = {}
    for metric, each in scored.items():
        draws = _join(parts[each])
        read = _read_draws if each is metric else _combine_labels
        spreads[metric] = read(metric, tally, draws, source)
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


def _read_draws(metric: Metric, tally: Any, draws: _Draws, source: Source) -> Spread:
    """The interval of a share that scatters as the draws do; percentiles where texts or counts."""
    groups = _leave_out(draws.groups, draws.lost)
    whole = _leave_out(draws.whole, draws.lost_whole)
    lost = float(np.isnan(whole).mean())
    level, kind = source.settings.level, f"{len(whole)} {source.kind}"
    if isinstance(tally, SumsTally) or not np.isfinite(metric.bounds[1]):
        bounds = [Bounds(*bound_percentiles(side, level)) for side in (groups, whole)]
        return Spread(bounds[0], bounds[1], kind, lost)
    bounds = []
    for one, side in ((tally, groups), (tally.total(), whole[:, None])):
        value, deviation = metric.score(one), measure_deviation(side)
        sizes = np.broadcast_to(one.n.reshape(-1, *(1,) * (value.ndim - 1)), value.shape)
        ends = bound_effectively(value, deviation, sizes, metric.bounds, level)
        bounds.append(Bounds(*ends))
    groups_too = None if metric.per_label else bounds[0]
    return Spread(groups_too, _take(bounds[1]), f"Wilson at the effective size of {kind}", lost)


def _combine_labels(metric: Metric, tally: Any, draws: _Draws, source: Source) -> Spread:
    """The mean of labels whose intervals a formula gives, and whose correlations the draws give."""
    bounds = []
    for one, side in ((tally, draws.groups), (tally.total(), draws.whole[:, None])):
        each = metric.each
        share = each.share(one) if each is not None else None
        if each is None or share is None:
            raise TypeError(f"{metric!r} has no intervals of labels to combine")
        ends = _bound_shares(share, source.settings.level)
        values = each.score(one)
        means = [
            bound_mean(values[group], ends.low[group], ends.high[group], correlate(side[:, group]))
            for group in range(len(values))
        ]
        bounds.append(Bounds(*np.array(means, np.float64).reshape(-1, 2).T))
    kind = f"{len(draws.whole)} {source.kind}"
    return Spread(bounds[0], _take(bounds[1]), f"Wilson of each label, combined by {kind}")


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


def _redraw_spreads(
    metrics: Sequence[Metric], tally: CurveTally, source: Source
) -> dict[Metric, Spread]:
    """Standard errors from few replicates, on either side of the values."""
    if source.redraw is None:
        return {}
    parts: dict[Metric, list[tuple[Values, Values]]] = {metric: [] for metric in metrics}
    for drawn in source.redraw(tally):
        for metric, own in parts.items():
            own.append((metric.score(drawn), metric.score(drawn.total())))
    spreads = {}
    for metric, own in parts.items():
        bounds = []
        for one, side in zip((tally, tally.total()), zip(*own, strict=True), strict=True):
            deviation = source.shrink * measure_deviation(np.stack(side))
            ends = bound_spread(metric.score(one), deviation, source.settings.level)
            bounds.append(Bounds(*(np.clip(end, *metric.bounds) for end in ends)))
        kind = f"standard error of {len(own)} redrawn samples"
        spreads[metric] = Spread(bounds[0], _take(bounds[1]), kind)
    return spreads
