"""Positive rate."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from tallystick.examples.labels import Label
from tallystick.metrics.averages import Ratio, check_positive, divide, positive_of
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.tallies.cells import Cells
from tallystick.tallies.confusion import Confusion
from tallystick.tallies.label_sets import LabelSets
from tallystick.tallies.share import Share

__all__ = ["PositiveRate"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class PositiveRate(Metric):
    """The share of gold examples that have the positive label; a fact about the data.

    Formula: (TP + FN) / all
    Undefined: without examples.
    Source: prevalence, as in any textbook.
    """

    positive: Label | None = None

    short: ClassVar[str] = "positive_rate"
    title: ClassVar[str] = "Positive Rate"
    better: ClassVar[Direction] = "neither"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type, ...]] = (Confusion, LabelSets)
    zero: ClassVar[str] = "it never predicts the positive label"

    def __post_init__(self) -> None:
        check_positive(self.positive)

    def score(self, tally: Cells) -> Values:
        share = self.share(tally)
        return divide(Ratio(share.hits, share.trials), np.nan)

    def share(self, tally: Cells) -> Share:
        counts = tally.per_label()
        gold = counts.pick([positive_of(counts.labels, self.positive)]).gold
        return Share(gold[..., 0], counts.total[..., 0])
