"""What organisers have of submissions: who handed in what, when and for which phase, and scores.

Submissions lie in a folder, or a table lists them; scores that were made elsewhere are in another.
"""

import difflib
import hashlib
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from itertools import islice

from msgspec import Struct, field
from msgspec.structs import replace

from tallystick.errors import InputError, UsageError
from tallystick.io.files.datasets import cut_ending
from tallystick.io.submissions import find_lookalikes, is_aside
from tallystick.io.tables.table import Table, read_table
from tallystick.tasks.opening import MEGABYTE, fits
from tallystick.tasks.published import SiteRanking, Submission, name_team
from tallystick.tasks.task_file import SharedTask, choose_phase


class Entry(Struct, frozen=True):
    """A submission; `known`: whether its time is known; `wrong`: why it is rejected."""

    team: str
    run: str
    phase: str | None
    path: str
    submitted: datetime
    known: bool = False
    wrong: str | None = None
    about: tuple[str, ...] = ()


def name_run(team: str, run: str) -> str:
    """Returns what a submission is called: its team alone, where it is the folder of the team."""
    return team if run == team else f"{team}, {run}"


def find_entries(folder: str, task: SharedTask, manifest: str | None = None) -> list[Entry]:
    """Returns the submissions in a folder, by time.

    A file or an archive is named after its team. A folder is a team with its submissions, or a
    single one where a file of a track is in it; several phases have a folder each. Times are those
    of the last change. A manifest shows all of that instead, in the columns file, team, run, phase
    and submitted. Teams whose names look alike are rejected, but for one.
    """
    if manifest is not None:
        entries = [*_read_manifest(manifest, folder, task)]
    elif len(task.phases) < 2:
        phase = next(iter(task.phases), None)
        entries = [*_list_teams(folder, phase, task)]
    else:
        entries = [*_list_phases(folder, task)]
    if not entries:
        raise InputError(f"{folder}: contains no submissions")
    entries.sort(key=lambda entry: (entry.submitted, entry.team, entry.run))
    return [*_refuse_alike(entries)]


def _refuse_alike(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yields submissions, those rejected whose names are, or look like, those of earlier ones."""
    alike = find_lookalikes(entry.team for entry in entries)
    seen: set[tuple[str | None, str, str]] = set()
    for entry in entries:
        name = (entry.phase, entry.team, entry.run)
        if entry.team in alike:
            # Quoted and written out, so that the name that is shown looks like no other.
            yield replace(entry, team=ascii(entry.team), wrong=alike[entry.team])
        elif name in seen:
            wrong = "is called as an earlier submission of its team; rename it"
            yield replace(entry, run=f"{entry.run} ({len(seen)})", wrong=wrong)
        else:
            yield entry
        seen.add(name)


def _list_phases(folder: str, task: SharedTask) -> Iterator[Entry]:
    present = [name for name in _scan(folder) if name in task.phases]
    if not present:
        raise UsageError(
            f"{folder}: the task has the phases {', '.join(task.phases)}; put the submissions of "
            "each into a folder of that name, or list them in a table with --manifest"
        )
    for phase in present:
        yield from _list_teams(os.path.join(folder, phase), phase, task)


def _list_teams(folder: str, phase: str | None, task: SharedTask) -> Iterator[Entry]:
    for name in _scan(folder):
        path = os.path.join(folder, name)
        if not _is_folder(path):
            yield _enter(cut_ending(name), name, phase, path)
            continue
        runs = {name: path}
        with suppress(InputError):
            inside, tracks = _scan(path), task.tracks.items()
            if not any(fits(track, own, one) for track, own in tracks for one in inside):
                runs = {run: os.path.join(path, run) for run in inside}
        for run, place in runs.items():
            yield _enter(name, run, phase, place)


def _enter(team: str, run: str, phase: str | None, path: str) -> Entry:
    submitted, wrong = datetime.fromtimestamp(0, UTC), None
    try:
        changed = max(os.lstat(one).st_mtime for one in (path, *_walk(path)))
        submitted = datetime.fromtimestamp(int(changed), UTC)
    except (InputError, OSError, OverflowError, ValueError):
        wrong = "cannot be read, or has no time at which it was changed"
    return Entry(_print(team), _print(run), phase, path, submitted, wrong=wrong)


def _print(name: str) -> str:
    return name if name.isprintable() else ascii(name)[1:-1]


def _read_manifest(path: str, folder: str, task: SharedTask) -> Iterator[Entry]:
    table = read_table(path)
    needed = dict.fromkeys(task.board.columns, ", which the task's board shows")
    for name, why in (dict.fromkeys(("file", "team"), "; it needs file and team") | needed).items():
        if name not in table.names():
            raise InputError(f"{path}: has no column {name!r}{why}")
    seen: set[tuple[str | None, str, str]] = set()
    known = ("file", "team", "run", "phase", "submitted", *task.board.columns)
    for where, row in list_rows(table, path, [name for name in known if name in table.names()]):
        found = _read_row(row, where, folder, task)
        entry = replace(found, about=tuple(row[name] for name in task.board.columns))
        key = (entry.phase, entry.team, entry.run)
        if key in seen:
            raise InputError(f"{path}: {entry.team} has two submissions called {entry.run!r}")
        seen.add(key)
        yield entry


def list_rows(
    table: Table, path: str, names: Sequence[str]
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yields where each row of a table stands, and its cells in some columns as text."""
    columns = {name: table.column(name).to_pylist() for name in names}
    for place in range(len(table)):
        cells = {name: values[place] for name, values in columns.items()}
        row = {name: "" if cell is None else str(cell) for name, cell in cells.items()}
        yield f"{path}, {table.locate(place)}", row


def _read_row(row: Mapping[str, str], where: str, folder: str, task: SharedTask) -> Entry:
    path = os.path.normpath(os.path.join(folder, row["file"]))
    outside = os.path.relpath(path, folder).startswith(os.pardir) or os.path.isabs(row["file"])
    if outside or not os.path.lexists(path):
        raise InputError(f"{where}: there is no file {row['file']!r} in the folder")
    if not row["team"] or "/" in row["team"]:
        raise InputError(f"{where}: {row['team']!r} is not the name of a team")
    phase = row.get("phase") or (next(iter(task.phases)) if len(task.phases) == 1 else None)
    if phase not in (task.phases or (None,)):
        known = ", ".join(task.phases) or "none"
        raise InputError(f"{where}: there is no phase {phase!r}; the phases are: {known}")
    found = _enter(row["team"], row.get("run") or row["file"], phase, path)
    if not row.get("submitted"):
        return found
    try:
        submitted = datetime.fromisoformat(row["submitted"])
    except ValueError:
        raise InputError(
            f"{where}: {row['submitted']!r} is not a time such as 2026-03-31T23:59"
        ) from None
    known_zone = submitted if submitted.tzinfo else submitted.replace(tzinfo=UTC)
    return replace(found, submitted=known_zone.astimezone(UTC), known=True)


def name_systems(entries: Sequence[Entry]) -> list[str]:
    """Returns the systems of submissions: TEAM/RUN, or TEAM where it has only one."""
    counts = Counter(entry.team for entry in entries)
    return [
        entry.team if counts[entry.team] == 1 else f"{entry.team}/{entry.run}" for entry in entries
    ]


def digest_entry(path: str, task: SharedTask) -> str:
    """Returns a digest of a submission; too large files count by size, links are not followed."""
    digest = hashlib.sha256()
    for one in (path, *_walk(path)):
        status = os.lstat(one)
        name = os.path.relpath(one, path)
        kind = f"\0{stat.S_IFMT(status.st_mode)}\0{status.st_size}\0"
        digest.update(os.fsencode(name) + kind.encode())
        small = status.st_size <= task.limits.megabytes * MEGABYTE
        if stat.S_ISREG(status.st_mode) and small:
            with suppress(PermissionError), open(one, "rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def _walk(path: str) -> Iterator[str]:
    """Yields what lies in a folder and the folders in it, in one order; not all if too much."""
    return islice(_walk_deep(path, 0), 2000)


def _walk_deep(path: str, depth: int) -> Iterator[str]:
    if depth < 8 and _is_folder(path):
        for name in _scan(path):
            inside = os.path.join(path, name)
            yield inside
            yield from _walk_deep(inside, depth + 1)


def _is_folder(path: str) -> bool:
    return stat.S_ISDIR(os.lstat(path).st_mode)


def _scan(folder: str) -> list[str]:
    try:
        names = os.listdir(folder)
    except OSError as error:
        raise InputError(f"{folder}: cannot be listed: {error.strerror}") from error
    return sorted(name for name in names if not is_aside(name))


def find_breaches(task: SharedTask, entries: Sequence[Entry]) -> dict[Entry, str]:
    """Returns why submissions to a phase, by time, do not count; times of files break no rules."""
    breaches = {}
    days: Counter[tuple[str, date]] = Counter()
    teams: Counter[str] = Counter()
    for entry in entries:
        if entry.wrong is not None:
            breaches[entry] = entry.wrong
        if entry.wrong is not None or not (entry.known or task.times == "files"):
            continue
        reason = _miss(task, entry)
        if reason is None:
            days[entry.team, entry.submitted.date()] += 1
            teams[entry.team] += 1
            reason = _exceed(task, days[entry.team, entry.submitted.date()], teams[entry.team])
        if reason is not None:
            breaches[entry] = reason
    return breaches


def is_late(task: SharedTask, entry: Entry) -> bool:
    """Returns whether a submission came after the end, as far as its time counts."""
    end = task.find_end(entry.phase)
    return end is not None and (entry.known or task.times == "files") and entry.submitted > end


def tell_deadline(task: SharedTask, phase: str | None) -> Iterator[str]:
    """Yields the rule on late submissions that is in force; nothing if there is no end."""
    end = task.find_end(phase)
    if end is not None:
        fate = "rejected" if task.late == "reject" else "marked"
        files = " or of their files" if task.times == "files" else ""
        yield (
            f"Submissions{f' to {phase}' if phase else ''} after {end:%Y-%m-%d %H:%M} UTC are "
            f"{fate}, by the times in the list of submissions{files}."
        )


def _miss(task: SharedTask, entry: Entry) -> str | None:
    phase = task.phases.get(entry.phase or "")
    if phase is not None and phase.start is not None and entry.submitted < phase.start:
        return f"it came before the phase began ({phase.start:%Y-%m-%d %H:%M} UTC)"
    end = task.find_end(entry.phase)
    if end is not None and task.late == "reject" and is_late(task, entry):
        what = "task" if phase is None or phase.end is None else "phase"
        return f"it came after the end of the {what} ({end:%Y-%m-%d %H:%M} UTC)"
    return None


def _exceed(task: SharedTask, that_day: int, so_far: int) -> str | None:
    per_day, total = task.limits.per_day, task.limits.total
    if per_day is not None and that_day > per_day:
        return f"it is submission {that_day} of its team that day, and {per_day} a day are allowed"
    if total is not None and so_far > total:
        return f"it is submission {so_far} of its team, and {total} are allowed"
    return None


_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


_KEYS = ("phase", "track", "team", "run")


_Key = tuple[str | None, str, str, str]
"""What each of them is; the phase is None where the task has none, and the run may be empty."""


class ExternalScores(Struct, frozen=True):
    """Scores as written, by phase, track, team and run; no run is the submission that is ranked."""

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
            for track in (*one.scores, *(reason.track for reason in one.rejected))
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
    for name, several in (("team", []), ("phase", [*task.phases]), ("track", [*task.tracks])):
        if name not in table.names() and (name == "team" or len(several) > 1):
            why = f"; the task has {', '.join(several)}" if several else ""
            raise InputError(f"{path}: has no column {name!r}{why}")
    if not names:
        raise InputError(f"{path}: has no column of scores other than {', '.join(table.names())}")
    rows: dict[_Key, dict[str, str]] = {}
    places: dict[_Key, str] = {}
    for where, row in list_rows(table, path, table.names()):
        cells = {name: cell.strip() for name, cell in row.items()}
        phase: str | None = None
        if task.phases:
            phase = _choose(cells.get("phase") or _only(task.phases), task.phases, "phase", where)
        tracks = choose_phase(task, phase).tracks
        track = _choose(cells.get("track") or _only(task.tracks), tracks, "track", where)
        own = [one for one in entries if one.phase == phase]
        team = _choose(cells["team"], [one.team for one in own], "team", where)
        runs = [one.run for one in own if one.team == team]
        run = cells.get("run", "")
        key = phase, track, team, run and _choose(run, runs, f"submission of {team}", where)
        if key in rows:
            same = " and ".join(name for name in _KEYS if name in cells)
            raise InputError(f"{where}: has the same {same} as {places[key]}")
        rows[key] = {name: cells[name] for name in names if cells[name]}
        for name, cell in rows[key].items():
            if not _NUMBER.fullmatch(cell):
                text = "which is not a number; leave the cell empty where there is no score"
                raise InputError(f"{where}: {name} is {cell!r}, {text}")
        places[key] = where
    return ExternalScores(names, rows, places)


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
