"""Accuracy that rewards leaving hard questions open."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from tallystick.examples.labels import Label
from tallystick.metrics.averages import Ratio, check_positive, divide
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.metrics.unanswered import find_unanswered
from tallystick.tallies.cells import Cells
from tallystick.tallies.confusion import Confusion

__all__ = ["CAt1"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class CAt1(Metric):
    """Accuracy, with unanswered examples taken to be right as often as the answered ones.

    Formula: (right + unanswered * right / n) / n
    Undefined: without examples.
    Source: Penas and Rodrigo 2011. PAN's evaluators compare scores with 0.5 instead.
    """

    unanswered: Label | None = None

    short: ClassVar[str] = "c_at_1"
    title: ClassVar[str] = "C@1"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type, ...]] = (Confusion,)

    def __post_init__(self) -> None:
        check_positive(self.unanswered)

    def score(self, tally: Cells) -> Values:
        open_ = find_unanswered(tally, self.unanswered)
        right = tally.sum_groups(tally.mass * (tally.right & ~open_)).astype(float)
        total = tally.sum_groups(tally.mass).astype(float)
        share = divide(Ratio(right, total), np.nan)
        return share * (1 + divide(Ratio(tally.sum_groups(tally.mass * open_), total), np.nan))
