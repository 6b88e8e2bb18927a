"""How far single units move scores, and the intervals that follow: one model for all metrics.

A unit is an example, or a cluster of examples. Its contribution is its weight times the derivative
of the score with respect to that weight; squares of contributions sum to the variance of the score.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.statistics import student
from tallystick.statistics.wilson import Values, bound_effectively, quantile

Scale = Literal["counts", "score", "correlation"]
"""Of counts of labels, of any other score, or of a correlation of numbers."""

FEWEST = 4.0
"""Degrees of freedom, however few units make the variance; fewer only widened what held anyway."""

FEWEST_OF_CLUSTERS = 8.0
"""Likewise of labels in clusters, whose few errors make the kurtosis large."""

FEWEST_OF_DIFFERENCE = 2.0
"""Likewise of differences, as of a single unit that differs."""

_STILL = 1e-12
"""A smaller error, as a share of the score, is rounding."""

_FARTHEST = 2.0
"""No interval reaches farther than by e to this power, where a warning tells more."""

_LEAN = 1.5
"""How strongly the square of the skewness moves an end, by the simulations of
benchmarks/promises.py."""

_SAFE = 300.0
"""Beyond e to this power numbers overflow."""

_MOVING = 1e-9
"""A smaller contribution, as a share of the largest one, is rounding."""

_SKEWED = 0.25
"""With a larger skewness of a difference more than 7% of worse systems passed the simulations of
benchmarks/promises.py."""

_BY_CHANCE = 2 * math.sqrt(6)
"""Twice the deviation that it has by chance in normal samples, times their size."""

_AT_ONCE = 1 << 17
"""Contributions to differences of this many kinds fit into the cache of a processor."""

_SURE = 3
"""So many numbers at most fit a line, or an order, whatever they are."""


class Scatter(Struct, frozen=True, eq=False):
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

    def is_skewed(self) -> NDArray[np.bool_]:
        """Whether tests and bounds of differences promise too much, as a few units make most."""
        by_chance = _BY_CHANCE / np.maximum(self.n, 1)
        return np.asarray(np.abs(self.skewness) > np.maximum(_SKEWED, by_chance))

    def change(self, form: Callable[[Values], Values]) -> "Scatter":
        """The same in another form, of arrays that have the shape of the variance."""
        shape = self.variance.shape
        names = self.__struct_fields__
        own = (np.broadcast_to(getattr(self, name), shape) for name in names)
        return Scatter(*map(form, own))


class Influence(Struct, frozen=True, eq=False):
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

    def measure(self, fewest: float = FEWEST) -> Scatter:
        """How the scores scatter, of shape (..., scores), with at least `least` degrees of freedom.

        Source: Efron and Stein 1981, Annals of Statistics 9 (the jackknife); Bell and McCaffrey
            2002, Survey Methodology 28, for units of unlike weights; Satterthwaite 1946, Biometrics
            Bulletin 2, for degrees of freedom; Kish 1965, Survey Sampling, for effective numbers.
        """
        return self._measure(self.values, self._weigh(), fewest)

    def _measure(self, values: Values, weights: "_Weights", fewest: float) -> Scatter:
        counts, owners = weights.counts, self.owners
        off = self._centre(values, counts)
        scale = np.maximum(off.max(-1, initial=0), -off.min(-1, initial=0))[..., None]
        off = off / np.where(scale > 0, scale, 1)  # so that no power is too large or too small
        squares = off * off
        second, third, fourth, variance = (
            _add(one, each, owners, self.size)
            for one, each in (
                (squares, counts),
                (squares * off, counts),
                (squares * squares, counts),
                (squares, weights.trust),
            )
        )
        known, n, free = second > 0, weights.n, weights.freedom
        spread = np.maximum(n * fourth / np.where(known, second, 1) ** 2 - 1, _STILL)
        freedom = np.minimum(free, np.maximum(fewest, np.where(known, 2 * n / spread, free)))
        if self.size == 1:
            largest = squares.max(-1, keepdims=True, initial=0)
        else:
            largest = np.zeros_like(second)
            np.maximum.at(largest.T, owners, squares.T)
        return Scatter(
            np.where(free > 0, variance * scale**2, np.nan),
            np.where(free > 0, freedom, np.nan),
            weights.units,
            third / np.where(known, second, 1) ** 1.5,
            n,
            largest / np.where(known, second, 1),
            rare=self._find_rarest(squares * counts) / np.where(known, second, 1),
        )

    def _find_rarest(self, squares: Values) -> Values | float:
        if self.rare is None or squares.ndim > 1 or not (self.rare >= 0).any():
            return 0.0
        own = self.rare >= 0
        return float(np.bincount(self.rare[own], squares[own]).max())

    def _centre(self, values: Values, counts: Values) -> Values:
        """The contributions about the mean of their stratum; 0 of kinds without weight."""
        strata, layers = self._layers()
        sizes = np.maximum(_add(np.ones_like(counts), counts, strata, layers), 1)
        means = _add(values, counts, strata, layers) / sizes
        off: Values = values - (means if layers == 1 else _spread(means, strata))
        return off if counts.all() else np.where(counts > 0, off, 0)

    def _layers(self) -> tuple[NDArray[np.int64], int]:
        if self.strata is None:
            return self.owners, self.size
        return self.strata, int(self.strata.max(initial=0)) + 1

    def compare(self, pairs: NDArray[np.intp]) -> Scatter:
        """How differences of two of the systems that stand along the first axis scatter.

        Pairs, of shape (pairs, 2), are places of systems; what is found has shape (pairs, scores).
        Units that move neither score have no part, unless none moves one.
        """
        step = max(_AT_ONCE // max(self.values.shape[-1], 1), 1)
        size = np.abs(self.values)
        moving = size > _MOVING * size.max(-1, keepdims=True, initial=0)
        weights = self._weigh() if self.masses.ndim == 1 and moving.all() else None
        found = []
        for start in range(0, len(pairs), step):
            a, b = pairs[start : start + step].T
            own = weights
            if own is None:
                masses = np.broadcast_to(self.masses, self.values.shape)
                both = moving[a] | moving[b]
                none = sum_at(both.astype(np.float64), self.owners, self.size) == 0
                both |= _spread(none, self.owners)
                own = replace(self, masses=np.maximum(masses[a], masses[b]) * both)._weigh()
            gaps = self.values[a] - self.values[b]
            found.append(self._measure(gaps, own, FEWEST_OF_DIFFERENCE))
        return join_scatters(found, 0)

    def covary(self) -> Values:
        """The covariances of the scores of systems along the first axis, for each of the scores."""
        counts: Values = np.where(self.masses > 0, self.counts, 0).astype(np.float64)
        counts = counts if counts.ndim == 1 else counts.max(0)
        off = self._centre(self.values, counts)
        off *= np.sqrt(counts)  # in place, and not sorted needlessly: there may be many systems
        if self.size == 1:
            return (off @ off.T)[None]
        order = np.argsort(self.owners, kind="stable")
        ends = np.cumsum(np.bincount(self.owners, minlength=self.size))
        parts = np.split(off[:, order], ends[:-1], axis=1)
        return np.stack([one @ one.T for one in parts])

    def _weigh(self) -> "_Weights":
        owners, (strata, layers) = self.owners, self._layers()
        counts: Values = np.where(self.masses > 0, self.counts, 0).astype(np.float64)
        total = _spread(_add(self.masses, self.counts, strata, layers), strata)
        share = self.masses / np.where(total > 0, total, np.inf)
        lever = share**2 / np.where(share < 1, 1 - share, np.inf)
        alike = _spread(_add(share**2, counts, strata, layers), strata)
        trust = counts / np.where(share < 1, 1 - share, np.inf) ** 2 * (1 - alike)
        n, masses, heavy, levers, squares, alone = (
            _add(one, counts, owners, self.size)
            for one in (
                np.ones_like(counts),
                self.masses,
                self.masses**2,
                lever,
                lever**2,
                (share >= 1).astype(np.float64),
            )
        )
        units = masses**2 / np.where(heavy > 0, heavy, np.nan)
        if self.strata is None:
            inverse = 1 / units + levers**2 - squares
            known = (alone == 0) & (inverse > 0)
            return _Weights(counts, trust, n, 1 / np.where(known, inverse, np.nan), units)
        # Of units in strata degrees of freedom are as many as there are, less the strata.
        first = np.zeros(layers, np.int64)
        first[strata] = owners
        filled = (sum_at(counts, strata, layers) > 0).astype(np.float64)
        return _Weights(counts, trust, n, n - sum_at(filled, first, self.size), units)


class _Weights(Struct, frozen=True, eq=False):
    """What follows from the masses of units alone.

    `counts` are of units that have a mass, `trust` what the square of one of them adds to the
    variance, `n` how many there are, and `freedom` and `units` the degrees of freedom and the
    number of units that weights leave, of each score.
    """

    counts: Values
    trust: Values
    n: Values
    freedom: Values
    units: Values


class Covariances(Struct, frozen=True, eq=False):
    """How scores of systems vary together that rest on too many units to list their contributions.

    Attributes:
        matrix: Of shape (scores, systems, systems).
        n: How many units each score of a system has, of shape (systems, scores).
        freedom: The degrees of freedom of each score.
    """

    matrix: Values
    n: Values
    freedom: Values

    def measure(self) -> Scatter:
        """How the scores of the first system scatter."""
        return self._scatter(self.matrix[:, 0, 0], self.n[0])

    def compare(self, pairs: NDArray[np.intp]) -> Scatter:
        """How differences of two systems scatter, as of contributions."""
        a, b = pairs.T
        own = np.einsum("gss->sg", self.matrix)
        size = own[a] + own[b]
        variance = size - 2 * self.matrix[:, a, b].T
        variance = np.where(variance <= _STILL * size, 0, variance)
        return self._scatter(variance, np.maximum(self.n[a], self.n[b]))

    def _scatter(self, variance: Values, n: Values) -> Scatter:
        none = np.zeros(1)
        return Scatter(np.maximum(variance, 0), self.freedom, n, none, n, none)


def join_scatters(parts: Sequence[Scatter], axis: int) -> Scatter:
    """How scores scatter along an axis, of which the parts are some each."""
    return Scatter(
        *(
            np.concatenate(
                [np.broadcast_to(getattr(one, name), one.variance.shape) for one in parts], axis
            )
            for name in Scatter.__struct_fields__
        )
    )


def _add(values: Values, weights: Values, owners: NDArray[np.int64], size: int) -> Values:
    """Weighted sums of values, along the last axis, of each of this many owners."""
    if size == 1:
        return np.asarray(np.einsum("...k,...k->...", values, weights)[..., None])
    return sum_at(values * weights, owners, size)


def _spread(values: NDArray[Any], owners: NDArray[np.int64]) -> NDArray[Any]:
    """The value of its owner for each kind, along the last axis."""
    return values if values.shape[-1] == 1 else values[..., owners]


def gather(
    values: Values,
    masses: Values,
    owners: NDArray[np.int64],
    clusters: NDArray[Any] | None,
    size: int,
    counts: NDArray[Any] | None = None,
) -> Influence:
    """The influence of units on this many scores; the kinds of one score and cluster are summed."""
    if clusters is None:
        ones = np.ones(len(owners)) if counts is None else counts
        return Influence(values, masses, ones, owners, size)
    wide = int(clusters.max(initial=0)) + 1
    keys, places = np.unique(owners * wide + clusters, return_inverse=True)
    sums, weights = (sum_at(one, places, len(keys)) for one in (values, masses))
    return Influence(sums, weights, np.ones(len(keys)), keys // wide, size)


def sum_at(values: Values, owners: NDArray[np.int64], size: int) -> Values:
    """Sums of values, along the last axis, of each of this many owners."""
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
    there is one limit, that contains at this limit alone, as of a share of errors. Elsewhere, and
    of a single unit, there is no interval.

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
    low, high = limits
    if math.isfinite(low):
        return (low + high) / 2 if math.isfinite(high) else low + 1
    return high - 1 if math.isfinite(high) else 0.0


def _lean(skewness: Values, level: float) -> Values:
    """By what factor the end is farther from a score on the side of the skewness.

    The first term of an Edgeworth expansion is too small for heavy tails, of which samples show
    less skewness than there is, and too large for others. Hence the square.

    Source: the term of Johnson 1978, JASA 73, times 9 times the skewness.
    """
    z = quantile(level)
    return 1 + _LEAN * np.maximum(skewness, 0) ** 2 * (2 * z**2 + 1) / z


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
