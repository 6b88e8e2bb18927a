"""The intervals of metrics of binned probabilities, widened by what bins leave open."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.scoring.intervals.bounds import (
    Bounds,
    Observed,
    Side,
    Spread,
    average_groups,
)
from tallystick.scoring.intervals.curves import (
    Scatter,
    add_rare,
    bound_complement,
    bound_scatter,
    find_least,
)
from tallystick.statistics import student
from tallystick.statistics.areas import bound_delong
from tallystick.statistics.jackknife import find_skewness
from tallystick.statistics.means import bound_mean
from tallystick.tallies.bins import Bins
from tallystick.tallies.metric import Interval, Values

_ROUNDING = 1e-12
"""A smaller share of the squares that is left of them is rounding."""


def bound_bins(metric: Any, observed: Observed, confidence: float) -> Spread:
    """The intervals of a metric of binned probabilities.

    They are those of the binned scores, from the infinitesimal jackknife or DeLong's variance, made
    wider at both ends by how far the value can be from that of unbinned scores. Where several
    labels are scored and there are no clusters, nothing tells how these go together, and they are
    taken to go together entirely, which makes intervals wider than they need be.
    """
    tally = observed.groups.tally.need(Bins)
    interval: Interval = metric.interval(tally)
    if interval.complement is not None:
        return bound_complement(interval.complement, bound_bins, observed, confidence)
    delong = interval.is_area and len(tally.columns) == 1 and tally.clusters is None
    bound = _bound_areas if delong else _bound_side
    groups, whole = (bound(metric, side, confidence) for side in observed.sides())
    name = "DeLong's variance in Wilson's interval" if delong else interval.method
    error, total = (metric.bin_error(side.tally) for side in observed.sides())
    if interval.loss is None:
        name = f"{name} on binned probabilities, with their error"
    return Spread(
        _widen(metric, observed.groups, groups, error),
        _widen(metric, observed.whole, whole, total).only,
        name,
        mean=_bound_mean(metric, observed.groups, groups, name, confidence),
    )


def _widen(metric: Any, side: Side, bounds: Bounds, error: Values) -> Bounds:
    low, high = metric.interval(side.tally).limits
    ends = np.maximum(bounds.low - error, low), np.minimum(bounds.high + error, high)
    return Bounds.around(side.values, *ends)


def _bound_mean(
    metric: Any, side: Side, bounds: Bounds, name: str, confidence: float
) -> tuple[float, float, str] | None:
    """The interval of the mean over groups; None where there is one group only."""
    tally = side.tally.need(Bins)
    places = np.flatnonzero(~np.isnan(side.values)).tolist()
    if len(tally.groups) < 2 or not len(places):
        return None
    value = float(average_groups(metric, side.values))
    if tally.clusters is None:
        low, high = bound_mean(side.values, bounds.low, bounds.high)
        name = f"{name}, groups combined"
    else:
        low, high = _bound(metric, tally, places, value, confidence)
    error = float(metric.bin_error(tally)[places].mean())
    ends = metric.interval(tally).limits
    return max(min(low, value) - error, ends[0]), min(max(high, value) + error, ends[1]), name


def _bound_areas(metric: Any, side: Side, confidence: float) -> Bounds:
    tally = side.tally.need(Bins)
    counts = [tally.steps(group, 0)[1] for group in range(len(tally.groups))]
    sizes = np.array([own.sum(0) for own in counts], np.float64).reshape(-1, 2)
    variances = np.array([_find_area_variance(own) for own in counts])
    ends = bound_delong(side.values, variances, sizes[:, 1], sizes[:, 0], confidence)
    return Bounds.around(side.values, *ends)


def _find_area_variance(counts: NDArray[np.int64]) -> float:
    """DeLong's variance of an area from the counts of (negatives, positives) in each bin."""
    sizes = counts.sum(0)
    if sizes.min() < 2:
        return np.nan
    below = (np.cumsum(counts, axis=0) - counts / 2) / sizes
    parts = [
        np.cov(below[:, other], fweights=counts[:, own]) / sizes[own]
        for own, other in ((0, 1), (1, 0))
    ]
    return float(sum(parts))


def _bound_side(metric: Any, side: Side, confidence: float) -> Bounds:
    ends = [
        _bound(metric, side.tally.need(Bins), [place], value, confidence)
        for place, value in enumerate(side.values.tolist())
    ]
    low, high = np.array(ends, np.float64).reshape(-1, 2).T
    return Bounds.around(side.values, low, high)


def _bound(
    metric: Any, tally: Bins, places: Sequence[int], value: float, confidence: float
) -> tuple[float, float]:
    """The interval of one score, or of the mean over groups; NaN where nothing shows scatter."""
    if np.isnan(value):
        return np.nan, np.nan
    interval: Interval = metric.interval(tally)
    scatter = _find_scatter(metric, tally, places)
    if not interval.bins or value <= 0:
        return bound_scatter(interval, value, scatter, None, confidence)
    scatters = [scatter]
    if tally.clusters is None and len(tally.columns) > 1:
        # More scatter means that less of the gaps is true, so that less of it is no safe side.
        scatters.append(replace(scatter, variance=0.0))
    ends = []
    for own in scatters:
        gaps = _find_gaps(interval, tally, places, own)
        ends.append(bound_scatter(interval, value, own, gaps, confidence))
    return min(low for low, _ in ends), max(high for _, high in ends)


def _find_scatter(metric: Any, tally: Bins, places: Sequence[int]) -> Scatter:
    units = float(sum(_count(metric.interval(tally), tally, place) for place in places))
    if tally.clusters is not None:
        sums, masses = _sum_clusters(metric, tally, places)
        variance, freedom = student.cr2(sums * masses.sum(), masses)
        return Scatter(float(variance), float(freedom), len(masses), find_skewness(sums))
    (place,) = places
    n = float(tally.masses(place, 0).sum())
    interval: Interval = metric.interval(tally)
    skewness = 0.0
    if interval.loss is not None:
        skewness = _find_skewness(n, tally.lose(place, interval.loss))
        sums = tally.lose(place, interval.loss) / interval.repeats
        squares = max(0.0, sums[1] / interval.repeats - sums[0] ** 2 / n) / n**2
        if len(tally.columns) == 1 and n:
            scores, counts = tally.steps(place, 0)
            squares += add_rare(scores, metric.influence(tally, place, 0)[1], counts.astype(float))
    else:
        roots = 0.0
        for column in range(len(tally.columns)):
            moves, counts = _move(metric, tally, place, column)
            roots += np.sqrt(float((counts * moves**2).sum()))
        squares = roots**2
    return Scatter(squares * n / (n - 1) if n > 1 else np.nan, units - 1, units, skewness)


def _move(metric: Any, tally: Bins, place: int, column: int) -> tuple[Values, NDArray[np.int64]]:
    """How much an example of each bin and label moves the score, and how many there are of it.

    The moves of all examples add up to 0.
    """
    changes = metric.influence(tally, place, column)[1]
    counts = tally.steps(place, column)[1]
    changes = np.where(counts > 0, changes, 0)
    return changes - (counts * changes).sum() / counts.sum(), counts


def _sum_clusters(metric: Any, tally: Bins, places: Sequence[int]) -> tuple[Values, Values]:
    """How much each cluster moves the score, or the mean over groups, and its examples."""
    size = len(tally.clusters or ())
    sums, masses, interval = np.zeros(size), np.zeros(size), metric.interval(tally)
    for place in places:
        cells = tally.find(place, 0)
        own = np.bincount(tally.cells[cells, 2], tally.counts[cells], size)
        if interval.loss is None:
            moved = sum(
                (_sum_moves(metric, tally, place, at) for at in range(len(tally.columns))),
                np.zeros(size),
            )
        else:
            here = tally.owners[:, 1] == place
            losses = tally.lose_each(interval.loss)[here, 0] / interval.repeats
            moved = np.bincount(tally.owners[here, 2], losses, size) / own.sum()
            moved -= moved.sum() * own / own.sum()
        sums += moved / len(places)
        masses += own
    held = masses > 0
    return sums[held], masses[held]


def _sum_moves(metric: Any, tally: Bins, place: int, column: int) -> Values:
    """How much each cluster moves the score by the probabilities of one label."""
    cells = tally.find(place, column)
    moves, _ = _move(metric, tally, place, column)
    own = tally.cells[cells]
    bins = np.searchsorted(np.unique(own[:, 5]), own[:, 5])
    moved = moves[bins, own[:, 4]] * tally.counts[cells]
    return np.asarray(np.bincount(own[:, 2], moved, len(tally.clusters or ())))


def _count(interval: Interval, tally: Bins, place: int) -> float:
    """How many examples there are; of ranks, of the label that has the fewest."""
    masses = tally.masses(place, 0)
    if interval.limiting is None:
        return float(masses.sum())
    kept = [masses[tally.labels.index(label)] for label in interval.limiting]
    return float(min((size for size in kept if size), default=0) * len(tally.columns))


def _find_gaps(
    interval: Interval, tally: Bins, places: Sequence[int], scatter: Scatter
) -> tuple[Values, Values]:
    """The gap of each bin of each label and group, and its standard error, as without bins."""
    gaps, squares, least = [], [], []
    for place in places:
        for column, label in enumerate(tally.columns):
            scores, counts = tally.steps(place, column)
            positives, n = counts[:, tally.labels.index(label)], counts.sum()
            size, unit = counts.sum(1), n * len(tally.columns) * len(places)
            bins = interval.find_bins(scores)
            gap = np.bincount(bins, size * scores - positives, interval.bins) / unit
            off = positives * (1 - scores) ** 2 + (size - positives) * scores**2
            gaps.append(gap)
            squares.append(np.bincount(bins, off, interval.bins) / unit**2 - gap**2 / n)
            sure = scores * (1 - scores)
            if tally.clusters is None:
                sure = np.minimum(sure, find_least(np.bincount(bins, size)[bins]))
            least.append(np.bincount(bins, size * sure, interval.bins) / unit**2)
    seen = np.maximum(np.concatenate(squares), 0)
    together = scatter.variance / seen.sum() if seen.sum() > 0 else 1.0
    together = max(1.0, together) if tally.clusters is None else together
    return np.concatenate(gaps), np.sqrt(np.maximum(seen, np.concatenate(least)) * together)


def _find_skewness(n: float, powers: Values) -> float:
    """The skewness of the sum of losses, from their sum and those of their squares and cubes."""
    mean = powers[0] / n if n else 0.0
    squares = powers[1] - n * mean**2
    cubes = powers[2] - 3 * mean * powers[1] + 2 * n * mean**3
    return float(cubes / squares**1.5) if squares > _ROUNDING * powers[1] else 0.0
