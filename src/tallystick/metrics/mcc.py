"""The Matthews correlation coefficient."""

import math
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from tallystick.metrics.averages import Ratio, check_zero_division, divide
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.tallies.cells import Cells
from tallystick.tallies.confusion import Confusion
from tallystick.tallies.per_label import sum_others
from tallystick.tallies.tally import Counter


@final
@dataclass(frozen=True, slots=True, repr=False)
class MCC(Metric):
    """The correlation of gold and predicted labels; 0 for a system that guesses.

    Formula: (s c - sum p_k t_k) / sqrt((s^2 - sum p_k^2) (s^2 - sum t_k^2)), with s examples, c of
        them right, and label k predicted p_k and gold t_k times
    Undefined: where gold or predictions hold one label only; scikit-learn says 0 there.
    Source: Matthews 1975; Gorodkin 2004 for several labels; values as scikit-learn's
        matthews_corrcoef.
    """

    zero_division: float = math.nan

    short: ClassVar[str] = "mcc"
    title: ClassVar[str] = "MCC"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (-1, 1)
    counters: ClassVar[tuple[type[Counter], ...]] = (Confusion,)

    def __post_init__(self) -> None:
        check_zero_division(self.zero_division)

    def score(self, tally: Cells) -> Values:
        counts = tally.per_label()
        gold = counts.gold.astype(float)
        # Outputs that are no label are one more label, which the gold never has.
        predicted = np.concatenate([counts.predicted, tally.invalid[..., None]], -1).astype(float)
        # Differences of squares would round: with weights, a spread of 0 might not come out as 0.
        spread = (predicted * sum_others(predicted)).sum(-1) * (gold * counts.negatives).sum(-1)
        return divide(Ratio(counts.covariance, np.sqrt(spread)), self.zero_division)
