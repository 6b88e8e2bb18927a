"""Checks of how a task treats submissions: the gold itself, other orders, and faulty ones.

A trial hands in what is made from the gold of one track.
"""

import math
import tempfile
from collections.abc import Callable, Mapping

import numpy as np

from tallystick.errors import InputError
from tallystick.frozen import dataclass
from tallystick.kinds.metrics.names import read_metrics
from tallystick.output.results.other_results import TaskCheck, TaskOutcome
from tallystick.output.results.records import Score
from tallystick.output.tables.cells import format_cell
from tallystick.tasks.checking import check_submission
from tallystick.tasks.drafts import Draft, count_labels, read_answers
from tallystick.tasks.scoring import score_submission
from tallystick.tasks.task_file import SharedTask, Track
from tallystick.tasks.tracks import plan_track

_ROUNDING = 1e-9
SEED = 12345

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


def check_gold(trial: Trial) -> TaskCheck:
    """Checks that the gold as a submission has the best value that each metric can have."""
    attempt = trial.hand_in(trial.gold)
    faults = [
        _explain(score, best, trial)
        for score in attempt.scores.values()
        if (best := find_best(score)) is not None and not abs(score.value - best) <= _ROUNDING
    ]
    return trial.judge("gold against gold", faults, attempt.tell())


def find_best(score: Score) -> float | None:
    """Returns the best value that a metric can have; None where there is none."""
    (metric,) = read_metrics([score.metric])
    if metric.better == "neither":
        return None
    best = metric.bounds[metric.better == "higher"]
    return best if math.isfinite(best) else None


def _explain(score: Score, best: float, trial: Trial) -> str:
    where = "" if score.group is None else f" in {score.group}"
    if math.isnan(score.value):
        return f"{score.name} of the gold against itself is undefined{where}"
    reason = _find_reason(trial)
    return (
        f"{score.name} of the gold against itself is {score.value:.4f}{where}, not {best:g}{reason}"
    )


def _find_reason(trial: Trial) -> str:
    """A label of the task that never occurs, which macro averages may count as 0."""
    named = trial.track.labels or ()
    if not named or not plan_track(trial.track).labelled:
        return ""
    counts = count_labels(read_answers(str(trial.track.gold), trial.track))
    seen = {str(label) for label, count in counts.items() if count}
    absent = [str(label) for label in named if str(label) not in seen]
    if not absent:
        return ""
    return f"; of the labels of the task the gold never has {', '.join(absent)}"


def check_order(trial: Trial) -> TaskCheck:
    """Checks that other orders of rows and ids change no score."""
    check = "order of rows and ids"
    if trial.gold.id is None:
        return trial.write(check, "told", "rows have no ids, so that nobody sees a wrong order.")
    ids = list(map(str, trial.gold.columns[trial.gold.id]))
    orders = {
        "in random order": np.random.default_rng(SEED).permutation(len(ids)),
        "in reverse order": np.arange(len(ids))[::-1],
        "in the order of their ids": np.array(sorted(range(len(ids)), key=ids.__getitem__)),
    }
    rows = np.random.default_rng(SEED).integers(len(trial.gold), size=len(trial.gold))
    draft = trial.gold.answer(rows)
    usual = trial.hand_in(draft)
    faults = [
        f"rows {words} {_compare(usual, own)}"
        for words, order in orders.items()
        if _differ(usual, own := trial.hand_in(draft.take(order)))
    ]
    return trial.judge(check, faults, "scores are the same in any order of rows and ids.")


def _differ(one: Attempt, other: Attempt) -> bool:
    pairs = ((score.value, other.scores[key].value) for key, score in one.scores.items())
    if one.reason or other.reason:
        return True
    return any(abs(a - b) > _ROUNDING or math.isnan(a) != math.isnan(b) for a, b in pairs)


def _compare(usual: Attempt, own: Attempt) -> str:
    if usual.reason or own.reason:
        return f"are refused: {usual.reason or own.reason}"
    return f"have {own.tell()}, and in the order of the gold {usual.tell()}"


def check_swapped(trial: Trial) -> TaskCheck:
    """Checks that a submission whose ids and answers stand under each other's name is refused."""
    check, gold = "swapped columns", trial.gold
    if gold.id is None:
        return trial.write(check, "told", "there is one column, so that none can be swapped.")
    return _expect_refusal(trial, check, trial.hand_in(gold.swap(gold.id, gold.answers[0])))


def check_empty(trial: Trial) -> TaskCheck:
    """Checks that a submission without rows is refused, or all of it counts as wrong."""
    check, attempt = "empty submission", trial.hand_in(trial.gold.take([]))
    return (_expect_refusal if attempt.reason else _check_policy)(trial, check, attempt)


def check_partial(trial: Trial) -> TaskCheck:
    """Checks that a submission of half the rows is treated as the policy says."""
    half = trial.gold.take(range((len(trial.gold) + 1) // 2))
    return _check_policy(trial, "partial submission", trial.hand_in(half))


def _check_policy(trial: Trial, check: str, attempt: Attempt) -> TaskCheck:
    """Checks that missing outputs are refused, or count as wrong."""
    if trial.track.missing_outputs == "error" or trial.gold.id is None:
        return _expect_refusal(trial, check, attempt)
    if attempt.reason:
        fault = f"missing outputs are to count as wrong, but it is refused: {attempt.reason}"
        return trial.judge(check, [fault], "")
    complete = trial.hand_in(trial.gold)
    faults = [
        f"{score.name} is computed from {score.n} examples, and there are {complete.scores[key].n}"
        for key, score in attempt.scores.items()
        if score.n != complete.scores[key].n
    ]
    if not faults and attempt.tell() == complete.tell():
        faults = [f"it has the scores of the complete gold: {attempt.tell()}"]
    return trial.judge(check, faults, f"missing outputs count as wrong: {attempt.tell()}.")


def check_duplicated(trial: Trial) -> TaskCheck:
    """Checks that a submission with a row twice is refused, unless rows are tries."""
    if trial.gold.repeated:
        return trial.write("duplicated rows", "told", "rows of the same id are tries.")
    rows = [0, *range(len(trial.gold))]
    return _expect_refusal(trial, "duplicated rows", trial.hand_in(trial.gold.take(rows)))


def _expect_refusal(trial: Trial, check: str, attempt: Attempt) -> TaskCheck:
    faults = [] if attempt.reason else [f"it is scored and not refused: {attempt.tell()}"]
    return trial.judge(check, faults, f"refused: {attempt.reason}")


SCORER_CHECKS: tuple[Callable[[Trial], TaskCheck], ...] = (
    check_gold,
    check_order,
    check_swapped,
    check_empty,
    check_partial,
    check_duplicated,
)
"""The checks of how submissions are treated, in the order in which they are shown."""
