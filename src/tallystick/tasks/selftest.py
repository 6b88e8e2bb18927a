"""Tests a shared task itself, before it is announced.

Beside the checks of the scorer stand those of the data: what baselines get, what leaks, and what
it can decide.
"""

import math
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.comparison.plan import plan
from tallystick.errors import TallystickError
from tallystick.io.tables.table import Table, read_table
from tallystick.kinds.metrics.names import read_metrics
from tallystick.kinds.metrics.requirements import find_numbers
from tallystick.model.columns import IDS, INPUT, find
from tallystick.output.results.other_results import SelfTest, TaskCheck
from tallystick.tasks.drafts import Draft, draft_gold, read_answers
from tallystick.tasks.scorer_checks import SCORER_CHECKS, SEED, Trial, find_best
from tallystick.tasks.scoring import count_submissions
from tallystick.tasks.task_checks import check_task
from tallystick.tasks.task_file import SharedTask
from tallystick.tasks.tracks import plan_track

_DRAWS = 5
_ERRORS = 0.2
"""Two systems that are wrong on so many of the examples stand for those that will come."""


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
    """The checks of one track, or that its gold cannot be handed in."""
    track = task.tracks[name]
    metrics = tuple(filter(_needs_gold, track.metrics))
    if not metrics:
        sentence = "its metrics take no gold, so that nothing can be held against it."
        return [TaskCheck(phase, name, "gold", "told", sentence)]
    track = replace(track, metrics=metrics)
    alone = replace(task, tracks={name: track}, phases={})
    try:
        trial = Trial(alone, phase, name, draft_gold(name, track))
        fault = trial.hand_in(trial.gold).reason
    except TallystickError as error:
        fault = str(error)
    if fault:
        return [TaskCheck(phase, name, "gold", "failed", fault)]
    found = (check(trial) for check in (*SCORER_CHECKS, *_DATA_CHECKS))
    return [one for one in found if one is not None]


def _needs_gold(metric: str) -> bool:
    """Whether a metric holds outputs against gold; the mean of a column does not."""
    numbers = find_numbers(metric)
    return not numbers or any(needed.gold for needed in numbers)


def _check_majority(trial: Trial) -> TaskCheck | None:
    """Scores the most frequent answer throughout."""
    if trial.track.task == "text":
        return None
    keys = _list_keys(trial.gold)
    first = keys.index(Counter(keys).most_common(1)[0][0])
    return _check_baseline(trial, "majority baseline", np.full(len(keys), first))


def _check_random(trial: Trial) -> TaskCheck:
    """Scores the answers of other examples, drawn anew where all are right by chance."""
    size, stream = len(trial.gold), np.random.default_rng(SEED)
    for _ in range(_DRAWS):
        rows = stream.integers(size, size=size)
        check = _check_baseline(trial, "random baseline", rows)
        if check.outcome != "failed":
            break
    return check


def _check_baseline(trial: Trial, check: str, rows: NDArray[np.int64]) -> TaskCheck:
    attempt = trial.hand_in(trial.gold.answer(rows))
    if attempt.reason:
        return trial.write(check, "failed", f"it is refused: {attempt.reason}")
    score = next(one for (group, _), one in attempt.scores.items() if group in (None, "macro"))
    if score.value == find_best(score):
        fault = f"{score.name} is {score.value:g}, the best there is, so that nothing can be better"
        return trial.write(check, "failed", fault)
    return trial.write(check, "told", f"{attempt.tell()}.")


def _list_keys(draft: Draft) -> list[Hashable]:
    """The answer of each row as something that can be compared."""
    return [*zip(*(map(str, draft.columns[name]) for name in draft.answers), strict=True)]


def _check_training_texts(trial: Trial) -> TaskCheck | None:
    """Checks that no text of the test data stands in the training data."""
    check = "texts of the training data"
    if trial.track.train is None:
        return None
    trained = _read_texts(trial.track.train)
    tested = next(filter(None, map(_read_texts, (trial.track.gold, trial.track.ids))), None)
    if trained is None or tested is None:
        return trial.write(check, "told", "no column of texts was found in both.")
    known = set(trained.values())
    both = [name for name, text in tested.items() if text in known]
    faults = []
    if both:
        more = ", ..." if len(both) > 5 else ""
        faults = [
            f"{len(both)} of {len(tested)} texts stand in the training data too "
            f"({', '.join(both[:5])}{more}); take them out of one of the two"
        ]
    return trial.judge(check, faults, f"none of {len(tested)} texts stands there.")


def _read_texts(path: str | None) -> dict[str, str] | None:
    """The text of each example by its id, or by the number of its row."""
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
    """Checks that every label of the gold occurs in the training data."""
    track = trial.track
    plan = plan_track(track)
    labelled = plan.kinds is None or plan.labelled
    if track.train is None or track.gold is None or not labelled:
        return None
    trained = {str(label) for label in read_answers(track.train, track).names}
    tested = map(str, read_answers(track.gold, track).names)
    faults = [f"{label} never occurs there" for label in tested if label not in trained]
    sentence = "all labels of the gold occur there."
    return trial.judge("labels of the training data", faults, sentence)


def _check_resolution(trial: Trial) -> TaskCheck:
    """Tells by how much two systems must differ to be found different."""
    reading = plan_track(trial.track)
    if not (reading.kinds is None or reading.labelled):
        sentence = "it takes the outputs of two systems; see `tallystick plan`."
        return trial.write("resolution", "told", sentence)
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
        return trial.write("resolution", "failed", "no difference at all can be found.")
    (metric,) = read_metrics([power.metric])
    lowest, highest = metric.bounds
    sentence = (
        f"two systems that are each wrong on {_ERRORS:.0%} of the {power.n} examples, at "
        f"random, must differ by {power.detectable:.4f} in {power.name} to be found different "
        f"in {power.target:.0%} of all cases."
    )
    if power.detectable > highest - lowest:
        sentence = (
            f"{power.n} examples are too few for any difference of {power.name} to be found in "
            f"{power.target:.0%} of all cases."
        )
    return trial.write("resolution", "told", sentence)


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
