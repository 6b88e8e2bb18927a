"""The l_score."""

from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from tallystick.examples.labels import Label
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.metrics.products import check_product, multiply
from tallystick.tallies.cells import Cells
from tallystick.tallies.confusion import Confusion

__all__ = ["LScore"]


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

    short: ClassVar[str] = "l_score"
    title: ClassVar[str] = "L-Score"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type, ...]] = (Confusion,)

    def __post_init__(self) -> None:
        check_product(self)

    def score(self, tally: Cells) -> Values:
        return multiply(self, tally, _rescale)


def _rescale(share: Values) -> Values:
    scaled: Values = 1 - (0.5 - 0.5 * np.cos((share - 1) * np.pi)) ** 4
    return scaled
