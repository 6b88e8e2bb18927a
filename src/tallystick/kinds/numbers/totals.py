"""The mean and the sum of a column of numbers, and the ratio of two."""

import math
from collections.abc import Iterator
from typing import final

from tallystick.errors import UsageError
from tallystick.frozen import dataclass, field
from tallystick.kinds.numbers.correlations import ColumnMetric, check_column
from tallystick.kinds.numbers.number_counters import NumberSums, RatioSums
from tallystick.model.facts import Facts
from tallystick.model.tallies import ratios
from tallystick.model.tallies.metric import Direction, Metric, Values, fold_option, show
from tallystick.model.tallies.sums import Sums
from tallystick.output.tables.notes import Read
from tallystick.settings import freeze_lists


@dataclass(frozen=True, slots=True, repr=False)
class _Total(ColumnMetric):
    """What the sum of a column of numbers tells."""

    # What is better, and what is possible, is known of the column and not of the metric.
    better: Direction = "lower"  # type: ignore[misc]
    bounds: tuple[float, float] = (-math.inf, math.inf)  # type: ignore[misc]

    zero = "every example is worth 0"
    counters = (NumberSums,)

    def __post_init__(self) -> None:
        check_column(self.column)
        _check_range(self)

    @property
    def full_title(self) -> str:
        return self.title if self.column is None else f"{self.title} {self.column}"


def _check_range(metric: "_Total | Ratio") -> None:
    """Raises a UsageError unless it can be said so what is better, and what is possible."""
    fold_option(metric, "better", ("higher", "lower", "neither"))
    freeze_lists(metric, "bounds")
    bounds: object = metric.bounds
    ends = bounds if isinstance(bounds, tuple) and len(bounds) == 2 else ("", "")
    if not (all(isinstance(end, int | float) for end in ends) and ends[0] < ends[1]):
        raise UsageError(
            f"bounds are the least and the largest value, such as (0, 1), not {show(bounds)}"
        )


@final
@dataclass(frozen=True, slots=True, repr=False)
class Mean(_Total):
    """The mean of numbers that were computed elsewhere: COMET, BERTScore, ratings, seconds.

    Formula: sum / examples
    Undefined: without examples.
    Source: the arithmetic mean.
    """

    better: Direction = "higher"  # type: ignore[misc]
    named_by_column: bool = field(default=False, repr=False, compare=False)

    short = "mean"
    title = "Mean"

    def notes(self, tally: object, facts: Facts) -> Iterator[tuple[str, str]]:
        if self.named_by_column:
            told = f"no metric is called {self.column}: it is the mean of the column of that name."
            yield Read(told), ""

    def score(self, tally: Sums) -> Values:
        return tally.average("sum")


@final
@dataclass(frozen=True, slots=True, repr=False)
class Sum(_Total):
    """The sum of a column of numbers, such as the cost of a whole run.

    Its interval is that of another sample of as many examples, or clusters.

    Formula: sum, of the tally `NumberSums`
    Undefined: never; 0 without examples.
    Source: numpy.sum.
    """

    short = "sum"
    title = "Sum"
    adds_up = True

    def score(self, tally: Sums) -> Values:
        return tally["sum"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class Ratio(Metric):
    """The sum of one column divided by that of another, such as the cost of each success.

    It is no mean of ratios: examples count by what they add to both sums. Intervals come from
    leaving out each example, or cluster, on a logarithmic scale.

    Formula: sum of the numerator / sum of the denominator, of the tally `RatioSums`
    Undefined: where the denominator sums to 0.
    Source: the ratio estimator, Cochran 1977, Sampling Techniques, chapter 6.
    """

    numerator: str
    denominator: str
    better: Direction = "lower"  # type: ignore[misc]
    bounds: tuple[float, float] = (0, math.inf)  # type: ignore[misc]

    short = "ratio"
    title = "Ratio"
    zero = "the numerator is 0 for every example"
    counters = (RatioSums,)

    def __post_init__(self) -> None:
        if not (isinstance(self.numerator, str) and isinstance(self.denominator, str)):
            shown = f"{show(self.numerator)} and {show(self.denominator)}"
            raise UsageError(f"a ratio is of two columns by name, not of {shown}")
        _check_range(self)

    @property
    def name(self) -> str:
        return f"{self.short}({self.numerator}, {self.denominator})"

    @property
    def full_title(self) -> str:
        return f"{self.title} {self.numerator}, {self.denominator}"

    def score(self, tally: Sums) -> Values:
        sums = ratios.Ratio(tally["numerator"], tally["denominator"])
        return ratios.divide(sums, math.nan)
