"""The intervals of what is held against each other of groups, from those of the groups."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from tallystick.kinds.between import Between, Ends
from tallystick.scoring.intervals.bounds import Bounds, Observed, Spread, observe
from tallystick.statistics.settings import Intervals
from tallystick.tallies.metric import Metric

Measure = Callable[[Mapping[Metric, Observed | None], Intervals], dict[Metric, Spread]]


def bound_between(
    metric: Between, observed: Observed, settings: Intervals, measure: Measure
) -> Spread | None:
    """The interval of one metric; None where that of its groups has none."""
    parts = observe(dict.fromkeys(metric.parts, observed.groups.tally))
    sides = [one.groups.values for one in parts.values() if one is not None]
    values = np.stack(sides)
    claims = metric.count_claims(int((~np.isnan(values)).any(0).sum()))
    confidence = settings.confidence
    found: list[Ends] = []
    for level in (confidence, 1 - (1 - confidence) / claims):
        spreads = measure(parts, replace(settings, confidence=level))
        groups = [spreads[part].groups for part in metric.parts if part in spreads]
        known = [one for one in groups if one is not None]
        if len(known) < len(metric.parts):
            return None
        found.append((np.stack([one.low for one in known]), np.stack([one.high for one in known])))
    none = np.full_like(observed.groups.values, np.nan)
    value = metric.compare(values)
    low, high = metric.find_ends(values, found[0], found[1], confidence)
    ends = float(np.fmin(low, value)), float(np.fmax(high, value))
    method = f"{spreads[metric.parts[0]].method}, groups compared"
    return Spread(Bounds(none, none), Bounds(none[0], none[0]), method, mean=(*ends, method))
