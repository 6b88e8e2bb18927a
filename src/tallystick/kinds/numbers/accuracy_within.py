"""Accuracy that counts near misses, of ratings and of numbers."""

from typing import final

import numpy as np

from tallystick.errors import UsageError
from tallystick.frozen import dataclass
from tallystick.kinds.labels.counters import Confusion
from tallystick.kinds.numbers.correlations import check_column
from tallystick.kinds.numbers.number_counters import NumbersWithin
from tallystick.model.codes import Label
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.metric import Share, check_number, show
from tallystick.model.tallies.ordinal import measure_labels
from tallystick.model.tallies.ratios import Proportion, check_labels
from tallystick.model.tallies.sums import Sums


@final
@dataclass(frozen=True, slots=True, repr=False)
class AccuracyWithin(Proportion):
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

    short = "accuracy_within"
    title = "Accuracy Within"
    counters = (Confusion,)

    def __post_init__(self) -> None:
        check_number("distance", self.distance, 0)
        check_labels(self)

    def estimand(self, tally: Cells) -> Share:
        values = np.array([*measure_labels(tally.labels, self.labels, self.short), np.inf])
        near = np.abs(values[tally.gold] - values[tally.predicted]) <= self.distance
        return Share(tally.sum_groups(tally.mass * near), tally.sum_groups(tally.mass))


@final
@dataclass(frozen=True, slots=True, repr=False)
class AccuracyWithinSD(Proportion):
    """The share of examples that are off by less than their annotators' standard deviation.

    A column of gold holds the standard deviation of each example. Where `least` is more than that,
    it counts instead: SemEval-2026 task 5 takes less than 1 as near enough for all.

    Formula: examples with |output - gold| < max(deviation, least) / all
    Undefined: without examples.
    Source: SemEval-2026 task 5, whose scorer has least=1.
    """

    deviation: str = "stdev"
    least: float = 0
    column: str | None = None

    short = "accuracy_within_sd"
    title = "Accuracy Within SD"
    counters = (NumbersWithin,)

    def __post_init__(self) -> None:
        if not isinstance(self.deviation, str):
            raise UsageError(f"deviation is the name of a column, not {show(self.deviation)}")
        check_number("least", self.least, 0)
        check_column(self.column)

    @property
    def counter(self) -> NumbersWithin:
        return NumbersWithin(self.deviation, float(self.least), self.column)

    def estimand(self, tally: Sums) -> Share:
        return Share(tally["within"], tally["examples"])
