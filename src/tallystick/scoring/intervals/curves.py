"""The intervals of metrics of probabilities, from how much each example moves them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.examples.ragged import pick_ranges
from tallystick.frozen import dataclass, replace
from tallystick.scoring.intervals.bounds import (
    Bounds,
    Observed,
    Side,
    Spread,
    average_groups,
)
from tallystick.statistics import student
from tallystick.statistics.areas import bound_delong, find_variance
from tallystick.statistics.calibration import bound_gaps
from tallystick.statistics.jackknife import find_skewness, lean_by
from tallystick.statistics.percentiles import bound_within
from tallystick.statistics.wilson import Numbers, quantile
from tallystick.tallies.curve import CurveTally
from tallystick.tallies.metric import Interval, Metric, Values

_ENOUGH = 10_000
"""More scores than this of a group and a label add nothing to what is known of their scatter."""


@dataclass(frozen=True, slots=True, eq=False)
class _Examples:
    """The examples of one group as a metric of probabilities sees them.

    `place` is their group in the tally, `scores` has shape (columns, examples), `gold` is the place
    of each gold label, and `sizes` for how many examples each stands.
    """

    tally: CurveTally
    place: int
    scores: NDArray[Any]
    gold: NDArray[Any]
    weights: Values
    sizes: Values
    clusters: NDArray[Any] | None


@dataclass(frozen=True, slots=True)
class Scatter:
    """How a score scatters: its variance, the degrees of freedom, how many examples it has.

    And the skewness of a mean of losses.
    """

    variance: float
    freedom: float
    units: float
    skewness: float = 0.0


def bound_curves(metric: Any, observed: Observed, confidence: float) -> Spread:
    """The intervals of a metric of probabilities.

    The variance is that of the infinitesimal jackknife: of what one more example of each kind
    would change, over the examples or their clusters. It needs no random numbers.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 21; Bell and
        McCaffrey 2002 for clusters.
    """
    side, mean = observed.groups, None
    tally = side.tally.need(CurveTally)
    interval: Interval = metric.interval(side.tally)
    if interval.complement is not None:
        return bound_complement(interval.complement, bound_curves, observed, confidence)
    if interval.is_area and len(tally.columns) == 1 and tally.plain:
        groups, whole = (_bound_areas(one, confidence) for one in observed.sides())
        return Spread(groups, whole.only, "DeLong's variance in Wilson's interval")
    groups, whole = (_bound_side(metric, one, confidence) for one in observed.sides())
    rows = tally.rows
    if rows is not None and rows.clusters is not None and len(tally.groups) > 1:
        places = np.flatnonzero(~np.isnan(side.values)).tolist()
        value = float(average_groups(metric, side.values))
        thinned, sizes = tally.thin(_ENOUGH)
        parts = [_list_examples(thinned, sizes, place) for place in places]
        ends = _bound(metric, value, parts, confidence)
        mean = (min(ends[0], value), max(ends[1], value), interval.method)
    return Spread(groups, whole.only, interval.method, mean=mean)


def bound_complement(
    metric: Metric,
    bound: Callable[[Metric, Observed, float], Spread],
    observed: Observed,
    confidence: float,
) -> Spread:
    """The intervals of 1 minus a metric, which are those of the metric from the other end."""
    sides = (Side(side.tally, 1 - side.values) for side in observed.sides())
    found = bound(metric, Observed(*sides), confidence)
    groups, mean = found.groups, found.mean
    return replace(
        found,
        groups=None if groups is None else Bounds(1 - groups.high, 1 - groups.low),
        whole=Bounds(1 - found.whole.high, 1 - found.whole.low),
        mean=None if mean is None else (1 - mean[1], 1 - mean[0], mean[2]),
    )


def _bound_side(metric: Metric, side: Side, confidence: float) -> Bounds:
    tally, sizes = side.tally.need(CurveTally).thin(_ENOUGH)
    ends = [
        _bound(metric, value, [_list_examples(tally, sizes, place)], confidence)
        for place, value in enumerate(side.values.tolist())
    ]
    low, high = np.array(ends, np.float64).reshape(-1, 2).T
    return Bounds.around(side.values, low, high)


def _bound_areas(side: Side, confidence: float) -> Bounds:
    tally = side.tally.need(CurveTally)
    masses = np.array([tally.masses(group, 0) for group in range(len(tally.groups))], np.float64)
    variances = []
    for group in range(len(tally.groups)):
        positives, p = tally.spread(group, 1, _ENOUGH)
        negatives, n = tally.spread(group, 0, _ENOUGH)
        variances.append(find_variance(positives, negatives, (p, n)))
    ends = bound_delong(side.values, np.array(variances), masses[:, 1], masses[:, 0], confidence)
    return Bounds.around(side.values, *ends)


def _bound(
    metric: Any, value: float, parts: Sequence[_Examples], confidence: float
) -> tuple[float, float]:
    """The interval of one score, or of the mean over parts; NaN where nothing shows its scatter."""
    if np.isnan(value):
        return np.nan, np.nan
    interval = metric.interval(parts[0].tally)
    scatter = _find_scatter(metric, parts)
    gaps = _find_gaps(interval, parts, scatter) if interval.bins and value > 0 else None
    return bound_scatter(interval, value, scatter, gaps, confidence)


def bound_scatter(
    interval: Interval,
    value: float,
    scatter: Scatter,
    gaps: tuple[Values, Values] | None,
    confidence: float,
) -> tuple[float, float]:
    """The interval of a score that scatters so; that of a calibration error is of its gaps."""
    at, size = np.array(value), np.array(scatter.units)
    times = student.quantile(confidence, scatter.freedom)
    error = np.sqrt(scatter.variance) * times / quantile(confidence)
    limits = interval.limits
    if gaps is not None:
        low, high = map(np.array, bound_gaps(*gaps, float(times)))
    elif interval.bound is not None:
        lean = lean_by(np.array(scatter.skewness), confidence)
        low, high = (
            interval.bound(at, error * far, size, confidence)[end] for end, far in enumerate(lean)
        )
    else:
        low, high = bound_within(at, error, size, limits, confidence)
    return max(float(low), limits[0]), min(float(high), limits[1])


def _find_scatter(metric: Any, parts: Sequence[_Examples]) -> Scatter:
    """The scatter of a score of one group, or of the mean over several."""
    interval: Interval = metric.interval(parts[0].tally)
    units = float(sum(_count(metric.interval(own.tally), own) for own in parts))
    weights = np.concatenate([own.weights for own in parts])
    moves = np.concatenate([_move(metric, own) for own in parts]) / len(parts) * weights
    if parts[0].clusters is not None:
        names = np.concatenate([own.clusters for own in parts])
        owners = np.unique(names, return_inverse=True)[1]
        sums = np.bincount(owners, moves).astype(np.float64)
        masses = np.bincount(owners, weights)
        variance, freedom = student.cr2(sums * masses.sum(), masses)
        return Scatter(float(variance), float(freedom), len(masses), find_skewness(sums))
    stood = np.concatenate([own.sizes for own in parts])
    n, squares = stood.sum(), float(stood @ moves**2)
    if interval.is_loss and parts[0].tally.plain and len(parts[0].scores) == 1:
        squares += sum(_add_rare(metric, own) for own in parts) / len(parts) ** 2
    skewness = find_skewness(moves, stood) if interval.is_loss else 0.0
    return Scatter(squares * n / (n - 1) if n > 1 else np.nan, units - 1, units, skewness)


def _add_rare(metric: Any, examples: _Examples) -> float:
    steps, changes = metric.influence(examples.tally, examples.place, 0)
    scores, gold = examples.scores[0], examples.gold[:, None] == np.arange(2)
    losses = changes[np.searchsorted(steps, scores)]
    return add_rare(scores.astype(np.float64), losses, gold * examples.sizes[:, None])


def add_rare(chances: Values, losses: Values, counts: Values) -> float:
    """How much more a mean loss varies if the sample had one more example of either label.

    Without it few positives, which lose the most, would seem to be of a number that is known. What
    one more would lose is what the system expects, as far as no others show it.

    Args:
        chances: The probabilities of the positive label.
        losses: What a negative, and a positive, at each of them loses: (probabilities, 2).
        counts: How many examples of either label there are of each, likewise.

    Source: Laplace's rule of succession for the share of a label.
    """
    negatives, positives = counts.sum(0).tolist()
    n, means = negatives + positives, []
    for label, own in enumerate((1 - chances, chances)):
        expected = counts.sum(1) * own
        alike = expected @ losses[:, label] / expected.sum() if expected.any() else 0.0
        known = counts[:, label]
        means.append((known @ losses[:, label] + alike) / (known.sum() + 1))
    shares = positives / n, (positives + 1) / (n + 2)
    seen, smoothed = (share * (1 - share) for share in shares)
    return float(n * max(smoothed - seen, 0) * (means[1] - means[0]) ** 2)


def _find_gaps(
    interval: Interval, parts: Sequence[_Examples], scatter: Scatter
) -> tuple[Values, Values]:
    """The gap of each bin of each label and group, and its standard error.

    No error is taken for smaller than that of calibrated probabilities, or than one more example
    that came out otherwise would show, because few examples of a bin that all came out alike show
    none. Where the labels' gaps, or those of a cluster, go together, all errors grow as that of
    their sum does.
    """
    gaps, squares, least = [], [], []
    for own in parts:
        masses = own.weights * own.sizes
        unit = masses.sum() * len(own.scores) * len(parts)
        heavy = masses * own.weights / unit**2
        for column, scores in enumerate(own.scores.astype(np.float64)):
            bins = interval.find_bins(scores)
            off = scores - (own.gold == own.tally.labels.index(own.tally.columns[column]))
            gap = np.bincount(bins, masses * off, interval.bins) / unit
            # What the mean takes away of the squares is known from as many examples as effective.
            lost = gap**2 * heavy.sum() * unit**2 / masses.sum() ** 2
            gaps.append(gap)
            squares.append(np.bincount(bins, heavy * off**2, interval.bins) - lost)
            sure = heavy * scores * (1 - scores)
            if own.clusters is None:
                sizes = np.bincount(bins, own.sizes, interval.bins)[bins]
                sure = np.minimum(sure, heavy * find_least(sizes))
            least.append(np.bincount(bins, sure, interval.bins))
    seen = np.maximum(np.concatenate(squares), 0)
    together = scatter.variance / seen.sum() if seen.sum() > 0 else 1.0
    together = max(1.0, together) if parts[0].clusters is None else together
    return np.concatenate(gaps), np.sqrt(np.maximum(seen, np.concatenate(least)) * together)


def find_least(sizes: Numbers) -> Values:
    """The least variance of an example of a bin of so many: with one more that is otherwise."""
    rate = 1 / (sizes + 2)
    return np.asarray(rate * (1 - rate))


def _list_examples(tally: CurveTally, sizes: Values, place: int) -> _Examples:
    rows = tally.rows
    if rows is not None:
        own = rows.owners.codes == place
        weights = np.ones(own.sum()) if rows.weights is None else rows.weights[own]
        clusters = None if rows.clusters is None else rows.clusters.codes[own]
        scores = np.atleast_2d(rows.scores[0].T)[:, own]
        gold, sizes = rows.gold.codes[own], np.ones(len(weights))
        return _Examples(tally, place, scores, gold, weights, sizes, clusters)
    runs = np.flatnonzero(tally.runs[:, 0] == place)
    own, starts = pick_ranges(tally.offsets, runs)
    weights = np.ones(len(own)) if tally.weights is None else tally.weights[own] / sizes[own]
    gold = np.repeat(tally.runs[runs, 2], np.diff(starts))
    return _Examples(tally, place, tally.scores[None, own], gold, weights, sizes[own], None)


def _move(metric: Any, examples: _Examples) -> Values:
    """How much each example moves a score for each unit of its weight."""
    moves = np.zeros(len(examples.gold))
    for column, scores in enumerate(examples.scores):
        steps, changes = metric.influence(examples.tally, examples.place, column)
        moves += changes[np.searchsorted(steps, scores), examples.gold]
    masses = examples.weights * examples.sizes
    return np.asarray(moves - masses @ moves / masses.sum())


def _count(interval: Interval, examples: _Examples) -> float:
    """How many examples there effectively are; of ranks, of the label that has the fewest.

    The mean over several labels is known from as many for each of them.
    """
    sums, squares = examples.weights * examples.sizes, examples.weights**2 * examples.sizes
    if interval.limiting is None:
        return float(sums.sum() ** 2 / squares.sum())
    labels = examples.tally.labels
    kept = (examples.gold == labels.index(label) for label in interval.limiting)
    counts = [sums[own].sum() ** 2 / squares[own].sum() for own in kept if own.any()]
    return float(min(counts, default=0) * len(examples.scores))
