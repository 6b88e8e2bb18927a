"""Support."""

from dataclasses import dataclass
from typing import ClassVar, final

from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.tallies.cells import Cells
from tallystick.tallies.confusion import Confusion
from tallystick.tallies.label_sets import LabelSets

__all__ = ["Support"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class Support(Metric):
    """How many gold examples have each label; a fact about the data.

    Formula: TP + FN, per label
    Undefined: never.
    Source: scikit-learn's classification_report.
    """

    short: ClassVar[str] = "support"
    title: ClassVar[str] = "Support"
    better: ClassVar[Direction] = "neither"
    bounds: ClassVar[tuple[float, float]] = (0, float("inf"))
    counters: ClassVar[tuple[type, ...]] = (Confusion, LabelSets)
    adds_up: ClassVar[bool] = True

    @property
    def per_label(self) -> bool:
        return True

    def score(self, tally: Cells) -> Values:
        return tally.per_label().gold
