"""Agreement of numbers: correlations of values and of ranks."""

from typing import ClassVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick import _native
from tallystick.kinds.numbers.number_counters import NumberCells, NumberPairs
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.groups import sum_by, sum_runs
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.ratios import Ratio, divide
from tallystick.model.tallies.sums import Sums
from tallystick.model.tallies.tally import Counter

_TINY = 1e-280
"""Smaller sums of squares have lost digits, as products of numbers below 1e-140 have none."""


class Moments(Struct, frozen=True, eq=False):
    """Sums of squares and products around the means, of shape (..., groups); x is gold.

    They are NaN where squares overflow or vanish, and exactly 0 where a side is constant.
    """

    xx: Values
    yy: Values
    xy: Values

    @classmethod
    def of(cls, tally: Sums) -> "Moments":
        """The moments of the only system of a tally."""
        examples = tally.about("examples")  # of weighted ones, the sum of their weights
        n = np.where(examples > 0, examples, 1)
        x, y = tally.about("x"), tally.about("y")
        with np.errstate(all="ignore"):
            xx, yy, xy = (
                tally.about(name) - one * other / n
                for name, one, other in (("xx", x, x), ("yy", y, y), ("xy", x, y))
            )
        return cls._check(xx, yy, xy)

    @classmethod
    def of_cells(cls, cells: Cells, x: Values, y: Values) -> "Moments":
        """The moments of counted pairs, of which `center` gives both sides of each cell."""
        with np.errstate(all="ignore"):
            xx, yy, xy = (
                cells.sum_groups(cells.mass * one * other)
                for one, other in ((x, x), (y, y), (x, y))
            )
        return cls._check(xx, yy, xy)

    @classmethod
    def _check(cls, xx: Values, yy: Values, xy: Values) -> "Moments":
        known = np.isfinite(xx) & np.isfinite(yy) & np.isfinite(xy)
        xx, yy = (np.where(known & ((own == 0) | (own >= _TINY)), own, np.nan) for own in (xx, yy))
        return cls(xx, yy, np.where(known, xy, np.nan))

    @property
    def spread(self) -> Values:
        """The product of both standard deviations, times the examples."""
        return np.sqrt(self.xx) * np.sqrt(self.yy)

    @property
    def correlation(self) -> Values:
        """Pearson's correlation, NaN where one side is constant."""
        return np.clip(divide(Ratio(self.xy, self.spread), np.nan), -1, 1)


def center(numbers: Values, cells: Cells) -> Values:
    """Subtracts the mean of its group from each cell's number; exactly 0 if all are equal."""
    mass, size = cells.mass, len(numbers)
    _, starts, groups = np.unique(cells.owners, return_index=True, return_inverse=True)
    places = np.where(mass > 0, np.arange(size), size - 1)
    first = np.minimum.reduceat(places, starts, axis=-1)[..., groups] if size else places
    with np.errstate(over="ignore", invalid="ignore"):
        away = numbers - numbers[first]
        masses = cells.sum_groups(mass)
        means = cells.sum_groups(mass * away) / np.where(masses > 0, masses, 1)
        return np.asarray(away - means[..., cells.owners])


def _center_both(cells: Cells) -> tuple[Values, Values]:
    return center(cells.gold, cells), center(cells.predicted, cells)


def find_slopes(score: Values, owners: NDArray[np.int64], *parts: tuple[Values, Values]) -> Values:
    """How fast a correlation xy / sqrt(xx yy) rises with the weight of each cell.

    `parts` are, for xy, xx and yy, how fast it rises with each cell, and the whole of each group.
    """
    xy, xx, yy = (divide(Ratio(rise, whole[..., owners]), 0.0) for rise, whole in parts)
    return np.asarray(xy - score[..., owners] * (xx + yy) / 2)


class ColumnMetric(Metric, frozen=True):
    """A metric of a column of numbers; None is the output of a system."""

    column: str | None = None

    counters: ClassVar[tuple[type[Counter], ...]] = (NumberPairs,)


class Pearson(ColumnMetric, frozen=True):
    """Linear correlation between gold numbers and outputs.

    Formula: covariance / (standard deviation of gold * standard deviation of output)
    Undefined: if gold or outputs are constant, as for a single example.
    Source: Pearson 1895; values as scipy.stats.pearsonr.
    """

    short = "pearson"
    title = "Pearson Correlation"
    bounds = (-1, 1)

    def score(self, tally: Sums | Cells) -> Values:
        if isinstance(tally, Cells):
            return Moments.of_cells(tally, *_center_both(tally)).correlation
        return Moments.of(tally).correlation

    def influence(self, tally: Sums | Cells) -> Values | None:
        if not isinstance(tally, Cells):
            return None
        x, y = _center_both(tally)
        own = Moments.of_cells(tally, x, y)
        parts = ((x * y, own.spread), (x * x, own.xx), (y * y, own.yy))
        return find_slopes(own.correlation, tally.owners, *parts)


class CCC(ColumnMetric, frozen=True):
    """Lin's concordance correlation: closeness of outputs to gold numbers, not to any line.

    Formula: 2 covariance / (variance of gold + variance of output + (difference of means)^2)
    Undefined: if gold and outputs are one and the same constant.
    Source: Lin 1989, with the variances of the population.
    """

    short = "ccc"
    title = "CCC"
    bounds = (-1, 1)

    def score(self, tally: Sums) -> Values:
        own = Moments.of(tally)
        squares = own.xx + own.yy + tally.about("examples") * tally.subtract("x", "y") ** 2
        return divide(Ratio(2 * own.xy, squares), np.nan)


class Ranks(Struct, frozen=True, eq=False):
    """The distinct numbers of one side, ascending in one group after the other.

    Attributes:
        order: int64; the cells from the lowest number on.
        starts: int64; where in that order the cells of each number begin.
        places: int64; the rank of the number of each cell, from 0.
        owners: int64; the group of each number.
        sizes: The examples of each number, of shape (..., numbers).
        total: The examples of the group of each number, of the same shape.
    """

    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    places: NDArray[np.int64]
    owners: NDArray[np.int64]
    sizes: Values
    total: Values

    @classmethod
    def of(cls, cells: Cells, numbers: NDArray[np.float64], mass: Values) -> "Ranks":
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
        """Twice the distance of each number's mean rank from that of its group, a whole number."""
        return np.asarray(2 * self._sum_lower(self.sizes) + self.sizes - self.total)

    def tilt(self, values: Values) -> Values:
        """For each cell the sum of values, which add up to 0, over higher less lower numbers."""
        sums = sum_runs(values, self.order, self.starts)
        return np.asarray((-2 * self._sum_lower(sums) - sums)[..., self.places])

    def _sum_lower(self, values: Values) -> Values:
        """Sums values of shape (..., numbers) over the lower numbers of the same group."""
        sums = values.cumsum(-1) - values
        first = np.searchsorted(self.owners, self.owners)
        return np.asarray(sums - sums[..., first])


class Sides(Struct, frozen=True, eq=False):
    """The ranks of both sides of a tally; `mass`, of shape (..., cells), is each cell's weight."""

    cells: Cells
    mass: Values
    gold: Ranks
    output: Ranks

    @classmethod
    def of(cls, cells: Cells) -> "Sides":
        mass = cells.mass.astype(np.float64)
        gold, output = (Ranks.of(cells, own, mass) for own in (cells.gold, cells.predicted))
        return cls(cells, mass, gold, output)

    def center(self) -> tuple[Values, Values]:
        """The centred ranks of both sides of each cell."""
        x, y = (side.center()[..., side.places] for side in (self.gold, self.output))
        return x, y

    def count_pairs(self) -> tuple[Values, Values, Values, Values]:
        """Counts pairs, of shape (..., groups).

        Concordant less discordant, those with different gold, with different outputs; examples.
        """
        n, size = self.cells.sum_groups(self.mass), len(self.cells.groups)
        gold, output = (
            (n**2 - sum_by(side.sizes**2, side.owners, size)) / 2
            for side in (self.gold, self.output)
        )
        return self.cells.sum_groups(self.mass * self.compare()), gold, output, n

    def move_excess(self) -> Values:
        """How fast the excess of concordant pairs rises with the weight of each cell."""
        return self.compare() + self.compare(flipped=True)

    def compare(self, *, flipped: bool = False) -> Values:
        """Concordant less discordant examples of lower gold, or higher if flipped, for each cell.

        Examples of earlier groups are lower on both sides, and are subtracted again.
        """
        both = self.gold, self.output
        places = [len(side.owners) - 1 - side.places if flipped else side.places for side in both]
        order = self.gold.order[:: -1 if flipped else 1]
        rows = np.ascontiguousarray(np.moveaxis(self.mass, -1, 0)[order])
        found = _native.count_concordance(
            places[0][order], places[1][order], rows.reshape(len(rows), -1), len(both[1].owners)
        )
        net = np.empty_like(rows)
        net[order] = found.reshape(rows.shape)
        n = self.cells.sum_groups(self.mass)
        earlier = (n[..., ::-1].cumsum(-1)[..., ::-1] if flipped else n.cumsum(-1)) - n
        return np.asarray(np.moveaxis(net, 0, -1) - earlier[..., self.cells.owners])


class _RankCorrelation(ColumnMetric, frozen=True):
    bounds = (-1, 1)
    counters = (NumberCells,)


class Spearman(_RankCorrelation, frozen=True):
    """Rank correlation: Pearson correlation of the ranks of gold numbers and outputs.

    Formula: Pearson's correlation of ranks, of which equal numbers share the mean
    Undefined: if gold or outputs are constant, as for a single example.
    Source: Spearman 1904; values as scipy.stats.spearmanr.
    """

    short = "spearman"
    title = "Spearman Correlation"

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


class KendallTauB(_RankCorrelation, frozen=True):
    """Rank correlation by concordant and discordant pairs, adjusted for ties on both sides.

    Formula: (concordant - discordant pairs) / square root of (pairs of different gold *
        pairs of different outputs)
    Undefined: if gold or outputs are constant, as for a single example.
    Source: Kendall 1945, Biometrika 33; values as scipy.stats.kendalltau.
    """

    short = "kendall_tau_b"
    title = "Kendall's Tau-b"

    def score(self, tally: Cells) -> Values:
        excess, gold, output, _ = Sides.of(tally).count_pairs()
        return np.clip(divide(Ratio(excess, np.sqrt(gold) * np.sqrt(output)), np.nan), -1, 1)

    def influence(self, tally: Cells) -> Values:
        sides = Sides.of(tally)
        excess, gold, output, _ = sides.count_pairs()
        most = np.sqrt(gold) * np.sqrt(output)
        rises = ((side.total - side.sizes)[..., side.places] for side in (sides.gold, sides.output))
        parts = zip((sides.move_excess(), *rises), (most, gold, output), strict=True)
        return find_slopes(divide(Ratio(excess, most), np.nan), tally.owners, *parts)


class KendallTauC(_RankCorrelation, frozen=True):
    """Rank correlation by concordant and discordant pairs, for scales of different length.

    Unlike tau-b it can reach 1 if gold and outputs have different numbers of distinct values.

    Formula: 2 m (concordant - discordant pairs) / (n^2 (m - 1)), where m is how many distinct
        numbers the side with fewer of them has
    Undefined: if gold or outputs are constant, as for a single example.
    Source: Stuart 1953, Biometrika 40; values as scipy.stats.kendalltau with variant="c".
    """

    short = "kendall_tau_c"
    title = "Kendall's Tau-c"

    def score(self, tally: Cells) -> Values:
        sides = Sides.of(tally)
        (excess, _, _, n), m = sides.count_pairs(), self._count_distinct(sides)
        return np.clip(divide(Ratio(2 * excess * m, n**2 * (m - 1)), np.nan), -1, 1)

    def influence(self, tally: Cells) -> Values:
        sides, at = Sides.of(tally), tally.owners
        (excess, _, _, n), m = sides.count_pairs(), self._count_distinct(sides)
        share = divide(Ratio(2 * m, n**2 * (m - 1)), 0.0)
        return share[..., at] * (sides.move_excess() - 2 * (excess / np.maximum(n, 1))[..., at])

    def _count_distinct(self, sides: Sides) -> Values:
        size = len(sides.cells.groups)
        both = (sides.gold, sides.output)
        counts = (sum_by((own.sizes > 0) * 1.0, own.owners, size) for own in both)
        return np.asarray(np.minimum(*counts))
