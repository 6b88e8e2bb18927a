"""The intervals of every score of one system, from the contributions of examples."""

import math
from collections.abc import Mapping

import numpy as np
from msgspec.structs import replace

from tallystick.model.tallies.metric import Metric, Values, adds_up, compares_groups, is_per_label
from tallystick.scoring.influence import find_scale, measure_scatters, measure_share
from tallystick.scoring.score_table import (
    Bounds,
    Observed,
    Side,
    Spread,
    average_groups,
    observe,
)
from tallystick.statistics.influence import Scale, Scatter, bound_score, name_method
from tallystick.statistics.settings import Intervals
from tallystick.statistics.wilson import bound_mean, bound_share

_SHARE = (0, 1)


def bound_smooth(
    metric: Metric, observed: Observed, confidence: float, *, strata: bool = False
) -> Spread:
    """The intervals of a metric from contributions; `strata` keeps the sizes of gold labels."""
    tally, values = observed.groups.tally, observed.groups.values
    share, plain = metric.estimand(tally), _is_plain(metric, observed.whole)
    averaged = len(tally.groups) > 1 and not is_per_label(metric) and not adds_up(metric)
    by_share = share is not None and (plain or not strata or is_per_label(metric))
    scale, scatters = find_scale(metric, tally), None
    if averaged or not by_share:
        scatters = measure_scatters(metric, tally, values, strata=strata and not by_share)
    of_clusters = " of clusters" if tally.list_clusters() is not None else ""
    method = usual = name_method(metric.bounds, scale) + of_clusters
    if share is not None and by_share:
        method = share.method + ("" if plain else f" at the effective size{of_clusters}")
        groups, whole = (
            _bound_share(metric, side, confidence, plain=plain) for side in observed.sides()
        )
    elif scatters is not None:
        sides = zip(observed.sides(), scatters[:2], strict=True)
        groups, whole = (_bound(metric, *side, scale, confidence) for side in sides)
    mean = None
    if scatters is not None and averaged:
        value = np.atleast_1d(average_groups(metric, values))
        ends = bound_score(value, scatters[2], metric.bounds, scale, confidence)
        mean = (*Bounds.around(value, *ends).at(0), usual)
    found = Spread(None if is_per_label(metric) else groups, whole.only, method, mean)
    if scatters is None or by_share or is_per_label(metric):
        return found
    bounded = bool(np.isfinite(metric.bounds).all())
    return replace(found, scatter=scatters[1], steady=bounded and scale != "correlation")


def _is_plain(metric: Metric, side: Side) -> bool:
    """Whether a score is a share of examples that all weigh the same and count by themselves."""
    tally = side.tally
    share = metric.estimand(tally)
    if share is None or tally.list_clusters() is not None:
        return False
    cells = tally.patterns
    if cells is None:
        sums = tally.weight_sums()
        return sums is None or np.array_equal(*sums)
    if cells.weights is None:
        return True
    plain, squares = metric.estimand(replace(cells, weights=None)), metric.estimand(cells.squared())
    assert plain is not None
    assert squares is not None
    return np.allclose(np.square(share.trials), np.multiply(squares.trials, plain.trials))


def _bound_share(metric: Metric, side: Side, confidence: float, *, plain: bool) -> Bounds:
    """The intervals of shares of the examples; Wilson's own where all of these weigh the same."""
    tally = side.tally
    share = metric.estimand(tally)
    assert share is not None, metric
    trials = np.asarray(share.trials, np.float64)
    rates = np.where(trials > 0, share.hits / np.where(trials > 0, trials, 1), np.nan)
    if plain:
        counts = trials
        if tally.patterns is not None and tally.patterns.weights is not None:
            unweighted = metric.estimand(replace(tally.patterns, weights=None))
            counts = trials if unweighted is None else np.asarray(unweighted.trials, np.float64)
        ends = bound_share(np.nan_to_num(rates) * counts, counts, confidence)
    else:
        found = measure_share(metric, tally)
        ends = bound_score(rates, found, _SHARE, "score", confidence)
    return Bounds.around(side.values, *(share.to_score(end) for end in ends))


def _bound(metric: Metric, side: Side, scatter: Scatter, scale: Scale, confidence: float) -> Bounds:
    values = side.values
    low, high = bound_score(values, scatter, metric.bounds, scale, confidence)
    if np.isinf(values).any():
        bound = getattr(metric, "bound_infinite", None)
        least = math.nan if bound is None else bound(side.tally, confidence)
        low = np.where(np.isinf(values), np.where(values < 0, -np.inf, least), low)
        high = np.where(np.isinf(values), np.where(values > 0, np.inf, least), high)
    return Bounds.around(values, low, high)


def measure_spreads(
    observed: Mapping[Metric, Observed | None], settings: Intervals, *, strata: bool = False
) -> dict[Metric, Spread]:
    """The intervals of one system's metrics; `strata` keeps the number of each gold label."""
    spreads: dict[Metric, Spread] = {}
    for metric, one in observed.items():
        if one is None or (adds_up(metric) and metric.better == "neither"):
            continue  # how many examples there are is no estimate
        found = _bound_metric(one.formula, one, settings, strata=strata)
        if found is not None:
            spreads[metric] = found
    return spreads


def _bound_metric(
    metric: Metric, observed: Observed, settings: Intervals, *, strata: bool
) -> Spread | None:
    if compares_groups(metric):
        return _bound_between(metric, observed, settings, strata=strata)
    tally, confidence = observed.groups.tally, settings.confidence
    bound = getattr(metric, "bound", None)  # the ends of each group's interval by its own formula
    found = [bound and bound(side.tally, confidence) for side in observed.sides()]
    if found[0] and found[1]:
        (low, high, method), whole = found[0], Bounds(*found[1][:2])
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
    """What is compared with each other of groups, from their intervals; None where these lack."""
    from tallystick.kinds.composite_metrics import Between

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
