"""The mean of a column of numbers."""

import math
from typing import final

from tallystick.errors import UsageError
from tallystick.frozen import dataclass, field
from tallystick.kinds.numbers.correlations import check_column
from tallystick.kinds.numbers.number_sums import NumberSums
from tallystick.settings import freeze_lists
from tallystick.tallies.metric import Direction, Metric, Values, fold_option, show
from tallystick.tallies.sums import Sums


@final
@dataclass(frozen=True, slots=True, repr=False)
class Mean(Metric):
    """The mean of numbers that were computed elsewhere: COMET, BERTScore, ratings, seconds.

    Formula: sum / examples
    Undefined: without examples.
    Source: the arithmetic mean.
    """

    column: str | None = None
    # What is better, and what is possible, is known of the column and not of the metric.
    better: Direction = "higher"  # type: ignore[misc]
    bounds: tuple[float, float] = (-math.inf, math.inf)  # type: ignore[misc]
    named_by_column: bool = field(default=False, repr=False, compare=False)

    short = "mean"
    title = "Mean"
    zero = "every example is worth 0"
    counters = (NumberSums,)

    def __post_init__(self) -> None:
        check_column(self.column)
        fold_option(self, "better", ("higher", "lower", "neither"))
        freeze_lists(self, "bounds")
        check_bounds(self.bounds)

    @property
    def full_title(self) -> str:
        return self.title if self.column is None else f"{self.title} {self.column}"

    @property
    def guess(self) -> str | None:
        if not self.named_by_column:
            return None
        return f"no metric is called {self.column}: it is the mean of the column of that name."

    def score(self, tally: Sums) -> Values:
        return tally.average("sum")


def check_bounds(bounds: object) -> None:
    """Raises a UsageError unless the value is a lower and an upper bound."""
    ends = bounds if isinstance(bounds, tuple) and len(bounds) == 2 else ("", "")
    if not (all(isinstance(end, int | float) for end in ends) and ends[0] < ends[1]):
        raise UsageError(
            f"bounds are the least and the largest value, such as (0, 1), not {show(bounds)}"
        )
