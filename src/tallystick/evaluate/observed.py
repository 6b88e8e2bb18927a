"""What was observed: the tally of each metric, and its scores before anything is drawn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tallystick.metrics.metric import Metric, Values

__all__ = ["Observed", "observe"]

_ALL = ("all",)
"""The groups of a tally that has none."""


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """What was observed by one metric.

    Attributes:
        tally: The counts, by group.
        total: The same in one group.
        values: The score of each group, of shape (groups,), or (groups, labels) if per label.
        whole: The score of all groups together, with an axis of one group.
    """

    tally: Any
    total: Any
    values: Values
    whole: Values


def observe(tallies: Mapping[Metric, Any]) -> dict[Metric, Observed]:
    """Scores the tally of each metric."""
    totals = {id(tally): _total(tally) for tally in tallies.values()}
    return {metric: _observe(metric, tally, totals[id(tally)]) for metric, tally in tallies.items()}


def _total(tally: Any) -> Any:
    return tally if tuple(tally.groups) == _ALL else tally.total()


def _observe(metric: Metric, tally: Any, total: Any) -> Observed:
    values = metric.score(tally)
    return Observed(tally, total, values, values if total is tally else metric.score(total))
