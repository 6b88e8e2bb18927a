"""Several systems' examples brought onto one gold, and counted jointly for every metric."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.comparison.contest import Contest, JointContest
from tallystick.comparison.curves import CurveContest
from tallystick.errors import InputError, UsageError
from tallystick.evaluate.scoring import bind, choose
from tallystick.evaluate.system import System, counter_of
from tallystick.examples.labels import Label, Labels, order, unify
from tallystick.examples.sets import LabelRows
from tallystick.metrics.metric import Metric
from tallystick.tallies import Curve
from tallystick.tallies.joint import Joint, join_labels, join_sets

__all__ = ["check_alike", "check_systems", "choose_all", "join_systems"]

_LEAST = 2


def choose_all(metrics: Sequence[Metric | str], systems: Sequence[System]) -> tuple[Metric, ...]:
    """The metrics to compare by, with the task's options written into them.

    Raises:
        UsageError: A metric does not exist, has a value per label, or does not fit a system; or
            the systems do not answer one task.
    """
    kinds = {(system.task.kind, system.task.positive) for system in systems}
    if len(kinds) > 1:
        told = "; ".join(
            f"{system.name} is {system.task.kind} with the labels "
            f"{', '.join(map(str, system.task.labels or ()))}"
            for system in systems
        )
        raise UsageError(f"the systems do not answer one task ({told}); name the task")
    named, *_ = (choose(metrics, system) for system in systems)
    for metric in named:
        if metric.per_label:
            raise UsageError(
                f"{metric!r} has a value per label; compare an average, or one label at a time"
            )
    return tuple(dict.fromkeys(bind(metric, systems[0]) for metric in named))


def check_systems(names: Sequence[str]) -> None:
    """Raises a UsageError where there are not two systems to compare."""
    if len(names) < _LEAST:
        raise UsageError(f"a comparison needs two systems or more, and there are {len(names)}")


def check_alike(first: System, other: System) -> None:
    """Raises an InputError where two systems put an example into different groups or clusters.

    They can where the column stands in their own tables, and not in the gold.
    """
    for what in ("groups", "clusters"):
        columns = [getattr(system.parts[0], what) for system in (first, other)]
        if None in columns:
            continue
        one, two = unify(*columns)
        rows = np.flatnonzero(one.codes != two.codes)
        if len(rows):
            names = [str(column.names[column.codes[rows[0]]]) for column in (two, one)]
            raise InputError(
                f"{other.name} has {names[0]!r} among its {what} where {first.name} has "
                f"{names[1]!r}, at example {rows[0] + 1}; put the column into the gold"
            )


def join_systems(systems: Sequence[System], metrics: Sequence[Metric]) -> list[Contest]:
    """Counts all systems jointly: once for metrics of labels, and once for those of curves."""
    first = systems[0].parts[0]
    groups = first.groups or Labels(np.zeros(len(first), np.uint8), ("all",))
    grouped = first.groups is not None
    curved = tuple(m for m in metrics if counter_of(m, systems[0]) is Curve)
    others = tuple(m for m in metrics if m not in curved)
    contests: list[Contest] = []
    if others:
        contests.append(JointContest(others, grouped, _join(systems, groups)))
    if curved:
        gold = first.gold
        scores = tuple(_order_scores(system, gold.names) for system in systems)
        if isinstance(gold, Labels):
            contests.append(CurveContest(curved, grouped, gold, groups, scores, first.clusters))
    return contests


def _order_scores(system: System, names: Sequence[Label]) -> NDArray[Any]:
    """A system's probabilities, with its labels in the order of these names."""
    part = system.parts[0]
    scores = np.asarray(part.probabilities)
    if scores.ndim == 1 or part.names == names:
        return scores
    if set(part.names) != set(names):
        raise InputError(
            f"{system.name} has probabilities of the labels {', '.join(map(str, part.names))}, but "
            f"the first system has those of {', '.join(map(str, names))}"
        )
    return scores[:, [part.names.index(name) for name in names]]


def _join(systems: Sequence[System], groups: Labels) -> Joint:
    parts = [system.parts[0] for system in systems]
    gold, clusters = parts[0].gold, parts[0].clusters
    predicted = [part.predicted for part in parts]
    if isinstance(gold, Labels):
        columns = [own for own in predicted if isinstance(own, Labels)]
        gold, *columns = unify(gold, *columns, names=gold.names)
        return join_labels(gold, columns, groups, clusters)
    rows = [own for own in predicted if isinstance(own, LabelRows)]
    others = {name for own in rows for name in own.names} - set(gold.names)
    names = (*gold.names, *order(others))
    return join_sets(gold.recode(names), [own.recode(names) for own in rows], groups, clusters)
