"""The intervals of every score of one system: by formula where there is one, else by resampling."""

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from tallystick.frozen import dataclass, replace
from tallystick.scoring.intervals.bounds import (
    Bounds,
    Observed,
    Side,
    Spread,
    average_groups,
    bound_formula,
    bound_shares,
    contain_values,
    count_effectively,
    is_clustered,
    take,
)
from tallystick.scoring.intervals.heavy_tails import find_tail
from tallystick.scoring.intervals.small_samples import widen
from tallystick.statistics.means import bound_macro, bound_mean, is_scarce
from tallystick.statistics.percentiles import (
    bound_percentiles,
    bound_within,
    measure_deviation,
)
from tallystick.statistics.settings import Intervals
from tallystick.statistics.wilson import bound_share
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import Metric, Values
from tallystick.tallies.resampling.tables import is_table, sample_tables
from tallystick.tallies.tally import Tally

_ROUNDING = 1e-9
"""Ends that are no farther apart, as a share of the scale, are equal but for rounding."""

_MOST_LOST = 0.5
"""Where more resamples than this lack a label, leaving them out would leave too little."""


def measure_spreads(
    observed: Mapping[Metric, Observed | None], settings: Intervals
) -> dict[Metric, Spread]:
    """The intervals of one system's metrics from its tallies."""
    formulas: dict[Metric, Spread] = {}
    rest: dict[int, dict[Metric, Observed]] = {}
    for metric, one in observed.items():
        if one is None or (metric.adds_up and metric.better == "neither"):
            continue  # how many examples there are is no estimate
        if metric.between:
            formulas |= _bound_groups(metric, one, settings)
            continue
        tally = one.groups.tally
        found = _bound(metric, one, settings.confidence)
        if found is not None:
            formulas[metric] = found
        averaged = len(tally.groups) > 1 and not (metric.per_label or metric.adds_up)
        averaged = averaged and (found is None or found.mean is None)
        if found is None or (averaged and tally.per_label() is not None):
            rest.setdefault(id(tally), {})[metric] = one
    spreads = dict(formulas)
    for same in rest.values():
        tally = next(iter(same.values())).groups.tally
        if is_table(tally):
            spreads |= _table_spreads(
                {metric: one for metric, one in same.items() if metric not in formulas}, settings
            )
            if len(tally.groups) == 1:
                continue
        spreads |= _resample_spreads(same, settings, spreads)
    return {metric: spreads[metric] for metric in observed if metric in spreads}


def _bound_groups(metric: Metric, observed: Observed, settings: Intervals) -> dict[Metric, Spread]:
    """The interval of what is held against each other of groups, where there is one."""
    from tallystick.kinds.between import Between
    from tallystick.scoring.intervals.between_groups import bound_between

    assert isinstance(metric, Between)
    found = bound_between(metric, observed, settings, measure_spreads)
    return {} if found is None else {metric: found}


def _bound(metric: Metric, observed: Observed, confidence: float) -> Spread | None:
    """The intervals that a formula gives; None where there is none."""
    tally = observed.groups.tally
    sides = [metric.bound(side.tally, confidence) for side in observed.sides()]
    if sides[0] is not None and sides[1] is not None:
        (low, high, method), whole = sides[0], Bounds(*sides[1][:2])
        with np.errstate(over="ignore"):  # infinite ends have infinite squares
            mean = *bound_mean(observed.groups.values, low, high), f"{method}, groups combined"
        return Spread(Bounds(low, high), take(whole), method, mean=mean)
    if metric.interval(tally) is not None:
        return _bound_probabilities(metric, observed, confidence)
    if metric.averages_patterns and tally.plain:
        from tallystick.scoring.intervals.repeats import bound_tries

        return bound_tries(metric, observed, confidence)
    found = bound_formula(metric, observed, confidence)
    left_out = metric.rests_on or tally.counter.kind.numeric
    if found is not None or not (left_out or metric.has_slopes):
        return found
    from tallystick.scoring.intervals.numbers import bound_numbers

    return bound_numbers(metric, observed, confidence)


def _bound_probabilities(metric: Metric, observed: Observed, confidence: float) -> Spread:
    if observed.groups.tally.bin_count() is None:
        from tallystick.scoring.intervals.curves import bound_curves

        return bound_curves(metric, observed, confidence)
    from tallystick.scoring.intervals.binned import bound_bins

    return bound_bins(metric, observed, confidence)


def _name_resamples(tally: Tally, resamples: int) -> str:
    """What the resamples of a tally are called."""
    if tally.count_clusters() is not None:
        return f"{resamples} bootstrap resamples of clusters"
    return f"{resamples} {tally.resampled}"


def _resample_spreads(
    observed: Mapping[Metric, Observed], settings: Intervals, known: Mapping[Metric, Spread]
) -> dict[Metric, Spread]:
    """The intervals of metrics of one tally, from resamples of it.

    That of the mean over groups looks at those of the groups, which may be known better already.
    """
    some = next(iter(observed.values()))
    tally = some.groups.tally
    plain = tally.plain
    scored = {metric: _find_each(metric, tally, plain) or metric for metric in observed}
    wanted = {each for metric, each in scored.items() if metric not in known}
    parts, done = dict[Metric, _Draws](), dict[Metric, int]()
    means: dict[Metric, list[Values]] = {metric: [] for metric in observed if metric in known}
    for chunk in tally.resample(settings.resamples, settings.random_seed):
        for metric, drawn in means.items():
            values = scored[metric].score(chunk)
            values = values if scored[metric] is metric else _average_labels(values)
            drawn.append(average_groups(metric, values))
        for metric, own in _score_chunk(chunk, some, wanted).items():
            if metric not in parts:
                parts[metric] = own.make_room(settings.resamples)
            done[metric] = parts[metric].put(own, done.get(metric, 0))
    spreads = {
        metric: _add_mean(metric, observed[metric], np.concatenate(drawn), known[metric], settings)
        for metric, drawn in means.items()
    }
    for metric, each in scored.items():
        if metric in known:
            continue
        draws, one = parts[each], observed[metric]
        if each is metric:
            spread = _read_resamples(metric, one, draws, settings)
        else:
            spread = _combine_labels(metric, each, one, draws, settings)
            draws = replace(draws, groups=_average_labels(draws.groups))
        if len(tally.groups) > 1 and not metric.per_label:
            averages = average_groups(metric, draws.groups)
            spread = _add_mean(metric, one, averages, spread, settings)
        spreads[metric] = spread
    return spreads


def _score_chunk(
    chunk: Tally, observed: Observed, metrics: Collection[Metric]
) -> "dict[Metric, _Draws]":
    """The scores of some resamples of a tally by each metric."""
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
        lacking = _broadcast(lost, lost_whole[:, 0], values.shape)
        found[metric] = _Draws(values, together[:, 0], *lacking)
    return found


def _broadcast(
    lost: NDArray[np.bool_], whole: NDArray[np.bool_], shape: tuple[int, ...]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """What resamples lack, of the shape (draws, groups), and of (draws,)."""
    return np.broadcast_to(lost, shape[:2]), np.broadcast_to(whole, shape[:1])


def _table_spreads(
    observed: Mapping[Metric, Observed], settings: Intervals
) -> dict[Metric, Spread]:
    """The intervals of metrics of two labels, from posterior samples of their table."""
    kind = f"percentiles of {settings.resamples} posterior samples with Jeffreys' prior"
    bounds: dict[Metric, list[Bounds]] = {metric: [] for metric in observed}
    sides = [one.sides() for one in observed.values()][:1]
    for place, tally in enumerate(side.tally for pair in sides for side in pair):
        drawn: dict[Metric, list[Values]] = {metric: [] for metric in observed}
        for chunk in sample_tables(tally.need_patterns(), settings.resamples, settings.random_seed):
            for metric, own in drawn.items():
                own.append(metric.score(chunk))
        for metric, own in drawn.items():
            ends = bound_percentiles(np.concatenate(own), settings.confidence)
            # Another sample may have the label that this one lacks, so that it reaches more.
            values = observed[metric].sides()[place].values
            bounds[metric].append(contain_values(values, Bounds(*ends)))
    return {metric: Spread(groups, take(whole), kind) for metric, (groups, whole) in bounds.items()}


def _find_each(metric: Metric, tally: Tally, plain: bool) -> Metric | None:
    """The metric per label that the metric is the mean of, where those have an interval."""
    each = metric.each if plain else None
    return each if each is not None and each.share(tally) is not None else None


@dataclass(frozen=True, slots=True, eq=False)
class _Draws:
    """The scores of resamples.

    Attributes:
        groups: Of shape (resamples, groups), with an axis of labels for a metric per label.
        whole: The scores of all groups together, without the axis of groups.
        lost: Whether a label of the examples is lacking, of shape (resamples, groups).
        lost_whole: Likewise in all groups together.
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


def _average_labels(values: Values) -> Values:
    """The plain mean over the last axis of the labels in which a score is defined."""
    means = [_average_some(part) for part in np.array_split(values, max(len(values) // 32, 1))]
    return np.concatenate(means)


def _average_some(values: Values) -> Values:
    defined = ~np.isnan(values)
    size = defined.sum(-1)
    total = np.where(defined, values, 0).sum(-1)
    return np.where(size > 0, total / np.maximum(size, 1), np.nan)


def _add_mean(
    metric: Metric, observed: Observed, means: Values, spread: Spread, settings: Intervals
) -> Spread:
    """The same intervals, and that of the mean over groups, which is resampled as a whole."""
    side, confidence = observed.groups, settings.confidence
    value = average_groups(metric, side.values)
    tally = side.tally
    kind = _name_resamples(tally, len(means))
    if tally.per_label() is None or not np.isfinite(metric.bounds[1]):
        factor = widen(tally, confidence)[1][0]
        low, high = (
            np.clip(value + factor * (end - value), *metric.bounds)
            for end in bound_percentiles(means, confidence)
        )
        return replace(spread, mean=(float(low), float(high), kind))
    share = metric.share(tally)
    curved = share is None or share.method != "Wilson"
    if tally.count_clusters() is not None:
        deviation = measure_deviation(means) * widen(tally, confidence)[1][0]
        low, high = bound_within(value, deviation, tally.n.sum(), metric.bounds, confidence)
    else:
        parts = _combine_groups(side, means, spread) if curved else None
        sizes = _count_examples(tally.need_patterns()) if curved else tally.n
        low, high = bound_macro(value, means, sizes, metric.bounds, confidence, parts)
        high = np.minimum(high + _find_gap(metric, side) / 2, metric.bounds[1])
    cells = tally.need_patterns()
    scarce = curved and cells.gold.ndim == 1 and is_scarce(cells.per_label().gold)
    ends = min(float(low), float(value)), max(float(high), float(value))
    return replace(
        spread, mean=(*ends, f"Wilson at the effective size of {kind}"), scarce=bool(scarce)
    )


def _combine_groups(side: Side, means: Values, spread: Spread) -> tuple[Values, Values] | None:
    """The mean's interval from those of its groups, moved by what resamples show of its bias."""
    if spread.groups is None or np.isnan(side.values).all() or np.isnan(means).all():
        return None
    low, high = bound_mean(side.values, spread.groups.low, spread.groups.high)
    value = np.nanmean(side.values)
    bias = value - np.nanmean(means)
    return np.clip(low + bias, None, value), np.asarray(high + bias)


def _count_examples(tally: Cells) -> NDArray[np.int64]:
    """How many examples each label has in each group that has some."""
    gold = replace(tally, weights=None).per_label().gold
    return np.asarray(gold[gold > 0])


def _find_gap(metric: Metric, side: Side) -> float:
    """How much higher the mean over groups would be without labels that some lack in the gold.

    Where they are predicted they count as 0, which no resample changes, though in another sample a
    label that other groups have may occur there as well.
    """
    tally, each = side.tally.patterns, metric.each
    if each is None or tally is None or tally.gold.ndim > 1 or metric.better != "higher":
        return 0.0
    gold, values = tally.per_label().gold, each.score(tally)
    if values.shape != gold.shape:
        return 0.0
    lacking = (gold == 0) & (gold > 0).any(0)
    rest = average_groups(metric, _average_labels(np.where(lacking, np.nan, values)))
    return float(np.nan_to_num(np.maximum(rest - average_groups(metric, side.values), 0)))


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
    sides = zip(observed.sides(), (groups, whole[:, None]), widen(tally, confidence), strict=True)
    bounds = [bound(metric, one, drawn, widened, confidence) for one, drawn, widened in sides]
    if not plainly:
        kind = f"Wilson at the effective size of {kind}"
    tail = find_tail(metric, tally)
    if tail is None and is_clustered(tally):
        tail = count_effectively(observed.whole.tally, confidence)[1]
    by_group = None if metric.per_label else bounds[0]
    return Spread(by_group, take(bounds[1]), kind, lost, tail=tail)


def _bound_between(
    metric: Metric, side: Side, drawn: Values, widened: Values, confidence: float
) -> Bounds:
    """The percentiles of resamples, as much farther from the value as few of them ask for."""
    value = side.values
    each = (-1, *(1,) * (value.ndim - 1))
    factor = widened.reshape(each)
    ends = bound_percentiles(drawn, confidence)
    low, high = (np.clip(value + factor * (end - value), *metric.bounds) for end in ends)
    # Texts that are all perfect, or all alike, tell no more than so many trials of a share.
    top = metric.bounds[1] if np.isfinite(metric.bounds[1]) else 1.0
    still = (high - low <= _ROUNDING * top) & (value <= top + _ROUNDING) & (metric.bounds[0] == 0)
    still &= not metric.is_fixed(side.tally)
    size = np.where(still, _count_trials(metric, side.tally).reshape(each), 0)
    shares = bound_share(np.where(still, np.minimum(value / top, 1), 0) * size, size, confidence)
    low, high = (
        np.where(still, top * own, end) for own, end in zip(shares, (low, high), strict=True)
    )
    return contain_values(side.values, Bounds(low, high))


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
    """The interval of a share that scatters as the resamples do."""
    wide = (-1, *(1,) * (side.values.ndim - 1))
    deviation = measure_deviation(drawn) * widened.reshape(wide)
    trials, most = metric.trials(side.tally), np.full(len(side.tally.groups), np.inf)
    sizes = np.asarray(side.tally.n if trials is None else trials, np.float64)
    if trials is not None:
        most = sizes
    elif is_clustered(side.tally):
        # Labels that clusters hardly get wrong are as few as the clusters, whatever they score.
        sizes = most = count_effectively(side.tally, confidence)[0]
    sizes, most = (np.broadcast_to(own.reshape(wide), side.values.shape) for own in (sizes, most))
    ends = bound_within(side.values, deviation, sizes, metric.bounds, confidence, most)
    return contain_values(side.values, Bounds(*ends))


def _combine_labels(
    metric: Metric, each: Metric, observed: Observed, draws: _Draws, settings: Intervals
) -> Spread:
    """The mean over labels, from resamples of the mean and the intervals of the labels."""
    confidence = settings.confidence
    groups = _bound_means(metric, each, observed.groups, draws.groups, confidence)
    whole = _bound_means(metric, each, observed.whole, draws.whole[:, None], confidence)
    kind = _name_resamples(observed.groups.tally, len(draws.whole))
    gold = observed.whole.tally.need_labels().gold
    return Spread(
        groups,
        take(whole),
        f"Wilson at the effective size of {kind} and of each label",
        rare=is_scarce(gold),
    )


def _bound_means(
    metric: Metric, each: Metric, side: Side, drawn: Values, confidence: float
) -> Bounds:
    ends, values = bound_shares(each, side.tally, confidence), each.score(side.tally)
    # A label that counts although nobody has it may score anything in another sample.
    blank = ~np.isnan(values) & np.isnan(ends.low)
    low, high = (
        np.where(blank, limit, end)
        for limit, end in zip(each.bounds, (ends.low, ends.high), strict=True)
    )
    counts = replace(side.tally.need_patterns(), weights=None).per_label().gold
    found = []
    for group in range(len(values)):
        parts = bound_mean(values[group], low[group], high[group], drawn[:, group])
        own = bound_macro(
            side.values[group],
            _average_labels(drawn[:, group]),
            counts[group][counts[group] > 0],
            metric.bounds,
            confidence,
            (np.array(parts[0]), np.array(parts[1])),
        )
        found.append([float(end) for end in own])
    return contain_values(side.values, Bounds(*np.array(found, np.float64).reshape(-1, 2).T))


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
