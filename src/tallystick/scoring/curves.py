"""The intervals of metrics of probabilities, from how much each example moves them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.intervals import student
from tallystick.intervals.calibration import bound_gaps
from tallystick.intervals.means import bound_positive
from tallystick.intervals.percentiles import bound_effectively
from tallystick.intervals.precision import bound_precision
from tallystick.intervals.wilson import quantile
from tallystick.metrics.average_precision import AveragePrecision
from tallystick.metrics.brier import BrierComplement, BrierScore
from tallystick.metrics.curves import Curves
from tallystick.metrics.ece import ECE
from tallystick.metrics.log_loss import LogLoss
from tallystick.metrics.metric import Metric, Values
from tallystick.metrics.roc_auc import ROCAUC
from tallystick.scoring.bounds import (
    Bounds,
    Observed,
    Side,
    Spread,
    average_groups,
    contain_values,
    take,
)
from tallystick.scoring.heavy_tails import Tail, weigh_tail
from tallystick.tallies.curve import CurveTally

_ENOUGH = 10_000
"""More scores than this of a group and a label add nothing to what is known of their scatter."""


@dataclass(frozen=True, slots=True, eq=False)
class _Examples:
    """The examples of one group as a metric of probabilities sees them.

    Attributes:
        tally: Where they are from.
        place: Their group there.
        scores: Of shape (columns, examples).
        gold: The place of each gold label.
        weights: What each weighs.
        sizes: For how many examples each stands.
        clusters: The cluster of each; None without clusters.
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
    """How a score scatters: its variance, the degrees of freedom, and how many examples it has."""

    variance: float
    freedom: float
    units: float


def bound_curves(metric: Metric, observed: Observed, confidence: float) -> Spread:
    """The intervals of a metric of probabilities.

    The variance is that of the infinitesimal jackknife: of what one more example of each kind
    would change, over the examples or their clusters. It needs no random numbers.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 21; Bell and
        McCaffrey 2002 for clusters.
    """
    if isinstance(metric, BrierComplement):
        return bound_complement(bound_curves, observed, confidence)
    groups, whole = (_bound_side(metric, side, confidence) for side in observed.sides())
    side, mean = observed.groups, None
    rows = side.tally.rows
    if rows is not None and rows.clusters is not None and len(side.tally.groups) > 1:
        places = np.flatnonzero(~np.isnan(side.values)).tolist()
        value = float(average_groups(metric, side.values))
        ends = _bound(metric, value, _list_groups(side.tally, places), confidence)
        mean = (min(ends[0], value), max(ends[1], value), name_method(metric))
    return Spread(
        groups, take(whole), name_method(metric), mean=mean, tail=_find_tail(metric, observed)
    )


def bound_complement(
    bound: Callable[[Metric, Observed, float], Spread], observed: Observed, confidence: float
) -> Spread:
    """The intervals of 1 - Brier score, which are those of the Brier score from the other end."""
    sides = (Side(side.tally, 1 - side.values) for side in observed.sides())
    found = bound(BrierScore(), Observed(*sides), confidence)
    groups, mean = found.groups, found.mean
    return replace(
        found,
        groups=None if groups is None else Bounds(1 - groups.high, 1 - groups.low),
        whole=Bounds(1 - found.whole.high, 1 - found.whole.low),
        mean=None if mean is None else (1 - mean[1], 1 - mean[0], mean[2]),
    )


def _find_tail(metric: Metric, observed: Observed) -> Tail | None:
    """The few examples that make most of a loss."""
    if not isinstance(metric, BrierScore | LogLoss) or np.isnan(observed.whole.values[0]):
        return None
    (examples,) = _list_groups(observed.whole.tally, [0])
    moves = _move(metric, examples) * examples.weights
    if examples.clusters is None:
        return weigh_tail(moves)
    owners = np.unique(examples.clusters, return_inverse=True)[1]
    return weigh_tail(np.bincount(owners, moves).astype(np.float64), "cluster")


def name_method(metric: Metric) -> str:
    """What the intervals of a metric come from."""
    if isinstance(metric, ECE):
        return "folded normal gaps of the bins"
    if isinstance(metric, BrierScore | LogLoss):
        return "standard error of the mean on a logarithmic scale"
    return "Wilson at the effective size of the infinitesimal jackknife"


def _bound_side(metric: Metric, side: Side, confidence: float) -> Bounds:
    tally, sizes = side.tally.thin(_ENOUGH)
    ends = [
        _bound(metric, value, [_list_examples(tally, sizes, place)], confidence)
        for place, value in enumerate(side.values.tolist())
    ]
    low, high = np.array(ends, np.float64).reshape(-1, 2).T
    return contain_values(side.values, Bounds(low, high))


def _list_groups(tally: CurveTally, places: Sequence[int]) -> list[_Examples]:
    thinned, sizes = tally.thin(_ENOUGH)
    return [_list_examples(thinned, sizes, place) for place in places]


def find_limits(metric: Metric, tally: Curves) -> tuple[float, float]:
    """What the score can reach with so many labels."""
    two = isinstance(metric, BrierScore) and len(tally.columns) < 3
    return (0, 1) if two else metric.bounds


def _bound(
    metric: Metric, value: float, parts: Sequence[_Examples], confidence: float
) -> tuple[float, float]:
    """The interval of one score, or of the mean over parts; NaN where nothing shows its scatter."""
    if np.isnan(value):
        return np.nan, np.nan
    scatter = _find_scatter(metric, parts)
    gaps = None
    if isinstance(metric, ECE) and value > 0:
        gaps = _find_gaps(metric, parts, scatter)
    limits = find_limits(metric, parts[0].tally)
    return bound_scatter(metric, value, scatter, gaps, limits, confidence)


def bound_scatter(
    metric: Metric,
    value: float,
    scatter: Scatter,
    gaps: tuple[Values, Values] | None,
    limits: tuple[float, float],
    confidence: float,
) -> tuple[float, float]:
    """The interval of a score that scatters so.

    Args:
        metric: The metric.
        value: The score.
        scatter: Its scatter.
        gaps: Those of a calibration error above 0, and their standard errors.
        limits: What the score can reach.
        confidence: That of the interval.
    """
    at, size = np.array(value), np.array(scatter.units)
    times = student.quantile(confidence, scatter.freedom)
    error = np.sqrt(scatter.variance) * times / quantile(confidence)
    if isinstance(metric, BrierScore | LogLoss):
        low, high = bound_positive(at, error, size, confidence)
    elif isinstance(metric, AveragePrecision):
        low, high = bound_precision(at, error, size, confidence)
    elif gaps is not None:
        low, high = map(np.array, bound_gaps(*gaps, float(times)))
    else:
        low, high = bound_effectively(at, error, size, limits, confidence)
    return max(float(low), limits[0]), min(float(high), limits[1])


def _find_scatter(metric: Any, parts: Sequence[_Examples]) -> Scatter:
    """The scatter of a score of one group, or of the mean over several."""
    units = float(sum(_count(metric, own) for own in parts))
    weights = np.concatenate([own.weights for own in parts])
    moves = np.concatenate([_move(metric, own) for own in parts]) / len(parts) * weights
    if parts[0].clusters is not None:
        names = np.concatenate([own.clusters for own in parts])
        owners = np.unique(names, return_inverse=True)[1]
        sums, masses = np.bincount(owners, moves), np.bincount(owners, weights)
        variance, freedom = student.cr2(sums * masses.sum(), masses)
        return Scatter(float(variance), float(freedom), len(masses))
    stood = np.concatenate([own.sizes for own in parts])
    n, squares = stood.sum(), float(stood @ moves**2)
    return Scatter(squares * n / (n - 1) if n > 1 else np.nan, units - 1, units)


def _find_gaps(metric: ECE, parts: Sequence[_Examples], scatter: Scatter) -> tuple[Values, Values]:
    """The gap of each bin of each label and group, and its standard error.

    No error is taken for smaller than that of calibrated probabilities, because few examples of a
    bin that all came out alike show none. Where the labels' gaps, or those of a cluster, go
    together, all errors grow as that of their sum does.
    """
    gaps, squares, least = [], [], []
    for own in parts:
        masses = own.weights * own.sizes
        unit = masses.sum() * len(own.scores) * len(parts)
        heavy = masses * own.weights / unit**2
        for column, scores in enumerate(own.scores.astype(np.float64)):
            bins = metric.find_bins(scores)
            off = scores - (own.gold == own.tally.labels.index(own.tally.columns[column]))
            gap = np.bincount(bins, masses * off, metric.bins) / unit
            # What the mean takes away of the squares is known from as many examples as effective.
            lost = gap**2 * heavy.sum() * unit**2 / masses.sum() ** 2
            gaps.append(gap)
            squares.append(np.bincount(bins, heavy * off**2, metric.bins) - lost)
            least.append(np.bincount(bins, heavy * scores * (1 - scores), metric.bins))
    seen = np.maximum(np.concatenate(squares), 0)
    together = scatter.variance / seen.sum() if seen.sum() > 0 else 1.0
    together = max(1.0, together) if parts[0].clusters is None else together
    return np.concatenate(gaps), np.sqrt(np.maximum(seen, np.concatenate(least)) * together)


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
    lengths = np.diff(tally.offsets)[runs]
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    own = np.repeat(tally.offsets[runs], lengths) + within
    weights = np.ones(len(own)) if tally.weights is None else tally.weights[own] / sizes[own]
    gold = np.repeat(tally.runs[runs, 2], lengths)
    return _Examples(tally, place, tally.scores[None, own], gold, weights, sizes[own], None)


def _move(metric: Any, examples: _Examples) -> Values:
    """How much each example moves a score for each unit of its weight."""
    moves = np.zeros(len(examples.gold))
    for column, scores in enumerate(examples.scores):
        steps, changes = metric.influence(examples.tally, examples.place, column)
        moves += changes[np.searchsorted(steps, scores), examples.gold]
    masses = examples.weights * examples.sizes
    return np.asarray(moves - masses @ moves / masses.sum())


def _count(metric: Metric, examples: _Examples) -> float:
    """How many examples there effectively are; of ranks, of the label that has the fewest.

    The mean over several labels is known from as many for each of them.
    """
    sums, squares = examples.weights * examples.sizes, examples.weights**2 * examples.sizes
    if not isinstance(metric, ROCAUC | AveragePrecision):
        return float(sums.sum() ** 2 / squares.sum())
    labels = examples.tally.labels
    if isinstance(metric, AveragePrecision):
        labels = examples.tally.columns
    kept = (examples.gold == examples.tally.labels.index(label) for label in labels)
    counts = [sums[own].sum() ** 2 / squares[own].sum() for own in kept if own.any()]
    return float(min(counts, default=0) * len(examples.scores))
