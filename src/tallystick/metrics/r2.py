"""The coefficient of determination."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from tallystick.metrics.averages import Ratio, divide
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.metrics.moments import Moments, check_column
from tallystick.tallies.numbers import NumberPairs
from tallystick.tallies.sums import Sums
from tallystick.tallies.tally import Counter


@final
@dataclass(frozen=True, slots=True, repr=False)
class R2(Metric):
    """The share of the variance of gold numbers that outputs explain.

    It is negative where the mean of the gold would have been closer.

    Formula: 1 - sum of squared errors / sum of squared distances of gold from its mean
    Undefined: where gold is constant; scikit-learn says 0 or 1 there.
    Source: scikit-learn's r2_score.
    """

    column: str | None = None

    short: ClassVar[str] = "r2"
    title: ClassVar[str] = "R2"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (float("-inf"), 1)
    counters: ClassVar[tuple[type[Counter], ...]] = (NumberPairs,)
    zero: ClassVar[str] = "it predicts as well as the mean of the gold does"

    def __post_init__(self) -> None:
        check_column(self.column)

    @property
    def counter(self) -> NumberPairs:
        return NumberPairs(self.column)

    def score(self, tally: Sums) -> Values:
        own = Moments.of(tally)
        with np.errstate(invalid="ignore"):
            return 1 - divide(Ratio(tally["squared_error"], own.xx), np.nan)
