"""Rank correlations: Spearman's, and Kendall's tau-b and tau-c."""

from typing import final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick import _native
from tallystick.kinds.numbers.correlations import ColumnMetric, Moments, find_slopes
from tallystick.kinds.numbers.number_counters import NumberCells
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.groups import sum_by, sum_runs
from tallystick.model.tallies.metric import Values
from tallystick.model.tallies.ratios import Ratio, divide


class Ranks(Struct, frozen=True, eq=False):
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


class Sides(Struct, frozen=True, eq=False):
    """The ranks of gold, and of what the only system gave out, of a tally.

    `mass`, of shape (..., cells), is what the examples of each cell weigh together.
    """

    cells: Cells
    mass: Values
    gold: Ranks
    output: Ranks

    @classmethod
    def of(cls, cells: Cells) -> "Sides":
        """Ranks both sides of each cell."""
        mass = cells.mass.astype(np.float64)
        gold, output = (Ranks.of(cells, own, mass) for own in (cells.gold, cells.predicted))
        return cls(cells, mass, gold, output)

    def center(self) -> tuple[Values, Values]:
        """The centred ranks of both sides of each cell."""
        x, y = (side.center()[..., side.places] for side in (self.gold, self.output))
        return x, y


class Pairs(Struct, frozen=True, eq=False):
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
    def of(cls, sides: Sides) -> "Pairs":
        """The pairs of the only system of a tally."""
        cells, both = sides.cells, (sides.gold, sides.output)
        n, size = cells.sum_groups(sides.mass), len(cells.groups)
        excess = cells.sum_groups(sides.mass * _compare(sides))
        gold, output = ((n**2 - sum_by(side.sizes**2, side.owners, size)) / 2 for side in both)
        distinct = [sum_by((side.sizes > 0) * 1.0, side.owners, size) for side in both]
        return cls(excess, gold, output, n, np.minimum(*distinct))

    @property
    def tau_b(self) -> Values:
        """The excess as a share of what it is at most, NaN where there is none."""
        return divide(Ratio(self.excess, self.most), np.nan)

    @property
    def most(self) -> Values:
        """What the excess is at most."""
        return np.sqrt(self.gold) * np.sqrt(self.output)


def _find_rises(sides: Sides) -> tuple[Values, Values, Values]:
    """How the excess, and the pairs of different gold and outputs, rise with each cell."""
    lower, higher = (_compare(sides, flipped=side) for side in (False, True))
    both = sides.gold, sides.output
    gold, output = ((side.total - side.sizes)[..., side.places] for side in both)
    return lower + higher, gold, output


def _compare(sides: Sides, *, flipped: bool = False) -> Values:
    """With how many examples of lower gold each cell is concordant, less the discordant ones.

    Flipped, those of higher gold count. Examples of earlier groups are lower on both sides, and are
    taken off again.
    """
    cells, both = sides.cells, (sides.gold, sides.output)
    places = [len(side.owners) - 1 - side.places if flipped else side.places for side in both]
    order = sides.gold.order[:: -1 if flipped else 1]
    rows = np.ascontiguousarray(np.moveaxis(sides.mass, -1, 0)[order])
    found = _native.count_concordance(
        places[0][order], places[1][order], rows.reshape(len(rows), -1), len(sides.output.owners)
    )
    net = np.empty_like(rows)
    net[order] = found.reshape(rows.shape)
    n = cells.sum_groups(sides.mass)
    earlier = (n[..., ::-1].cumsum(-1)[..., ::-1] if flipped else n.cumsum(-1)) - n
    return np.asarray(np.moveaxis(net, 0, -1) - earlier[..., cells.owners])


@final
class Spearman(ColumnMetric, frozen=True):
    """How well numbers put examples into the order of their gold numbers.

    Formula: Pearson's correlation of ranks, of which equal numbers share the mean
    Undefined: where gold or outputs are constant, as for a single example.
    Source: Spearman 1904; values as scipy.stats.spearmanr.
    """

    short = "spearman"
    title = "Spearman Correlation"
    bounds = (-1, 1)
    counters = (NumberCells,)

    def score(self, tally: Cells) -> Values:
        return Moments.of_cells(tally, *Sides.of(tally).center()).correlation

    def influence(self, tally: Cells) -> Values:
        sides = Sides.of(tally)
        (x, y), mass, gold, output = sides.center(), sides.mass, sides.gold, sides.output
        own = Moments.of_cells(tally, x, y)
        xy = x * y + gold.tilt(mass * y) + output.tilt(mass * x)
        xx, yy = x**2 + 2 * gold.tilt(mass * x), y**2 + 2 * output.tilt(mass * y)
        parts = ((xy, own.spread), (xx, own.xx), (yy, own.yy))
        return find_slopes(own.correlation, tally.owners, *parts)


@final
class KendallTauB(ColumnMetric, frozen=True):
    """How often numbers order two examples as gold does, where ties count on both sides.

    Formula: (concordant - discordant pairs) / square root of (pairs of different gold *
        pairs of different outputs)
    Undefined: where gold or outputs are constant, as for a single example.
    Source: Kendall 1945, Biometrika 33; values as scipy.stats.kendalltau.
    """

    short = "kendall_tau_b"
    title = "Kendall's Tau-b"
    bounds = (-1, 1)
    counters = (NumberCells,)

    def score(self, tally: Cells) -> Values:
        return np.clip(Pairs.of(Sides.of(tally)).tau_b, -1, 1)

    def influence(self, tally: Cells) -> Values:
        sides = Sides.of(tally)
        own = Pairs.of(sides)
        parts = zip(_find_rises(sides), (own.most, own.gold, own.output), strict=True)
        return find_slopes(own.tau_b, tally.owners, *parts)


@final
class KendallTauC(ColumnMetric, frozen=True):
    """How often numbers order two examples as gold does, for scales of unlike length.

    It can reach 1 where gold has more distinct numbers than outputs, or fewer, as tau-b cannot.

    Formula: 2 m (concordant - discordant pairs) / (n^2 (m - 1)), where m is how many distinct
        numbers the side with fewer of them has
    Undefined: where gold or outputs are constant, as for a single example.
    Source: Stuart 1953, Biometrika 40; values as scipy.stats.kendalltau with variant="c".
    """

    short = "kendall_tau_c"
    title = "Kendall's Tau-c"
    bounds = (-1, 1)
    counters = (NumberCells,)

    def score(self, tally: Cells) -> Values:
        own = Pairs.of(Sides.of(tally))
        ratio = Ratio(2 * own.excess * own.distinct, own.examples**2 * (own.distinct - 1))
        return np.clip(divide(ratio, np.nan), -1, 1)

    def influence(self, tally: Cells) -> Values:
        sides, at = Sides.of(tally), tally.owners
        own, (rise, _, _) = Pairs.of(sides), _find_rises(sides)
        share = divide(Ratio(2 * own.distinct, own.examples**2 * (own.distinct - 1)), 0.0)
        return share[..., at] * (rise - 2 * (own.excess / np.maximum(own.examples, 1))[..., at])
