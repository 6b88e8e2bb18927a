"""The s_score and the l_score for model selection."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, final

import numpy as np

from tallystick.codes import Label, list_labels, order
from tallystick.errors import UsageError
from tallystick.frozen import dataclass
from tallystick.kinds.labels.counters import Confusion
from tallystick.settings import fold_case
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import Metric, Values, check_number, check_option
from tallystick.tallies.ratios import Ratio, check_positive, divide

_SECONDARY = (None, "precision", "recall")


def check_product(metric: Any) -> None:
    """Raises a UsageError unless the metric's options have values that they may have."""
    check_secondary(fold_case(metric, "secondary_scoring", _SECONDARY))
    check_positive(metric.pos_label)
    check_strength(metric.strength)
    index = metric.pos_index
    if index is None:
        return
    if isinstance(index, bool) or not isinstance(index, int | np.integer) or index < -1:
        raise UsageError(f"pos_index is a whole number from -1 on, not {index!r}")
    if metric.pos_label is not None:
        raise UsageError("pos_label and pos_index both choose a class; give only one")


def check_secondary(secondary_scoring: object) -> None:
    """Raises a UsageError unless the value can be a secondary_scoring."""
    check_option("secondary_scoring", secondary_scoring, _SECONDARY)


def check_strength(strength: object) -> None:
    """Raises a UsageError unless the value is a number from 1 on."""
    check_number("strength", strength, 1)


def multiply(metric: Any, tally: Cells, rescale: Callable[[Values], Values]) -> Values:
    """The product over labels and over precision and recall, each to the power that it has.

    Labels that a group has neither in gold nor in predictions have no part in its product, and
    what is undefined of the others counts as 0; without any label the product is NaN.
    """
    counts = tally.per_label()
    favoured = _find_favoured(metric, counts.labels)
    both = counts.used
    product = np.where(both.any(-1), 1.0, np.nan)
    for name, whole in (("precision", counts.predicted), ("recall", counts.gold)):
        wanted = metric.secondary_scoring in (None, name)
        powers = np.where(favoured & wanted, metric.strength, 1)
        factors = rescale(divide(Ratio(counts.hits, whole), 0)) ** powers
        product = product * np.where(both, factors, 1).prod(-1)
    return product


def _find_favoured(metric: Any, labels: Sequence[Label]) -> Any:
    """Which labels the strength is for."""
    if metric.pos_label is not None:
        _check_known(metric.pos_label, labels)
        return np.array([label == metric.pos_label for label in labels])
    index = -1 if metric.pos_index is None else metric.pos_index
    if index >= len(labels):
        raise UsageError(f"pos_index={index} does not exist: the labels are {list_labels(labels)}")
    # With a preferred score, sam_ml takes index 0 for "all classes", as it takes every negative.
    if index < 0 or (index == 0 and metric.secondary_scoring is not None):
        return np.full(len(labels), metric.secondary_scoring is not None)
    chosen = order(labels)[index]
    return np.array([label == chosen for label in labels])


def _check_known(label: Label, labels: Sequence[Label]) -> None:
    if label not in labels:
        raise UsageError(
            f"pos_label={label!r} does not exist: the labels are {list_labels(labels)}"
        )


@final
@dataclass(frozen=True, slots=True, repr=False)
class SScore(Metric):
    """A product over all labels' precision and recall that one very low value makes very low.

    It is for choosing among models, not for reports. Perfect predictions score 0.998763 to the
    power of twice the number of labels: below 1 (0.9951 with 2 labels, 0.9755 with 10), so that
    scores of tasks with different numbers of labels are not comparable. Without `pos_label`,
    `pos_index` and `secondary_scoring` nothing is preferred, and `strength` has no effect.

    Formula: product over labels i of s(precision_i)^a_i s(recall_i)^b_i, where
        s(x) = sqrt(1 / (1 + exp(12 (0.5 - x)))), and a_i, b_i are the `strength` for what is
        preferred, else 1
    Undefined: without examples; an undefined precision or recall counts as 0.
    Source: sam_ml, models/scorer.py; values as its s_scoring, whose pos_label is `pos_index`.
    """

    secondary_scoring: Literal["precision", "recall"] | None = None
    pos_label: Label | None = None
    strength: float = 3
    pos_index: int | None = None

    short = "s_score"
    title = "S-Score"
    counters = (Confusion,)

    def __post_init__(self) -> None:
        check_product(self)

    def score(self, tally: Cells) -> Values:
        return multiply(self, tally, _rescale_s)


def _rescale_s(share: Values) -> Values:
    scaled: Values = np.sqrt(1 / (1 + np.exp(12 * (0.5 - share))))
    return scaled


@final
@dataclass(frozen=True, slots=True, repr=False)
class LScore(Metric):
    """A product over all labels' precision and recall in which only low values matter.

    It is for choosing among models, not for reports. Values from 0.5 on are almost 1, and a label
    that is never predicted, or never right, makes the whole 0. Without `pos_label`, `pos_index`
    and `secondary_scoring` nothing is preferred, and `strength` has no effect.

    Formula: product over labels i of l(precision_i)^a_i l(recall_i)^b_i, where
        l(x) = 1 - (0.5 - 0.5 cos((x - 1) pi))^4, and a_i, b_i are the `strength` for what is
        preferred, else 1
    Undefined: without examples; an undefined precision or recall counts as 0.
    Source: sam_ml, models/scorer.py; values as its l_scoring, whose pos_label is `pos_index`.
    """

    secondary_scoring: Literal["precision", "recall"] | None = None
    pos_label: Label | None = None
    strength: float = 2
    pos_index: int | None = None

    short = "l_score"
    title = "L-Score"
    counters = (Confusion,)

    def __post_init__(self) -> None:
        check_product(self)

    def score(self, tally: Cells) -> Values:
        return multiply(self, tally, _rescale_l)


def _rescale_l(share: Values) -> Values:
    scaled: Values = 1 - (0.5 - 0.5 * np.cos((share - 1) * np.pi)) ** 4
    return scaled
