"""The points of curves that figures draw, from the tally of probabilities that scores come from."""

import heapq
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.intervals.settings import Intervals
from tallystick.intervals.wilson import bound_share
from tallystick.metrics.ece import ECE
from tallystick.results.curves import Bin, ProbabilityCurve
from tallystick.scoring.counted import Counted

__all__ = ["list_curves", "thin"]

Values = NDArray[np.float64]

_MOST_POINTS = 300
_MOST_LABELS = 12
"""So many curves a figure shows; where there are more labels none is kept."""

_CLOSE = 1e-3
"""So far off, on axes from 0 to 1, a curve without some of its points may be."""

_FINE = 2048
_FIRST = 256
"""Of many points, so many steps of equal size are looked at, and so many of the first."""


def list_curves(
    counted: Counted, system: str, tally: Any, settings: Intervals | None
) -> list[ProbabilityCurve]:
    """Returns a curve for each label that a system has probabilities for, over all groups.

    Args:
        counted: The systems.
        system: Whose probabilities to take.
        tally: The tally of the system's probabilities, in one group.
        settings: The level of the bins' intervals; None leaves them out.
    """
    if len(tally.columns) > _MOST_LABELS:
        return []
    binary = len(tally.columns) == 1
    threshold = counted.thresholds.get(system) if binary else None
    bins = next((one for one in counted.metrics if isinstance(one, ECE)), ECE())
    level = None if settings is None or counted.weighted or counted.clustered else settings
    curves = []
    for column, label in enumerate(tally.columns):
        scores, counts = tally.steps(0, column)
        hits = counts[:, tally.labels.index(label)]
        misses = counts.sum(1) - hits
        scores = scores.astype(np.float64)
        places, exact = _pick(scores, hits, misses)
        found, confidence = _list_bins(bins, scores, hits, misses, level)
        curves.append(
            ProbabilityCurve(
                system,
                str(label),
                hits.sum().item(),
                misses.sum().item(),
                tuple(scores[::-1][places].tolist()),
                tuple(np.cumsum(hits[::-1])[places].tolist()),
                tuple(np.cumsum(misses[::-1])[places].tolist()),
                exact,
                threshold,
                found,
                confidence,
            )
        )
    return curves


def _list_bins(
    metric: ECE,
    scores: Values,
    hits: NDArray[Any],
    misses: NDArray[Any],
    settings: Intervals | None,
) -> tuple[tuple[Bin, ...], float | None]:
    """The bins that hold examples, and the level of their intervals."""
    places, mass = metric.find_bins(scores), hits + misses
    sizes = np.bincount(places, mass, metric.bins)
    sums = np.bincount(places, mass * scores, metric.bins)
    positives = np.bincount(places, hits, metric.bins)
    level = None if settings is None else settings.confidence
    low, high = np.full((2, metric.bins), np.nan)
    if level is not None:
        low, high = bound_share(positives, sizes, level)
    whole = np.issubdtype(mass.dtype, np.integer)
    found = tuple(
        Bin(
            int(sizes[at]) if whole else float(sizes[at]),
            float(sums[at] / sizes[at]),
            float(positives[at] / sizes[at]),
            float(low[at]),
            float(high[at]),
        )
        for at in np.flatnonzero(sizes)
    )
    return found, level


def _pick(
    scores: Values, hits: NDArray[Any], misses: NDArray[Any]
) -> tuple[NDArray[np.intp], bool]:
    """The places of the points to keep, from the highest score on, and whether these are all."""
    size = len(scores)
    if size <= _MOST_POINTS:
        return np.arange(size), True
    above, beyond = (np.cumsum(part[::-1]).astype(np.float64) for part in (hits, misses))
    candidates = _sample(above, beyond)
    true, false = above[candidates], beyond[candidates]
    axes = np.stack(
        [
            scores[::-1][candidates],
            true / max(above[-1], 1e-300),
            false / max(beyond[-1], 1e-300),
            true / (true + false),
        ]
    )
    return candidates[thin(axes, _MOST_POINTS, _CLOSE)], False


def _sample(above: Values, beyond: Values) -> NDArray[np.intp]:
    """Places at equal steps of both counts, and the first ones, where precision jumps."""
    size = len(above)
    steps = [np.arange(min(_FIRST, size)), np.array([size - 1])]
    for counts in (above, beyond):
        steps.append(np.searchsorted(counts, np.linspace(0, counts[-1], _FINE)))
    return np.unique(np.clip(np.concatenate(steps), 0, size - 1))


def thin(axes: Values, most: int, close: float) -> NDArray[np.intp]:
    """Returns which points of a line to keep, so that straight lines between them stay close.

    Args:
        axes: The points, of shape (axes, points).
        most: How many to keep at most.
        close: How far from the line points may be that are left out, on each axis.

    Source: Ramer 1972, Computer Graphics and Image Processing 1; Douglas and Peucker 1973,
        Cartographica 10; the farthest point of all first, and distances taken on each axis at the
        point's place between the ends.
    """
    last = axes.shape[1] - 1
    kept = {0, last}
    waiting = [_find_farthest(axes, 0, last)]
    while waiting and len(kept) < most:
        distance, at, start, stop = heapq.heappop(waiting)
        if -distance <= close:
            break
        kept.add(at)
        for left, right in ((start, at), (at, stop)):
            if right - left > 1:
                heapq.heappush(waiting, _find_farthest(axes, left, right))
    return np.array(sorted(kept))


def _find_farthest(axes: Values, start: int, stop: int) -> tuple[float, int, int, int]:
    """The point between two that is farthest from the line through them, the distance negative."""
    part = axes[:, start : stop + 1]
    first, last = part[:, :1], part[:, -1:]
    spans = np.abs(last - first)
    # What lies between the ends is measured along the axis on which they are farthest apart.
    along = int(np.argmax(spans))
    width = float(spans[along, 0])
    shares = np.abs(part[along] - first[along]) / width if width else np.zeros(part.shape[1])
    off = np.abs(part - (first + shares * (last - first))).max(0)
    at = int(np.argmax(off))
    return -float(off[at]), start + at, start, stop
