"""Ratios of counts, and checks of the options that many metrics have."""

import math
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.model.tallies.metric import Metric, Values, check_number, check_option, show
from tallystick.model.tallies.tally import Tally
from tallystick.settings import freeze_lists


class Ratio(Struct, frozen=True, eq=False):
    """The numerator and the denominator of a score, of one shape."""

    numerator: NDArray[Any]
    denominator: NDArray[Any]


def divide(ratio: Ratio, zero_division: float) -> Values:
    """Numerator by denominator; `zero_division` where there is nothing to divide by."""
    undefined = ratio.denominator == 0
    quotient = ratio.numerator / np.where(undefined, 1, ratio.denominator)
    return np.where(undefined, zero_division, quotient)


class Proportion(Metric, frozen=True):
    """A share of trials that are hits, which `estimand` counts."""

    def score(self, tally: Tally) -> Values:
        """The hits of each group by its trials; NaN without trials."""
        own = self.estimand(tally)
        assert own is not None
        return divide(Ratio(own.hits, own.trials), np.nan)


def check_labels(metric: Any) -> None:
    """Raises a UsageError unless a metric's labels are None or a tuple of what can be labels."""
    freeze_lists(metric, "labels")
    labels = metric.labels
    if not isinstance(labels, tuple | None):
        raise UsageError(f"labels must be a list or a tuple such as ('a', 'b'), not {labels!r}")
    for label in labels or ():
        check_label(label)


def check_beta(beta: object) -> None:
    """Raises a UsageError unless the value is a beta whose square, too, is a number above 0."""
    check_number("beta", beta, 1e-100, 1e100)


def check_label(label: object) -> None:
    """Raises a UsageError unless the value can be a label."""
    if not isinstance(label, str | int | np.integer):
        raise UsageError(f"a label is text or a whole number, not {show(label)}")


def check_zero_division(zero_division: float) -> None:
    """Raises a UsageError unless the value is 0, 1 or NaN."""
    if not (isinstance(zero_division, float) and math.isnan(zero_division)):
        check_option("zero_division", zero_division, (0, 1, math.nan))


def weigh(values: Values, weights: NDArray[Any]) -> Values:
    """The weighted mean over the last axis, without undefined values.

    Where all weights are zero the plain mean is taken, and NaN where nothing is defined.
    """
    defined = ~np.isnan(values)
    weights = np.where(defined, weights, 0)
    weights = np.where(weights.sum(-1, keepdims=True) == 0, defined, weights)
    return divide(Ratio((np.where(defined, values, 0) * weights).sum(-1), weights.sum(-1)), np.nan)


def check_positive(positive: object) -> None:
    """Raises a UsageError unless the value is None or can be a label."""
    if positive is not None:
        check_label(positive)
