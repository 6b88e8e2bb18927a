"""F-beta."""

import math
from dataclasses import dataclass
from typing import ClassVar, final

from tallystick.examples.labels import Label
from tallystick.metrics.averages import Ratio, average_ratio, check_average, check_beta
from tallystick.metrics.metric import Average, Direction, Metric, Values
from tallystick.tallies.cells import Cells
from tallystick.tallies.confusion import Confusion
from tallystick.tallies.label_sets import LabelSets
from tallystick.tallies.per_label import PerLabel

__all__ = ["FBeta"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class FBeta(Metric):
    """The harmonic mean of precision and recall, recall weighing beta times as much.

    Formula: (1 + b^2) TP / ((1 + b^2) TP + FP + b^2 FN), b the `beta` above 0
    Undefined: where the label is neither in gold nor predicted.
    Source: van Rijsbergen, Information Retrieval, 1979; values as scikit-learn's fbeta_score.
    """

    beta: float
    average: Average = "binary"
    labels: tuple[Label, ...] | None = None
    positive: Label | None = None
    zero_division: float = math.nan

    short: ClassVar[str] = "fbeta"
    title: ClassVar[str] = "F-beta"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type, ...]] = (Confusion, LabelSets)

    def __post_init__(self) -> None:
        check_average(self)
        check_beta(self.beta)

    def score(self, tally: Cells) -> Values:
        square = self.beta**2

        def ratio(counts: PerLabel) -> Ratio:
            return Ratio((1 + square) * counts.hits, square * counts.gold + counts.predicted)

        return average_ratio(self, tally, ratio)
