"""Judges a submission where a platform calls: checks it, scores it, and tells what may be told."""

import os
import warnings

from tallystick.errors import InputError
from tallystick.examples.reading import NoneLeftError
from tallystick.frozen import dataclass
from tallystick.io.files.archives import unpack_zip
from tallystick.io.tasks import SharedTask, choose_phase, read_task
from tallystick.render.document import Style
from tallystick.results.evaluation import Evaluation
from tallystick.tasks.bundles.columns import Column, list_columns, tell_undefined
from tallystick.tasks.checking import Checked, check_submission
from tallystick.tasks.published import publish_scores
from tallystick.tasks.scoring import score_submission

TASK_FILE = "task.yaml"
"""What the task is called among the reference data."""

_PLATFORMS = "metadata"
"""A file that Codabench puts beside the submission, of which its team knows nothing."""
_OURS = (
    "the scoring program failed on the competition's own side, which is no fault of the "
    "submission; please tell the organisers"
)

_BESIDE = (
    "the outputs do not fit the gold, though the ids are right: they are not in the form of the "
    "task; hold them against the example of the starting kit"
)


class RefusedError(InputError):
    """A submission is refused; the message may be shown to its team."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A submission that was scored.

    The scores by track are as participants see them, the columns are the leaderboard's numbers,
    and the messages are what its team may know besides, in sentences that quote no gold.
    """

    tracks: dict[str, Evaluation]
    columns: tuple[Column, ...]
    messages: tuple[str, ...]


def read_reference(folder: str) -> SharedTask:
    """Returns the task that lies among the reference data of a platform."""
    for inside, folders, names in os.walk(folder):
        folders.sort()
        if TASK_FILE in names:
            return read_task(os.path.join(inside, TASK_FILE))
    raise InputError(
        f"{folder}: has no {TASK_FILE}; the reference data is that of `tallystick task bundle`"
    )


def judge(task: SharedTask, submission: str) -> Judgement:
    """Checks and scores a submission: a file, an archive, or the folder it was unpacked into.

    A track that is refused is left out with a message, as long as another one is not; else a
    RefusedError quotes no gold.
    """
    try:
        checked = check_submission(task, submission)
    except Exception:
        # Whatever it is may quote gold; `tallystick task score` tells the organisers.
        raise RefusedError(_OURS) from None
    scored, lost = {}, []
    for name, path in checked.files.items():
        try:
            scored[name] = _score_track(task, name, path)
        except RefusedError as error:
            lost.append(str(error) if len(task.tracks) == 1 else f"{name}: {error}")
    if not scored:
        faults = [*lost, *(str(one) for one in checked.findings if one.fatal)]
        raise RefusedError("\n".join(faults) or "all of the submission is refused")
    columns = list_columns(scored, tuple(task.tracks))
    told = (str(one) for one in checked.findings if one.file != _PLATFORMS)
    return Judgement(scored, columns, (*lost, *told, *tell_undefined(columns)))


def _score_track(task: SharedTask, name: str, path: str) -> Evaluation:
    """Scores a track's file, as participants see it; libraries' warnings are kept from logs."""
    try:
        with warnings.catch_warnings(action="ignore"):
            found = score_submission(task, Checked({name: path})).tracks[name]
    except NoneLeftError:  # which may quote gold
        raise RefusedError(_BESIDE) from None
    except Exception:
        raise RefusedError(_OURS) from None
    scored = publish_scores(found, choose_phase(task, None).tracks[name], task.details, Style())
    try:
        list_columns({name: scored}, tuple(task.tracks))
    except InputError as error:
        raise RefusedError(str(error)) from None
    return scored


def open_reference(archive: str) -> SharedTask:
    """Returns the task of an archive of reference data, unpacked until the process ends."""
    folder, _ = unpack_zip(archive)
    return read_reference(folder)
