"""Hamming loss and exact match ratio of label sets."""

from typing import final

import numpy as np

from tallystick.frozen import dataclass
from tallystick.kinds.labels.counters import LabelSets
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import Metric, Share, Values
from tallystick.tallies.ratios import Ratio, divide


@final
@dataclass(frozen=True, slots=True, repr=False)
class HammingLoss(Metric):
    """The share of all (example, label) decisions that are wrong.

    Formula: sum over labels of (FP + FN) / (examples * labels)
    Undefined: without examples or labels.
    Source: Schapire and Singer 2000, Machine Learning 39; values as scikit-learn's hamming_loss.
    """

    short = "hamming_loss"
    title = "Hamming Loss"
    better = "lower"
    counters = (LabelSets,)

    def score(self, tally: Cells) -> Values:
        counts = tally.per_label()
        wrong = (counts.false_positives + counts.false_negatives).sum(-1)
        return divide(Ratio(wrong, counts.total[..., 0] * len(counts.labels)), np.nan)


@final
@dataclass(frozen=True, slots=True, repr=False)
class ExactMatchRatio(Metric):
    """The share of examples whose predicted label set is the gold one, also called subset accuracy.

    Formula: examples with equal sets / all
    Undefined: without examples.
    Source: Sorower 2010, A literature survey on algorithms for multi-label learning; values as
        scikit-learn's accuracy_score on label indicators.
    """

    short = "exact_match_ratio"
    title = "Exact Match Ratio"
    counters = (LabelSets,)

    def score(self, tally: Cells) -> Values:
        share = self.share(tally)
        return divide(Ratio(share.hits, share.trials), np.nan)

    def share(self, tally: Cells) -> Share:
        equal = tally.sum_groups(tally.mass * tally.right)
        return Share(equal, tally.sum_groups(tally.mass))
