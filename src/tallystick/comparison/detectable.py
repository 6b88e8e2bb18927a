"""The minimum detectable difference: how much systems must differ to be found different."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tallystick.comparison.rows import count_discordant, count_units
from tallystick.frozen import dataclass
from tallystick.scoring.counted import Counted
from tallystick.statistics.power import find_detectable_share, find_multiplier
from tallystick.tallies.metric import Metric, Values
from tallystick.tallies.tally import Pair

_ROUNDING = 1e-12
"""What is left of a difference of equal numbers."""


@dataclass(frozen=True, slots=True)
class Discordance:
    """The shares of `n` examples that the first of two systems alone has right, and the second."""

    only_a: float
    only_b: float
    n: float


@dataclass(frozen=True, slots=True)
class Detection:
    """What is known of the differences that can be found between two systems on a row of scores.

    A share of the examples is tested by McNemar's mid-p test, anything else by its standard error.

    `share` is None where the row is no share of examples, `error` the standard error of the
    difference, and `units` the number of clusters, infinity where examples stand for themselves.
    """

    share: Discordance | None
    error: float
    units: float

    @classmethod
    def of(
        cls, counted: Counted, metric: Metric, row: str | None, pair: Pair, error: float
    ) -> "Detection":
        """Returns what is known of a pair whose resampled differences have this deviation."""
        tally, units = counted.tally(metric), math.inf
        if tally.list_clusters() is not None:
            units = float(count_units(counted, tally)[counted.rows.index(row)])
        share = _find_discordance(counted, metric, row, pair)
        return cls(share, widen(units) * error, units)

    def detect(self, confidence: float, ratio: float = 1.0) -> float:
        """Returns the minimum detectable difference with `ratio` times as many examples.

        NaN where the systems never differ, or the examples are too few for any test.
        """
        if self.share is not None:
            discordant = self.share.only_a + self.share.only_b
            return find_detectable_share(discordant, ratio * self.share.n, confidence)
        if not self.error > _ROUNDING:
            return math.nan
        units = scale_units(self.units, ratio)
        return find_multiplier(confidence, units - 1) * self.error / math.sqrt(ratio)


def find_detectable(
    counted: Counted, metric: Metric, row: str | None, resampled: Values, confidence: float
) -> float:
    """Returns the minimum detectable difference of two of the systems on one row of scores.

    It is that of the pair with the median standard error, and for one pair at a time: with Holm's
    correction over many pairs a larger difference is needed.

    Systems, of scores on the same resamples of shape (resamples, systems), that are undefined in
    all of these are left out. NaN for fewer than two systems, two resamples, or two systems that
    differ.
    """
    defined = np.flatnonzero(np.isfinite(resampled).any(0))
    error, (a, b) = find_median_pair(resampled[:, defined])
    if math.isnan(error):
        return math.nan
    pair = counted.systems[defined[a]], counted.systems[defined[b]]
    return Detection.of(counted, metric, row, pair, error).detect(confidence)


def scale_units(units: float, ratio: float) -> float:
    """Returns `ratio` times as many clusters, at least one; infinity stays infinity."""
    return units if math.isinf(units) else max(1.0, round(ratio * units))


def widen(units: float) -> float:
    """Returns the factor that corrects the standard deviation of resamples of few clusters."""
    if math.isinf(units):
        return 1.0
    return math.sqrt(units / (units - 1)) if units > 1 else math.nan


def find_median_pair(resampled: Values) -> tuple[float, tuple[int, int]]:
    """Returns the median standard error of the differences of all pairs, and its pair.

    Pairs that never differ say nothing and are left out; of two in the middle it is the lower one.

    Resamples, of shape (resamples, systems), in which a system is undefined are left out. NaN
    without such a pair.
    """
    complete = resampled[np.isfinite(resampled).all(1)]
    if complete.shape[0] < 2 or complete.shape[1] < 2:
        return math.nan, (0, 0)
    covariance = np.cov(complete, rowvar=False)
    variances = np.diag(covariance)
    squares = variances[:, None] + variances[None, :] - 2 * covariance
    ones, others = np.triu_indices(len(squares), 1)
    errors = np.sqrt(np.clip(squares[ones, others], 0, None))
    differing = np.flatnonzero(errors > _ROUNDING * np.sqrt(variances.max()))
    if not len(differing):
        return math.nan, (0, 0)
    middle = differing[np.argsort(errors[differing], kind="stable")[(len(differing) - 1) // 2]]
    return float(errors[middle]), (int(ones[middle]), int(others[middle]))


def _find_discordance(
    counted: Counted, metric: Metric, row: str | None, pair: Pair
) -> Discordance | None:
    """Returns how often one system alone is right; None where the row is no share of examples."""
    tally = counted.tally(metric)
    if row == "macro" or tally.patterns is None or counted.corrected is not None:
        return None
    own = tally.patterns.of(*pair)
    found = count_discordant(metric, own)
    if found is None:
        return None
    only_a, only_b, n = (_pick(side, own.groups, row) for side in found)
    return Discordance(only_a / n, only_b / n, n) if n > 0 else None


def _pick(values: Values, groups: Sequence[Any], row: str | None) -> float:
    names = list(map(str, groups))
    return float(values.sum() if row in (None, "micro") else values[names.index(str(row))])
