"""One system's predictions beside the gold, and the tallies that metrics ask of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

from tallystick.errors import UsageError
from tallystick.examples.examples import Examples
from tallystick.examples.task import Task
from tallystick.metrics.metric import Metric
from tallystick.tallies import Confusion, Curve, LabelSets

__all__ = ["System", "count", "counter_of"]


@dataclass(frozen=True, slots=True)
class System:
    """One system's predictions beside the gold.

    Attributes:
        name: What the system is called in the results.
        parts: The examples, in one piece or several; their tallies are added.
        task: The task, settled; its threshold is None where the parts have different ones.
        asked: The task as it was asked for: labels named there count in full in averages.
    """

    name: str
    parts: tuple[Examples, ...]
    task: Task
    asked: Task

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups in the order in which they are shown; none where scores are not by group."""
        names = [part.groups.names for part in self.parts if part.groups is not None]
        return tuple(dict.fromkeys(str(name) for part in names for name in part))

    @property
    def has_probabilities(self) -> bool:
        """Whether every example has probabilities."""
        return all(part.probabilities is not None for part in self.parts)


def count(metrics: Sequence[Metric], system: System) -> dict[type, Any]:
    """One tally per counter; several metrics that name the same counter share it."""
    return {
        counter: _tally(counter, system) for counter in {counter_of(m, system) for m in metrics}
    }


def counter_of(metric: Metric, system: System) -> type[Any]:
    """The first of the metric's counters that fits the examples."""
    kind = system.task.kind
    fitting: tuple[type, ...] = (LabelSets,) if kind == "multilabel" else (Confusion, Curve)
    found = next((counter for counter in metric.counters if counter in fitting), None)
    if found is None:
        raise UsageError(f"{metric.short} is not for a {kind} task")
    return found


def _tally(counter: type[Any], system: System) -> Any:
    parts = [
        part for part in system.parts if counter is not Curve or part.probabilities is not None
    ]
    tallies = (counter().count(part) for part in parts)
    return reduce(add, tallies) if parts else counter().empty()
