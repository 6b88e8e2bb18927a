"""How far single units move scores, and the intervals that follow: one model for all metrics.

A unit is an example, or a cluster of examples. Its contribution is its weight times the derivative
of the score with respect to that weight; squares of contributions sum to the variance of the score.
"""

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallystick.frozen import dataclass, fields, replace
from tallystick.statistics import student
from tallystick.statistics.wilson import Values, bound_effectively, quantile

Scale = Literal["counts", "score", "correlation"]
"""Of counts of labels, of any other score, or of a correlation of numbers."""

_FEWEST = 4.0
"""Degrees of freedom, however few units make the variance; fewer only widened what held anyway."""

_STILL = 1e-12
"""A smaller error, as a share of the score, is rounding."""

_FARTHEST = 2.0
"""No interval reaches farther than by e to this power, where a warning tells more."""

_UNSEEN = 1.5
"""So many times the skewness of a sample is that of what it comes from."""

_SAFE = 300.0
"""Beyond e to this power numbers overflow."""

_SURE = 3
"""So many numbers at most fit a line, or an order, whatever they are."""


@dataclass(frozen=True, slots=True, eq=False)
class Scatter:
    """How scores scatter: arrays of the shape of the scores.

    Attributes:
        variance: Of the score; NaN of a single unit, which shows none.
        freedom: The degrees of freedom of the variance.
        units: How many units there effectively are, by their weights.
        skewness: Of the score, as a sum of contributions.
        n: How many units there are.
        largest: The largest share of the variance that a single unit makes.
        bias: How much higher scores of samples are than they are in truth, where that is known.
        rare: The largest share of the variance that a label of few examples makes.
    """

    variance: Values
    freedom: Values
    units: Values
    skewness: Values
    n: Values
    largest: Values
    bias: Values | float = 0.0
    rare: Values | float = 0.0

    @property
    def few(self) -> "Scatter":
        """The same with as many degrees of freedom as there are units, but one."""
        return replace(self, freedom=np.where(self.n > 1, self.n - 1, np.nan))

    def change(self, form: Callable[[Values], Values]) -> "Scatter":
        """The same in another form, of arrays that have the shape of the variance."""
        shape = self.variance.shape
        own = (np.broadcast_to(getattr(self, one.name), shape) for one in fields(type(self)))
        return Scatter(*map(form, own))


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """The contributions of units to scores; there may be many units of one kind.

    Attributes:
        values: What one unit of each kind adds to its score, of shape (..., kinds).
        masses: What one unit weighs, likewise; those of weight 0 do not count.
        counts: How many units there are of each kind.
        owners: Which of the scores each kind is about.
        size: How many scores there are.
        strata: What units are drawn within; None where that is their score.
        rare: The label of each kind, of one score, if that has few examples, else -1; None where
            there are no labels.
    """

    values: Values
    masses: Values
    counts: NDArray[Any]
    owners: NDArray[np.int64]
    size: int
    strata: NDArray[np.int64] | None = None
    rare: NDArray[np.int64] | None = None

    def measure(self) -> Scatter:
        """How the scores scatter, of shape (..., scores).

        Source: Efron and Stein 1981, Annals of Statistics 9 (the jackknife); Bell and McCaffrey
            2002, Survey Methodology 28, for units of unlike weights; Satterthwaite 1946, Biometrics
            Bulletin 2, for degrees of freedom; Kish 1965, Survey Sampling, for effective numbers.
        """
        owners, strata = self.owners, self.owners if self.strata is None else self.strata
        layers = self.size if self.strata is None else int(strata.max(initial=0)) + 1
        counts: Values = np.where(self.masses > 0, self.counts, 0).astype(np.float64)
        sizes = sum_by(counts, strata, layers)
        means = sum_by(counts * self.values, strata, layers) / np.maximum(sizes, 1)
        off = np.where(counts > 0, self.values - means[..., strata], 0)
        scale = np.abs(off).max(-1, keepdims=True, initial=0)
        off = off / np.where(scale > 0, scale, 1)  # so that no power is too large or too small
        squares = counts * off**2
        share, lever = self._weigh(strata, layers)
        alike = sum_by(counts * share**2, strata, layers)[..., strata]
        n, second, third, fourth, variance = (
            sum_by(one, owners, self.size)
            for one in (
                counts,
                squares,
                squares * off,
                squares * off**2,
                squares / np.where(share < 1, 1 - share, np.inf) ** 2 * (1 - alike),
            )
        )
        known = second > 0
        spread = np.maximum(n * fourth / np.where(known, second, 1) ** 2 - 1, _STILL)
        free, units = self._count(counts, share, lever, strata)
        freedom = np.minimum(free, np.maximum(_FEWEST, np.where(known, 2 * n / spread, free)))
        largest = np.zeros_like(second)
        np.maximum.at(largest.T, owners, np.where(counts > 0, off**2, 0).T)
        return Scatter(
            np.where(free > 0, variance * scale**2, np.nan),
            np.where(free > 0, freedom, np.nan),
            units,
            third / np.where(known, second, 1) ** 1.5,
            n,
            largest / np.where(known, second, 1),
            rare=self._find_rarest(squares) / np.where(known, second, 1),
        )

    def _find_rarest(self, squares: Values) -> Values | float:
        if self.rare is None or squares.ndim > 1 or not (self.rare >= 0).any():
            return 0.0
        own = self.rare >= 0
        return float(np.bincount(self.rare[own], squares[own]).max())

    def _weigh(self, strata: NDArray[np.int64], layers: int) -> tuple[Values, Values]:
        """The share of its stratum that a unit of each kind is, and its leverage."""
        total = sum_by(self.masses * self.counts, strata, layers)[..., strata]
        share = self.masses / np.where(total > 0, total, np.inf)
        return share, share**2 / np.where(share < 1, 1 - share, np.nan)

    def _count(
        self, counts: Values, share: Values, lever: Values, strata: NDArray[np.int64]
    ) -> tuple[Values, Values]:
        """The degrees of freedom by the weights of units, and how many units there effectively are.

        Of units in strata these are as many as there are, less the strata.
        """
        masses, heavy, levers, squares = (
            sum_by(counts * one, self.owners, self.size)
            for one in (self.masses, self.masses**2, np.nan_to_num(lever), np.nan_to_num(lever**2))
        )
        units = masses**2 / np.where(heavy > 0, heavy, np.nan)
        if self.strata is None:
            inverse = 1 / units + levers**2 - squares
            alone = sum_by(counts * (share >= 1), self.owners, self.size) > 0
            return np.where(alone, np.nan, 1 / np.where(inverse > 0, inverse, np.nan)), units
        first = np.zeros(int(strata.max(initial=0)) + 1, np.int64)
        first[strata] = self.owners
        filled = (sum_by(counts, strata, len(first)) > 0).astype(np.float64)
        lost: Values = sum_by(filled, first, self.size)
        return sum_by(counts, self.owners, self.size) - lost, units


def gather(
    values: Values,
    masses: Values,
    owners: NDArray[np.int64],
    clusters: NDArray[Any] | None,
    size: int,
    counts: NDArray[Any] | None = None,
) -> Influence:
    """The influence of units on so many scores; clusters add up what is of one score.

    Args:
        values: What a unit of each kind adds to its score, of shape (..., kinds).
        masses: What one unit weighs.
        owners: Which of the scores each kind is about.
        clusters: The cluster of each kind; None where units stand for themselves.
        size: How many scores there are.
        counts: How many units there are of each kind; None where there is one.
    """
    if clusters is None:
        ones = np.ones(len(owners)) if counts is None else counts
        return Influence(values, masses, ones, owners, size)
    wide = int(clusters.max(initial=0)) + 1
    keys, places = np.unique(owners * wide + clusters, return_inverse=True)
    sums, weights = (sum_by(one, places, len(keys)) for one in (values, masses))
    return Influence(sums, weights, np.ones(len(keys)), keys // wide, size)


def sum_by(values: Values, owners: NDArray[np.int64], size: int) -> Values:
    """Sums of values, along the last axis, of each of so many owners."""
    flat = values.reshape(math.prod(values.shape[:-1]), values.shape[-1])
    sums = np.empty((len(flat), size))
    for own, row in zip(sums, flat, strict=True):
        own[:] = np.bincount(owners, row, size)
    return sums.reshape(*values.shape[:-1], size)


def bound_score(
    value: Values, scatter: Scatter, limits: tuple[float, float], scale: Scale, level: float
) -> tuple[Values, Values]:
    """The intervals of scores, by one of two recipes.

    Scores between two limits have Wilson's interval at the effective size, at which a share would
    scatter as much. All others have Student's t on a scale without limits: Fisher's z for
    correlations, the logarithm of the distance from the only limit, or the score itself. Counts of
    labels have as many degrees of freedom as units but one, since few errors tell nothing of
    another kurtosis.

    Where nothing scatters, or a score is at a limit, the effective size is that of the units; where
    there is one limit, that holds at this limit alone, as of a share of errors. Elsewhere, and of a
    single unit, there is no interval.

    Source: Wilson 1927, JASA 22, and Dean and Pagano 2015, Journal of Survey Statistics and
        Methodology 3, for the effective size; Fisher 1915, Biometrika 10, for z.
    """
    own = scatter.few if scale == "counts" else scatter
    error = np.sqrt(own.variance)
    rounding = _STILL if np.isfinite(limits).any() else 0  # numbers are told from near them
    size = np.where(np.isfinite(value), np.abs(value), 0)
    error = np.where(error <= rounding * size, 0, error)
    least, most = limits
    inside = (least < value) & (value < most)
    still = (error == 0) | ~inside
    fits = (scale == "correlation") & (own.n <= _SURE)
    reach = error * student.quantile(level, own.freedom)
    middle = np.where(inside, value, _find_middle(limits))
    if math.isfinite(least) and math.isfinite(most) and scale != "correlation":
        centre = np.where(still, value, np.clip(value - own.bias, *limits))
        share = (np.where((least < centre) & (centre < most), centre, value) - least) / (
            most - least
        )
        spread = (reach / quantile(level) / (most - least)) ** 2
        trials = share * (1 - share) / np.where(still, 1, spread)
        ends = _stretch(
            (centre - least) / (most - least), np.where(still, own.units, trials), limits, level
        )
    else:
        floor = _bound_still(value, own.units, limits, level)
        steps = (sign * reach * _lean(sign * own.skewness, level) for sign in (-1, 1))
        moved = (_move(middle, step, limits) for step in steps)
        ends = np.where(still, floor[0], next(moved)), np.where(still, floor[1], next(moved))
    unknown = np.isnan(error) | np.isnan(value)
    return tuple(  # type: ignore[return-value]
        np.where(np.isnan(value), np.nan, np.where(fits, limit, np.where(unknown, np.nan, end)))
        for limit, end in zip(limits, ends, strict=True)
    )


def _stretch(
    share: Values, trials: Values, limits: tuple[float, float], level: float
) -> tuple[Values, Values]:
    low, high = bound_effectively(np.clip(share, 0, 1), trials, level)
    width = limits[1] - limits[0]
    return limits[0] + width * low, limits[0] + width * high


def _bound_still(
    value: Values, units: Values, limits: tuple[float, float], level: float
) -> tuple[Values, Values]:
    """Wilson's interval of what is at a limit; NaN where the scale is open on both sides."""
    least, most = limits
    unknown = np.full(value.shape, np.nan)
    if math.isinf(least):
        return unknown, unknown
    top = most if math.isfinite(most) else least + 1
    known = (value == least) | math.isfinite(most)
    share = np.where(known, (value - least) / (top - least), 0)
    ends = _stretch(share, units, (least, top), level)
    low, high = (np.where(known, end, np.nan) for end in ends)
    return low, high


def _find_middle(limits: tuple[float, float]) -> float:
    """Some score that is within the limits."""
    low, high = limits
    if math.isfinite(low):
        return (low + high) / 2 if math.isfinite(high) else low + 1
    return high - 1 if math.isfinite(high) else 0.0


def _lean(skewness: Values, level: float) -> Values:
    """By what factor the end is farther from a score on the side of the skewness.

    Samples show about two thirds of the skewness that they come from.

    Source: the first term of the Edgeworth expansion of Student's t, as in Johnson 1978, JASA 73.
    """
    z = quantile(level)
    return 1 + _UNSEEN * np.maximum(skewness, 0) * (2 * z**2 + 1) / (6 * z)


def _move(value: Values, step: Values, limits: tuple[float, float]) -> Values:
    """The scores that lie as far from others as a step of these is where the scale begins."""
    low, high = limits
    below, above = value - low, high - value
    if math.isinf(low) and math.isinf(high):
        return value + step
    if math.isinf(high):
        return np.asarray(low + below * np.exp(np.clip(step / below, -_FARTHEST, _FARTHEST)))
    if math.isinf(low):
        return np.asarray(high - above * np.exp(np.clip(-step / above, -_FARTHEST, _FARTHEST)))
    # Fisher's z, which for -1 and 1 is the logarithm of the odds, halved.
    odds = below / above * np.exp(np.clip(step / below + step / above, -_SAFE, _SAFE))
    return np.asarray(low + (high - low) * odds / (1 + odds))


def name_method(limits: tuple[float, float], scale: Scale) -> str:
    """What an interval comes from."""
    if scale == "correlation":
        return "Student's t on Fisher's z"
    known = np.isfinite(limits).sum()
    if known == 2:
        return "Wilson at the effective size"
    return "Student's t" if known == 0 else "Student's t on a logarithmic scale"


_MOST_SKEWED = 0.5
"""Above this skewness intervals held less than 93% in the simulations of benchmarks/coverage.py."""


_MOST_RARE = 0.5
"""Above this share of the variance from a rare label intervals held in less than 93%."""


def explain(scatter: Scatter, unit: str, *, bounded: bool) -> str | None:
    """Why the interval of the only score may be too narrow, in a clause; None without a reason.

    Args:
        scatter: How it scatters.
        unit: What a unit is called.
        bounded: Whether the score lies between two limits, which skewness hardly matters to.
    """
    skewness, largest, rare = (
        float(np.ravel(one)[0]) for one in (scatter.skewness, scatter.largest, scatter.rare)
    )
    if rare > _MOST_RARE:
        return (
            "it depends on a label with fewer than 5 examples, of which other samples may contain "
            "more or fewer"
        )
    if bounded or abs(skewness) <= _MOST_SKEWED:
        return None
    return (
        f"1 {unit} makes {largest:.0%} of its variance, and other samples may contain more or "
        "fewer of that kind"
    )
