"""Which systems can be compared, and by which metrics."""

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from tallystick.errors import UsageError
from tallystick.kinds.labels.label_columns import Confusion
from tallystick.model.facts import Task
from tallystick.model.tallies.metric import is_per_label
from tallystick.scoring.counted import Counted


def keep_systems(counted: Counted, names: Sequence[str]) -> Counted:
    """The same examples with some of the systems, in this order."""
    unknown = next((name for name in names if name not in counted.systems), None)
    if unknown is not None:
        known = ", ".join(counted.systems)
        raise UsageError(f"there is no system {unknown!r}, only {known}")
    if tuple(names) == counted.systems:
        return counted
    found = {
        counter: [name for name in names if name in tally.systems]
        for counter, tally in counted.tallies.items()
    }
    return replace(
        counted,
        systems=tuple(names),
        tallies={
            counter: counted.tallies[counter].of(*own) for counter, own in found.items() if own
        },
        facts=counted.facts.of({name: name for name in names}),
        examples=tuple(block.of(*names) for block in counted.examples),
    )


def keep_comparable(counted: Counted, *, least: int = 2) -> Counted:
    """The same systems by the metrics with one value each; refuses what cannot be compared."""
    if len(counted.systems) < least:
        given = f"only {counted.systems[0]}, beside the gold" if counted.systems else "none"
        raise UsageError(f"a comparison needs two systems or more, and there is {given}")
    _check_tasks(counted)
    if counted.usual:
        return _leave_out(counted)
    for metric in counted.metrics:
        if is_per_label(metric):
            raise UsageError(
                f"{metric!r} has a value per label; compare an average, or one label at a time"
            )
    return counted


def _leave_out(counted: Counted) -> Counted:
    kept = tuple(
        metric
        for metric in counted.metrics
        if not is_per_label(metric)
        and metric.better != "neither"
        and counted.tally(metric) is not None
        and all(metric in counted.scorable(name) for name in counted.systems)
    )
    return replace(counted, metrics=kept)


def _check_tasks(counted: Counted) -> None:
    tasks = {name: _settle_task(counted, name) for name in counted.systems}
    if len({task and (task.kind, task.positive) for task in tasks.values()}) > 1:
        text = "; ".join(
            f"{name} is {task.kind} with the labels {', '.join(map(str, task.labels or ()))}"
            for name, task in tasks.items()
            if task is not None
        )
        raise UsageError(
            f"the systems do not answer the same task ({text}); name it with `task=`, or pass "
            "`fold_case=True` where labels differ in case only"
        )


def _settle_task(counted: Counted, name: str) -> Task | None:
    """The task as the labels of the gold and of one system tell it; None for other than labels."""
    tally = counted.tallies.get(Confusion())
    if tally is None:
        return None
    own = tally.of(name)
    used = np.flatnonzero(np.bincount(np.concatenate([own.gold, own.predicted]))).tolist()
    labels = [tally.labels[code] for code in used if code < len(tally.labels)]
    asked = replace(counted.facts.asked, threshold=None)
    return asked.settle(
        labels, scores=name in counted.facts.scored and counted.facts.task.kind == "binary"
    )
