"""Pearson's correlation coefficient."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from tallystick.metrics.averages import Ratio, divide
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.metrics.moments import Moments, center, check_column
from tallystick.tallies.cells import Cells
from tallystick.tallies.numbers import NumberPairs
from tallystick.tallies.sums import Sums
from tallystick.tallies.tally import Counter


@final
@dataclass(frozen=True, slots=True, repr=False)
class Pearson(Metric):
    """How close numbers and gold numbers are to a line, whatever its slope.

    Formula: covariance / (standard deviation of gold * standard deviation of output)
    Undefined: where gold or outputs are constant, as for a single example.
    Source: Pearson 1895; values as scipy.stats.pearsonr.
    """

    column: str | None = None

    short: ClassVar[str] = "pearson"
    title: ClassVar[str] = "Pearson Correlation"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (-1, 1)
    counters: ClassVar[tuple[type[Counter], ...]] = (NumberPairs,)

    def __post_init__(self) -> None:
        check_column(self.column)

    @property
    def counter(self) -> NumberPairs:
        return NumberPairs(self.column)

    def score(self, tally: Sums | Cells) -> Values:
        own = Moments.of_cells(tally) if isinstance(tally, Cells) else Moments.of(tally)
        spread = np.sqrt(own.xx) * np.sqrt(own.yy)
        return np.clip(divide(Ratio(own.xy, spread), np.nan), -1, 1)

    def slopes(self, tally: Sums | Cells) -> Values | None:
        if not isinstance(tally, Cells):
            return None
        own, at = Moments.of_cells(tally), tally.owners
        x, y = center(tally.gold, tally), center(tally.predicted, tally)
        ratios = [
            divide(Ratio(rise, value[..., at]), 0.0)
            for rise, value in (
                (x * y, np.sqrt(own.xx) * np.sqrt(own.yy)),
                (x * x, own.xx),
                (y * y, own.yy),
            )
        ]
        return ratios[0] - self.score(tally)[..., at] * (ratios[1] + ratios[2]) / 2
