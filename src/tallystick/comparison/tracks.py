"""The tracks of a shared task, each read and counted as its file says."""

from tallystick.examples.columns import Columns
from tallystick.examples.kinds import TEXTS
from tallystick.examples.layouts import read_submissions
from tallystick.examples.reading import Reading
from tallystick.examples.task import Task
from tallystick.io.submissions import find_submissions
from tallystick.io.tracks import Track
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import count
from tallystick.scoring.given import find_kinds

__all__ = ["count_track"]


def count_track(track: Track) -> Counted:
    """Reads gold and submissions of a track, and counts them for its metrics.

    A submission that cannot be scored is refused with the reason.
    """
    kinds = TEXTS if track.task == "text" else find_kinds(track.metrics)
    reading = Reading(
        Columns(by=track.by, clusters=track.clusters),
        Task(
            kind=None if track.task == "text" else track.task,
            labels=track.labels,
            positive=track.positive,
        ),
        kinds,
        tolerant=True,
    )
    heading = "/".join(track.by) if track.by else None
    blocks = read_submissions(
        track.gold, find_submissions(track.submissions, whole_names=True), reading
    )
    return count(blocks, track.metrics, heading=heading)
