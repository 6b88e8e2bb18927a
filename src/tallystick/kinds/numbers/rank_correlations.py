"""Rank correlations: Spearman's, and Kendall's tau-b and tau-c."""

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tallystick import _native
from tallystick.frozen import dataclass
from tallystick.kinds.numbers.correlations import ColumnMetric
from tallystick.kinds.numbers.number_counters import NumberCells
from tallystick.tallies.arrays.distinct import sum_by, sum_runs
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import Values
from tallystick.tallies.ratios import Ratio, divide
from tallystick.tallies.tally import Tally


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """The distinct numbers of one side, ascending in one group after the other.

    Attributes:
        order: int64; the cells, those of the lowest number first.
        starts: int64; where in that order the cells of each number begin.
        places: int64; where the number of each cell stands among them.
        owners: int64; the group of each of them.
        sizes: How many examples have each, of shape (..., numbers).
        total: How many examples the group of each has, likewise.
    """

    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    places: NDArray[np.int64]
    owners: NDArray[np.int64]
    sizes: Values
    total: Values

    @classmethod
    def of(cls, cells: Cells, numbers: NDArray[np.float64], mass: Values) -> "Ranks":
        """Ranks the numbers of cells of such masses."""
        order = np.lexsort((numbers, cells.owners))
        ranked, owners = numbers[order], cells.owners[order]
        new = np.ones(len(order), bool)
        new[1:] = (np.diff(ranked) != 0) | (np.diff(owners) != 0)
        starts, owners = np.flatnonzero(new), owners[new]
        places = np.empty(len(order), np.int64)
        places[order] = np.cumsum(new) - 1
        sizes = sum_runs(mass, order, starts)
        return cls(order, starts, places, owners, sizes, cells.sum_groups(mass)[..., owners])

    def center(self) -> Values:
        """Twice the distance of each number's mean rank from that of its group.

        It is whole, and exactly 0 where the numbers of a group are all the same.
        """
        return np.asarray(2 * self._sum_lower(self.sizes) + self.sizes - self.total)

    def tilt(self, values: Values) -> Values:
        """For each cell the sum of values over higher numbers less that over lower ones.

        Args:
            values: Of each cell; they add up to 0 in every group.
        """
        sums = sum_runs(values, self.order, self.starts)
        return np.asarray((-2 * self._sum_lower(sums) - sums)[..., self.places])

    def _sum_lower(self, values: Values) -> Values:
        """Sums values of shape (..., numbers) over the lower numbers of the same group."""
        sums = values.cumsum(-1) - values
        first = np.searchsorted(self.owners, self.owners)
        return np.asarray(sums - sums[..., first])


Sides = tuple[Ranks, Ranks]
"""The ranks of gold, and of what the only system gave out."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of examples by how gold and outputs order them, of shape (..., groups).

    Attributes:
        excess: How many more pairs are concordant than discordant.
        gold: How many have different gold numbers.
        output: How many have different outputs.
        examples: How many examples there are.
        distinct: How many distinct numbers the side with fewer has.
    """

    excess: Values
    gold: Values
    output: Values
    examples: Values
    distinct: Values

    @classmethod
    def of(cls, cells: Cells, mass: Values, sides: Sides) -> "Pairs":
        """The pairs of the only system of a tally."""
        n = cells.sum_groups(mass)
        excess = cells.sum_groups(mass * _compare(cells, mass, sides))
        gold, output = ((n**2 - _sum_up(side, cells, side.sizes**2)) / 2 for side in sides)
        distinct = [_sum_up(side, cells, (side.sizes > 0) * 1.0) for side in sides]
        return cls(excess, gold, output, n, np.minimum(*distinct))

    @property
    def tau_b(self) -> Values:
        """The excess as a share of what it is at most, NaN where there is none."""
        return divide(Ratio(self.excess, np.sqrt(self.gold) * np.sqrt(self.output)), np.nan)


def find_rises(cells: Cells, mass: Values, sides: Sides) -> tuple[Values, Values, Values]:
    """How the excess, and the pairs of different gold and outputs, rise with each cell."""
    lower, higher = (_compare(cells, mass, sides, flipped=side) for side in (False, True))
    gold, output = ((side.total - side.sizes)[..., side.places] for side in sides)
    return lower + higher, gold, output


def weigh(cells: Cells) -> Values:
    """What the examples of each cell weigh together, of shape (..., cells)."""
    return cells.mass.astype(np.float64)


def find_sides(cells: Cells, mass: Values) -> Sides:
    """The ranks of both sides, given what each cell weighs."""
    return Ranks.of(cells, cells.gold, mass), Ranks.of(cells, cells.predicted, mass)


def _sum_up(side: Ranks, cells: Cells, values: NDArray[Any]) -> Values:
    """Sums values of shape (..., numbers) by group."""
    return np.asarray(sum_by(values, side.owners, len(cells.groups)))


def _compare(cells: Cells, mass: Values, sides: Sides, *, flipped: bool = False) -> Values:
    """With how many examples of lower gold each cell is concordant, less the discordant ones.

    Flipped, those of higher gold count. Examples of earlier groups are lower on both sides, and are
    taken off again.
    """
    places = [len(side.owners) - 1 - side.places if flipped else side.places for side in sides]
    order = sides[0].order[:: -1 if flipped else 1]
    rows = np.ascontiguousarray(np.moveaxis(mass, -1, 0)[order])
    found = _native.count_concordance(
        places[0][order], places[1][order], rows.reshape(len(rows), -1), len(sides[1].owners)
    )
    net = np.empty_like(rows)
    net[order] = found.reshape(rows.shape)
    n = cells.sum_groups(mass)
    earlier = (n[..., ::-1].cumsum(-1)[..., ::-1] if flipped else n.cumsum(-1)) - n
    return np.asarray(np.moveaxis(net, 0, -1) - earlier[..., cells.owners])


@final
@dataclass(frozen=True, slots=True, repr=False)
class Spearman(ColumnMetric):
    """How well numbers put examples into the order of their gold numbers.

    Formula: Pearson's correlation of ranks, of which equal numbers share the mean
    Undefined: where gold or outputs are constant, as for a single example.
    Source: Spearman 1904; values as scipy.stats.spearmanr.
    """

    column: str | None = None

    short = "spearman"
    title = "Spearman Correlation"
    bounds = (-1, 1)
    counters = (NumberCells,)

    def score(self, tally: Cells) -> Values:
        mass = weigh(tally)
        return _Products.of(tally, mass, find_sides(tally, mass)).score

    def slopes(self, tally: Cells) -> Values:
        mass, at = weigh(tally), tally.owners
        own = _Products.of(tally, mass, find_sides(tally, mass))
        xy = own.x * own.y + own.gold.tilt(mass * own.y) + own.output.tilt(mass * own.x)
        xx = own.x**2 + 2 * own.gold.tilt(mass * own.x)
        yy = own.y**2 + 2 * own.output.tilt(mass * own.y)
        ratios = [
            divide(Ratio(rise, value[..., at]), 0.0)
            for rise, value in ((xy, own.spread), (xx, own.xx), (yy, own.yy))
        ]
        return ratios[0] - own.score[..., at] * (ratios[1] + ratios[2]) / 2

    def find_bias(self, tally: Tally) -> Values:
        """Three times what it exceeds Kendall's tau by, by the examples and one (Moran 1948)."""
        cells = tally.need_patterns()
        mass = weigh(cells)
        sides = find_sides(cells, mass)
        pairs, own = Pairs.of(cells, mass, sides), _Products.of(cells, mass, sides)
        return np.asarray(np.nan_to_num(3 * (own.score - pairs.tau_b) / (pairs.examples + 1)))


@dataclass(frozen=True, slots=True, eq=False)
class _Products:
    """Centred ranks of cells, and the sums of their products by group.

    Attributes:
        x: The centred rank of each cell's gold.
        y: That of what came out.
        xx: The sum of the squares of x.
        yy: Likewise of y.
        xy: The sum of the products of both.
    """

    gold: Ranks
    output: Ranks
    x: Values
    y: Values
    xx: Values
    yy: Values
    xy: Values

    @classmethod
    def of(cls, cells: Cells, mass: Values, sides: Sides) -> "_Products":
        x, y = (side.center()[..., side.places] for side in sides)
        xx, yy, xy = (cells.sum_groups(mass * a * b) for a, b in ((x, x), (y, y), (x, y)))
        return cls(*sides, x, y, xx, yy, xy)

    @property
    def spread(self) -> Values:
        """The product of both standard deviations, times the examples."""
        return np.sqrt(self.xx) * np.sqrt(self.yy)

    @property
    def score(self) -> Values:
        """Pearson's correlation of the ranks, NaN where one side is constant."""
        return np.clip(divide(Ratio(self.xy, self.spread), np.nan), -1, 1)


@final
@dataclass(frozen=True, slots=True, repr=False)
class KendallTauB(ColumnMetric):
    """How often numbers order two examples as gold does, where ties count on both sides.

    Formula: (concordant - discordant pairs) / square root of (pairs of different gold *
        pairs of different outputs)
    Undefined: where gold or outputs are constant, as for a single example.
    Source: Kendall 1945, Biometrika 33; values as scipy.stats.kendalltau.
    """

    column: str | None = None

    short = "kendall_tau_b"
    title = "Kendall's Tau-b"
    bounds = (-1, 1)
    counters = (NumberCells,)

    def score(self, tally: Cells) -> Values:
        mass = weigh(tally)
        return np.clip(Pairs.of(tally, mass, find_sides(tally, mass)).tau_b, -1, 1)

    def slopes(self, tally: Cells) -> Values:
        mass, at = weigh(tally), tally.owners
        sides = find_sides(tally, mass)
        own = Pairs.of(tally, mass, sides)
        scales = np.sqrt(own.gold) * np.sqrt(own.output), own.gold, own.output
        ratios = [
            divide(Ratio(rise, value[..., at]), 0.0)
            for rise, value in zip(find_rises(tally, mass, sides), scales, strict=True)
        ]
        return ratios[0] - own.tau_b[..., at] * (ratios[1] + ratios[2]) / 2


@final
@dataclass(frozen=True, slots=True, repr=False)
class KendallTauC(ColumnMetric):
    """How often numbers order two examples as gold does, for scales of unlike length.

    It can reach 1 where gold has more distinct numbers than outputs, or fewer, as tau-b cannot.

    Formula: 2 m (concordant - discordant pairs) / (n^2 (m - 1)), where m is how many distinct
        numbers the side with fewer of them has
    Undefined: where gold or outputs are constant, as for a single example.
    Source: Stuart 1953, Biometrika 40; values as scipy.stats.kendalltau with variant="c".
    """

    column: str | None = None

    short = "kendall_tau_c"
    title = "Kendall's Tau-c"
    bounds = (-1, 1)
    counters = (NumberCells,)

    def score(self, tally: Cells) -> Values:
        mass = weigh(tally)
        own = Pairs.of(tally, mass, find_sides(tally, mass))
        ratio = Ratio(2 * own.excess * own.distinct, own.examples**2 * (own.distinct - 1))
        return np.clip(divide(ratio, np.nan), -1, 1)

    def slopes(self, tally: Cells) -> Values:
        mass, at = weigh(tally), tally.owners
        sides = find_sides(tally, mass)
        own = Pairs.of(tally, mass, sides)
        rise, _, _ = find_rises(tally, mass, sides)
        share = divide(Ratio(2 * own.distinct, own.examples**2 * (own.distinct - 1)), 0.0)
        return share[..., at] * (rise - 2 * (own.excess / np.maximum(own.examples, 1))[..., at])
