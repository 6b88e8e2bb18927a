"""What was observed: the tally of each metric, and its scores before anything is drawn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tallystick.metrics.metric import Metric, Values

__all__ = ["Observed", "observe"]

_ALL = ("all",)
"""The groups of a tally that has none."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """A tally and its scores, of shape (groups,), or (groups, labels) if per label."""

    tally: Any
    values: Values


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """What was observed by one metric: in each group, and in all together as one group."""

    groups: Side
    whole: Side

    def sides(self) -> tuple[Side, Side]:
        """Both, one after the other."""
        return self.groups, self.whole


def observe(tallies: Mapping[Metric, Any]) -> dict[Metric, Observed]:
    """Scores the tally of each metric."""
    totals = {id(tally): _total(tally) for tally in tallies.values()}
    return {metric: _observe(metric, tally, totals[id(tally)]) for metric, tally in tallies.items()}


def _total(tally: Any) -> Any:
    return tally if tuple(tally.groups) == _ALL else tally.total()


def _observe(metric: Metric, tally: Any, total: Any) -> Observed:
    groups = Side(tally, metric.score(tally))
    return Observed(groups, groups if total is tally else Side(total, metric.score(total)))
