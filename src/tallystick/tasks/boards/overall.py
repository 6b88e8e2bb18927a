"""The overall ranking of a task's tracks, from what its site shows of each of them."""

import math
from collections.abc import Sequence

import msgspec

from tallystick.comparison.ranking.overall_ranking import rank_tracks
from tallystick.errors import UsageError
from tallystick.frozen import replace
from tallystick.kinds.metrics.names import parse
from tallystick.output.results.ranking import Overall, Ranking, find_main
from tallystick.output.results.records import Place, Standing
from tallystick.tasks.boards.site import name_team, revive_places
from tallystick.tasks.site_records import SiteOverall, SiteRanking, SiteStanding
from tallystick.tasks.task_file import SharedTask


def rank_overall(
    task: SharedTask, rankings: Sequence[SiteRanking], confidence: float
) -> SiteOverall | None:
    """Returns the ranking of teams over the tracks of a phase, by scores as they are shown.

    It is None where the task asks for none, or fewer than two tracks are ranked. It has no
    standings, but a note, where scores that are missing leave nothing to put together. The
    confidence level is that of Friedman's and Nemenyi's test.
    """
    if task.overall is None or len(rankings) < 2:
        return None
    tracks = {one.track: Ranking(_list_places(one, confidence)) for one in rankings}
    made = SiteOverall(rankings[0].phase, task.overall, tuple(tracks))
    missing = task.missing_tracks or "exclude"
    try:
        found = rank_tracks(tracks, overall=task.overall, missing_tracks=missing)
    except UsageError as error:
        return msgspec.structs.replace(made, notes=(f"there is no overall ranking: {error}.",))
    ranks: dict[str, dict[str, int]] = {}
    for place in found.places:
        if place.track is not None and place.rank is not None:
            ranks.setdefault(place.system, {})[place.track] = place.rank
    standings = [_stand(one, task.overall, ranks.get(one.system, {})) for one in found.standings]
    # Ranked teams come first; all others stay in the order of their means.
    standings.sort(key=lambda one: math.inf if one.rank is None else one.rank)
    return msgspec.structs.replace(
        made,
        standings=tuple(standings),
        sentences=found.sentences,
        notes=found.notes,
    )


def _list_places(ranking: SiteRanking, confidence: float) -> tuple[Place, ...]:
    """The places of teams by the first metric."""
    places = revive_places(ranking)
    main = find_main(places)
    metric = parse(main[-1])
    lowest, highest = metric.bounds
    return tuple(
        replace(
            one,
            system=name_team(one.system),
            confidence=confidence,
            better=metric.better,
            lowest=lowest,
            highest=highest,
        )
        for one in places
        if one.criterion == main
    )


def _stand(one: Standing, overall: Overall, ranks: dict[str, int]) -> SiteStanding:
    """What the site shows of a standing, by whatever makes it."""
    value = {"mean": one.mean, "mean_rank": one.mean_rank, "borda": one.borda}[overall]
    return SiteStanding(
        team=one.system,
        baseline=one.baseline,
        rank=one.rank if overall == "mean" else one.borda_rank,
        value=None if math.isnan(value) else value,
        ranks=ranks,
    )
