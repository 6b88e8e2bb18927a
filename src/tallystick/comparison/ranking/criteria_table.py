"""The values of all systems by several metrics, groups or tracks, and the order they make."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tallystick.comparison.ranking.orders import (
    Scale,
    average_ranks,
    check_zero,
    count_borda,
    fill,
    find_counting,
    to_quality,
)
from tallystick.comparison.ranking.ranks import order, rank
from tallystick.frozen import dataclass
from tallystick.results import Criterion, Missing, Place, Standing
from tallystick.results.ranking import Resampled

Values = NDArray[np.float64]


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


@dataclass(frozen=True, slots=True, eq=False)
class CriteriaTable:
    """The values of all systems by all criteria.

    Values have shape (criteria, systems), NaN where a system lacks one.
    """

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

    def keep_resampled(self, resampled: Resampled, missing: Missing) -> Values:
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
