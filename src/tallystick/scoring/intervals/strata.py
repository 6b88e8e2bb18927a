"""The intervals of scores for another mix of labels: the mix is known, and only outputs vary."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from tallystick.scoring.intervals.bounds import (
    Bounds,
    Observed,
    Spread,
    average_groups,
    contain_values,
    take,
)
from tallystick.statistics.percentiles import bound_percentiles
from tallystick.statistics.settings import Intervals
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import Metric, Values
from tallystick.tallies.resampling import resample_strata
from tallystick.tallies.tally import Tally

_BINARY = 2


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
        for metric, spread in _measure(family, settings)
    }


def _is_fit(tally: Tally) -> bool:
    """Returns whether there are two labels, no clusters, and one weight for each cell."""
    cells = tally.patterns
    if cells is None or cells.gold.ndim > 1 or cells.clusters is not None:
        return False
    if len(cells.labels) != _BINARY or cells.weights is None:
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


def _measure(
    family: Mapping[Metric, Observed], settings: Intervals
) -> Iterator[tuple[Metric, Spread]]:
    tally = next(iter(family.values())).groups.tally.need_patterns()
    drawn = resample_strata(tally, settings.resamples, settings.random_seed)
    total = drawn if len(tally.groups) == 1 else drawn.total()
    method = f"{settings.resamples} bootstrap resamples of each gold label"
    for metric, one in family.items():
        values, confidence = metric.score(drawn), settings.confidence
        groups = _bound(one.groups.values, values, confidence)
        whole = _bound(one.whole.values, metric.score(total), confidence)
        spread = Spread(None if metric.per_label else groups, take(whole), method)
        if len(tally.groups) > 1 and not metric.per_label:
            mean = average_groups(metric, one.groups.values)
            ends = _bound(mean, average_groups(metric, values), confidence)
            spread = replace(spread, mean=(*ends.at(()), method))
        yield metric, spread


def _bound(value: Values, drawn: Values, confidence: float) -> Bounds:
    return contain_values(value, Bounds(*bound_percentiles(drawn, confidence)))
