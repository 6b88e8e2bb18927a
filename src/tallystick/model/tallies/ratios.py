"""Ratios of counts, their weighted means, and labels that have an order."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.model.codes import Label
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.tally import Tally


def measure_labels(
    labels: Sequence[Label], scale: Sequence[Label] | None, what: str
) -> list[float]:
    """The values of labels that are numbers, else their places on a scale."""
    if scale is None or all(math.isfinite(_try_number(label)) for label in scale):
        return [_read_number(label, what) for label in labels]
    return [float(find_place(label, scale, what)) for label in labels]


def find_place(label: Label, scale: Sequence[Label], what: str) -> int:
    """The place of a label on a scale."""
    if label not in scale:
        raise UsageError(
            f"{what} is over {', '.join(map(str, scale))}, and an example has {str(label)!r}; name "
            "all labels from the lowest to the highest"
        )
    return scale.index(label)


def sort_scale(labels: Sequence[Label], what: str) -> tuple[Label, ...]:
    """Labels that are numbers from the lowest to the highest."""
    values = [_read_number(label, what) for label in labels]
    return tuple(
        label for _, _, label in sorted(zip(values, map(str, labels), labels, strict=True))
    )


def _try_number(label: Label) -> float:
    """The value of a label, also of one that is written as text; NaN where it is no number."""
    try:
        return float(label)
    except (ValueError, OverflowError):
        return math.nan


def _read_number(label: Label, what: str) -> float:
    value = _try_number(label)
    if not math.isfinite(value):
        raise UsageError(
            f"{what} is for labels that have an order, and {str(label)!r} is not a number; "
            "name all "
            "labels from the lowest to the highest with `labels=`, or write them as numbers"
        )
    return value


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


def weigh(values: Values, weights: NDArray[Any]) -> Values:
    """The weighted mean over the last axis, without undefined values.

    Where all weights are zero the plain mean is taken, and NaN where nothing is defined.
    """
    defined = ~np.isnan(values)
    weights = np.where(defined, weights, 0)
    weights = np.where(weights.sum(-1, keepdims=True) == 0, defined, weights)
    return divide(Ratio((np.where(defined, values, 0) * weights).sum(-1), weights.sum(-1)), np.nan)
