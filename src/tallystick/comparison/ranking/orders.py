"""One order out of several: values of several metrics or tracks by their mean and by Borda's count.

Values are of shape (criteria, systems), where a criterion is a metric, a group or a track; NaN is
what a system lacks. Of qualities higher is better.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.comparison.ranking.ranks import average_ranks, count_borda, order, rank
from tallystick.errors import UsageError
from tallystick.output.results.records import Criterion, Missing, Place, Standing

if TYPE_CHECKING:
    from tallystick.output.results.ranking import Resampled

Values = NDArray[np.float64]

_POLICIES: tuple[Missing, ...] = get_args(Missing)


class Scale(Struct, frozen=True):
    """What the values of a metric mean: its name, the better direction, and its bounds."""

    name: str
    better: str
    lowest: float
    highest: float


def check_direction(name: str, better: str) -> None:
    """Raises a UsageError where neither direction of a metric is the better one."""
    if better == "neither":
        raise UsageError(f"{name} cannot rank systems: neither higher nor lower is better")


def to_quality(values: Values, scale: Scale) -> Values:
    """The values turned so that higher is better.

    A metric whose lower values are better is taken from its largest value, as in 1 - hamming_loss,
    and negated where it has none.
    """
    check_direction(scale.name, scale.better)
    if scale.better == "higher":
        return values
    return scale.highest - values if np.isfinite(scale.highest) else -values


def check_zero(scale: Scale) -> None:
    """Raises a UsageError where 0 would not be a poor value of a metric."""
    if scale.better == "lower" and not np.isfinite(scale.highest):
        raise UsageError(
            f"{scale.name} is best at 0 and has no worst value, so what is missing cannot count "
            "as zero; choose 'worst', 'exclude' or 'common'"
        )


def find_counting(values: Values, missing: Missing) -> NDArray[np.bool_]:
    """Which criteria count: those that any system has, or with `common` all that have anything."""
    if missing not in _POLICIES:
        raise UsageError(f"what is missing is one of {', '.join(_POLICIES)}, not {missing!r}")
    absent = np.isnan(values)
    known: NDArray[np.bool_] = np.logical_not(absent.all(1))
    if missing != "common":
        return known
    common: NDArray[np.bool_] = known & ~absent[:, ~absent.all(0)].any(1)
    if known.any() and not common.any():
        raise UsageError(
            "no metric or track is common to all systems; choose another policy than 'common' for "
            "what is missing"
        )
    return common


def fill(values: Values, missing: Missing) -> Values:
    """The values of criteria that count with nothing missing; systems left out are NaN throughout.

    `exclude` leaves out every system that lacks a criterion; `zero` and `worst` give it 0 or the
    worst value of any system there. A system that lacks everything is left out in any case. Leading
    axes are resamples.
    """
    absent = np.isnan(values)
    if missing in ("exclude", "common"):
        return np.where(absent.any(-2, keepdims=True), np.nan, values)
    lowest = np.where(absent, np.inf, values).min(-1, keepdims=True)
    filled = np.where(absent, 0.0 if missing == "zero" else lowest, values)
    return np.where(absent.all(-2, keepdims=True), np.nan, filled)


def lay_out(places: Sequence[Place], criteria: Sequence[Criterion]) -> "CriteriaTable":
    """Puts the values of places into a table, a row for each criterion."""
    found = {(*place.criterion, place.system): place.value for place in places}
    baselines = {place.system: place.baseline for place in places}
    values = np.array(
        [[found.get((*one, system), np.nan) for system in baselines] for one in criteria]
    )
    scales = {
        place.criterion: Scale(place.name, place.better, place.lowest, place.highest)
        for place in places
    }
    return CriteriaTable(
        tuple(criteria),
        tuple(scales[criterion] for criterion in criteria),
        tuple(baselines),
        values,
        np.array([*baselines.values()]),
    )


class CriteriaTable(Struct, frozen=True, eq=False):
    """The values of all systems by all criteria."""

    criteria: tuple[Criterion, ...]
    scales: tuple[Scale, ...]
    systems: tuple[str, ...]
    values: Values
    baseline: NDArray[np.bool_]

    def keep(self, missing: Missing) -> Values:
        """The qualities by the criteria that count; what baselines lack stays NaN."""
        quality = self._turn(self.values)
        counting = self._find_counting(missing)
        if missing == "zero" and np.isnan(quality[counting][:, ~self.baseline]).any():
            for scale in self.scales:
                check_zero(scale)
        kept = quality[counting]
        kept[:, ~self.baseline] = fill(kept[:, ~self.baseline], missing)
        return kept

    def keep_resampled(self, resampled: "Resampled", missing: Missing) -> Values:
        """The same for each resample in which no system loses a value: (resamples, ...).

        Baselines are left out: they are NaN.
        """
        none = np.full(0, np.nan)
        drawn = [
            [resampled.get((*one, system), none) for system in self.systems]
            for one in self.criteria
        ]
        known = ~np.isnan(self.values) & ~self.baseline
        least = min((len(drawn[row][at]) for row, at in np.argwhere(known).tolist()), default=0)
        values = np.full((least, *self.values.shape), np.nan)
        for row, at in np.argwhere(known).tolist():
            values[:, row, at] = drawn[row][at][:least]
        complete = values[~(np.isnan(values) & known).any((1, 2))]
        kept = self._turn(complete)[:, self._find_counting(missing)]
        kept[..., ~self.baseline] = fill(kept[..., ~self.baseline], missing)
        return kept

    def _turn(self, values: Values) -> Values:
        """The values, of shape (..., criteria, systems), turned so that higher is better."""
        rows = zip(np.moveaxis(values, -2, 0), self.scales, strict=True)
        return np.stack([to_quality(row, scale) for row, scale in rows], -2)

    def _find_counting(self, missing: Missing) -> NDArray[np.bool_]:
        return find_counting(self.values[:, ~self.baseline], missing)

    def rank(self, missing: Missing) -> tuple[Standing, ...]:
        """The standings, best mean first; a baseline has a mean, but takes no part."""
        kept = self.keep(missing)
        mean = _average(kept)
        kept[:, self.baseline] = np.nan
        borda = np.where(np.isnan(mean), np.nan, count_borda(kept))
        mean_rank = np.where(np.isnan(mean), np.nan, average_ranks(kept))
        ranks = rank(np.where(self.baseline, np.nan, mean)), rank(borda)
        return tuple(
            Standing(
                self.systems[at],
                bool(self.baseline[at]),
                int((~np.isnan(self.values[:, at])).sum()),
                self.criteria,
                tuple(self.values[:, at].tolist()),
                mean[at].item(),
                _to_rank(ranks[0][at]),
                borda[at].item(),
                _to_rank(ranks[1][at]),
                mean_rank[at].item(),
            )
            for at in order(mean).tolist()
        )


def _average(values: Values) -> Values:
    """The mean of each column, the same for equal values in any order."""
    if not len(values):
        return np.full(values.shape[1], np.nan)
    return np.array([math.fsum(column) / len(values) for column in values.T])


def _to_rank(value: np.float64) -> int | None:
    return None if np.isnan(value) else int(value)
