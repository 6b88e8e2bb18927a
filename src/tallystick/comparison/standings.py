"""Places by several metrics, groups or tracks put together: standings, and what they hide."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tallystick.comparison.orders import (
    Scale,
    check_zero,
    count_borda,
    fill,
    find_counting,
    find_tau,
    to_quality,
)
from tallystick.comparison.ranks import order, rank
from tallystick.errors import UsageError
from tallystick.results import Criterion, Missing, Place, Standing
from tallystick.results.ranking import Ranking, title_criteria

__all__ = ["choose_criteria", "list_standings", "rank_tracks"]

Values = NDArray[np.float64]

_FATES: dict[Missing, str] = {
    "exclude": "is left out of the standings",
    "zero": "counts as 0 there",
    "worst": "counts as the worst there",
    "common": "is ranked by what all systems have",
}


def rank_tracks(rankings: Mapping[str, Ranking], *, missing: Missing = "exclude") -> Ranking:
    """Ranks systems over several tracks, each by the first metric of its ranking.

    A system that lacks a track is left out (`exclude`), has 0 there (`zero`) or the worst value of
    any system there (`worst`); or only the tracks that all systems have count (`common`).

    Args:
        rankings: The ranking of each track by its name, as `rank` returns it.
        missing: What becomes of a system that lacks a track.

    Raises:
        UsageError: There is no ranking, or what is missing cannot be replaced as was asked for.
    """
    if not rankings:
        raise UsageError("there is no track to rank")
    own = {name: _name_track(name, ranking) for name, ranking in rankings.items()}
    places = tuple(place for ranking in own.values() for place in ranking.places)
    criteria = [_find_main(ranking.places) for ranking in own.values()]
    notes = [f"{name}: {note}" for name, one in own.items() for note in one.notes]
    standings, told = list_standings(places, criteria, missing)
    return Ranking(
        places,
        standings,
        tuple(refusal for ranking in own.values() for refusal in ranking.refused),
        (*dict.fromkeys(notes), *told),
    )


def _name_track(name: str, ranking: Ranking) -> Ranking:
    return replace(
        ranking,
        places=tuple(replace(place, track=name) for place in ranking.places),
        refused=tuple(replace(refusal, track=name) for refusal in ranking.refused),
    )


def choose_criteria(places: Sequence[Place]) -> list[Criterion]:
    """What one ranking is taken together by: its metrics, or else its groups."""
    main = _find_main(places)
    criteria = list(dict.fromkeys(place.criterion for place in places))
    by_metric = [criterion for criterion in criteria if criterion[:2] == main[:2]]
    if len(by_metric) > 1:
        return by_metric
    return [criterion for criterion in criteria if criterion[1] not in ("macro", "micro")]


def _find_main(places: Sequence[Place]) -> Criterion:
    """The first metric on all examples; where there are groups, on their mean."""
    criteria = (place.criterion for place in places)
    return next(criterion for criterion in criteria if criterion[1] in (None, "macro"))


def list_standings(
    places: Sequence[Place], criteria: Sequence[Criterion], missing: Missing = "exclude"
) -> tuple[tuple[Standing, ...], tuple[str, ...]]:
    """The standing of each system, best mean first, and what a reader of them must know."""
    if len(criteria) < 2:
        return (), ()
    found = {(*place.criterion, place.system): place for place in places}
    baselines = {place.system: place.baseline for place in places}
    values = np.array(
        [
            [_find_value(found.get((*criterion, system))) for system in baselines]
            for criterion in criteria
        ]
    )
    scales = {
        place.criterion: Scale(place.name, place.better, place.lowest, place.highest)
        for place in places
    }
    table = _Table(
        tuple(criteria),
        tuple(scales[criterion] for criterion in criteria),
        tuple(baselines),
        values,
        np.array([*baselines.values()]),
    )
    standings = table.rank(missing)
    return standings, tuple(_list_notes(places, table, standings, missing))


def _find_value(place: Place | None) -> float:
    return np.nan if place is None else place.value


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """The values of all systems by all criteria.

    Attributes:
        criteria: What is taken together.
        scales: What the values of each criterion mean.
        systems: The names of the systems.
        values: Of shape (criteria, systems); NaN where a system lacks one.
        baseline: Whether each system is a baseline.
    """

    criteria: tuple[Criterion, ...]
    scales: tuple[Scale, ...]
    systems: tuple[str, ...]
    values: Values
    baseline: NDArray[np.bool_]

    def rank(self, missing: Missing) -> tuple[Standing, ...]:
        """The standings, best mean first; a baseline has a mean, but takes no part."""
        rows = zip(self.values, self.scales, strict=True)
        quality = np.array([to_quality(row, scale) for row, scale in rows])
        counting = find_counting(quality[:, ~self.baseline], missing)
        if missing == "zero" and np.isnan(quality[counting][:, ~self.baseline]).any():
            for scale in self.scales:
                check_zero(scale)
        kept = quality[counting]
        kept[:, ~self.baseline] = fill(kept[:, ~self.baseline], missing)
        mean = _average(kept)
        kept[:, self.baseline] = np.nan
        borda = np.where(np.isnan(mean), np.nan, count_borda(kept))
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


def _list_notes(
    places: Sequence[Place],
    table: _Table,
    standings: Sequence[Standing],
    missing: Missing,
) -> list[str]:
    titles = {one: " · ".join(parts) for one, parts in title_criteria(places).items()}
    return [
        *_note_gaps(table, standings, titles, missing),
        *_note_scales(table),
        *_note_winners(places, table, titles),
        *_note_orders(standings),
    ]


def _note_gaps(
    table: _Table, standings: Sequence[Standing], titles: Mapping[Criterion, str], missing: Missing
) -> list[str]:
    """Who lacks what, and what became of it; what nobody has does not count."""
    names = [titles.get(criterion, str(criterion[0])) for criterion in table.criteria]
    absent = [bool(np.isnan(row).all()) for row in table.values[:, ~table.baseline]]
    notes = []
    if any(absent):
        unknown = [name for name, gone in zip(names, absent, strict=True) if gone]
        notes.append(f"no system has {', '.join(unknown)}, so that the standings leave it out.")
    for one in standings:
        lacking = [
            name
            for name, value, gone in zip(names, one.values, absent, strict=True)
            if np.isnan(value) and not gone
        ]
        if lacking and not one.baseline:
            fate = _FATES["exclude" if one.rank is None else missing]
            notes.append(f"{one.system} lacks {', '.join(lacking)} and {fate}.")
    return notes


def _note_scales(table: _Table) -> list[str]:
    """What the mean adds up."""
    scales = list(dict.fromkeys(table.scales))
    turned = [
        f"{scale.highest:g} - {scale.name}" if np.isfinite(scale.highest) else f"-{scale.name}"
        for scale in scales
        if scale.better == "lower"
    ]
    notes = [f"the mean takes {' and '.join(turned)}, so that higher is better."] if turned else []
    if len({(scale.lowest, scale.highest) for scale in scales}) > 1:
        names = ", ".join(scale.name for scale in scales)
        notes.append(f"the mean is over different scales ({names}); Borda's count is not.")
    return notes


def _note_winners(
    places: Sequence[Place], table: _Table, titles: Mapping[Criterion, str]
) -> list[str]:
    winners: dict[tuple[str, ...], list[str]] = {}
    for criterion in table.criteria:
        first = [
            place.system for place in places if (place.criterion, place.rank) == (criterion, 1)
        ]
        if first:
            winners.setdefault(tuple(sorted(first)), []).append(titles[criterion])
    if len(winners) < 2:
        return []
    told = (f"{' and '.join(who)} by {', '.join(what)}" for who, what in winners.items())
    return [f"the winner depends on the metric or track: {'; '.join(told)}."]


def _note_orders(standings: Sequence[Standing]) -> list[str]:
    """Whether the mean and Borda's count agree."""
    mean = np.array([one.rank or np.nan for one in standings], float)
    borda = np.array([one.borda_rank or np.nan for one in standings], float)
    tau = find_tau(-mean, -borda)
    if np.isnan(tau) or tau == 1:
        return []
    by_mean, by_borda = (
        " and ".join(one.system for one, place in zip(standings, ranks, strict=True) if place == 1)
        for ranks in (mean, borda)
    )
    told = (
        f"both put {by_mean} first"
        if by_mean == by_borda
        else f"the winner changes: {by_mean} by the mean, {by_borda} by Borda's count"
    )
    return [
        f"mean and Borda's count order the systems differently (Kendall's tau {tau:.2f}); {told}."
    ]
