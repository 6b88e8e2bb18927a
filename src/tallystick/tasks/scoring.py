"""Scores submissions that were checked, by track."""

from collections.abc import Iterator, Mapping

import msgspec

from tallystick.comparison.ranking.teams import PerTeam, keep_runs
from tallystick.errors import InputError, TallystickError
from tallystick.frozen import replace
from tallystick.model.reading import NoneLeftError
from tallystick.output.results.evaluation import Scored
from tallystick.output.results.records import Refusal
from tallystick.output.tables.names import list_some
from tallystick.output.tables.notes import NOTES, Danger, lead_with
from tallystick.scoring.counted import Counted
from tallystick.scoring.saved import unpack_counted
from tallystick.scoring.score import score_counted
from tallystick.statistics.settings import Intervals, settle
from tallystick.tasks.checking import Checked
from tallystick.tasks.submission_worker import WORKER, SubmissionFailedError, Wrong, raise_wrong
from tallystick.tasks.task_file import SharedTask, choose_phase

_ALONE = "submission"


def score_submission(
    task: SharedTask, checked: Checked, *, intervals: Intervals | bool = True
) -> Scored:
    """Scores one submission, whose system is called `submission`."""
    return score_submissions(task, {_ALONE: checked}, intervals=intervals)


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
    tracks, notes = {}, [*_note_gaps(task, checked)]
    for name, counted in _count_tracks(task, checked):
        if isinstance(counted, Counted):
            kept, told = keep_runs(counted, per_team, task.baselines)
            tracks[name] = scored = score_counted(kept, settings)
            notes += [lead_with(name, note) for note in (*told, *scored.notes)]
        refused = (counted.facts if isinstance(counted, Counted) else counted).refused
        notes += [Danger(f"{name}: {one.system} was refused: {one.reason}") for one in refused]
    return Scored(tracks, tuple(notes))


def _note_gaps(task: SharedTask, checked: Mapping[str, Checked]) -> Iterator[str]:
    for track in task.tracks:
        lacking = [system for system, one in checked.items() if track not in one.files]
        if lacking and len(checked) > 1:
            yield f"{track} has no scores of {list_some(lacking)}."


def _count_tracks(
    task: SharedTask, checked: Mapping[str, Checked]
) -> list[tuple[str, Counted | NoneLeftError]]:
    found: list[tuple[str, Counted | NoneLeftError]] = []
    for name in task.tracks:
        files = {system: one.files[name] for system, one in checked.items() if name in one.files}
        try:
            if files:
                found.append((name, count_submissions(task, name, files)))
        except NoneLeftError as error:
            found.append((name, error))
    lost = [one for _, one in found if isinstance(one, NoneLeftError)]
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
        if found.refused:
            raise NoneLeftError(found.refused)
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
    refused = [Refusal(one, None, str(error)) for one in files if len(files) == 1]
    for system, path in files.items() if len(files) > 1 else ():
        try:
            count_submissions(task, name, {system: path})
        except NoneLeftError as alone:
            refused += alone.refused
    wrong = {one.system for one in refused}
    if len(wrong) == len(files):
        raise FailedError(refused)
    if not wrong:
        raise InputError(
            f"{name}: {len(files):,} submissions together take more than they may: {error}; raise "
            "limits in the task file"
        )
    rest = {system: path for system, path in files.items() if system not in wrong}
    counted = count_submissions(task, name, rest)
    return counted.add_facts(refused=refused)
