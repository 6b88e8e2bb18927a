"""The mean absolute error."""

from dataclasses import dataclass
from typing import ClassVar, final

from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.metrics.moments import check_column
from tallystick.tallies.numbers import NumberPairs
from tallystick.tallies.sums import Sums
from tallystick.tallies.tally import Counter


@final
@dataclass(frozen=True, slots=True, repr=False)
class MAE(Metric):
    """How far numbers are from their gold numbers.

    Formula: sum of |output - gold| / examples
    Undefined: without examples.
    Source: scikit-learn's mean_absolute_error.
    """

    column: str | None = None

    short: ClassVar[str] = "mae"
    title: ClassVar[str] = "MAE"
    better: ClassVar[Direction] = "lower"
    bounds: ClassVar[tuple[float, float]] = (0, float("inf"))
    counters: ClassVar[tuple[type[Counter], ...]] = (NumberPairs,)

    def __post_init__(self) -> None:
        check_column(self.column)

    @property
    def counter(self) -> NumberPairs:
        return NumberPairs(self.column)

    def score(self, tally: Sums) -> Values:
        return tally.average("absolute_error")
