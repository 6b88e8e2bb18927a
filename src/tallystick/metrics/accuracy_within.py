"""Accuracy of ratings that counts near misses."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from tallystick.examples.labels import Label
from tallystick.metrics.averages import Ratio, check_labels, divide
from tallystick.metrics.metric import Direction, Metric, Values, check_number
from tallystick.metrics.ordinal import measure_labels
from tallystick.tallies.cells import Cells
from tallystick.tallies.confusion import Confusion
from tallystick.tallies.share import Share
from tallystick.tallies.tally import Counter


@final
@dataclass(frozen=True, slots=True, repr=False)
class AccuracyWithin(Metric):
    """The share of examples whose predicted rating is at most so far from the gold one.

    With a distance of 1 it is what essay scoring calls adjacent agreement. Labels that are numbers
    are as far from each other as their values; others as their places among the named labels, from
    the lowest to the highest.

    Formula: examples with |gold - predicted| <= distance / all
    Undefined: without examples.
    Source: Attali and Burstein 2006 (adjacent agreement); with a distance of 0 accuracy.
    """

    distance: float = 1
    labels: tuple[Label, ...] | None = None

    short: ClassVar[str] = "accuracy_within"
    title: ClassVar[str] = "Accuracy Within"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type[Counter], ...]] = (Confusion,)

    def __post_init__(self) -> None:
        check_number("distance", self.distance, 0)
        check_labels(self)

    def score(self, tally: Cells) -> Values:
        share = self.share(tally)
        return divide(Ratio(share.hits, share.trials), np.nan)

    def share(self, tally: Cells) -> Share:
        values = np.array([*measure_labels(tally.labels, self.labels, self.short), np.inf])
        near = np.abs(values[tally.gold] - values[tally.predicted]) <= self.distance
        return Share(tally.sum_groups(tally.mass * near), tally.sum_groups(tally.mass))
