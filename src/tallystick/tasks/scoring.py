"""Scores submissions that were checked, by track."""

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from tallystick.comparison.ranking.leaderboard import PerTeam, keep_runs
from tallystick.comparison.ranking.rank import rank_counted
from tallystick.errors import NOTES, Danger, InputError, TallystickError, lead_with, say_count
from tallystick.io.submissions import name_kind
from tallystick.model.reading import NoneLeftError
from tallystick.output.results.evaluation import Scored
from tallystick.output.results.ranking import Ranking
from tallystick.output.results.records import Refusal
from tallystick.output.tables.cells import list_some
from tallystick.output.tables.document import Style
from tallystick.scoring.counted import Counted
from tallystick.scoring.saved import unpack_counted
from tallystick.scoring.score import score_counted
from tallystick.statistics.settings import Intervals, Testing, settle
from tallystick.tasks.entries import Entry, find_breaches, find_entries, name_run, name_systems
from tallystick.tasks.opening import Checked, Remark
from tallystick.tasks.published import round_score
from tallystick.tasks.submission_worker import (
    WORKER,
    SubmissionFailedError,
    Wrong,
    check_submission,
    raise_wrong,
)
from tallystick.tasks.task_checks import check_task
from tallystick.tasks.task_file import SharedTask, TaskFileError, choose_phase, suggest


def score_submission(
    task: SharedTask, checked: Checked, *, intervals: Intervals | bool = True
) -> Scored:
    """Scores one submission, whose system is called `submission`."""
    return score_submissions(task, {"submission": checked}, intervals=intervals)


def score_submissions(
    task: SharedTask,
    checked: Mapping[str, Checked],
    *,
    per_team: PerTeam = "all",
    intervals: Intervals | bool = True,
) -> Scored:
    """Scores submissions by the names of their systems; of TEAM/RUN, runs as in `rank`."""
    settings = settle(intervals)
    task = choose_phase(task, None)
    tracks, notes = {}, list[str]()
    for track in task.tracks if len(checked) > 1 else ():
        if lacking := [system for system, one in checked.items() if track not in one.files]:
            notes.append(f"{track} has no scores of {list_some(lacking)}.")
    for name, counted in _count_tracks(task, checked).items():
        if isinstance(counted, Counted):
            kept, phrase = keep_runs(counted, per_team, task.baselines)
            tracks[name] = scored = score_counted(kept, settings)
            notes += [lead_with(name, note) for note in (*phrase, *scored.notes)]
        rejected = (counted.facts if isinstance(counted, Counted) else counted).rejected
        notes += [Danger(f"{name}: {one.system} was rejected: {one.reason}") for one in rejected]
    return Scored(tracks, tuple(notes))


def _count_tracks(
    task: SharedTask, checked: Mapping[str, Checked]
) -> dict[str, Counted | NoneLeftError]:
    found: dict[str, Counted | NoneLeftError] = {}
    for name in task.tracks:
        files = {system: one.files[name] for system, one in checked.items() if name in one.files}
        try:
            if files:
                found[name] = count_submissions(task, name, files)
        except NoneLeftError as error:
            found[name] = error
    lost = [one for one in found.values() if isinstance(one, NoneLeftError)]
    if lost and len(lost) == len(found):
        raise lost[0]
    return found


class FailedError(NoneLeftError):
    """Submissions failed within the limits of the task; their reasons quote no gold."""


def count_submissions(task: SharedTask, name: str, files: Mapping[str, str]) -> Counted:
    """Reads and counts submissions to a track, by their systems, within the limits of the task.

    Raises:
        NoneLeftError: All of them are wrong.
        InputError: The task's own files are wrong, or submissions fail together and not alone.
    """
    try:
        found = WORKER.ask(task, name, files)
    except SubmissionFailedError as error:
        return _count_rest(task, name, files, error)
    if isinstance(found, Wrong):
        if found.rejected:
            raise NoneLeftError(found.rejected)
        if found.unforeseen and len(files) == 1:
            raise FailedError([Refusal(one, None, found.message) for one in files])
        raise_wrong(found)
    try:
        counted = unpack_counted(found.content, f"the counts of {name}")
    except TallystickError:
        failed = SubmissionFailedError("cannot be counted: its counts contradict each other")
        return _count_rest(task, name, files, failed)
    notes = tuple(NOTES.get(kind, str)(text) for kind, text in found.notes)
    return replace(counted, facts=msgspec.structs.replace(counted.facts, notes=notes))


def _count_rest(
    task: SharedTask, name: str, files: Mapping[str, str], error: SubmissionFailedError
) -> Counted:
    rejected = [Refusal(one, None, str(error)) for one in files if len(files) == 1]
    for system, path in files.items() if len(files) > 1 else ():
        try:
            count_submissions(task, name, {system: path})
        except NoneLeftError as alone:
            rejected += alone.rejected
    wrong = {one.system for one in rejected}
    if len(wrong) == len(files):
        raise FailedError(rejected)
    if not wrong:
        raise InputError(
            f"{name}: {len(files):,} submissions together take more than they may: {error}; raise "
            "limits in the task file"
        )
    rest = {system: path for system, path in files.items() if system not in wrong}
    counted = count_submissions(task, name, rest)
    return counted.add_facts(rejected=rejected)


Chosen = Literal["last", "best"]
"""Which submission of a team counts."""


class Publishing(Struct, frozen=True):
    """How submissions are ranked and shown; `per_team` is which one of a team counts."""

    per_team: Chosen = "last"
    testing: Testing = field(default_factory=Testing)
    style: Style = field(default_factory=Style)


class Round(Struct, frozen=True):
    """The submissions to one phase by time, why some are rejected, and rules that did not apply."""

    task: SharedTask
    entries: tuple[tuple[Entry, Checked], ...]
    rejected: tuple[str, ...]
    notes: tuple[str, ...] = ()


def check_round(
    task: SharedTask, folder: str, *, phase: str | None = None, manifest: str | None = None
) -> Round:
    """Checks the submissions to a phase of a task, the last one if none is named."""
    phase = phase or next(reversed(task.phases), None)
    own = check_task(task, phase)
    found = find_entries(folder, task, manifest)
    check_baselines(task, found)
    entries = [one for one in found if one.phase == phase]
    breaches = find_breaches(own, entries)
    checked = tuple((one, check_entry(own, one)) for one in entries if one not in breaches)
    reasons = [
        *breaches.items(),
        *((one, str(found)) for one, said in checked for found in said.findings if found.fatal),
    ]
    rejected = tuple(f"{name_run(one.team, one.run)}: {reason}" for one, reason in reasons)
    return Round(own, checked, rejected, tuple(note_times(own, entries)))


def check_baselines(task: SharedTask, entries: Sequence[Entry]) -> None:
    """Raises a TaskFileError where no submission is that of a baseline."""
    teams = dict.fromkeys(one.team for one in entries)
    known = {*teams, *(f"{one.team}/{one.run}" for one in entries)}
    for place, name in enumerate(task.baselines):
        if name not in known:
            hint = suggest(name, teams, "teams")
            raise TaskFileError(("baselines", place), f": no submission is of {name!r}; {hint}")


def note_times(task: SharedTask, entries: Sequence[Entry]) -> Iterator[str]:
    """Yields which rules on times were not applied to submissions to a phase; else nothing."""
    unknown = [one for one in entries if not one.known and task.times == "manifest"]
    phase = task.phases.get(unknown[0].phase or "") if unknown else None
    rules = {
        "start": phase and phase.start is not None,
        "end": unknown and task.find_end(unknown[0].phase) is not None,
        "per_day": task.limits.per_day is not None,
        "total": task.limits.total is not None,
    }
    named = [name for name, given in rules.items() if given]
    if unknown and named:
        where = f" of {unknown[0].phase}" if phase else ""
        yield (
            f"{', '.join(named)}{where} were not applied to "
            f"{say_count(len(unknown), 'submission')}: only the dates of their files are known. "
            "Give the times in a list of submissions with a column 'submitted', or set `times: "
            "files` in the task file."
        )


def check_entry(task: SharedTask, entry: Entry) -> Checked:
    """Checks a submission as `check_submission` does; links are rejected, wherever they lead."""
    mode = os.lstat(entry.path).st_mode
    wrong = entry.wrong or (None if stat.S_ISDIR(mode) else name_kind(mode))
    if wrong is not None:
        return Checked({}, (Remark(None, None, wrong, True),))
    return check_submission(task, entry.path)


def rank_entries(
    task: SharedTask, entries: Sequence[tuple[Entry, Checked]], publishing: Publishing
) -> dict[str, Ranking]:
    """Returns the ranking of each track by scores as they are shown; the first of equals wins."""
    rankings: dict[str, Ranking] = {}
    for name in task.tracks:
        own = {entry: checked.files[name] for entry, checked in entries if name in checked.files}
        if not own:
            continue
        chosen = name_ranked([*own], publishing.per_team)
        try:
            files = {system: own[entry] for system, entry in chosen.items()}
            counted = count_submissions(task, name, files)
        except NoneLeftError:
            continue
        baselines = [system for system in task.baselines if system in counted.systems]
        rankings[name] = rank_counted(
            counted,
            publishing.testing,
            baselines=baselines,
            per_team=publishing.per_team,
            shown=lambda name, value: round_score(value, name, publishing.style),
        )
    return rankings


def name_ranked(entries: Sequence[Entry], per_team: Chosen) -> dict[str, Entry]:
    """Returns the submissions to rank by TEAM, or by TEAM/RUN where the best of a team counts."""
    if per_team == "last":
        return {entry.team: entry for entry in entries}
    return dict(zip(name_systems(entries), entries, strict=True))
