"""Tests a shared task itself, before it is announced."""

import msgspec

from tallystick.errors import TallystickError
from tallystick.io.tasks import SharedTask, choose_phase
from tallystick.results.selftest import SelfTest, TaskCheck
from tallystick.scoring.given import find_numbers
from tallystick.tasks.data_checks import DATA_CHECKS
from tallystick.tasks.drafts import draft_gold
from tallystick.tasks.scorer_checks import SCORER_CHECKS
from tallystick.tasks.scoring import check_ranked
from tallystick.tasks.trials import Trial


def run_selftest(task: SharedTask) -> SelfTest:
    """Checks each track of a task, in each of its phases."""
    checks = [
        check
        for phase in task.phases or (None,)
        for name in choose_phase(task, phase).tracks
        for check in _test_track(choose_phase(task, phase), phase, name)
    ]
    return SelfTest(tuple(checks))


def _test_track(task: SharedTask, phase: str | None, name: str) -> list[TaskCheck]:
    """The checks of one track, or that its gold cannot be read and handed in."""
    track = task.tracks[name]
    metrics = tuple(filter(_needs_gold, track.metrics))
    if not metrics:
        sentence = "its metrics take no gold, so that nothing can be held against it."
        return [TaskCheck(phase, name, "gold", "told", sentence)]
    track = msgspec.structs.replace(track, metrics=metrics)
    alone = msgspec.structs.replace(task, tracks={name: track}, phases={})
    try:
        check_ranked(name, metrics)
        trial = Trial(alone, phase, name, draft_gold(name, track))
        fault = trial.hand_in(trial.gold).reason
    except TallystickError as error:
        fault = str(error)
    if fault:
        return [TaskCheck(phase, name, "gold", "failed", fault)]
    found = [check(trial) for check in SCORER_CHECKS]
    return found + [one for check in DATA_CHECKS for one in check(trial)]


def _needs_gold(metric: str) -> bool:
    """Whether a metric holds outputs against gold; the mean of a column does not."""
    numbers = find_numbers(metric)
    return not numbers or any(needed.gold for needed in numbers)
