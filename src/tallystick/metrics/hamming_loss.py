"""Hamming loss."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from tallystick.metrics.averages import Ratio, divide
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.tallies.cells import Cells
from tallystick.tallies.label_sets import LabelSets

__all__ = ["HammingLoss"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class HammingLoss(Metric):
    """The share of all (example, label) decisions that are wrong.

    Formula: sum over labels of (FP + FN) / (examples * labels)
    Undefined: without examples or labels.
    Source: Schapire and Singer 2000, Machine Learning 39; values as scikit-learn's hamming_loss.
    """

    short: ClassVar[str] = "hamming_loss"
    title: ClassVar[str] = "Hamming Loss"
    better: ClassVar[Direction] = "lower"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type, ...]] = (LabelSets,)

    def score(self, tally: Cells) -> Values:
        counts = tally.per_label()
        wrong = (counts.false_positives + counts.false_negatives).sum(-1)
        return divide(Ratio(wrong, counts.total[..., 0] * len(counts.labels)), np.nan)
