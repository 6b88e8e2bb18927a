"""The intervals of scores: what was observed of a metric, and where they are kept."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from msgspec import Struct

from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.tally import Tally
from tallystick.statistics.influence import Scatter


class Bounds(Struct, frozen=True, eq=False):
    """The intervals of scores, of the shape of their values."""

    low: Values
    high: Values

    @classmethod
    def around(cls, values: Values, low: Values, high: Values) -> "Bounds":
        """Intervals that include the values themselves."""
        return cls(np.minimum(low, values), np.maximum(high, values))

    @property
    def only(self) -> "Bounds":
        """Those of the only group."""
        return Bounds(self.low[0], self.high[0])

    def at(self, place: int | tuple[()]) -> tuple[float, float]:
        """One of the intervals."""
        return float(self.low[place]), float(self.high[place])


class Spread(Struct, frozen=True, eq=False):
    """The intervals of one metric.

    `groups` is None for a metric per label, which is shown for all groups together: `whole` is of
    each label. `mean` is the interval of the mean over groups, and what it comes from. `scatter`
    is how the score of all examples scatters, where it is not known by their number alone, and
    `steady` whether its interval holds however skewed that is.
    """

    groups: Bounds | None
    whole: Bounds
    method: str
    mean: tuple[float, float, str] | None = None
    scatter: Scatter | None = None
    steady: bool = False


class Side(Struct, frozen=True, eq=False):
    """A tally and its scores, of shape (groups,), or (groups, labels) if per label."""

    tally: Tally
    values: Values


class Observed(Struct, frozen=True, eq=False):
    """What was observed by one metric: in each group, and in all together as one group."""

    groups: Side
    whole: Side

    def sides(self) -> tuple[Side, Side]:
        """Both, one after the other."""
        return self.groups, self.whole


def observe(tallies: Mapping[Metric, Any]) -> dict[Metric, Observed | None]:
    """Scores the tally of each metric, as far as there is one."""
    totals = {id(tally): tally.total() for tally in tallies.values() if tally is not None}
    found: dict[Metric, Observed | None] = dict.fromkeys(tallies)
    for metric, tally in tallies.items():
        if tally is not None:
            groups, total = Side(tally, metric.score(tally)), totals[id(tally)]
            whole = groups if total is tally else Side(total, metric.score(total))
            found[metric] = Observed(groups, whole)
    return found


def average_groups(metric: Metric, values: Values) -> Values:
    """The plain mean over the last axis of the groups in which a metric is defined.

    NaN where it is defined in none, and for counts, which have no mean.
    """
    defined = ~np.isnan(values) & (not metric.adds_up)
    size = defined.sum(-1)
    with np.errstate(invalid="ignore"):  # of infinite ratings of either sign there is no mean
        total = np.where(defined, values, 0).sum(-1)
    return np.where(size > 0, total / np.maximum(size, 1), np.nan)
