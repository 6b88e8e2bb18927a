"""The intervals of every score of one system: from influences where examples tell of themselves."""

from collections.abc import Mapping

import numpy as np

from tallystick.frozen import replace
from tallystick.model.tallies.metric import Metric, Values
from tallystick.scoring.intervals.bounds import Bounds, Observed, Spread, observe
from tallystick.scoring.intervals.smooth import bound_smooth
from tallystick.statistics.means import bound_mean
from tallystick.statistics.settings import Intervals


def measure_spreads(
    observed: Mapping[Metric, Observed | None], settings: Intervals, *, strata: bool = False
) -> dict[Metric, Spread]:
    """The intervals of one system's metrics from its tallies.

    Args:
        observed: What was observed by each metric.
        settings: How intervals are made.
        strata: Whether samples keep how many examples each gold label has.
    """
    spreads: dict[Metric, Spread] = {}
    for metric, one in observed.items():
        if one is None or (metric.adds_up and metric.better == "neither"):
            continue  # how many examples there are is no estimate
        found = _bound(metric, one, settings, strata=strata)
        if found is not None:
            spreads[metric] = found
    return spreads


def _bound(
    metric: Metric, observed: Observed, settings: Intervals, *, strata: bool
) -> Spread | None:
    if metric.between:
        return _bound_between(metric, observed, settings, strata=strata)
    tally, confidence = observed.groups.tally, settings.confidence
    sides = [metric.bound(side.tally, confidence) for side in observed.sides()]
    if sides[0] is not None and sides[1] is not None:
        (low, high, method), whole = sides[0], Bounds(*sides[1][:2])
        with np.errstate(over="ignore"):  # infinite ends have infinite squares
            ends = bound_mean(observed.groups.values, low, high)
        mean: tuple[float, float, str] | None = (*ends, f"{method}, groups combined")
        if tally.keeps_examples and tally.list_clusters() is not None and len(tally.groups) > 1:
            mean = bound_smooth(metric, observed, confidence).mean
        return Spread(Bounds(low, high), whole.only, method, mean=mean)
    cells = tally.patterns
    fit = strata and cells is not None and cells.sets is None and cells.clusters is None
    return bound_smooth(metric, observed, confidence, strata=fit)


def _bound_between(
    metric: Metric, observed: Observed, settings: Intervals, *, strata: bool
) -> Spread | None:
    """What is held against each other of groups, from their intervals; None where these lack."""
    from tallystick.kinds.between import Between

    assert isinstance(metric, Between)
    parts = observe(dict.fromkeys(metric.parts, observed.groups.tally))
    values = np.stack([one.groups.values for one in parts.values() if one is not None])
    claims = metric.count_claims(int((~np.isnan(values)).any(0).sum()))
    confidence = settings.confidence
    found: list[tuple[Values, Values]] = []
    for level in (confidence, 1 - (1 - confidence) / claims):
        spreads = measure_spreads(parts, replace(settings, confidence=level), strata=strata)
        groups = [spreads[part].groups for part in metric.parts if part in spreads]
        known = [one for one in groups if one is not None]
        if len(known) < len(metric.parts):
            return None
        found.append((np.stack([one.low for one in known]), np.stack([one.high for one in known])))
    none = np.full_like(observed.groups.values, np.nan)
    value = metric.compare(values)
    low, high = metric.find_ends(values, found[0], found[1], confidence)
    ends = np.nan, np.nan
    if not np.isnan(value):
        ends = float(np.fmin(low, value)), float(np.fmax(high, value))
    method = f"{spreads[metric.parts[0]].method}, groups compared"
    return Spread(Bounds(none, none), Bounds(none[0], none[0]), method, mean=(*ends, method))
