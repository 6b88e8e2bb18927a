"""Lin's concordance correlation coefficient."""

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
class CCC(Metric):
    """How close numbers are to their gold numbers, and not just to a line through them.

    Formula: 2 covariance / (variance of gold + variance of output + (difference of means)^2)
    Undefined: where gold and outputs are one and the same constant.
    Source: Lin 1989, with the variances of the population.
    """

    column: str | None = None

    short: ClassVar[str] = "ccc"
    title: ClassVar[str] = "CCC"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (-1, 1)
    counters: ClassVar[tuple[type[Counter], ...]] = (NumberPairs,)

    def __post_init__(self) -> None:
        check_column(self.column)

    @property
    def counter(self) -> NumberPairs:
        return NumberPairs(self.column)

    def score(self, tally: Sums) -> Values:
        own = Moments.of(tally)
        shift = tally.about("examples") * tally.subtract("x", "y") ** 2
        return divide(Ratio(2 * own.xy, own.xx + own.yy + shift), np.nan)
