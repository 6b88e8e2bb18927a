"""The overall order of a board, and scores that were made elsewhere."""

import difflib
import math
import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from tallystick.comparison.ranking.overall_ranking import rank_tracks
from tallystick.errors import InputError, UsageError
from tallystick.frozen import dataclass, field
from tallystick.io.tables.table import read_table
from tallystick.kinds.metrics.names import parse
from tallystick.output.results.ranking import Overall, Ranking, find_main
from tallystick.output.results.records import Place, Standing
from tallystick.tasks.boards.site import name_team, revive_places
from tallystick.tasks.entries import Entry, list_rows
from tallystick.tasks.published import SiteOverall, SiteRanking, SiteStanding, Submission
from tallystick.tasks.task_file import SharedTask, choose_phase


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
        return replace(made, notes=(f"there is no overall ranking: {error}.",))
    ranks: dict[str, dict[str, int]] = {}
    for place in found.places:
        if place.track is not None and place.rank is not None:
            ranks.setdefault(place.system, {})[place.track] = place.rank
    standings = [_stand(one, task.overall, ranks.get(one.system, {})) for one in found.standings]
    # Ranked teams come first; all others stay in the order of their means.
    standings.sort(key=lambda one: math.inf if one.rank is None else one.rank)
    return replace(
        made,
        standings=tuple(standings),
        sentences=found.sentences,
        notes=found.notes,
    )


def _list_places(ranking: SiteRanking, confidence: float) -> tuple[Place, ...]:
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
    value = {"mean": one.mean, "mean_rank": one.mean_rank, "borda": one.borda}[overall]
    return SiteStanding(
        team=one.system,
        baseline=one.baseline,
        rank=one.rank if overall == "mean" else one.borda_rank,
        value=None if math.isnan(value) else value,
        ranks=ranks,
    )


_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_KEYS = ("phase", "track", "team", "run")
_Key = tuple[str | None, str, str, str]
"""What each of them is; the phase is None where the task has none, and the run may be empty."""


@dataclass(frozen=True, slots=True)
class ExternalScores:
    """A table of scores, each as it was written, with its digits.

    Rows, and the places where they stand, are by phase, track, team and run; those of an empty
    run are of the submission that is ranked. A score that is empty is not there.
    """

    names: tuple[str, ...] = ()
    rows: Mapping[_Key, dict[str, str]] = field(default_factory=dict)
    places: Mapping[_Key, str] = field(default_factory=dict)

    def join(self, rankings: Iterable[SiteRanking]) -> list[SiteRanking]:
        """Returns rankings with the scores of the submissions that they rank."""
        return [replace(one, external=self._find(one)) for one in rankings]

    def _find(self, ranking: SiteRanking) -> dict[str, dict[str, str]]:
        found = {}
        for system, run in ranking.runs.items():
            key = ranking.phase, ranking.track, name_team(system)
            own = self.rows.get((*key, run), self.rows.get((*key, "")))
            if own:
                found[system] = own
        return found

    def check_tracks(self, submissions: Iterable[Submission]) -> None:
        """Raises an InputError where a row is of a track that its team sent nothing to."""
        known = {
            (one.phase, track, one.team, run)
            for one in submissions
            for track in (*one.scores, *(reason.track for reason in one.refused))
            for run in (one.run, "")
        }
        for phase, track, team, run in self.rows:
            keys = {(phase, track, team, run), (phase, None, team, run)}
            if not keys & known:
                where = self.places[phase, track, team, run]
                raise InputError(f"{where}: {team} has no submission to the track {track!r}")


def read_external_scores(task: SharedTask, entries: Sequence[Entry]) -> ExternalScores:
    """Returns the scores of the table that a task's board names; none where it names none."""
    path = task.board.scores
    if path is None:
        return ExternalScores()
    table = read_table(path)
    names = tuple(name for name in table.names() if name not in _KEYS)
    _check_columns(path, table.names(), task)
    if not names:
        raise InputError(f"{path}: has no column of scores beside {', '.join(table.names())}")
    rows: dict[_Key, dict[str, str]] = {}
    places: dict[_Key, str] = {}
    for where, row in list_rows(table, path, table.names()):
        cells = {name: cell.strip() for name, cell in row.items()}
        key = _find_key(cells, where, task, entries)
        if key in rows:
            same = " and ".join(name for name in _KEYS if name in cells)
            raise InputError(f"{where}: has the same {same} as {places[key]}")
        rows[key] = {name: _read(cells[name], name, where) for name in names if cells[name]}
        places[key] = where
    return ExternalScores(names, rows, places)


def _read(cell: str, name: str, where: str) -> str:
    if not _NUMBER.fullmatch(cell):
        raise InputError(
            f"{where}: {name} is {cell!r}, which is not a number; leave the cell empty where there "
            "is no score"
        )
    return cell


def _check_columns(path: str, names: Sequence[str], task: SharedTask) -> None:
    """Raises an InputError where nothing tells the team, or which of several phases or tracks."""
    needed = [("team", []), ("phase", [*task.phases]), ("track", [*task.tracks])]
    for name, several in needed:
        if name not in names and (name == "team" or len(several) > 1):
            why = f"; the task has {', '.join(several)}" if several else ""
            raise InputError(f"{path}: has no column {name!r}{why}")


def _find_key(
    cells: Mapping[str, str], where: str, task: SharedTask, entries: Sequence[Entry]
) -> _Key:
    """The phase, the track, the team and the run of a row."""
    phase: str | None = None
    if task.phases:
        phase = _choose(cells.get("phase") or _only(task.phases), task.phases, "phase", where)
    tracks = choose_phase(task, phase).tracks
    track = _choose(cells.get("track") or _only(task.tracks), tracks, "track", where)
    own = [one for one in entries if one.phase == phase]
    team = _choose(cells["team"], [one.team for one in own], "team", where)
    runs = [one.run for one in own if one.team == team]
    run = cells.get("run", "")
    return phase, track, team, run and _choose(run, runs, f"submission of {team}", where)


def _only(names: Iterable[str]) -> str:
    first, *others = names
    return "" if others else first


def _choose(name: str, known: Iterable[str], what: str, where: str) -> str:
    known = [*dict.fromkeys(known)]
    if name not in known:
        near = difflib.get_close_matches(name, known, 1, 0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known) or 'none'}"
        raise InputError(f"{where}: there is no {what} {name!r}; {hint}")
    return name
