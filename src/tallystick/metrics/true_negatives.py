"""True Negatives."""

from dataclasses import dataclass
from typing import ClassVar, Literal, final

from tallystick.examples.labels import Label
from tallystick.metrics.averages import check_positive, count_share
from tallystick.metrics.metric import Direction, Metric, Values, check_option
from tallystick.tallies.cells import Cells
from tallystick.tallies.confusion import Confusion
from tallystick.tallies.label_sets import LabelSets
from tallystick.tallies.share import Share

__all__ = ["TrueNegatives"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class TrueNegatives(Metric):
    """How many examples without a label are not predicted as it.

    Formula: TN
    Undefined: never.
    Source: scikit-learn's confusion_matrix.
    """

    average: Literal["binary"] | None = "binary"
    positive: Label | None = None

    short: ClassVar[str] = "true_negatives"
    title: ClassVar[str] = "True Negatives"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, float("inf"))
    counters: ClassVar[tuple[type, ...]] = (Confusion, LabelSets)
    adds_up: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_option("average", self.average, ("binary", None))
        check_positive(self.positive)

    def score(self, tally: Cells) -> Values:
        return self.share(tally).hits

    def share(self, tally: Cells) -> Share:
        return count_share(self, tally, lambda counts: counts.true_negatives)
