"""The share of numbers within a standard deviation of their gold numbers."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from tallystick.errors import UsageError
from tallystick.metrics.averages import Ratio, divide
from tallystick.metrics.metric import Direction, Metric, Values, check_number, show
from tallystick.metrics.moments import check_column
from tallystick.tallies.numbers import NumbersWithin
from tallystick.tallies.share import Share
from tallystick.tallies.sums import Sums
from tallystick.tallies.tally import Counter


@final
@dataclass(frozen=True, slots=True, repr=False)
class AccuracyWithinSD(Metric):
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

    short: ClassVar[str] = "accuracy_within_sd"
    title: ClassVar[str] = "Accuracy Within SD"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type[Counter], ...]] = (NumbersWithin,)

    def __post_init__(self) -> None:
        if not isinstance(self.deviation, str):
            raise UsageError(f"deviation is the name of a column, not {show(self.deviation)}")
        check_number("least", self.least, 0)
        check_column(self.column)

    @property
    def counter(self) -> NumbersWithin:
        return NumbersWithin(self.deviation, float(self.least), self.column)

    def score(self, tally: Sums) -> Values:
        return divide(Ratio(tally["within"], tally["examples"]), np.nan)

    def share(self, tally: Sums) -> Share:
        return Share(tally["within"], tally["examples"])
