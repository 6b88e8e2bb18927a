"""Spearman's rank correlation coefficient."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from tallystick.metrics.averages import Ratio, divide
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.metrics.moments import check_column
from tallystick.tallies.cells import Cells
from tallystick.tallies.number_cells import NumberCells
from tallystick.tallies.ranks import Ranks, find_sides, weigh
from tallystick.tallies.tally import Counter


@final
@dataclass(frozen=True, slots=True, repr=False)
class Spearman(Metric):
    """How well numbers put examples into the order of their gold numbers.

    Formula: Pearson's correlation of ranks, of which equal numbers share the mean
    Undefined: where gold or outputs are constant, as for a single example.
    Source: Spearman 1904; values as scipy.stats.spearmanr.
    """

    column: str | None = None

    short: ClassVar[str] = "spearman"
    title: ClassVar[str] = "Spearman Correlation"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (-1, 1)
    counters: ClassVar[tuple[type[Counter], ...]] = (NumberCells,)

    def __post_init__(self) -> None:
        check_column(self.column)

    @property
    def counter(self) -> NumberCells:
        return NumberCells(self.column)

    def score(self, tally: Cells) -> Values:
        own = _Products.of(tally)
        return np.clip(divide(Ratio(own.xy, own.spread), np.nan), -1, 1)

    def slopes(self, tally: Cells) -> Values:
        own, at = _Products.of(tally), tally.owners
        xy = own.x * own.y + own.gold.tilt(own.mass * own.y) + own.output.tilt(own.mass * own.x)
        xx = own.x**2 + 2 * own.gold.tilt(own.mass * own.x)
        yy = own.y**2 + 2 * own.output.tilt(own.mass * own.y)
        ratios = [
            divide(Ratio(rise, value[..., at]), 0.0)
            for rise, value in ((xy, own.spread), (xx, own.xx), (yy, own.yy))
        ]
        return ratios[0] - self.score(tally)[..., at] * (ratios[1] + ratios[2]) / 2


@dataclass(frozen=True, slots=True, eq=False)
class _Products:
    """Centred ranks of cells, and the sums of their products by group.

    Attributes:
        mass: What each cell weighs.
        gold: The ranks of gold.
        output: Those of what came out.
        x: The centred rank of each cell's gold.
        y: That of what came out.
        xx: The sum of the squares of x.
        yy: Likewise of y.
        xy: The sum of the products of both.
    """

    mass: Values
    gold: Ranks
    output: Ranks
    x: Values
    y: Values
    xx: Values
    yy: Values
    xy: Values

    @classmethod
    def of(cls, cells: Cells) -> "_Products":
        mass = weigh(cells)
        sides = find_sides(cells, mass)
        x, y = (side.center()[..., side.places] for side in sides)
        xx, yy, xy = (cells.sum_groups(mass * a * b) for a, b in ((x, x), (y, y), (x, y)))
        return cls(mass, *sides, x, y, xx, yy, xy)

    @property
    def spread(self) -> Values:
        """The product of both standard deviations, times the examples."""
        return np.sqrt(self.xx) * np.sqrt(self.yy)
