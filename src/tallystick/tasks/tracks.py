"""A track of a shared task, read and counted as the task file says."""

from collections.abc import Mapping, Sequence

import msgspec

from tallystick.errors import UsageError
from tallystick.frozen import replace
from tallystick.io.submissions import Submissions
from tallystick.io.tables.table import Table
from tallystick.model.columns import Columns
from tallystick.model.reading import Reading
from tallystick.model.task import KINDS, Task
from tallystick.reading.input_plan import plan_reading
from tallystick.reading.layouts import read_submissions
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import count, count_accepted
from tallystick.tasks.task_file import Track


def count_track(track: Track, files: Mapping[str, str], known: Table | None = None) -> Counted:
    """Reads gold and submissions of a track, by their systems, and counts them for its metrics.

    A submission that is wrong is refused with the reason. The table of the gold may be known.
    """
    if track.gold is None:
        raise UsageError("a track without gold cannot be scored; name its gold, or a phase")
    heading = "/".join(track.by) if track.by else None
    gold, reading = track.gold, plan_track(track)

    def count_some(names: Sequence[str]) -> Counted:
        submissions = Submissions({name: files[name] for name in names}, (), ())
        blocks = read_submissions(gold if known is None else known, submissions, reading)
        return count(blocks, track.metrics, heading=heading)

    return count_accepted([*files], count_some)


def plan_track(track: Track) -> Reading:
    """Returns how gold and submissions of a track are read."""
    columns = Columns(
        **msgspec.structs.asdict(track.columns),
        by=track.by,
        clusters=track.clusters,
        invalid=track.invalid,
        missing=track.missing_outputs,
    )
    kind = next((kind for kind in KINDS if kind == track.task), None)
    task = Task(kind, track.labels, track.positive)
    reading = plan_reading(columns, task, track.task, track.metrics)
    return replace(reading, tolerant=True, input_format=track.format, hidden=True)
