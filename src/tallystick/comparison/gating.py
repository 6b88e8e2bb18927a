"""Gates a system: whether it is no worse than an older one, and good enough by itself."""

from tallystick.comparison.checks import check_drop, check_floor
from tallystick.comparison.leaderboards import Metrics, admit
from tallystick.comparison.meetings import Meeting
from tallystick.comparison.settings import Testing
from tallystick.comparison.verdicts import judge_all
from tallystick.errors import InputError, UsageError
from tallystick.examples.task import Kind, Task
from tallystick.results import Check
from tallystick.results.gate import Gate
from tallystick.results.methods import describe_intervals

__all__ = ["gate", "gate_meeting", "settle_testing"]


def gate(
    gold: object,
    new: object,
    old: object,
    *,
    metrics: Metrics,
    max_drop: float | None = None,
    floor: float | None = None,
    by: object = None,
    clusters: object = None,
    level: float = 0.95,
    draws: int | None = None,
    seed: int = 12345,
    allow_inconclusive: bool = False,
    task: Task | Kind | None = None,
) -> Gate:
    """Checks that a new system is no worse than an old one on the same examples.

    Every metric is checked on every row: for all examples, or for each group, their mean and their
    sum. What is undefined fails.

    Args:
        gold: As in `score`; the references where the metrics are of texts, as in `score_texts`.
        new: The predictions that are put to the test.
        old: The predictions they are held against.
        metrics: What to check.
        max_drop: The largest drop of a score that is allowed; a rise where lower is better.
        floor: What a score must reach by itself; what it must not exceed where lower is better.
        by: As in `score`.
        clusters: As in `compare`.
        level: The confidence level of each bound, which is one-sided.
        draws: How many replicates are drawn; None takes 10,000.
        seed: Where the draws begin.
        allow_inconclusive: Whether checks that do not decide let the system through.
        task: As in `score`.

    Raises:
        InputError: The data is not what it should be; the message names the row.
        UsageError: A metric or an option does not exist or does not fit.
    """
    testing = settle_testing(level, draws, seed)
    systems = {"new": new, "old": old}
    meeting = admit(gold, systems, metrics=metrics, by=by, clusters=clusters, task=task)
    return gate_meeting(
        meeting, testing, max_drop=max_drop, floor=floor, allow_inconclusive=allow_inconclusive
    )


def settle_testing(level: float = 0.95, draws: int | None = None, seed: int = 12345) -> Testing:
    """The settings under which each end of an interval is a one-sided bound of that level."""
    if not 0.5 < level < 1:
        raise UsageError(f"the level of a bound lies between 0.5 and 1, not at {level}")
    return Testing(None, draws, seed, round(2 * level - 1, 12))  # 0.9, and nothing behind it


def gate_meeting(
    meeting: Meeting,
    testing: Testing,
    *,
    max_drop: float | None,
    floor: float | None,
    allow_inconclusive: bool = False,
) -> Gate:
    """Gates the first system of a meeting against the second one."""
    if max_drop is None and floor is None:
        raise UsageError("name the largest drop that is allowed, or a floor, or both")
    if meeting.refused:
        raise InputError(meeting.refused[0].reason)
    level = (1 + testing.level) / 2
    outcomes = {} if max_drop is None else judge_all(meeting.contests, meeting.field, testing)
    scores = meeting.score(None if floor is None else testing.intervals)
    checks: list[Check] = []
    for row, group in enumerate(meeting.field.rows):
        for metric in meeting.metrics:
            new, old = scores[group, repr(metric)]
            if max_drop is not None:
                own = outcomes[metric]
                bounds = own.low[0, row].item(), own.high[0, row].item()
                checks.append(
                    check_drop(new, old.value, bounds, metric=metric, level=level, limit=max_drop)
                )
            if floor is not None:
                checks.append(check_floor(new, metric=metric, level=level, limit=floor))
    notes = (*meeting.notes, *describe_intervals([new for new, _ in scores.values()]))
    return Gate(meeting.field.systems[0], tuple(checks), allow_inconclusive, notes)
