"""The intervals of scores that are no smooth functions of their examples, from resamples."""

from collections.abc import Mapping

import numpy as np

from tallystick.scoring.intervals.bounds import Bounds, Observed, Spread, average_groups
from tallystick.statistics.percentiles import (
    bound_percentiles,
    bound_within,
    measure_deviation,
    widen_few,
)
from tallystick.statistics.settings import Intervals
from tallystick.tallies.metric import Metric, Values
from tallystick.tallies.tally import Tally

_ROUNDING = 1e-9
"""Ends that are no farther apart are equal but for rounding."""


def resample_spreads(
    observed: Mapping[Metric, Observed], settings: Intervals
) -> dict[Metric, Spread]:
    """The intervals of metrics of one tally, from resamples of it."""
    tally = next(iter(observed.values())).groups.tally
    drawn: dict[Metric, list[tuple[Values, Values]]] = {metric: [] for metric in observed}
    for chunk in tally.resample(settings.resamples, settings.random_seed):
        # One group is all there is, and need not be scored again.
        pooled = chunk.total() if len(chunk.groups) > 1 else None
        for metric, own in drawn.items():
            values = metric.score(chunk)
            own.append((values, values if pooled is None else metric.score(pooled)))
    return {metric: _read(metric, observed[metric], own, settings) for metric, own in drawn.items()}


def _read(
    metric: Metric, observed: Observed, drawn: list[tuple[Values, Values]], settings: Intervals
) -> Spread:
    """Wilson at the size at which a share scatters as the resamples do; percentiles of others."""
    tally, confidence = observed.groups.tally, settings.confidence
    groups, whole = (np.concatenate([np.atleast_2d(one[side]) for one in drawn]) for side in (0, 1))
    known = ~np.isnan(observed.whole.values).all()
    lost = float(np.isnan(whole).mean()) if known else 0.0
    means = average_groups(metric, groups)[:, None]
    value = np.atleast_1d(average_groups(metric, observed.groups.values))
    sizes, every = _count_units(tally)
    method = f"{settings.resamples} {tally.resampled}"
    if tally.list_clusters() is not None:
        method += " of clusters"
    if tally.share_like:
        method = f"Wilson at the effective size of {method}"
    found = []
    sides = ((observed.groups.values, groups), (observed.whole.values, whole), (value, means))
    for (own, values), units in zip(sides, (sizes, every, every), strict=True):
        factor = widen_few(units, confidence)
        deviation = measure_deviation(values) * factor
        ends = bound_within(own, deviation, units, metric.bounds, confidence)
        if not tally.share_like:
            far = bound_percentiles(values, confidence)
            low, high = (np.clip(own + factor * (end - own), *metric.bounds) for end in far)
            # Where nothing varies, these show no more than so many trials of a share.
            still = high - low <= _ROUNDING
            ends = np.where(still, ends[0], low), np.where(still, ends[1], high)
        found.append(Bounds.around(own, *ends))
    mean = (*found[2].at(0), method) if len(tally.groups) > 1 else None
    return Spread(found[0], found[1].only, method, mean, lost)


def _count_units(tally: Tally) -> tuple[Values, Values]:
    """How many examples, or clusters, each group has, and how many there are."""
    found = tally.count_clusters()
    sizes, every = (tally.n, int(tally.n.sum())) if found is None else found
    return np.asarray(sizes, float), np.array([every], float)
