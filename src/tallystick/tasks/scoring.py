"""Scores submissions that were checked, by track."""

from collections.abc import Iterator, Mapping

from tallystick.comparison.ranking.teams import PerTeam, keep_runs
from tallystick.comparison.ranking.tracks import count_track
from tallystick.examples.reading import NoneLeftError
from tallystick.io.tasks import SharedTask, choose_phase
from tallystick.render.names import list_some
from tallystick.render.notes import Danger, lead_with
from tallystick.results.tracks import Scored
from tallystick.scoring.counted import Counted
from tallystick.scoring.score import score_counted
from tallystick.statistics.settings import Intervals, settle
from tallystick.tasks.checking import Checked

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
        notes += [
            Danger(f"{name}: {one.system} was refused: {one.reason}") for one in counted.refused
        ]
    return Scored(tracks, tuple(notes))


def _note_gaps(task: SharedTask, checked: Mapping[str, Checked]) -> Iterator[str]:
    """Which systems are not in a track that others are in."""
    for track in task.tracks:
        lacking = [system for system, one in checked.items() if track not in one.files]
        if lacking and len(checked) > 1:
            yield f"{track} has no scores of {list_some(lacking)}."


def _count_tracks(
    task: SharedTask, checked: Mapping[str, Checked]
) -> list[tuple[str, Counted | NoneLeftError]]:
    """The counts of each track, or why none of its submissions can be scored."""
    found: list[tuple[str, Counted | NoneLeftError]] = []
    for name, track in task.tracks.items():
        files = {system: one.files[name] for system, one in checked.items() if name in one.files}
        try:
            if files:
                found.append((name, count_track(track, files)))
        except NoneLeftError as error:
            found.append((name, error))
    lost = [one for _, one in found if isinstance(one, NoneLeftError)]
    if lost and len(lost) == len(found):
        raise lost[0]
    return found
