"""The curves that figures draw: points from tallies of probabilities, and scores by length."""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.kinds.probabilities.abstention import find_risks
from tallystick.kinds.probabilities.calibration import ECE
from tallystick.kinds.probabilities.joint import JointRows
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.curve import CurveTally
from tallystick.model.tallies.metric import Metric, adds_up
from tallystick.model.tallies.sums import Sums
from tallystick.model.tallies.tally import Tally, need
from tallystick.output.results.records import (
    Bin,
    ConfusionMatrix,
    LengthScore,
    ProbabilityCurve,
    RiskCurve,
)
from tallystick.scoring.counted import Counted
from tallystick.statistics.settings import Intervals
from tallystick.statistics.wilson import Values, bound_share

_MOST_POINTS = 300
_MOST_LABELS = 12
"""So many curves a figure shows; where there are more labels none is kept."""

_CLOSE = 1e-3
"""So far off, on axes from 0 to 1, a curve without some of its points may be."""

_STEPS, _FIRST = 2048, 256
"""Of many scores of a run this many at equal steps are looked at, and this many of the highest."""


class _Run(Struct, frozen=True, eq=False):
    """Ascending scores with or without a label; `heaped` cumulates weights, None if all are 1."""

    positive: bool
    scores: NDArray[Any]
    heaped: NDArray[Any] | None

    def sum_from(self, places: NDArray[np.intp]) -> NDArray[Any]:
        """What the examples from some places on weigh."""
        if self.heaped is None:
            return len(self.scores) - places
        return np.asarray(self.heaped[-1] - self.heaped[places])

    def sum_scores(self, start: int, stop: int) -> float:
        """The weighted sum of some of the scores."""
        part = self.scores[start:stop]
        if self.heaped is None:
            return float(part.sum(dtype=np.float64))
        return float(part @ np.diff(self.heaped[start : stop + 1]))


def list_curves(
    counted: Counted, tallies: Mapping[str, CurveTally], settings: Intervals | None
) -> Iterator[ProbabilityCurve]:
    """Yields a curve for each label that a system has probabilities for, over all groups."""
    plain = settings is not None and not counted.facts.weighted and not counted.facts.clustered
    level = settings.confidence if settings is not None and plain else None
    for system, tally in tallies.items():
        if len(tally.columns) > _MOST_LABELS:
            continue
        threshold = counted.facts.thresholds.get(system) if len(tally.columns) == 1 else None
        bins = next((one.bins for one in counted.metrics if isinstance(one, ECE)), ECE().bins)
        bins = 0 if system in counted.facts.unscaled else bins
        facts = bins, level, threshold
        for column, label in enumerate(tally.columns):
            yield _make_curve(system, str(label), _read_runs(tally, column), facts)


def list_risks(counted: Counted) -> tuple[RiskCurve, ...]:
    """Returns the risk-coverage curve of each system, over all groups."""
    selective = (own for own in counted.tallies if getattr(own, "selective", False))
    tally = counted.tallies[next(selective)].total()
    return tuple(_make_risk(name, need(tally.of(name), JointRows)) for name in tally.systems)


def list_wins(outcomes: Cells) -> tuple[ConfusionMatrix, ...]:
    """Returns how many games each system won of each other."""
    from tallystick.kinds.preferences.bradley_terry import count_wins

    (wins,) = count_wins(outcomes.merge_groups())
    names = tuple(map(str, outcomes.listed))
    return (ConfusionMatrix("", names, tuple(map(tuple, wins.tolist()))),)


def _make_risk(system: str, tally: JointRows) -> RiskCurve:
    """The curve of one system, through every step of confidence if these are not too many."""
    coverages, risks = find_risks(tally)
    kept = np.arange(len(risks))
    exact = len(risks) <= _MOST_POINTS
    if not exact:
        kept = thin(np.stack([coverages, risks]), _MOST_POINTS, _CLOSE)
    size = int(tally.n.sum())
    return RiskCurve(
        system, size, tuple(coverages[kept].tolist()), tuple(risks[kept].tolist()), exact
    )


def _make_curve(
    system: str, label: str, runs: Sequence[_Run], facts: tuple[int, float | None, float | None]
) -> ProbabilityCurve:
    """The curve of one label, with this many bins at some level, and the threshold."""
    bins, level, threshold = facts
    candidates, whole = _list_candidates(runs)
    true, false = _count(runs, candidates)
    start = np.zeros(1, np.intp)
    positives, negatives = (
        sum(run.sum_from(start)[0].item() for run in runs if run.positive == side)
        for side in (True, False)
    )
    exact = whole and len(candidates) <= _MOST_POINTS
    kept = np.arange(len(candidates))
    if not exact:
        sums = true / (positives or 1), false / (negatives or 1), true / (true + false)
        axes = np.stack([candidates / (1 if bins else np.ptp(candidates) or 1), *sums])
        kept = thin(axes, _MOST_POINTS, _CLOSE)
    return ProbabilityCurve(
        system,
        label,
        positives,
        negatives,
        tuple(candidates[kept].tolist()),
        tuple(true[kept].tolist()),
        tuple(false[kept].tolist()),
        exact,
        threshold,
        tuple(_list_bins(runs, bins, level)) if bins else (),
        level,
    )


def _read_runs(tally: CurveTally, column: int) -> list[_Run]:
    place = tally.positive(column)
    return [
        _Run(
            label == place,
            scores,
            None if weights is None else np.cumsum(np.concatenate([weights[:1] * 0, weights])),
        )
        for label, scores, weights in tally.list_runs(column)
    ]


def _list_candidates(runs: Sequence[_Run]) -> tuple[Values, bool]:
    """Scores to try as thresholds, highest first, and whether these are all."""
    sizes = [len(run.scores) for run in runs]
    whole = sum(sizes) <= 4 * _STEPS
    parts = [np.zeros(0)]
    for run, size in zip(runs, sizes, strict=True):
        step = 1 if whole else max(1, size // _STEPS)
        parts += [run.scores[::step], run.scores[-_FIRST:]]
    return np.unique(np.concatenate(parts))[::-1].astype(np.float64), whole


def _count(runs: Sequence[_Run], thresholds: Values) -> tuple[NDArray[Any], NDArray[Any]]:
    """How many examples with the label, and how many others, reach each threshold."""
    sums = [np.zeros(len(thresholds), np.int64), np.zeros(len(thresholds), np.int64)]
    for run in runs:
        places = np.searchsorted(run.scores, thresholds.astype(run.scores.dtype))
        sums[not run.positive] = sums[not run.positive] + run.sum_from(places)
    return sums[0], sums[1]


def _list_bins(runs: Sequence[_Run], bins: int, level: float | None) -> Iterator[Bin]:
    """The bins that hold examples; each contains its upper edge, and the first one 0 too."""
    edges = np.arange(1, bins) / bins
    sizes, totals, hits = np.zeros(bins), np.zeros(bins), np.zeros(bins)
    for run in runs:
        inner = np.searchsorted(run.scores.astype(np.float64, copy=False), edges, "right")
        ends = np.concatenate([[0], inner, [len(run.scores)]])
        own = -np.diff(run.sum_from(ends))
        sizes += own
        hits += own if run.positive else 0
        totals += [run.sum_scores(start, stop) for start, stop in pairwise(ends.tolist())]
    low, high = np.full((2, bins), np.nan) if level is None else bound_share(hits, sizes, level)
    whole = all(run.heaped is None or run.heaped.dtype.kind == "i" for run in runs)
    for at in np.flatnonzero(sizes):
        n = int(sizes[at]) if whole else float(sizes[at])
        mean, share = totals[at] / sizes[at], hits[at] / sizes[at]
        yield Bin(n, float(mean), float(share), float(low[at]), float(high[at]))


def thin(axes: Values, most: int, close: float) -> NDArray[np.intp]:
    """Returns which points of a line to keep, so that straight lines between them stay close.

    Points have shape (axes, points); those left out are at most so `close` to the line on each
    axis.

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


_MOST_BINS = 8
_LEAST = 20
"""A bin contains this many examples at least."""

_LENGTHS = (
    (("reference_length",), "tokens"),
    (("hits", "substitutions", "deletions"), "words"),
    (("reference_1",), "characters"),
)
"""The columns of tallies that add up to the length of the reference, and what that counts."""


def list_lengths(counted: Counted) -> tuple[LengthScore, ...]:
    """Each system's score by each metric of texts, in bins of about equal size, from rows."""
    tallies = {
        id(tally): tally
        for metric in counted.metrics
        if (tally := counted.tally(metric)) is not None and not adds_up(metric)
    }
    rows = {place: own for place, tally in tallies.items() if (own := _sort(tally)) is not None}
    measured = (_measure(tallies[place].counter, own) for place, own in rows.items())
    found = next((one for one in measured if one is not None), None)
    if found is None:
        return ()
    lengths, unit = found
    bins = np.searchsorted(_split(lengths), lengths, "right")
    return tuple(
        one
        for metric in counted.metrics
        if (place := id(counted.tally(metric))) in rows and not adds_up(metric)
        for one in _score(metric, tallies[place], rows[place], bins, lengths, unit)
    )


def _sort(tally: Tally) -> NDArray[Any] | None:
    """The rows in the order of their references, which is the same in every tally."""
    rows = need(tally, Sums).rows if tally.counter.kind.textual else None
    return None if rows is None or rows.clusters is not None else rows.sort(tally.counter).values


def _measure(counter: Any, rows: NDArray[Any]) -> tuple[NDArray[np.int64], str] | None:
    """The length of each example's reference as the first system's row has it, and its unit."""
    for names, unit in _LENGTHS:
        if all(name in counter.columns for name in names):
            places = [counter.columns.index(name) for name in names]
            words = getattr(counter, "unit", "words") == "words"
            return rows[:, 0, places].sum(1), unit if words else "characters"
    return None


def _score(
    metric: Metric,
    tally: Sums,
    rows: NDArray[Any],
    bins: NDArray[np.intp],
    lengths: NDArray[np.int64],
    unit: str,
) -> Iterator[LengthScore]:
    n = np.bincount(bins)
    for at, system in enumerate(tally.systems):
        sums = np.zeros((1, len(n), rows.shape[2]), rows.dtype)
        np.add.at(sums[0], bins, rows[:, at])
        groups = tuple(range(len(n)))
        own = replace(tally, systems=(system,), groups=groups, sums=sums, n=n, scatter=None)
        for place, value in enumerate(metric.score(own).tolist()):
            here = lengths[bins == place]
            yield LengthScore(
                system,
                repr(metric),
                metric.name,
                metric.better,
                int(here.min()),
                int(here.max()),
                unit,
                value,
                len(here),
            )


def _split(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where bins of about equal size begin, but for the first."""
    bins = min(_MOST_BINS, max(1, len(lengths) // _LEAST))
    quantiles = np.quantile(lengths, np.arange(1, bins) / bins, method="higher")
    return np.unique(quantiles[quantiles > lengths.min()])
