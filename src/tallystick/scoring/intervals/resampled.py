"""The intervals of scores from resamples of their tally, where no formula gives them."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.frozen import dataclass, replace
from tallystick.scoring.intervals.bounds import (
    Bounds,
    Observed,
    Side,
    Spread,
    average_groups,
    count_effectively,
    counts_for_fewer,
    find_tail,
    observe,
)
from tallystick.scoring.intervals.group_means import add_mean, set_mean
from tallystick.statistics.jackknife import reach_least
from tallystick.statistics.means import Moments
from tallystick.statistics.percentiles import (
    bound_percentiles,
    bound_within,
    measure_deviation,
    widen_few,
)
from tallystick.statistics.settings import Intervals
from tallystick.statistics.wilson import bound_share
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import Metric, Values
from tallystick.tallies.tally import Tally

_ROUNDING = 1e-9
"""Ends that are no farther apart, as a share of the scale, are equal but for rounding."""

_LEAST_SIZE = 1e-9
"""As how few examples some count at least: an end that nothing is known of is the limit."""

_MOST_SCORES = 1 << 22
"""So many scores of labels are kept of all resamples of a metric."""

_MOST_LOST = 0.5
"""Where more resamples than this lack a label, leaving them out would leave too little."""


def resample_spreads(
    observed: Mapping[Metric, Observed], settings: Intervals, known: Mapping[Metric, Spread]
) -> dict[Metric, Spread]:
    """The intervals of metrics of one tally, from resamples of it.

    That of the mean over groups looks at those of the groups, which may be known better already.
    """
    some = next(iter(observed.values()))
    tally = some.groups.tally
    most = max(_MOST_SCORES // settings.resamples, 1)
    if tally.example_rows() is not None and len(tally.labels) > most:
        apart = {one for one in observed if one.per_label and not one.named_labels} - {*known}
        if apart:
            rest = {metric: own for metric, own in observed.items() if metric not in apart}
            found = {metric: _resample_labels(metric, tally, settings, most) for metric in apart}
            return found | (resample_spreads(rest, settings, known) if rest else {})
    wanted = {metric for metric in observed if metric not in known}
    parts, done = dict[Metric, _Draws](), dict[Metric, int]()
    means: dict[Metric, list[Values]] = {metric: [] for metric in observed if metric in known}
    for chunk in tally.resample(settings.resamples, settings.random_seed):
        for metric, drawn in means.items():
            drawn.append(average_groups(metric, metric.score(chunk)))
        for metric, own in _score_chunk(chunk, some, wanted).items():
            if metric not in parts:
                parts[metric] = own.make_room(settings.resamples)
            done[metric] = parts[metric].put(own, done.get(metric, 0))
    spreads = {
        metric: _bound_mean(
            metric, observed[metric], np.concatenate(drawn), known[metric], settings
        )
        for metric, drawn in means.items()
    }
    for metric in wanted:
        draws, one = parts[metric], observed[metric]
        spread = _read_resamples(metric, one, draws, settings)
        if len(tally.groups) > 1 and not metric.per_label:
            averages = average_groups(metric, draws.groups)
            spread = _bound_mean(metric, one, averages, spread, settings)
        spreads[metric] = spread
    return spreads


def _resample_labels(metric: Metric, tally: Tally, settings: Intervals, most: int) -> Spread:
    """The intervals of each of many labels, at most so many of them at a time.

    Labels that occur alike in all examples have the same intervals.
    """
    from tallystick.tallies.sums import Sums

    sums = tally.need(Sums)
    distinct, places = sums.find_distinct_labels()
    parts = []
    for start in range(0, len(distinct), most):
        one = observe({metric: sums.pick_labels(distinct[start : start + most])})[metric]
        assert one is not None
        parts.append(resample_spreads({metric: one}, settings, {})[metric])
    low, high = (
        np.concatenate([getattr(own.whole, end) for own in parts], axis=-1)[..., places]
        for end in ("low", "high")
    )
    return replace(parts[0], whole=Bounds(low, high))


def _score_chunk(
    chunk: Tally, observed: Observed, metrics: Collection[Metric]
) -> "dict[Metric, _Draws]":
    if not metrics:
        return {}
    lost = _find_lost(observed.groups.tally, chunk)
    # One group is all there is, and need not be scored again.
    pooled = chunk.total() if len(chunk.groups) > 1 else None
    lost_whole = lost if pooled is None else _find_lost(observed.whole.tally, pooled)
    found = {}
    for metric in metrics:
        values = metric.score(chunk)
        together = values if pooled is None else metric.score(pooled)
        lacking = np.broadcast_to(lost, values.shape[:2])
        lacking_whole = np.broadcast_to(lost_whole[:, 0], values.shape[:1])
        found[metric] = _Draws(values, together[:, 0], lacking, lacking_whole)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Draws:
    """The scores of resamples.

    `groups` has shape (resamples, groups), with an axis of labels for a metric per label, and
    `whole` lacks the axis of groups. `lost` and `lost_whole` are whether a label of the examples is
    lacking.
    """

    groups: Values
    whole: Values
    lost: NDArray[np.bool_]
    lost_whole: NDArray[np.bool_]

    def make_room(self, resamples: int) -> "_Draws":
        """Arrays for so many resamples, laid out in memory as these are."""
        groups = np.empty_like(self.groups, shape=(resamples, *self.groups.shape[1:]))
        alone = groups.shape[1] == 1
        return _Draws(
            groups,
            groups[:, 0] if alone else np.empty_like(groups[:, 0]),
            np.empty(groups.shape[:2], bool),
            np.empty(resamples, bool),
        )

    def put(self, chunk: "_Draws", start: int) -> int:
        """Writes the scores of a chunk of resamples from `start` on, and says where they end."""
        here = slice(start, start + len(chunk.groups))
        for name in ("groups", "whole", "lost", "lost_whole"):
            getattr(self, name)[here] = getattr(chunk, name)
        return here.stop


def _bound_mean(
    metric: Metric, observed: Observed, means: Values, spread: Spread, settings: Intervals
) -> Spread:
    """The same intervals, and that of the mean over groups, which is resampled as a whole."""
    side, confidence = observed.groups, settings.confidence
    value = average_groups(metric, side.values)
    tally = side.tally
    kind = _name_resamples(tally, len(means))
    if tally.per_label() is None or not np.isfinite(metric.bounds[1]):
        factor = widen_samples(tally, confidence)[1][0]
        low, high = (
            np.clip(value + factor * (end - value), *metric.bounds)
            for end in bound_percentiles(means, confidence)
        )
        return replace(spread, mean=(float(low), float(high), kind))
    if tally.list_clusters() is None:
        known = means[~np.isnan(means)]
        expected = known.mean() if len(known) else np.nan
        moments = Moments(np.asarray(expected), measure_deviation(means))
        return add_mean(metric, observed, moments, spread, confidence, kind)
    deviation = measure_deviation(means) * widen_samples(tally, confidence)[1][0]
    low, high = bound_within(value, deviation, tally.n.sum(), metric.bounds, confidence)
    return set_mean(metric, side, spread, (low, high), kind)


def _read_resamples(
    metric: Metric, observed: Observed, draws: _Draws, settings: Intervals
) -> Spread:
    """Wilson at the size at which a share scatters as the resamples do; percentiles of the rest."""
    groups = _leave_out(draws.groups, draws.lost)
    whole = _leave_out(draws.whole, draws.lost_whole)
    undefined = np.isnan(observed.whole.values).all()  # and without an interval
    lost = 0.0 if undefined else float(np.isnan(whole).mean())
    tally, confidence = observed.groups.tally, settings.confidence
    kind = _name_resamples(tally, len(whole))
    like = tally.share_like or metric.trials(tally) is not None
    plainly = not (like and np.isfinite(metric.bounds[1]))
    bound = _bound_between if plainly else _bound_share_like
    sides = zip(
        observed.sides(), (groups, whole[:, None]), widen_samples(tally, confidence), strict=True
    )
    bounds = [bound(metric, one, drawn, widened, confidence) for one, drawn, widened in sides]
    if not plainly:
        kind = f"Wilson at the effective size of {kind}"
    by_group = None if metric.per_label else bounds[0]
    return Spread(by_group, bounds[1].only, kind, lost, tail=find_tail(metric, tally))


def _bound_between(
    metric: Metric, side: Side, drawn: Values, widened: Values, confidence: float
) -> Bounds:
    """The percentiles of resamples, as much farther from the value as few of them ask for."""
    value = side.values
    each = (-1, *(1,) * (value.ndim - 1))
    factor = widened.reshape(each)
    ends = bound_percentiles(drawn, confidence)
    low, high = (np.clip(value + factor * (end - value), *metric.bounds) for end in ends)
    least = metric.find_least_error(side.tally)
    if least is not None:
        low, high = reach_least((low, high), value, least, metric.bounds, confidence)
    # Texts that are all perfect, or all alike, tell no more than so many trials of a share.
    top = metric.bounds[1] if np.isfinite(metric.bounds[1]) else 1.0
    still = (high - low <= _ROUNDING * top) & (value <= top + _ROUNDING) & (metric.bounds[0] == 0)
    still &= not metric.is_fixed(side.tally)
    # Nothing tells how far apart others may lie of numbers without limits that are all the same.
    alike = (high - low <= _ROUNDING * np.abs(value)) & ~still & (not metric.is_fixed(side.tally))
    low, high = (np.where(alike, np.nan, end) for end in (low, high))
    size = np.where(still, _count_trials(metric, side.tally).reshape(each), 0)
    shares = bound_share(np.where(still, np.minimum(value / top, 1), 0) * size, size, confidence)
    low, high = (
        np.where(still, top * own, end) for own, end in zip(shares, (low, high), strict=True)
    )
    return Bounds.around(side.values, low, high)


def _count_trials(metric: Metric, tally: Tally) -> Values:
    """How many examples of each group matter to a score."""
    sizes = tally.n.astype(np.float64)
    if not metric.rests_on:
        return sizes
    # Imported here because most metrics are of no sums.
    from tallystick.tallies.sums import Sums

    sums = tally.need(Sums)
    counted = np.sum([sums[name] for name in metric.rests_on], axis=0)
    return np.asarray(np.minimum(counted, sizes))


def _bound_share_like(
    metric: Metric, side: Side, drawn: Values, widened: Values, confidence: float
) -> Bounds:
    wide = (-1, *(1,) * (side.values.ndim - 1))
    deviation = measure_deviation(drawn) * widened.reshape(wide)
    trials, most = metric.trials(side.tally), np.full(len(side.tally.groups), np.inf)
    sizes = np.asarray(side.tally.n if trials is None else trials, np.float64)
    if trials is not None:
        most = sizes
    elif counts_for_fewer(side.tally):
        # Labels that clusters or heavy examples hardly get wrong are as few as these.
        ends = np.maximum(count_effectively(side.tally, confidence), _LEAST_SIZE)
        sizes = most = ends[::-1] if metric.better == "lower" else ends
    each = (-1, len(side.tally.groups), *wide[1:])
    if trials is not None and trials.ndim == side.values.ndim:
        each = (1, *trials.shape)
    sizes, most = sizes.reshape(each), most.reshape(each)
    low, high = bound_within(side.values, deviation, sizes, metric.bounds, confidence, most)
    return Bounds.around(side.values, low[0], high[-1])


def _name_resamples(tally: Tally, resamples: int) -> str:
    if tally.list_clusters() is not None:
        return f"{resamples} bootstrap resamples of clusters"
    return f"{resamples} {tally.resampled}"


def _find_lost(tally: Tally, drawn: Tally) -> NDArray[np.bool_]:
    """Whether a resample lacks a gold label that the examples have: (draws, groups), or (1, 1)."""
    own, left = tally.gold_masses(), drawn.gold_masses()
    if own is None or left is None:
        return np.zeros((1, 1), bool)
    return np.asarray(((left == 0) & (own > 0)).any(-1))


def _leave_out(values: Values, lost: NDArray[np.bool_]) -> Values:
    """The values without those of draws that lack a label, unless too many do."""
    few = lost & (lost.mean(0) <= _MOST_LOST)
    return np.where(few.reshape(few.shape + (1,) * (values.ndim - few.ndim)), np.nan, values)


def widen_samples(tally: Tally, confidence: float) -> tuple[Values, Values]:
    """What deviations are multiplied by where clusters, texts or units are few.

    By group, and in all.
    """
    found = tally.count_clusters()
    if found is not None:
        groups, all_clusters = found
        return widen_few(groups, confidence), widen_few(np.array([all_clusters]), confidence)
    if tally.gold_masses() is None:
        return widen_few(tally.n, confidence), widen_few(tally.n.sum(keepdims=True), confidence)
    cells = tally.need_patterns()
    return _widen_weighted(cells, confidence), _widen_weighted(cells.total(), confidence)


def _widen_weighted(tally: Cells, confidence: float) -> Values:
    """How much wider intervals of weighted examples are than those of as many equal ones.

    They are as few, in all and of each label, as make the same variance (Kish 1965, Survey
    Sampling).
    """
    if tally.weights is None:
        return np.ones(len(tally.groups))
    plain, squared = replace(tally, weights=None), tally.squared()
    effective = tally.sum_groups(tally.mass) ** 2 / _avoid_zero(squared.sum_groups(squared.mass))
    ratio = widen_few(effective, confidence) / widen_few(tally.n, confidence)
    counts = plain.per_label().gold
    few = tally.per_label().gold ** 2 / _avoid_zero(squared.per_label().gold)
    lost = _average_known(_scale_few(few, counts)) / _average_known(_scale_few(counts, counts))
    return np.asarray(np.nan_to_num(np.maximum(ratio, 1) * np.sqrt(np.maximum(lost, 1)), nan=1.0))


def _scale_few(examples: Values, counts: NDArray[Any]) -> Values:
    """By how much resamples of so few examples of a label scatter less than samples do."""
    return np.where(counts > 0, examples / np.maximum(examples - 1, 0.5), np.nan)


def _avoid_zero(values: Values) -> Values:
    return np.maximum(values, np.finfo(float).tiny)


def _average_known(values: Values) -> Values:
    """The mean over the last axis, of what is known."""
    known = ~np.isnan(values)
    return np.asarray(np.where(known, values, 0).sum(-1) / np.maximum(known.sum(-1), 1))
