"""What the effects of examples say of two systems: p-values, and intervals that agree with them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tallystick.comparison.effects import Effects
from tallystick.comparison.settings import Test
from tallystick.frozen import dataclass
from tallystick.statistics import permutations, student
from tallystick.statistics.differences import (
    agree,
    bound_labels,
    bound_sums,
    contain,
)
from tallystick.statistics.jackknife import lean_by, lean_p_value
from tallystick.statistics.percentiles import measure_deviation
from tallystick.tallies.metric import Metric, Values

_MOST_SKEWED = 0.25
"""With a larger skewness of the mean more than 7% of worse systems passed the simulations of
benchmarks/promises.py."""

_BY_CHANCE = 2 * np.sqrt(6)
"""Twice the deviation that it has by chance in normal samples, times their size."""

_STILL = 1e-6
"""A smaller error, as a share of what one example could change, is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Paired:
    """The differences of pairs of systems, and what examples add; arrays (pairs, metrics, rows).

    `labels` is whether these are labels, and not sums of rows.
    """

    metrics: Sequence[Metric]
    differences: Values
    effects: Effects
    labels: bool

    @property
    def reach(self) -> Values:
        """How far apart scores can be."""
        return _find_reach(self.metrics, self.differences)

    def measure_error(self) -> tuple[Values, Values]:
        """The standard errors of the differences, and their degrees of freedom.

        That of clusters is CR2. Where nothing scatters, as where outputs are identical, it is what
        a single example, or cluster, could change.
        """
        own = self.effects
        total = np.maximum(own.sizes @ own.counts, np.finfo(float).tiny)
        residuals = own.values - (self.differences / total)[..., None] * own.sizes
        if own.clustered:
            variance, freedom = student.cr2(residuals, own.sizes)
            variance *= total**2
        else:
            squares = residuals**2 @ own.counts
            squares += np.maximum(own.normal - self.differences**2 / np.maximum(own.n, 1), 0)
            freedom = np.where(own.n > 1, own.n - 1, np.nan)
            variance = squares * own.n / freedom
        error = np.sqrt(variance)
        least = own.step * np.where(own.differ.any(-1) | ~np.isfinite(self.reach), 1, self.reach)
        return np.where(error <= _STILL * least, least, error), freedom

    def find_skewness(self) -> Values:
        """That of the differences as sums of what examples, or clusters, add."""
        own = self.effects
        total = own.sizes @ own.counts
        mean = np.where(total > 0, self.differences / np.where(total > 0, total, 1), 0)
        off = np.nan_to_num(own.values - mean[..., None] * own.sizes)
        scale = np.abs(off).max(-1, keepdims=True, initial=0)
        off = off / np.where(scale > 0, scale, 1)
        squared = off * off
        squares, cubes = squared @ own.counts, (squared * off) @ own.counts
        return np.asarray(cubes / np.where(squares > 0, squares, 1) ** 1.5)

    def is_skewed(self) -> NDArray[np.bool_]:
        """Whether that is so much that intervals and p-values promise too much."""
        n = np.maximum(self.effects.n, 1)
        return np.asarray(np.abs(self.find_skewness()) > np.maximum(_MOST_SKEWED, _BY_CHANCE / n))

    def bound(self, test: Test, p: Values, confidence: float) -> tuple[Values, Values]:
        """The intervals, which exclude 0 just where p is below 1 - confidence."""
        own, d, reach = self.effects, self.differences, self.reach
        if own.clustered or test == "t":
            error, freedom = self.measure_error()
            half = student.quantile(confidence, freedom) * error
            bounds = d - half, d + half
        else:
            step = np.where(own.differ.any(-1) | (own.normal > 0), own.step, 0)
            low, high = bound_sums(d, own.variance, step, own.n, confidence)
            down, up = lean_by(self.find_skewness(), confidence)
            bounds = d - (d - low) * down, d + (high - d) * up
        if self.labels and not own.clustered and test != "t":
            finite = np.isfinite(reach)
            scale = np.where(finite, reach, 1.0)
            tango = bound_labels(d, own.variance, own.step, scale, confidence)
            low, high = (np.where(finite, *both) for both in zip(tango, bounds, strict=True))
            bounds = low, high
        return contain(agree(bounds, d, p, confidence), reach)


def find_p_values(paired: Sequence[Paired], test: Test) -> list[Values]:
    """The p-values of pairs by exchanges, which allow for skewness, or by Student's t.

    Pairs with the same number of kinds of effects share one call, which is several times as fast.
    """
    found = [np.zeros(0)] * len(paired)
    alike: dict[int, list[int]] = {}
    for place, one in enumerate(paired):
        if test == "t":
            error, freedom = one.measure_error()
            found[place] = student.p_value(_divide(one.differences, error), freedom)
        else:
            alike.setdefault(len(one.effects.counts), []).append(place)
    for size, places in alike.items():
        own = [paired[place].effects for place in places]
        sizes = [len(one.values) for one in own]
        observed = np.concatenate([paired[place].differences for place in places])
        values = np.concatenate([one.values for one in own])
        differ = [np.broadcast_to(one.differ, (len(one.values), 1, 1, size)) for one in own]
        normal = np.concatenate([one.normal for one in own])
        skewness = np.concatenate([one.skewness for one in own])
        counts = np.repeat([one.counts for one in own], sizes, axis=0)[:, None, None]
        p = permutations.p_value(observed, values, counts, np.concatenate(differ), normal)
        p = lean_p_value(p, np.sign(observed) * skewness)
        parts = np.split(p, np.cumsum(sizes[:-1]))
        for place, part in zip(places, parts, strict=True):
            found[place] = part
    return found


def compare_resampled(
    metrics: Sequence[Metric],
    differences: Values,
    deviations: Values,
    units: NDArray[np.int64],
    confidence: float,
) -> tuple[Values, Values, Values]:
    """The bounds and p-values by Student's t of two systems whose resamples tell the error.

    Differences have shape (metrics, rows), and by how much they deviate in resamples has shape
    (resamples, metrics, rows). Units are how many examples, or clusters, each row has. Resamples of
    k units scatter too little, by (k - 1) / k of their variance; where nothing scatters, the error
    is what a single unit could change.
    """
    freedom = np.where(units > 1, units - 1.0, np.nan)
    error = measure_deviation(deviations) * np.sqrt(units / freedom)
    reach, sizes = _find_reach(metrics, differences), np.abs(differences)
    least = np.where(differences == 0, np.where(np.isfinite(reach), reach, 0), sizes) / units
    error = np.where(error <= _STILL * least, least, error)
    half = student.quantile(confidence, freedom) * error
    low, high = contain((differences - half, differences + half), reach)
    return low, high, student.p_value(_divide(differences, error), freedom)


def _find_reach(metrics: Sequence[Metric], differences: Values) -> Values:
    """How far apart scores can be, of shape (..., metrics, rows)."""
    ends = np.array([metric.bounds for metric in metrics], np.float64)
    return np.broadcast_to((ends[:, 1] - ends[:, 0])[:, None], differences.shape)


def _divide(difference: Values, error: Values) -> Values:
    """The difference in units of its error; as far as can be where there is no error."""
    sure = np.where(difference == 0, 0.0, np.inf)
    return np.where(error > 0, difference / np.where(error > 0, error, 1), sure)
