"""The intervals of metrics of numbers, from how far each example, or cluster, moves them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import Labels
from tallystick.frozen import dataclass, replace
from tallystick.scoring.intervals.bounds import (
    Bounds,
    Observed,
    Spread,
    average_groups,
)
from tallystick.statistics.jackknife import bound_on_scale, measure_scatter, reach_least
from tallystick.tallies.arrays.moments import find_lost
from tallystick.tallies.arrays.units import Units, find_units
from tallystick.tallies.cells import Cells
from tallystick.tallies.drawn_sums import sum_apart
from tallystick.tallies.metric import Metric, Values
from tallystick.tallies.second_moments import Rows
from tallystick.tallies.sums import Sums
from tallystick.tallies.tally import Tally

_ROUNDING = 1e-13
"""A smaller change, as a share of the score, is rounding."""

_STILL = 1e-12
"""So is a smaller error that comes from slopes, which have no exact 0."""


@dataclass(frozen=True, slots=True, eq=False)
class _Moves:
    """How far each kind of example, or each cluster, moves a score.

    Of clusters there is one of each kind; `strata` is the group of each kind, or the stratum that
    it is drawn from.
    """

    values: Values
    counts: NDArray[Any]
    strata: NDArray[np.int64]

    def of(self, group: int) -> "_Moves":
        here = self.strata == group
        return _Moves(self.values[here], self.counts[here], np.zeros(here.sum(), np.int64))

    def pool(self, units: Units) -> "_Moves":
        """Those of whole clusters, which may have parts in several groups."""
        size = len(units.strata)
        sums = np.bincount(units.of, self.values, size).astype(np.float64)
        return _Moves(sums, self.counts[:size], units.strata)


Found = tuple[_Moves, _Moves, Units, float]
"""What moves the score of each group, what moves that of all together, what units are, and up to
which share of the score a scatter is rounding."""


def bound_numbers(metric: Metric, observed: Observed, confidence: float) -> Spread | None:
    """The intervals of a metric of numbers; None where the tally does not tell single examples.

    Each example, or cluster, is left out in turn; for ranks a formula tells what would follow.
    """
    tally, values = observed.groups.tally, observed.groups.values
    found = _find_moves(metric, tally)
    if found is None:
        return None
    moves, whole, units, rounding = found
    mean = _average_moves(moves, values).pool(units)
    parts = [*(moves.of(group) for group in range(len(values))), whole, mean]
    pooled = observed.whole.values
    scores = np.array([*values, *pooled, average_groups(metric, values)], np.float64)
    scatter = np.array([measure_scatter(own.values, own.counts, own.strata) for own in parts]).T
    error = np.where(scatter[0] <= rounding * np.abs(scores), 0, scatter[0])
    sizes = np.array([own.counts.sum() for own in parts])
    # Slopes of what has no limits are of scores that are no means.
    free = not np.isfinite(metric.bounds).any()
    skewness = np.zeros_like(error) if rounding and free else scatter[2]
    known = error, scatter[1], skewness
    ends = bound_on_scale(scores, known, sizes, metric.bounds, confidence)
    floor = _find_least_errors(metric, observed)
    if floor is not None:
        ends = reach_least(ends, scores, floor, metric.bounds, confidence)
    ends = _take_off_bias(metric, observed, scores, ends)
    bounds = Bounds.around(scores, *ends)
    if metric.is_fixed(tally):
        bounds = Bounds(scores, scores)
    if metric.fits_any and tally.list_clusters() is None:
        shows = np.append(sizes[:-1] > metric.fits_any + 1, True)  # the mean shows its own scatter
        shows |= np.isnan(scores)
        least, most = metric.bounds
        bounds = Bounds(np.where(shows, bounds.low, least), np.where(shows, bounds.high, most))
    if np.isinf(scores[:-1]).any():
        bounds = _open_bounds(metric, observed, scores, bounds, confidence)
    unit = "example" if tally.list_clusters() is None else "cluster"
    method = _name_method(metric, unit)
    return Spread(
        Bounds(bounds.low[:-2], bounds.high[:-2]),
        Bounds(bounds.low[-2], bounds.high[-2]),
        method,
        mean=(*bounds.at(-1), method) if len(values) > 1 else None,
    )


def _open_bounds(
    metric: Metric, observed: Observed, scores: Values, bounds: Bounds, confidence: float
) -> Bounds:
    """The same, with what an infinite score is at least, or at most, on its other side."""
    ends = [metric.bound_infinite(side.tally, confidence) for side in observed.sides()]
    least = np.concatenate([*ends, [np.nan]])
    low, high = (np.where(np.isinf(scores), least, end) for end in (bounds.low, bounds.high))
    return Bounds(
        np.where(scores == -np.inf, -np.inf, low), np.where(scores == np.inf, np.inf, high)
    )


def _find_least_errors(metric: Metric, observed: Observed) -> Values | None:
    """What the scores of groups, of all, and their mean scatter by at least."""
    groups, whole = (metric.find_least_error(side.tally) for side in observed.sides())
    if groups is None or whole is None:
        return None
    defined = (~np.isnan(observed.groups.values)).sum()
    mean = np.sqrt(np.nansum(groups**2)) / max(defined, 1)
    return np.array([*groups, *whole, mean], np.float64)


def _take_off_bias(
    metric: Metric, observed: Observed, scores: Values, ends: tuple[Values, Values]
) -> tuple[Values, Values]:
    """The ends of groups, of all, and of their mean, where scores of samples have a known bias.

    They move on the scale of Fisher's z, as far as the scores would without it.
    """
    groups = metric.find_bias(observed.groups.tally)
    if groups is None:
        return ends
    alone = observed.whole is observed.groups
    whole = groups if alone else metric.find_bias(observed.whole.tally)
    assert whole is not None
    moved = scores + np.array([*groups, *whole, average_groups(metric, groups)])
    inside = np.abs(scores) < 1
    known = np.where(inside, scores, 0)
    far = np.where(inside, np.minimum(moved, (known + 1) / 2), 0)
    step = np.arctanh(far) - np.arctanh(known)
    with np.errstate(divide="ignore"):  # an end at 1 stays there
        low, high = (np.tanh(np.arctanh(end) + step) for end in ends)
    return low, high


def _average_moves(moves: _Moves, values: Values) -> _Moves:
    """How far examples move the mean over the groups in which the score is defined."""
    defined = ~np.isnan(values)
    shares = np.where(defined, 1 / max(defined.sum(), 1), 0)
    return replace(moves, values=np.nan_to_num(moves.values) * shares[moves.strata])


def _name_method(metric: Metric, unit: str) -> str:
    known = np.isfinite(metric.bounds).sum()
    if known == 0:
        scale = "Student's t"
    elif known == 1:
        scale = "a logarithmic scale"
    else:
        scale = "Fisher's z" if metric.bounds == (-1, 1) else "a logistic scale"
    return f"jackknife{' of clusters' if unit == 'cluster' else ''} on {scale}"


def _find_moves(metric: Metric, tally: Tally) -> Found | None:
    slopes, cells = metric.slopes(tally), tally.patterns
    if slopes is not None and cells is not None:
        whole = slopes if len(cells.groups) == 1 else metric.slopes(cells.merge_groups())
        assert whole is not None
        return _move_cells(cells, slopes, whole)
    left_out = metric.rests_on or tally.counter.kind.numeric
    if left_out and tally.example_rows() is not None:
        return _move_rows(metric, tally.need(Sums))
    return None


def _move_cells(tally: Cells, slopes: Values, whole: Values) -> Found:
    """From the slopes of the scores of groups, and of all together, in the weights of cells."""
    own, owners = tally.clusters, tally.owners
    if own is None:
        units = find_units(owners, None, tally.groups)
        groups, together = (_Moves(one, tally.counts, owners) for one in (slopes, whole))
        return groups, together, units, _STILL
    keys = np.stack([owners[own.cells], own.owners])
    (strata, clusters), places = np.unique(keys, axis=1, return_inverse=True)
    units = find_units(strata, clusters, tally.groups)
    alone = np.ones_like(strata)
    sums = (np.bincount(places.ravel(), one[own.cells] * own.counts) for one in (slopes, whole))
    groups, together = (_Moves(one.astype(np.float64), alone, strata) for one in sums)
    return groups, together.pool(units), units, _STILL


def _move_rows(metric: Metric, tally: Sums) -> Found:
    rows = _find_trials(metric, tally)
    codes = rows.groups.codes.astype(np.int64)
    clusters = None if rows.clusters is None else rows.clusters.codes.astype(np.int64)
    units = find_units(codes, clusters, tally.groups)
    merged = Labels(np.zeros_like(codes), ("all",))
    alone = Units(np.arange(len(codes)), codes, tally.groups)
    groups, whole = (
        _Moves(_leave_out(metric, *parts), np.ones(len(strata), np.int64), strata)
        for strata, parts in (
            (codes, (tally, rows, alone)),
            (units.strata, (tally.total(), replace(rows, groups=merged), units)),
        )
    )
    return groups, whole, units, 0.0


def _find_trials(metric: Metric, tally: Sums) -> Rows:
    """The rows that matter to the score of the only system."""
    rows = tally.list_rows()
    places = [tally.counter.columns.index(name) for name in metric.rests_on]
    used = (rows.values[:, 0, places] > 0).any(-1)
    return rows.take(np.flatnonzero(used)) if used.any() else rows


def _leave_out(metric: Metric, tally: Sums, rows: Rows, units: Units) -> Values:
    """How far each unit moves the score of its group: what it loses without the unit.

    Where it would be undefined, twice what it loses without a half of the unit.
    """
    owners = np.zeros_like(units.strata)
    owners[units.of] = rows.groups.codes
    base, parts = tally.relative(), np.zeros((len(owners), tally.sums.shape[-1]))
    np.add.at(parts, units.of, tally.move_rows(rows)[:, 0])
    own = tally.sums[0][owners]
    rest = _restore_digits(_pick(base, owners, own - parts), rows, units, owners)
    score, less = (metric.score(one)[:, 0] for one in (_pick(base, owners, own), rest))
    # A mean of all but one example rests on one less; a sum does not.
    lost = (score - less) * (1 - (not metric.adds_up) / np.bincount(owners)[owners])
    if np.isnan(lost).any():
        half = 2 * (score - metric.score(_pick(base, owners, own - parts / 2))[:, 0])
        lost = np.where(np.isnan(lost), np.nan_to_num(half), lost)
    return np.where(np.abs(lost) > _ROUNDING * np.abs(score), lost, 0.0)


def _pick(base: Sums, owners: NDArray[np.int64], sums: Values) -> Sums:
    """A tally of one group, with an axis of units that have such sums in the groups of a tally."""
    return replace(
        base,
        groups=("all",),
        sums=sums[None, :, None],
        scatter=None,
        pivots=None if base.pivots is None else base.pivots[:, owners, None],
        reference=None if base.reference is None else base.reference[owners, None],
    )


def _restore_digits(rest: Sums, rows: Rows, units: Units, owners: NDArray[np.int64]) -> Sums:
    """The same with sums about pivots of their own where hardly any variance is left."""
    if rest.pivots is None:
        return rest
    (again,) = np.nonzero(find_lost(rest.counter, rest.sums[0, :, 0]))
    kept = (rows.groups.codes == owners[again, None]) & (units.of != again[:, None])
    rest.sums[:, again, 0], rest.pivots[:, again, 0] = sum_apart(rest.counter, rows, kept)
    return rest
