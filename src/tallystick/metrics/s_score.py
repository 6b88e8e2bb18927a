"""The s_score."""

from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from tallystick.examples.labels import Label
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.metrics.products import check_product, multiply
from tallystick.tallies.cells import Cells
from tallystick.tallies.confusion import Confusion

__all__ = ["SScore"]


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

    short: ClassVar[str] = "s_score"
    title: ClassVar[str] = "S-Score"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type, ...]] = (Confusion,)

    def __post_init__(self) -> None:
        check_product(self)

    def score(self, tally: Cells) -> Values:
        return multiply(self, tally, _rescale)


def _rescale(share: Values) -> Values:
    scaled: Values = np.sqrt(1 / (1 + np.exp(12 * (0.5 - share))))
    return scaled
