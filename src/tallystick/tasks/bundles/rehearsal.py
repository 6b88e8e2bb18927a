"""Rehearses the scoring of a task before it is bundled, with its gold as the submission."""

import tempfile
from collections.abc import Mapping, Sequence

from tallystick.errors import InputError
from tallystick.frozen import dataclass
from tallystick.io.tasks import SharedTask
from tallystick.metrics.names import parse
from tallystick.tallies.metric import Metric
from tallystick.tasks.bundles.columns import Column, list_columns
from tallystick.tasks.bundles.reference import list_phases
from tallystick.tasks.checking import check_submission
from tallystick.tasks.drafts import draft_gold
from tallystick.tasks.scoring import check_ranked, score_submission


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The leaderboard's columns, and each track's metrics, of which the first ranks."""

    columns: tuple[Column, ...]
    metrics: Mapping[str, tuple[Metric, ...]]


def rehearse(task: SharedTask, tracks: Sequence[str]) -> Rehearsal:
    """Scores the gold of a phase of a task with these tracks as a submission."""
    with tempfile.TemporaryDirectory() as folder:
        for name, track in task.tracks.items():
            check_ranked(name, track.metrics)
            draft_gold(name, track).write(folder)
        checked = check_submission(task, folder)
        if checked.failed or checked.refused:
            faults = "; ".join(str(one) for one in checked.findings if one.fatal)
            raise InputError(f"the gold itself cannot be scored as a submission: {faults}")
        scored = score_submission(task, checked, intervals=False).tracks
    names = {
        track: dict.fromkeys(one.metric for one in found.scores if one.label is None)
        for track, found in scored.items()
    }
    metrics = {track: tuple(map(parse, own)) for track, own in names.items()}
    return Rehearsal(list_columns(scored, tracks), metrics)


def rehearse_phases(whole: SharedTask) -> Rehearsal:
    """Scores the gold of each phase of a task; the columns are those of all phases."""
    found = [rehearse(task, tuple(whole.tracks)) for _, task in list_phases(whole)]
    columns = {one.key: one for rehearsal in found for one in rehearsal.columns}
    shown = sorted(columns.values(), key=lambda column: column.hidden)
    return Rehearsal(
        tuple(shown), {name: own for one in found for name, own in one.metrics.items()}
    )
