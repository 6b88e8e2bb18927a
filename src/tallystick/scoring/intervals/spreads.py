"""The intervals of every score of one system: by formula where there is one, else by resampling."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from tallystick.scoring.intervals.bounds import (
    Bounds,
    Observed,
    Spread,
    average_groups,
    bound_formula,
    bound_tries,
    observe,
)
from tallystick.scoring.intervals.labels import METHOD, bound_labels, find_moments, find_ratio
from tallystick.statistics.means import bound_mean
from tallystick.statistics.percentiles import bound_percentiles
from tallystick.statistics.settings import Intervals
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import Metric, Values
from tallystick.tallies.resampling import is_table, resample_strata, sample_tables
from tallystick.tallies.tally import Tally


def measure_spreads(
    observed: Mapping[Metric, Observed | None], settings: Intervals
) -> dict[Metric, Spread]:
    """The intervals of one system's metrics from its tallies."""
    spreads: dict[Metric, Spread] = {}
    tables: dict[int, dict[Metric, Observed]] = {}
    rest: dict[int, dict[Metric, Observed]] = {}
    for metric, one in observed.items():
        if one is None or (metric.adds_up and metric.better == "neither"):
            continue  # how many examples there are is no estimate
        found = _bound(metric, one, settings)
        if found is not None:
            spreads[metric] = found
        elif not metric.between:
            tally = one.groups.tally
            (tables if is_table(tally) else rest).setdefault(id(tally), {})[metric] = one
    for same in tables.values():
        spreads |= _table_spreads(same, settings)
    lacking = {
        metric: one
        for metric, one in observed.items()
        if one is not None and metric in spreads and _lacks_mean(metric, one, spreads[metric])
    }
    for metric, one in lacking.items():
        spread = _add_mean(metric, one, spreads[metric], settings.confidence)
        if spread is None:
            rest.setdefault(id(one.groups.tally), {})[metric] = one
        else:
            spreads[metric] = spread
    for same in rest.values():
        # Imported here because most metrics have a formula.
        from tallystick.scoring.intervals.resampled import resample_spreads

        spreads |= resample_spreads(same, settings, spreads)
    return {metric: spreads[metric] for metric in observed if metric in spreads}


def _lacks_mean(metric: Metric, observed: Observed, spread: Spread) -> bool:
    """Whether the mean over groups of labels has no interval yet."""
    tally = observed.groups.tally
    if metric.per_label or metric.adds_up or metric.between or spread.mean is not None:
        return False
    return len(tally.groups) > 1 and tally.per_label() is not None


def _add_mean(
    metric: Metric, observed: Observed, spread: Spread, confidence: float
) -> Spread | None:
    """The same intervals with that of the mean over groups, where a formula gives it."""
    # Imported here because few examples are in groups.
    from tallystick.scoring.intervals.group_means import add_mean

    moments = find_moments(metric, observed.groups)
    if moments is None:
        return None
    return add_mean(metric, observed, moments.average(), spread, confidence, METHOD)


def _bound(metric: Metric, observed: Observed, settings: Intervals) -> Spread | None:
    """The intervals that a formula gives; None where there is none."""
    if metric.between:
        return _bound_between(metric, observed, settings)
    tally, confidence = observed.groups.tally, settings.confidence
    sides = [metric.bound(side.tally, confidence) for side in observed.sides()]
    if sides[0] is not None and sides[1] is not None:
        (low, high, method), whole = sides[0], Bounds(*sides[1][:2])
        with np.errstate(over="ignore"):  # infinite ends have infinite squares
            mean = *bound_mean(observed.groups.values, low, high), f"{method}, groups combined"
        return Spread(Bounds(low, high), whole.only, method, mean=mean)
    if metric.interval(tally) is not None:
        from tallystick.scoring.intervals.curves import bound_curves

        return bound_curves(metric, observed, confidence)
    if metric.averages_patterns and tally.plain:
        return bound_tries(metric, observed, confidence)
    each = find_ratio(metric, tally)
    if each is not None and metric.share(tally) is None and not is_table(tally):
        found: Spread | None = bound_labels(metric, each, observed, confidence)
    else:
        found = bound_formula(metric, observed, confidence)
    left_out = metric.rests_on or tally.counter.kind.numeric
    if found is not None or not (left_out or metric.has_slopes):
        return found
    from tallystick.scoring.intervals.numbers import bound_numbers

    return bound_numbers(metric, observed, confidence)


def _bound_between(metric: Metric, observed: Observed, settings: Intervals) -> Spread | None:
    """What is held against each other of groups, from their intervals; None where these lack."""
    from tallystick.kinds.between import Between

    assert isinstance(metric, Between)
    parts = observe(dict.fromkeys(metric.parts, observed.groups.tally))
    values = np.stack([one.groups.values for one in parts.values() if one is not None])
    claims = metric.count_claims(int((~np.isnan(values)).any(0).sum()))
    confidence = settings.confidence
    found: list[tuple[Values, Values]] = []
    for level in (confidence, 1 - (1 - confidence) / claims):
        spreads = measure_spreads(parts, replace(settings, confidence=level))
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
            # Another sample may have the label that this one lacks, so that it reaches more.
            values = observed[metric].sides()[place].values
            found = _bound_percentiles(values, np.concatenate(own), settings.confidence)
            bounds[metric].append(found)
    return {metric: Spread(groups, whole.only, kind) for metric, (groups, whole) in bounds.items()}


def measure_strata(
    observed: Mapping[Metric, Observed | None], settings: Intervals
) -> dict[Metric, Spread]:
    """Returns the intervals of metrics of binary labels that are weighted for a mix of labels.

    Percentiles of resamples in which every gold label keeps the number of its examples. Metrics
    of other tallies, and examples that belong to clusters, have none here; nor have shares of one
    gold label, such as recall, which the mix does not change.
    """
    families: dict[int, dict[Metric, Observed]] = {}
    for metric, one in observed.items():
        if one is None or metric.adds_up:
            continue
        tally = one.groups.tally
        if not _is_fit(tally) or _is_of_one_weight(metric, tally.need_patterns()):
            continue
        families.setdefault(id(tally), {})[metric] = one
    return {
        metric: spread
        for family in families.values()
        for metric, spread in _measure_family(family, settings)
    }


def _is_fit(tally: Tally) -> bool:
    """Returns whether there are two labels, no clusters, and one weight for each cell."""
    cells = tally.patterns
    if cells is None or cells.sets is not None or cells.clusters is not None:
        return False
    if len(cells.labels) != 2 or cells.weights is None:
        return False
    sums, squares = cells.weights[:2]
    return bool(np.allclose(sums**2, squares * cells.counts))


def _is_of_one_weight(metric: Metric, tally: Cells) -> bool:
    """Returns whether the metric is a share of examples that all weigh the same."""
    share, squares = metric.share(tally), metric.share(tally.squared())
    plain = metric.share(replace(tally, weights=None))
    if share is None or squares is None or plain is None:
        return False
    return bool(np.allclose(share.trials**2, squares.trials * plain.trials))


def _measure_family(
    family: Mapping[Metric, Observed], settings: Intervals
) -> Iterator[tuple[Metric, Spread]]:
    tally = next(iter(family.values())).groups.tally.need_patterns()
    drawn = resample_strata(tally, settings.resamples, settings.random_seed)
    total = drawn if len(tally.groups) == 1 else drawn.total()
    method = f"{settings.resamples} bootstrap resamples of each gold label"
    for metric, one in family.items():
        values, confidence = metric.score(drawn), settings.confidence
        groups = _bound_percentiles(one.groups.values, values, confidence)
        whole = _bound_percentiles(one.whole.values, metric.score(total), confidence)
        spread = Spread(None if metric.per_label else groups, whole.only, method)
        if len(tally.groups) > 1 and not metric.per_label:
            mean = average_groups(metric, one.groups.values)
            ends = _bound_percentiles(mean, average_groups(metric, values), confidence)
            spread = replace(spread, mean=(*ends.at(()), method))
        yield metric, spread


def _bound_percentiles(value: Values, drawn: Values, confidence: float) -> Bounds:
    return Bounds.around(value, *bound_percentiles(drawn, confidence))
