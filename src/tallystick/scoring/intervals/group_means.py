"""The interval of the mean over groups, such as the macro row of languages."""

import numpy as np

from tallystick.frozen import replace
from tallystick.scoring.intervals.bounds import Observed, Side, Spread, average_groups
from tallystick.statistics.means import Moments, bound_macro, is_scarce, sum_distances
from tallystick.statistics.wilson import bound_plainly, count_trials
from tallystick.tallies.metric import Metric, Values
from tallystick.tallies.ratios import weigh


def add_mean(
    metric: Metric,
    observed: Observed,
    moments: Moments,
    spread: Spread,
    confidence: float,
    kind: str,
) -> Spread:
    """The same intervals, and that of the mean over groups from how it varies."""
    side = observed.groups
    value, tally, curved = average_groups(metric, side.values), side.tally, _is_curved(metric, side)
    parts, sizes = None, tally.n
    if curved:
        parts = _combine_groups(metric, side, moments.expected, spread, confidence)
        sizes = replace(tally.need_patterns(), weights=None).per_label().gold.ravel()
    low, high = bound_macro(value, moments, sizes, metric.bounds, confidence, parts)
    high = np.minimum(high + _find_gap(metric, side) / 2, metric.bounds[1])
    return set_mean(metric, side, spread, (low, high), kind)


def _is_curved(metric: Metric, side: Side) -> bool:
    share = metric.share(side.tally)
    return share is None or share.method != "Wilson"


def set_mean(
    metric: Metric, side: Side, spread: Spread, ends: tuple[Values, Values], kind: str
) -> Spread:
    """The same intervals, and that of the mean over groups, which holds the mean itself."""
    value, cells = average_groups(metric, side.values), side.tally.need_patterns()
    curved = _is_curved(metric, side)
    scarce = curved and cells.sets is None and is_scarce(cells.per_label().gold)
    low, high = min(float(ends[0]), float(value)), max(float(ends[1]), float(value))
    method = f"Wilson at the effective size of {kind}"
    return replace(spread, mean=(low, high, method), scarce=bool(scarce))


def _combine_groups(
    metric: Metric, side: Side, expected: Values, spread: Spread, confidence: float
) -> tuple[Values, Values] | None:
    """The mean's interval from those of its groups, moved by what is known of its bias."""
    if spread.groups is None or np.isnan(side.values).all() or np.isnan(expected):
        return None
    bottom, width = metric.bounds[0], metric.bounds[1] - metric.bounds[0]
    share, low, high = (
        (own - bottom) / width for own in (side.values, spread.groups.low, spread.groups.high)
    )
    counts = count_trials(share, (low, high), confidence)
    trials = np.maximum(np.where(np.isinf(counts), 0, counts).max(0), np.finfo(float).tiny)
    below, above = sum_distances(
        share,
        (low, high),
        lambda z: bound_plainly(share * trials, trials, z),
        lambda distances: np.sqrt((distances**2).sum(-1)),
        confidence,
    )
    value, size = np.nanmean(side.values), (~np.isnan(side.values)).sum()
    bias = value - expected
    low, high = value - width * below / size + bias, value + width * above / size + bias
    return np.clip(low, None, value), np.asarray(high)


def _find_gap(metric: Metric, side: Side) -> float:
    """How much higher the mean over groups would be without labels that some lack in the gold.

    Where they are predicted they count as 0, which no resample changes, though in another sample a
    label that other groups have may occur there as well.
    """
    tally, each = side.tally.patterns, metric.each
    if each is None or tally is None or tally.sets is not None or metric.better != "higher":
        return 0.0
    gold, values = tally.per_label().gold, each.score(tally)
    if values.shape != gold.shape:
        return 0.0
    lacking = (gold == 0) & (gold > 0).any(0)
    known = ~lacking & ~np.isnan(values)
    rest = average_groups(metric, weigh(np.where(known, values, np.nan), known))
    return float(np.nan_to_num(np.maximum(rest - average_groups(metric, side.values), 0)))
