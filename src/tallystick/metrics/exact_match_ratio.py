"""Exact match ratio."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from tallystick.metrics.averages import Ratio, divide
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.tallies.cells import Cells
from tallystick.tallies.label_sets import LabelSets
from tallystick.tallies.share import Share

__all__ = ["ExactMatchRatio"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class ExactMatchRatio(Metric):
    """The share of examples whose predicted label set is the gold one, also called subset accuracy.

    Formula: examples with equal sets / all
    Undefined: without examples.
    Source: Sorower 2010, A literature survey on algorithms for multi-label learning; values as
        scikit-learn's accuracy_score on label indicators.
    """

    short: ClassVar[str] = "exact_match_ratio"
    title: ClassVar[str] = "Exact Match Ratio"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type, ...]] = (LabelSets,)

    def score(self, tally: Cells) -> Values:
        share = self.share(tally)
        return divide(Ratio(share.hits, share.trials), np.nan)

    def share(self, tally: Cells) -> Share:
        equal = tally.sum_groups(tally.mass * tally.right)
        return Share(equal, tally.sum_groups(tally.mass))
