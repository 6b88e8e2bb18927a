"""Gates a system: whether it is no worse than an older one, and good enough by itself."""

from dataclasses import replace

from tallystick.comparison.checks import check_drop, check_floor
from tallystick.comparison.comparable import keep_comparable
from tallystick.comparison.settings import Testing
from tallystick.comparison.significance import compare_pairs
from tallystick.errors import UsageError
from tallystick.examples.columns import Columns
from tallystick.examples.memory import Given
from tallystick.examples.task import Kind, Task
from tallystick.results import Check, Score
from tallystick.results.gate import Gate
from tallystick.results.methods import describe_intervals
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import Metrics
from tallystick.scoring.given import count_given
from tallystick.scoring.score import score_counted

__all__ = ["gate", "gate_counted"]


def gate(
    gold: object,
    new: object,
    old: object,
    metrics: Metrics = None,
    *,
    max_drop: float | None = None,
    floor: float | None = None,
    by: object = None,
    clusters: object = None,
    weights: object = None,
    columns: Columns | None = None,
    task: Task | Kind | None = None,
    testing: Testing | None = None,
    allow_inconclusive: bool = False,
) -> Gate:
    """Checks that a new system is no worse than an old one on the same examples.

    Every metric is checked on every row: for all examples, or for each group, their mean and their
    sum. What is undefined fails.

    Args:
        gold: As in `score`.
        new: The outputs that are put to the test; the name of a column where gold is a table that
            holds them.
        old: The outputs they are held against, likewise.
        metrics: What to check.
        max_drop: The largest drop of a score that is allowed; a rise where lower is better.
        floor: What a score must reach by itself; what it must not exceed where lower is better.
        by: As in `score`.
        clusters: As in `compare`.
        weights: As in `score`.
        columns: As in `score`.
        task: As in `score`.
        testing: As in `compare`; its confidence is that of each one-sided bound.
        allow_inconclusive: Whether checks that do not decide let the system through.

    Raises:
        InputError: The data is not what it should be; the message names the row.
        UsageError: A metric or an option does not exist or does not fit.
    """
    if isinstance(new, str) and isinstance(old, str):
        given = Given(gold, None, by, clusters, weights, (new, old))
    else:
        given = Given(gold, {"new": new, "old": old}, by, clusters, weights)
    counted = count_given(given, metrics, columns=columns, task=task)
    return gate_counted(
        counted,
        Testing.settle(testing),
        max_drop=max_drop,
        floor=floor,
        allow_inconclusive=allow_inconclusive,
    )


def gate_counted(
    counted: Counted,
    testing: Testing,
    *,
    max_drop: float | None,
    floor: float | None,
    allow_inconclusive: bool = False,
) -> Gate:
    """Gates the first of two systems that were counted against the second one."""
    if max_drop is None and floor is None:
        raise UsageError("name the largest drop that is allowed, or a floor, or both")
    counted = keep_comparable(counted)
    two_sided = _widen(testing)
    outcomes = {} if max_drop is None else compare_pairs(counted, two_sided, tests=False)
    scored = score_counted(counted, None if floor is None else two_sided.intervals)
    scores: dict[tuple[str | None, str], list[Score]] = {}
    for score in scored.scores:
        scores.setdefault((score.group, score.metric), []).append(score)
    checks: list[Check] = []
    for row, group in enumerate(counted.rows):
        for metric in counted.metrics:
            new, old = scores[group, repr(metric)]
            if max_drop is not None:
                own = outcomes[metric]
                bounds = own.low[0, row].item(), own.high[0, row].item()
                checks.append(
                    check_drop(
                        new,
                        old.value,
                        bounds,
                        metric=metric,
                        confidence=testing.confidence,
                        limit=max_drop,
                    )
                )
            if floor is not None:
                checks.append(
                    check_floor(new, metric=metric, confidence=testing.confidence, limit=floor)
                )
    notes = (*scored.notes, *describe_intervals([new for new, _ in scores.values()]))
    return Gate(counted.systems[0], tuple(checks), allow_inconclusive, notes)


def _widen(testing: Testing) -> Testing:
    """The settings under which each end of an interval is a one-sided bound at the confidence."""
    confidence = testing.confidence
    if not 0.5 < confidence < 1:
        raise UsageError(f"the confidence of a bound lies between 0.5 and 1, not at {confidence}")
    # 0.9 for 0.95, and not a little less.
    return replace(testing, test=None, confidence=round(2 * confidence - 1, 12))
