"""The intervals of shares of examples, and of all scores of which single examples tell."""

import math

import numpy as np

from tallystick.frozen import replace
from tallystick.model.tallies.metric import Metric
from tallystick.scoring.intervals.bounds import Bounds, Observed, Side, Spread, average_groups
from tallystick.scoring.intervals.influence import find_scale, measure_scatters, measure_share
from tallystick.statistics.influence import Scale, Scatter, bound_score, name_method
from tallystick.statistics.wilson import bound_share

_SHARE = (0, 1)


def bound_smooth(
    metric: Metric, observed: Observed, confidence: float, *, strata: bool = False
) -> Spread:
    """The intervals of a metric whose tally tells of single examples, or kinds of them.

    Args:
        metric: The metric.
        observed: What was observed by it.
        confidence: The level of the intervals.
        strata: Whether samples keep how many examples each gold label has.
    """
    tally, values = observed.groups.tally, observed.groups.values
    share, plain = metric.estimand(tally), _is_plain(metric, observed.whole)
    averaged = len(tally.groups) > 1 and not metric.per_label and not metric.adds_up
    by_share = share is not None and (plain or not strata or metric.per_label)
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
    found = Spread(None if metric.per_label else groups, whole.only, method, mean)
    if scatters is None or by_share or metric.per_label:
        return found
    bounded = bool(np.isfinite(metric.bounds).all())
    return replace(found, scatter=scatters[1], steady=bounded and scale != "correlation")


def _is_plain(metric: Metric, side: Side) -> bool:
    """Whether a score is a share of examples that all weigh the same and stand for themselves."""
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
