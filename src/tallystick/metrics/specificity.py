"""Specificity."""

import math
from dataclasses import dataclass
from typing import ClassVar, final

from tallystick.examples.labels import Label
from tallystick.metrics.averages import Ratio, average_ratio, check_average, label_share
from tallystick.metrics.metric import Average, Direction, Metric, Values
from tallystick.tallies.cells import Cells
from tallystick.tallies.confusion import Confusion
from tallystick.tallies.label_sets import LabelSets
from tallystick.tallies.per_label import PerLabel
from tallystick.tallies.share import Share

__all__ = ["Specificity"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class Specificity(Metric):
    """The share of examples without a label that are not predicted as it; the true negative rate.

    Formula: TN / (TN + FP)
    Undefined: where every gold example has the label.
    Source: Yerushalmy 1947, Public Health Reports 62; scikit-learn's recall of the negative label.
    """

    average: Average = "binary"
    labels: tuple[Label, ...] | None = None
    positive: Label | None = None
    zero_division: float = math.nan

    short: ClassVar[str] = "specificity"
    title: ClassVar[str] = "Specificity"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type, ...]] = (Confusion, LabelSets)
    zero: ClassVar[str] = "it predicts no negative example right"

    def __post_init__(self) -> None:
        check_average(self)

    def score(self, tally: Cells) -> Values:
        return average_ratio(self, tally, _ratio)

    def share(self, tally: Cells) -> Share | None:
        return label_share(self, tally, _ratio)


def _ratio(counts: PerLabel) -> Ratio:
    return Ratio(counts.true_negatives, counts.negatives)
