"""Labels that have an order: numbers, or labels that were named from the lowest to the highest."""

import math
from collections.abc import Sequence

from tallystick.errors import UsageError
from tallystick.model.codes import Label


def measure_labels(
    labels: Sequence[Label], scale: Sequence[Label] | None, what: str
) -> list[float]:
    """Where labels lie: at their values if they are numbers, else at their places on a scale.

    Args:
        labels: The labels.
        scale: All labels from the lowest to the highest; None where only numbers have an order.
        what: The metric, for the message.
    """
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
