"""One track of a shared task, to which submissions made from its gold are handed in."""

import tempfile
from collections.abc import Mapping

from tallystick.errors import InputError
from tallystick.frozen import dataclass
from tallystick.io.tasks import SharedTask, Track
from tallystick.render.cells import format_cell
from tallystick.results import Score
from tallystick.results.selftest import TaskCheck, TaskOutcome
from tallystick.tasks.checking import check_submission
from tallystick.tasks.drafts import Draft
from tallystick.tasks.scoring import score_submission

Criterion = tuple[str | None, str]
"""The group and the metric's repr of a score."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of a submission: its scores, or why it was refused."""

    scores: Mapping[Criterion, Score]
    reason: str = ""

    def tell(self) -> str:
        """Returns the scores on all examples, or on the mean over groups, in words."""
        shown = (score for (group, _), score in self.scores.items() if group in (None, "macro"))
        return ", ".join(f"{one.name} {format_cell(one.value, digits=4)}" for one in shown)


@dataclass(frozen=True, slots=True)
class Trial:
    """One track in one phase: the task with that track alone, and its gold as a submission."""

    task: SharedTask
    phase: str | None
    name: str
    gold: Draft

    @property
    def track(self) -> Track:
        """The track."""
        return self.task.tracks[self.name]

    def hand_in(self, draft: Draft) -> Attempt:
        """Checks and scores a submission as the platform does."""
        with tempfile.TemporaryDirectory() as folder:
            path = draft.write(folder)
            try:
                checked = check_submission(self.task, path)
                if self.name not in checked.files:
                    reasons = [one.message for one in checked.findings if one.fatal]
                    return Attempt({}, "; ".join(reasons) or "no file was found")
                found = score_submission(self.task, checked, intervals=False)
            except InputError as error:
                return Attempt({}, str(error))
        scores = found.tracks[self.name].scores
        return Attempt(
            {(score.group, score.metric): score for score in scores if score.label is None}
        )

    def write(self, check: str, outcome: TaskOutcome, sentence: str) -> TaskCheck:
        """Returns the record of a check."""
        return TaskCheck(self.phase, self.name, check, outcome, sentence)

    def judge(self, check: str, faults: list[str], sentence: str) -> TaskCheck:
        """Returns the record of a check that failed where there are faults."""
        told = "; ".join(faults[:3]) + (f"; {len(faults) - 3} more" if len(faults) > 3 else "")
        return self.write(check, "failed" if faults else "passed", told or sentence)
