"""Cohen's kappa."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from tallystick.metrics.averages import Ratio, divide
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.tallies.cells import Cells
from tallystick.tallies.confusion import Confusion
from tallystick.tallies.tally import Counter


@final
@dataclass(frozen=True, slots=True, repr=False)
class CohenKappa(Metric):
    """The agreement of gold and predictions beyond what their label frequencies give by chance.

    Formula: (p_o - p_e) / (1 - p_e), p_o the accuracy, p_e = sum over labels of p_k t_k / n^2
    Undefined: where gold and predictions hold one and the same label only.
    Source: Cohen 1960; values as scikit-learn's cohen_kappa_score without weights.
    """

    short: ClassVar[str] = "cohen_kappa"
    title: ClassVar[str] = "Cohen's Kappa"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (-1, 1)
    counters: ClassVar[tuple[type[Counter], ...]] = (Confusion,)

    def score(self, tally: Cells) -> Values:
        counts = tally.per_label()
        # This is n^2 (1 - p_e), which as a difference might not come out as 0 where it is 0.
        beyond = (counts.predicted.astype(float) * counts.negatives).sum(-1)
        # Outputs that are no label agree with the gold as rarely by chance as they do: never.
        beyond = beyond + tally.invalid.astype(float) * counts.total[..., 0]
        return divide(Ratio(counts.covariance, beyond), np.nan)
