"""One order out of several: values of several metrics or tracks by their mean and by Borda's count.

Values are of shape (criteria, systems), where a criterion is a metric, a group or a track; NaN is
what a system does not have. Of qualities higher is better.
"""

import math
from collections.abc import Sequence
from string import ascii_lowercase
from typing import TYPE_CHECKING, get_args

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.output.results.records import Criterion, Missing, Place, Standing
from tallystick.statistics.wilson import Values

if TYPE_CHECKING:
    from tallystick.output.results.ranking import Resampled


Beats = NDArray[np.bool_]


def order(values: Values) -> NDArray[np.intp]:
    """The places of the systems, best first; equal ones as they came, undefined ones last."""
    return np.argsort(-values, kind="stable")


def rank(values: Values) -> Values:
    """The rank of each system: equal values share the best rank (1224), NaN has none."""
    above = (values[None, :] > values[:, None]).sum(1)
    return np.where(np.isnan(values), np.nan, 1.0 + above)


def count_borda(values: Values) -> Values:
    """The points of each system: in every criterion one for each system below, half for each equal.

    de Borda 1781. Values are of shape (..., criteria, systems). A system that is NaN takes no part,
    and its points are NaN.
    """
    present = ~np.isnan(values).any(-2)
    each = [values[..., [system]] for system in range(values.shape[-1])]  # bounds the memory
    below = np.stack([(own > values).sum((-2, -1)) for own in each], -1)
    equal = np.stack([(own == values).sum((-2, -1)) for own in each], -1) - values.shape[-2]
    return np.where(present, below + equal / 2, np.nan)


def average_ranks(values: Values) -> Values:
    """The mean rank of each system over the criteria; equal systems share a mean rank."""
    present = (~np.isnan(values).any(-2)).sum(-1, keepdims=True)
    ranks: Values = present - count_borda(values) / max(values.shape[-2], 1)
    return ranks


def find_ranges(beats: Beats) -> NDArray[np.int64]:
    """The best and worst rank of each system by the tests, as in WMT: (systems, 2)."""
    losses, wins = beats.sum(0), beats.sum(1)
    return np.stack([1 + losses, len(beats) - wins], axis=1)


def find_clusters(values: Values, beats: Beats) -> NDArray[np.int64]:
    """Clusters from 1, as in WMT: one begins where all above significantly beat all below."""
    places = order(values)
    sorted_beats = beats[np.ix_(places, places)]
    clusters = np.ones(len(values), np.int64)
    for cut in range(1, len(values)):
        if sorted_beats[:cut, cut:].all():
            clusters[places[cut:]] += 1
    return clusters


def find_letters(values: Values, beats: Beats) -> tuple[str, ...]:
    """The compact letters of each system: two that share one are not significantly different.

    By insertion and absorption (Piepho 2004, Journal of Computational and Graphical Statistics
    13:456); the best system has the letter a. From the 27th on, letters are `aa`, `ab`, and so on,
    with commas between.
    """
    places = order(values)
    columns, differ = [(1 << len(places)) - 1], (beats | beats.T)[np.ix_(places, places)]
    for one, other in np.argwhere(np.triu(differ)).tolist():  # by rank: few columns
        columns = _split(columns, 1 << one, 1 << other)
    columns.sort(key=lambda column: [at for at in range(len(places)) if column >> at & 1])
    mark = "" if len(columns) <= len(ascii_lowercase) else ","
    letters = (
        mark.join(_letter(at) for at, column in enumerate(columns) if column >> place & 1)
        for place in range(len(places))
    )
    found = dict(zip(places.tolist(), letters, strict=True))
    return tuple(found[system] for system in range(len(places)))


def _split(columns: Sequence[int], one: int, other: int) -> list[int]:
    """The columns, as bits, without pairs of `one` and `other`; contained ones are dropped."""
    both = one | other
    whole = [column for column in columns if column & both != both]
    cut = [column for column in columns if column & both == both]
    parts = list(dict.fromkeys(column & ~bit for column in cut for bit in (one, other)))
    return whole + [
        part
        for part in parts
        if not any(part & own == part for own in whole)
        and not any(part & own == part != own for own in parts)
    ]


def _letter(at: int) -> str:
    size = len(ascii_lowercase)
    return ascii_lowercase[at] if at < size else _letter(at // size - 1) + _letter(at % size)


def share_best(resamples: Values) -> Values:
    """The share of resamples in which each system is the best; equal ones divide a resample.

    It is no calibrated probability: resamples scatter around values of which the highest is partly
    luck. Of ten close systems those that come first in 81% of the resamples are the best in 69% of
    the cases (benchmarks/best.py).

    Resamples, of shape (resamples, systems), in which a system is undefined are left out.
    """
    complete = _complete(resamples)
    best = complete == complete.max(1, keepdims=True)
    shares = best / best.sum(1, keepdims=True)
    return shares.mean(0) if len(shares) else np.full(shares.shape[1], np.nan)


def mean_ranks(resamples: Values) -> Values:
    """The mean rank of each system over the resamples in which all are defined."""
    complete = _complete(resamples)
    return average_ranks(complete) if len(complete) else np.full(resamples.shape[1], np.nan)


def _complete(resamples: Values) -> Values:
    return resamples[~np.isnan(resamples).any(1)]


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
    """The values turned so that higher is better: from the largest value, or negated."""
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
        raise UsageError(f"`missing=` must be one of {', '.join(_POLICIES)}, not {missing!r}")
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

    `exclude` leaves out every system that does not have a criterion; `zero` and `worst` give it 0
    or the worst value of any system there. A system that does not have everything is left out in
    any case. Leading axes are resamples.
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
        """The same for each resample that defines all systems, baselines NaN: (resamples, ...)."""
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
