"""Errors of numbers: MAE, RMSE and R2."""

from typing import final

import numpy as np

from tallystick.frozen import dataclass
from tallystick.kinds.numbers.correlations import Moments, check_column
from tallystick.kinds.numbers.number_sums import NumberPairs
from tallystick.tallies.metric import Metric, Values, check_number
from tallystick.tallies.ratios import Ratio, divide
from tallystick.tallies.sums import Sums


@final
@dataclass(frozen=True, slots=True, repr=False)
class MAE(Metric):
    """How far numbers are from their gold numbers.

    Formula: sum of |output - gold| / examples
    Undefined: without examples.
    Source: scikit-learn's mean_absolute_error.
    """

    column: str | None = None

    short = "mae"
    title = "MAE"
    better = "lower"
    bounds = (0, float("inf"))
    counters = (NumberPairs,)

    def __post_init__(self) -> None:
        check_column(self.column)

    def score(self, tally: Sums) -> Values:
        return tally.average("absolute_error")


_TINY = 1e-140
"""Smaller errors have no squares."""


@final
@dataclass(frozen=True, slots=True, repr=False)
class RMSE(Metric):
    """How far numbers are from their gold numbers, large errors weighing more.

    Divided by a scale, such as the range that numbers can have, it is a normalised RMSE.

    Formula: square root of (sum of (output - gold)^2 / examples) / scale
    Undefined: without examples.
    Source: scikit-learn's root_mean_squared_error.
    """

    column: str | None = None
    scale: float = 1

    short = "rmse"
    title = "RMSE"
    better = "lower"
    bounds = (0, float("inf"))
    counters = (NumberPairs,)

    def __post_init__(self) -> None:
        check_column(self.column)
        check_number("scale", self.scale, 1e-300)

    def score(self, tally: Sums) -> Values:
        squares, reference = tally.average("squared_error"), tally.refer("squared_error")
        root = np.sqrt(np.maximum(squares + reference, 0))
        # The difference of two roots, of which the squares are known to differ by so much.
        total = np.where(root > 0, root + np.sqrt(reference), 1)
        found = np.where(reference > 0, squares / total, root) / self.scale
        mean = tally["absolute_error"] / np.maximum(tally["examples"], 1)
        lost = (mean > 0) & (mean < _TINY) | ~np.isfinite(found)
        return np.asarray(np.where(lost, np.nan, found))


@final
@dataclass(frozen=True, slots=True, repr=False)
class R2(Metric):
    """The share of the variance of gold numbers that outputs explain.

    It is negative where the mean of the gold would have been closer.

    Formula: 1 - sum of squared errors / sum of squared distances of gold from its mean
    Undefined: where gold is constant; scikit-learn says 0 or 1 there.
    Source: scikit-learn's r2_score.
    """

    column: str | None = None

    short = "r2"
    title = "R2"
    bounds = (float("-inf"), 1)
    counters = (NumberPairs,)
    zero = "it predicts as well as the mean of the gold does"

    def __post_init__(self) -> None:
        check_column(self.column)

    def score(self, tally: Sums) -> Values:
        own = Moments.of(tally)
        with np.errstate(invalid="ignore"):
            return 1 - divide(Ratio(tally["squared_error"], own.xx), np.nan)
