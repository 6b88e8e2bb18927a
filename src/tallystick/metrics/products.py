"""Precision and recall of every label, rescaled and multiplied: what s_score and l_score share."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tallystick.errors import UsageError
from tallystick.examples.labels import Label, list_labels, order
from tallystick.metrics.averages import Ratio, check_positive, divide
from tallystick.metrics.metric import Values, check_number, check_option
from tallystick.tallies.cells import Cells

__all__ = ["check_product", "check_secondary", "check_strength", "multiply"]


def check_product(metric: Any) -> None:
    """Raises a UsageError unless the metric's options have values that they may have."""
    check_secondary(metric.secondary_scoring)
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
    check_option("secondary_scoring", secondary_scoring, (None, "precision", "recall"))


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
