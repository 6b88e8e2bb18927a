"""The threshold from which on a metric of labels is best, found on the tally of scores."""

from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.kinds.labels.label_columns import Confusion
from tallystick.limits import LIMITS
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.curve import CurveTally
from tallystick.model.tallies.metric import Metric, Values, is_per_label

SEED_GRID = np.linspace(0.1, 0.9, 81)
"""The thresholds that the toxicity project's baselines try."""

_CHUNK = 1 << 16
_ROUNDING = 8 * float(np.finfo(np.float64).eps)
"""Values that differ by at most this, relative or absolute, are equal."""


class Cut(Struct, frozen=True):
    """A threshold, and what it is worth on the scores that it was found on.

    Attributes:
        threshold: The least score that is predicted positive.
        above: Any threshold in (above, up_to] gives the same score; None is below 0.
    """

    threshold: float
    value: float
    above: float | None
    up_to: float


def check_tunable(metric: Metric) -> None:
    """Raises a UsageError unless the metric is one number about labels, with a better direction."""
    if Confusion not in metric.counters:
        raise UsageError(
            f"{metric.short} is not a metric of labels, so no threshold can improve it"
        )
    if is_per_label(metric) or metric.better == "neither":
        raise UsageError(f"{metric!r} is not a single number by which thresholds can be compared")


def find_best(tally: CurveTally, group: int, metric: Metric) -> Cut:
    """The best of all scores of a binary curve as thresholds, the lowest if several tie.

    Between two thresholds none can be better than one with all positives of the lower and only
    the negatives of the higher, because no metric falls when a prediction is corrected. Gaps where
    even that would not be best are skipped, which leaves some thousands of ten million distinct
    scores.
    """
    step = max(1, int(np.diff(tally.offsets).max(initial=1)) // LIMITS.thresholds[0])
    cuts = tally.sample(group, step)
    bounds = np.array([cuts[[0, -1]]])
    while True:
        labels = predict_at(tally, group, cuts)
        gains = _gain(metric, labels)
        best = np.fmax.reduce(gains)
        if step == 1:
            break
        bounds = _find_promising(metric, labels, cuts, bounds, best)
        if not len(bounds):
            break
        step = max(1, step // LIMITS.thresholds[1])
        cuts = tally.sample(group, step, bounds)
    if np.isnan(best):
        raise UsageError(f"{metric.short} is undefined at every threshold")
    equal = np.append(gains >= best - _ROUNDING * max(1.0, abs(best)), False)
    first = int(np.argmax(equal))
    last = first + int(np.argmin(equal[first:])) - 1
    above = tally.neighbours(group, cuts[first])[0]
    value = float(_sign(metric) * gains[first] + 0.0)
    return Cut(float(cuts[first]), value, above, float(cuts[last]))


def find_best_of_grid(tally: CurveTally, group: int, metric: Metric, otherwise: float = 0.5) -> Cut:
    """The best of the seed's thresholds, the lowest of ties; `otherwise` if none is above 0."""
    grid = SEED_GRID.astype(tally.scores.dtype)
    gains = _gain(metric, predict_at(tally, group, grid))
    start = 0.0 if metric.better == "higher" else -np.inf
    place = int(np.argmax(np.where(gains > start, gains, -np.inf)))
    threshold = float(SEED_GRID[place]) if gains[place] > start else otherwise
    cut = np.array([threshold], tally.scores.dtype)
    above, beyond = tally.neighbours(group, cut[0])
    value = metric.score(predict_at(tally, group, cut))[0, 0]
    return Cut(threshold, float(value), above, 1.0 if beyond is None else beyond)


def _sign(metric: Metric) -> int:
    return -1 if metric.better == "lower" else 1


def _gain(metric: Metric, labels: Cells) -> Values:
    """The metric at each threshold, turned so that more is better; in chunks, to save memory."""
    values = [
        metric.score(labels.part(slice(start, start + _CHUNK)))[..., 0]
        for start in range(0, len(labels.counts), _CHUNK)
    ]
    return _sign(metric) * np.concatenate(values)


def _find_promising(
    metric: Metric, labels: Cells, cuts: NDArray[Any], ranges: NDArray[Any], best: float
) -> NDArray[Any]:
    """The ranges between thresholds in which one could be as good as the best so far."""
    if len(cuts) < 2:
        return np.zeros((0, 2))
    hopes = _gain(metric, _take_best(labels))
    within = cuts[1:] <= ranges[np.searchsorted(ranges[:, 0], cuts[:-1], "right") - 1, 1]
    open_gaps = within & ~(hopes < best - 1e-12)
    edges = np.diff(open_gaps.astype(np.int8), prepend=0, append=0)
    return np.stack([cuts[edges == 1], cuts[edges == -1]], -1)


def _take_best(labels: Cells) -> Cells:
    """Between every two thresholds: the positives of the lower one, the negatives of the higher."""
    lower, higher = labels.part(slice(None, -1)), labels.part(slice(1, None))
    negative = labels.gold == 0
    weights = None
    if lower.weights is not None and higher.weights is not None:
        weights = np.where(negative, higher.weights, lower.weights)
    return replace(lower, counts=np.where(negative, higher.counts, lower.counts), weights=weights)


def predict_at(tally: CurveTally, group: int, thresholds: NDArray[Any]) -> Cells:
    """The labels predicted at each threshold, the leading axis of the counts, in a group."""
    sums = tally.cut(group, thresholds)
    cells, counts, weights = np.arange(4), sums, None
    if sums.dtype == np.float64:
        counts, weights = np.zeros(sums.shape, np.int64), np.stack([sums, np.zeros_like(sums)])
    return Cells(
        Confusion(),
        tally.systems,
        ("all",),
        tally.labels,
        tally.labels,
        np.zeros(4, np.int64),
        cells // 2,
        (cells % 2)[None],
        counts,
        tally.n[group : group + 1],
        weights,
    )
