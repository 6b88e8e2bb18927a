"""Accuracy."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from tallystick.metrics.averages import Ratio, divide
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.tallies.cells import Cells
from tallystick.tallies.confusion import Confusion
from tallystick.tallies.share import Share
from tallystick.tallies.tally import Counter


@final
@dataclass(frozen=True, slots=True, repr=False)
class Accuracy(Metric):
    """The share of examples whose prediction is right.

    Formula: right / all
    Undefined: without examples.
    Source: scikit-learn's accuracy_score.
    """

    short: ClassVar[str] = "accuracy"
    title: ClassVar[str] = "Accuracy"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type[Counter], ...]] = (Confusion,)
    tests: ClassVar[tuple[str, ...]] = ("mcnemar", "mcnemar-midp")

    def score(self, tally: Cells) -> Values:
        share = self.share(tally)
        return divide(Ratio(share.hits, share.trials), np.nan)

    def share(self, tally: Cells) -> Share:
        right = tally.sum_groups(tally.mass * tally.right)
        return Share(right, tally.sum_groups(tally.mass))
