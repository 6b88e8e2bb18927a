"""Aggregates of columns of numbers: mean, sum, quantiles, and the ratio of two sums."""

import math
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.errors import Danger, Read, UsageError
from tallystick.kinds.labels.accuracy import share_verdicts
from tallystick.kinds.numbers.correlations import ColumnMetric
from tallystick.kinds.numbers.number_counters import NumberSums, NumberValues, RatioSums
from tallystick.model.facts import Facts
from tallystick.model.tallies import ratios
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.metric import (
    ComputedName,
    Direction,
    Metric,
    UnlistedName,
    Values,
    show,
)
from tallystick.model.tallies.sums import Sums
from tallystick.model.tallies.tally import Counter, Tally, need_patterns
from tallystick.statistics import student
from tallystick.statistics.influence import Influence, sum_at
from tallystick.statistics.percentiles import bound_ranks
from tallystick.statistics.wilson import quantile


class _Total(ColumnMetric, frozen=True):
    """What the sum of a column of numbers tells."""

    # What is better, and what is possible, is known of the column and not of the metric.
    better: Direction = "lower"  # type: ignore[misc]
    bounds: tuple[float, float] = (-math.inf, math.inf)  # type: ignore[misc]

    zero = "every example scored 0"
    counters = (NumberSums,)

    @property
    def full_title(self) -> str:
        return self.title if self.column is None else f"{self.title} {self.column}"


class Mean(_Total, frozen=True):
    """Arithmetic mean of a column of numbers: COMET, BERTScore, ratings, seconds.

    Formula: sum / examples
    Undefined: without examples.
    Source: the arithmetic mean.
    """

    better: Direction = "higher"  # type: ignore[misc]

    short = "mean"
    tests = ("mcnemar", "mcnemar-midp")

    @property
    def name(self) -> str:
        return str(self.column) if isinstance(self.column, ComputedName) else super().name

    def as_share(self, tally: Sums) -> tuple[Metric, Cells] | None:
        scale = tuple(self.bounds)  # one that goes farther tells that others are possible
        return share_verdicts(tally) if scale in ((0, 1), (-math.inf, math.inf)) else None

    def notes(self, tally: object, facts: Facts) -> Iterator[tuple[str, str]]:
        if isinstance(self.column, UnlistedName):
            text = f"no metric is called {self.column}: it is the mean of the column of that name."
            yield Read(text), ""

    def score(self, tally: Sums) -> Values:
        return tally.average("sum")


class Sum(_Total, frozen=True):
    """Total of a column of numbers, such as the cost of a run.

    Its interval is that of another sample of as many examples, or clusters.

    Formula: sum, of the tally `NumberSums`
    Undefined: never; 0 without examples.
    Source: numpy.sum.
    """

    short = "sum"
    adds_up = True

    def score(self, tally: Sums) -> Values:
        return tally["sum"]


class Ratio(Metric, frozen=True):
    """Total of one column divided by the total of another, such as the cost per success.

    It is not a mean of ratios: examples count by what they add to both sums. Intervals come from
    leaving out each example, or cluster, on a logarithmic scale.

    Formula: sum of the numerator / sum of the denominator, of the tally `RatioSums`
    Undefined: if the denominator sums to 0.
    Source: the ratio estimator, Cochran 1977, Sampling Techniques, chapter 6.
    """

    numerator: str
    denominator: str
    better: Direction = "lower"  # type: ignore[misc]
    bounds: tuple[float, float] = (0, math.inf)  # type: ignore[misc]

    short = "ratio"
    zero = "the numerator is 0 for every example"
    counters = (RatioSums,)

    def __post_init__(self) -> None:
        if not (isinstance(self.numerator, str) and isinstance(self.denominator, str)):
            shown = f"{show(self.numerator)} and {show(self.denominator)}"
            raise UsageError(f"a ratio is of two columns by name, not of {shown}")
        super().__post_init__()

    @property
    def name(self) -> str:
        return f"{self.short}({self.numerator}, {self.denominator})"

    @property
    def full_title(self) -> str:
        return f"{self.title} {self.numerator}, {self.denominator}"

    def score(self, tally: Sums) -> Values:
        sums = ratios.Ratio(tally["numerator"], tally["denominator"])
        return ratios.divide(sums, math.nan)


class Perplexity(Ratio, frozen=True):
    """Exponential of the negative log-likelihood of a token, from sums of two columns.

    The first contains negative natural log-likelihoods, the second numbers of tokens, words or
    bytes.

    Formula: exp(sum of the numerator / sum of the denominator), of the tally `RatioSums`
    Undefined: if the denominator sums to 0.
    Source: lm-evaluation-harness's weighted_perplexity.
    """

    short = "perplexity"

    def score(self, tally: Sums) -> Values:
        with np.errstate(over="ignore"):
            return np.exp(super().score(tally))


_CONFIDENCE = 0.95
"""That of the interval whose width shows how dense numbers are at a quantile."""


class _Sorted(Struct, frozen=True, eq=False):
    """The numbers of the only system of a tally, ascending in each group.

    Attributes:
        heaped: The cumulated examples of the cells over all groups, of shape (..., cells).
        before: The examples of earlier groups, of shape (..., groups); `n` those of each group.
    """

    numbers: NDArray[np.float64]
    heaped: Values
    before: Values
    n: Values

    @classmethod
    def of(cls, cells: Cells) -> "_Sorted":
        order = np.lexsort((cells.predicted, cells.owners))
        heaped = np.cumsum(cells.mass[..., order].astype(np.float64), -1)
        n = cells.sum_groups(cells.mass).astype(np.float64)
        return cls(cells.predicted[order], heaped, np.cumsum(n, -1) - n, n)

    def take(self, ranks: Values) -> Values:
        """The number of a rank, counted from 1, in each group: of shape (..., groups)."""
        wanted = (self.before + ranks).reshape(-1, ranks.shape[-1])
        rows = self.heaped.reshape(-1, self.heaped.shape[-1])
        places = [np.searchsorted(*both, "left") for both in zip(rows, wanted, strict=True)]
        found = np.minimum(np.array(places).reshape(ranks.shape), len(self.numbers) - 1)
        inside = (ranks >= 1) & (ranks <= self.n)
        return np.where(inside, self.numbers[found], np.where(ranks < 1, -np.inf, np.inf))

    def interpolate(self, level: float) -> Values:
        """The quantile of a level in each group; NaN without examples."""
        place = np.maximum(self.n - 1, 0) * level
        low = np.floor(place)
        below, above = (self.take(np.minimum(low + 1 + step, self.n)) for step in (0, 1))
        # As numpy interpolates, from the nearer end.
        part, gap = place - low, above - below
        with np.errstate(invalid="ignore"):
            found = np.where(part < 0.5, below + gap * part, above - gap * (1 - part))
        return np.where(self.n > 0, found, np.nan)


def _count_effectively(cells: Cells, found: _Sorted, level: float, confidence: float) -> Values:
    """How many independent numbers the clusters of each group are worth; all without clusters."""
    if cells.clusters is None:
        return found.n
    at = found.take(np.maximum(np.ceil(found.n * level), 1))
    parts, sizes = cells.split_clusters()
    owners = np.repeat(np.arange(len(sizes)), sizes)
    hits, masses = (
        parts.sum_groups(one).astype(np.float64)
        for one in (parts.mass * (parts.predicted <= at[owners][parts.owners]), parts.mass)
    )
    total = np.maximum(sum_at(masses, owners, len(sizes)), np.finfo(float).tiny)
    share = sum_at(hits, owners, len(sizes)) / total
    moves = (hits - share[owners] * masses) / total[owners]
    own = Influence(moves, masses, np.ones(len(owners)), owners, len(sizes)).measure()
    error = own.variance * (student.quantile(confidence, own.freedom) / quantile(confidence)) ** 2
    trials = np.where(error > 0, share * (1 - share) / np.where(error > 0, error, 1), own.units)
    return np.minimum(np.where(np.isnan(own.variance), 0, trials), found.n)


class OfSorted(ColumnMetric, frozen=True):
    """What is at a level of the ascending numbers of a column."""

    q: ClassVar[float] = 0.5
    bounds = (-math.inf, math.inf)
    counters: ClassVar[tuple[type[Counter], ...]] = (NumberValues,)

    def score(self, tally: Cells) -> Values:
        return _Sorted.of(tally).interpolate(self.q)

    def bound(self, tally: Tally, confidence: float) -> tuple[Values, Values, str]:
        """The ends of the interval of a quantile in each group; NaN if nothing bounds it.

        The effective size of clusters follows from their shares of numbers below the quantile.
        """
        cells, level = need_patterns(tally), self.q
        own = _Sorted.of(cells)
        sizes = _count_effectively(cells, own, level, confidence)
        ranks = [bound_ranks(int(size), level, confidence) for size in sizes]
        low, high = np.array(ranks, np.float64).reshape(-1, 2).T
        scale = own.n / np.maximum(np.floor(sizes), 1)
        beyond = np.floor((np.floor(sizes) + 1 - high) * scale)
        ends = own.take(np.floor(low * scale)), own.take(own.n + 1 - beyond)
        known = np.isfinite(ends[0]) | np.isfinite(ends[1])
        low, high = (np.where(known, end, np.nan) for end in ends)
        if cells.clusters is None:
            return low, high, "binomial order statistics"
        return low, high, "order statistics at the effective size of clusters"

    def influence(self, tally: Cells) -> Values:
        """How fast a quantile rises with the weight of each cell, by the width of its interval.

        Source: Woodruff 1952, JASA 47; Bloch and Gastwirth 1968, Annals of Mathematical
            Statistics 39.
        """
        level, at, own = self.q, tally.owners, _Sorted.of(tally)
        n = np.maximum(own.n, 1)
        half = quantile(_CONFIDENCE) * np.sqrt(n * level * (1 - level))
        ranks = [np.clip(n * level + side * half + 0.5, 1, n) for side in (-1, 1)]
        low, high = (own.take(np.round(one)) for one in ranks)
        width = np.maximum(np.round(ranks[1]) - np.round(ranks[0]), 1) / n
        value = own.interpolate(level)[..., at]
        # Numbers that equal the quantile count in part, so that all together move it by nothing.
        below, equal = tally.predicted < value, tally.predicted == value
        shares = [(tally.sum_groups(tally.mass * side) / n)[..., at] for side in (below, equal)]
        lean = level - shares[0]
        part = np.where(shares[1] > 0, lean / np.where(shares[1] > 0, shares[1], 1), 0)
        excess = level - np.where(equal, part, below)
        excess -= (tally.sum_groups(tally.mass * excess) / n)[..., at]
        return excess * ((high - low) / width / n)[..., at]


class Quantile(OfSorted, frozen=True):
    """Number below which a given share of the examples lies, such as the 95th percentile.

    The interval lies between two order statistics, by the binomial distribution; an end is infinite
    if there are too few numbers. With clusters the ranks come from each cluster's share of numbers
    below the quantile.

    Formula: the number at the place (n - 1) q of the ascending numbers from 0 on, interpolated
        between two, of the tally `NumberValues`
    Undefined: without examples.
    Source: Hyndman and Fan 1996, The American Statistician 50, definition 7; as numpy.quantile.
    """

    q: float = 0.5  # type: ignore[misc]
    better: Direction = "lower"  # type: ignore[misc]

    short = "quantile"
    ranges: ClassVar = {"q": (0.0001, 0.9999)}

    @property
    def name(self) -> str:
        return f"{self.short}({', '.join([*filter(None, [self.column]), f'{self.q:g}'])})"

    @property
    def full_title(self) -> str:
        return f"{self.title} {self.q:g}{'' if self.column is None else f' {self.column}'}"

    def notes(self, tally: Tally, facts: Facts) -> Iterator[tuple[str, str]]:
        n = int(tally.n.sum())
        low, high = bound_ranks(n, self.q, _CONFIDENCE)
        if low < 1 or high > n:
            text = "Too few numbers lie beyond {}: do not rely on its p-values and differences."
            yield Danger(text), f"{self.name} of {n:,}"


class Median(OfSorted, frozen=True):
    """Middle number of a column, which few extreme values do not change.

    Its interval is that of `quantile` at 0.5.

    Formula: the middle one of the ascending numbers, or the mean of the two in the middle, of the
        tally `NumberValues`
    Undefined: without examples.
    Source: as numpy.median.
    """

    better: Direction = "lower"  # type: ignore[misc]

    short = "median"

    @property
    def full_title(self) -> str:
        return self.title if self.column is None else f"{self.title} {self.column}"
