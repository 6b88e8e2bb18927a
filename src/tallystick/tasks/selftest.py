"""Checks of a shared task before it is announced: its scorer, its gold and its baselines."""

import math
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.comparison.plan import plan
from tallystick.errors import InputError, TallystickError
from tallystick.io.tables.table import Table, read_table
from tallystick.kinds.metrics.names import read_metrics
from tallystick.kinds.metrics.requirements import needs_gold
from tallystick.model.columns import IDS, INPUT, find
from tallystick.output.results.other_results import SelfTest, TaskCheck, TaskOutcome
from tallystick.output.results.records import Score
from tallystick.output.tables.cells import format_scores
from tallystick.tasks.masked_gold import Draft, draft_gold, plan_track, read_answers
from tallystick.tasks.scoring import count_submissions, score_submission
from tallystick.tasks.submission_worker import check_submission
from tallystick.tasks.task_checks import check_task
from tallystick.tasks.task_file import SharedTask, Track

_ROUNDING = 1e-9
SEED = 12345

Criterion = tuple[str | None, str]
"""The group and the metric's repr of a score."""


class Attempt(Struct, frozen=True):
    """What came of a submission: its scores, or why it was rejected."""

    scores: Mapping[Criterion, Score]
    reason: str = ""

    def tell(self) -> str:
        """Returns the scores on all examples, or on the mean over groups, in words."""
        shown = (score for (group, _), score in self.scores.items() if group in (None, "macro"))
        return ", ".join(f"{one.name} {format_scores(one.name, one.value)[0]}" for one in shown)


class Trial(Struct, frozen=True):
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
        scores = (one for one in found.tracks[self.name].scores if one.label is None)
        return Attempt({(score.group, score.metric): score for score in scores})

    def tell(self, check: str, sentence: str) -> TaskCheck:
        """Returns the record of a check that only tells something."""
        return TaskCheck(self.phase, self.name, check, "info", sentence)

    def judge(self, check: str, faults: list[str], sentence: str) -> TaskCheck:
        """Returns the record of a check that failed where there are faults."""
        phrase = "; ".join(faults[:3]) + (f"; {len(faults) - 3} more" if len(faults) > 3 else "")
        outcome: TaskOutcome = "failed" if faults else "passed"
        return TaskCheck(self.phase, self.name, check, outcome, phrase or sentence)


def check_gold(trial: Trial) -> TaskCheck:
    """Checks that the gold as a submission has the best value that each metric can have."""
    attempt = trial.hand_in(trial.gold)
    faults = [
        _explain(score, best, trial)
        for score in attempt.scores.values()
        if (best := find_best(score)) is not None and not abs(score.value - best) <= _ROUNDING
    ]
    if not trial.gold.alike:  # P@10 of fewer relevant documents
        return trial.tell("gold against gold", f"the ideal ranking has {attempt.tell()}.")
    return trial.judge("gold against gold", faults, attempt.tell())


def find_best(score: Score) -> float | None:
    """Returns the best value that a metric can have; None where there is none."""
    (metric,) = read_metrics([score.metric])
    best = math.nan if metric.better == "neither" else metric.bounds[metric.better == "higher"]
    return best if math.isfinite(best) else None


def _explain(score: Score, best: float, trial: Trial) -> str:
    where = "" if score.group is None else f" in {score.group}"
    if math.isnan(score.value):
        return f"{score.name} of the gold against itself is undefined{where}"
    [value] = format_scores(score.name, score.value, spread=abs(score.value - best))
    phrase = f"{score.name} of the gold against itself is {value}{where}, not {best:g}"
    absent: list[str] = []  # labels of the task that macro averages may count as 0
    if trial.track.labels and plan_track(trial.track).labelled:
        answers = read_answers(str(trial.track.gold), trial.track)
        counts = zip(map(str, answers.names), answers.count_each().tolist(), strict=True)
        seen = {label for label, count in counts if count}
        absent = [label for label in map(str, trial.track.labels) if label not in seen]
    more = f"; of the labels of the task the gold never has {', '.join(absent)}" if absent else ""
    return phrase + more


def check_order(trial: Trial) -> TaskCheck:
    """Checks that other orders of rows and ids change no score."""
    check = "order of rows and ids"
    if trial.gold.id is None:
        return trial.tell(check, "rows have no ids, so that nobody sees a wrong order.")
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
        f"rows {words} {phrase}"
        for words, order in orders.items()
        if (phrase := _compare(usual, trial.hand_in(draft.take(order))))
    ]
    return trial.judge(check, faults, "scores are the same in any order of rows and ids.")


def _compare(usual: Attempt, own: Attempt) -> str:
    """How the scores differ; empty where they do not."""
    if usual.reason or own.reason:
        return f"are rejected: {usual.reason or own.reason}"
    pairs = ((score.value, own.scores[key].value) for key, score in usual.scores.items())
    if any(abs(a - b) > _ROUNDING or math.isnan(a) != math.isnan(b) for a, b in pairs):
        return f"have {own.tell()}, and in the order of the gold {usual.tell()}"
    return ""


def check_swapped(trial: Trial) -> TaskCheck:
    """Checks that a submission whose ids and answers stand under each other's name is rejected."""
    check, gold = "swapped columns", trial.gold
    if gold.id is None:
        return trial.tell(check, "there is one column, so that none can be swapped.")
    return _expect_refusal(trial, check, trial.hand_in(gold.swap(gold.id, gold.answers[0])))


def check_empty(trial: Trial) -> TaskCheck:
    """Checks that a submission without rows is rejected, or all of it counts as wrong."""
    check, attempt = "empty submission", trial.hand_in(trial.gold.take([]))
    return (_expect_refusal if attempt.reason else _check_policy)(trial, check, attempt)


def check_partial(trial: Trial) -> TaskCheck:
    """Checks that a submission of half the rows is treated as the policy says."""
    half = trial.gold.take(range((len(trial.gold) + 1) // 2))
    return _check_policy(trial, "partial submission", trial.hand_in(half))


def _check_policy(trial: Trial, check: str, attempt: Attempt) -> TaskCheck:
    if trial.track.missing_outputs == "error" or trial.gold.id is None:
        return _expect_refusal(trial, check, attempt)
    if attempt.reason:
        fault = f"missing outputs are to count as wrong, but it is rejected: {attempt.reason}"
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
    """Checks that a submission with a row twice is rejected, unless rows are tries."""
    if trial.gold.repeated:
        return trial.tell("duplicated rows", "rows of the same id are tries.")
    rows = [0, *range(len(trial.gold))]
    return _expect_refusal(trial, "duplicated rows", trial.hand_in(trial.gold.take(rows)))


def _expect_refusal(trial: Trial, check: str, attempt: Attempt) -> TaskCheck:
    joined = trial.gold.spell is not None and trial.gold.id is None  # by times, or by their text
    if joined and not attempt.reason and _compare(trial.hand_in(trial.gold), attempt):
        return trial.judge(check, [], f"counts as wrong: {attempt.tell()}.")
    faults = [] if attempt.reason else [f"it is scored and not rejected: {attempt.tell()}"]
    return trial.judge(check, faults, f"rejected: {attempt.reason}")


SCORER_CHECKS: tuple[Callable[[Trial], TaskCheck], ...] = (
    check_gold,
    check_order,
    check_swapped,
    check_empty,
    check_partial,
    check_duplicated,
)
"""The checks of how submissions are treated, in the order in which they are shown."""


_ERRORS = 0.2
"""Two systems that are wrong on so many of the examples represent those that will come."""


def run_selftest(task: SharedTask) -> SelfTest:
    """Checks each track of a task, in each of its phases; mistakes in it are a TaskFileError."""
    phases = {phase: check_task(task, phase) for phase in task.phases or (None,)}
    checks = [
        check
        for phase, own in phases.items()
        for name in own.tracks
        for check in _test_track(own, phase, name)
    ]
    return SelfTest(tuple(checks))


def _test_track(task: SharedTask, phase: str | None, name: str) -> list[TaskCheck]:
    track = task.tracks[name]
    metrics = tuple(one for one in track.metrics if needs_gold([one]))
    if not metrics:
        sentence = "its metrics take no gold, so that nothing can be held against it."
        return [TaskCheck(phase, name, "gold", "info", sentence)]
    track = replace(track, metrics=metrics)
    alone = replace(task, tracks={name: track}, phases={})
    try:
        trial = Trial(alone, phase, name, draft_gold(name, track))
        fault = trial.hand_in(trial.gold).reason
    except TallystickError as error:
        fault = str(error)
    if fault:
        return [TaskCheck(phase, name, "gold", "failed", fault)]
    if len(trial.gold) < 2:
        return [check_gold(trial), trial.tell("other checks", "they need two examples.")]
    found = (check(trial) for check in (*SCORER_CHECKS, *_DATA_CHECKS))
    return [one for one in found if one is not None]


def _check_majority(trial: Trial) -> TaskCheck | None:
    if trial.track.task == "text":
        return None
    keys = _list_keys(trial.gold)
    first = keys.index(Counter(keys).most_common(1)[0][0])
    return _check_baseline(trial, "majority baseline", np.full(len(keys), first))


def _check_random(trial: Trial) -> TaskCheck:
    """Scores the answers of other examples, drawn again where all are right by chance."""
    size, stream = len(trial.gold), np.random.default_rng(SEED)
    for _ in range(5):
        rows = stream.integers(size, size=size)
        check = _check_baseline(trial, "random baseline", rows)
        if check.outcome != "failed":
            break
    return check


def _check_baseline(trial: Trial, check: str, rows: NDArray[np.int64]) -> TaskCheck:
    attempt = trial.hand_in(trial.gold.answer(rows))
    if attempt.reason:
        return trial.judge(check, [f"it is rejected: {attempt.reason}"], "")
    score = next(one for (group, _), one in attempt.scores.items() if group in (None, "macro"))
    if score.value == find_best(score):
        fault = f"{score.name} is {score.value:g}, the best there is, so that nothing can be better"
        return trial.judge(check, [fault], "")
    return trial.tell(check, f"{attempt.tell()}.")


def _list_keys(draft: Draft) -> list[Hashable]:
    return [*zip(*(map(str, draft.columns[name]) for name in draft.answers), strict=True)]


def _check_training_texts(trial: Trial) -> TaskCheck | None:
    check = "texts of the training data"
    if trial.track.train is None:
        return None
    trained = _read_texts(trial.track.train)
    tested = next(filter(None, map(_read_texts, (trial.track.gold, trial.track.ids))), None)
    if trained is None or tested is None:
        return trial.tell(check, "no column of texts was found in both.")
    known = set(trained.values())
    both = [name for name, text in tested.items() if text in known]
    fault = (
        f"{len(both)} of {len(tested)} texts stand in the training data too "
        f"({', '.join(both[:5])}{', ...' if both[5:] else ''}); take them out of one of the two"
    )
    return trial.judge(check, [fault] if both else [], f"none of {len(tested)} texts stands there.")


def _read_texts(path: str | None) -> dict[str, str] | None:
    if path is None:
        return None
    table: Table = read_table(path)
    names = table.names()
    text, ids = find(names, INPUT), find(names, IDS)
    if text is None:
        return None
    texts = (str(one).strip() for one in table.column(text).to_pylist())
    rows = range(1, len(table) + 1)
    called = [f"row {row}" for row in rows] if ids is None else table.column(ids).to_pylist()
    return dict(zip(map(str, called), texts, strict=True))


def _check_training_labels(trial: Trial) -> TaskCheck | None:
    track = trial.track
    plan = plan_track(track)
    labelled = plan.kinds is None or plan.labelled
    if track.train is None or track.gold is None or not labelled:
        return None
    trained = {*map(str, read_answers(track.train, track).names)}
    tested = map(str, read_answers(track.gold, track).names)
    faults = [f"{label} never occurs there" for label in tested if label not in trained]
    return trial.judge("labels of the training data", faults, "all labels of the gold occur there.")


def _check_resolution(trial: Trial) -> TaskCheck:
    reading = plan_track(trial.track)
    if not (reading.kinds is None or reading.labelled):
        sentence = "it takes the outputs of two systems; see `tallystick plan`."
        return trial.tell("resolution", sentence)
    streams = np.random.default_rng(SEED).spawn(2)
    rows = [_err(_list_keys(trial.gold), stream) for stream in streams]
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for name, own in zip("ab", rows, strict=True):
            os.mkdir(os.path.join(folder, name))
            paths[name] = trial.gold.answer(own).write(os.path.join(folder, name))
        counted = count_submissions(trial.task, trial.name, paths)
        planned = plan(counted, sizes=[counted.size(None)])
    power = next(one for one in planned.powers if one.group in (None, "macro"))
    if math.isnan(power.detectable):
        return trial.judge("resolution", ["no difference at all can be found."], "")
    lowest, highest = read_metrics([power.metric])[0].bounds
    [least] = format_scores(power.name, power.detectable)
    sentence = (
        f"two systems that are each wrong on {_ERRORS:.0%} of the {power.n} examples, at "
        f"random, must differ by {least} in {power.name} to be found different in "
        f"{power.target:.0%} of all cases."
    )
    if power.detectable > highest - lowest:
        sentence = (
            f"{power.n} examples are too few for any difference of {power.name} to be found in "
            f"{power.target:.0%} of all cases."
        )
    return trial.tell("resolution", sentence)


def _err(keys: Sequence[Hashable], stream: np.random.Generator) -> NDArray[np.int64]:
    """The row whose answer each row gets, which is a wrong one for a random share of the rows."""
    rows = np.arange(len(keys))
    codes = np.unique([str(key) for key in keys], return_inverse=True)[1]
    for row in stream.permutation(len(keys))[: round(_ERRORS * len(keys))]:
        others = np.flatnonzero(codes != codes[row])
        rows[row] = stream.choice(others) if len(others) else row
    return rows


_DATA_CHECKS: tuple[Callable[[Trial], TaskCheck | None], ...] = (
    _check_majority,
    _check_random,
    _check_training_texts,
    _check_training_labels,
    _check_resolution,
)
"""The checks of the data, in the order in which they are shown; some do not apply to all tracks."""
