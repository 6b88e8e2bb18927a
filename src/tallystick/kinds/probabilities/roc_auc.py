"""The area under the ROC curve."""

from itertools import combinations
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from tallystick.frozen import dataclass
from tallystick.kinds.probabilities.areas import (
    Changes,
    CurveMetric,
    Weighting,
    average,
    weigh_labels,
)
from tallystick.model.tallies.curve import CurveTally
from tallystick.model.tallies.metric import Values, fold_option


@final
@dataclass(frozen=True, slots=True, repr=False)
class ROCAUC(CurveMetric):
    """The chance that a positive example scores above a negative one, ties counted half.

    With a probability for each label, one label against the rest (`ovr`) or all pairs of labels,
    each in both directions (`ovo`), averaged plainly (`macro`) or by how often the labels occur
    (`weighted`).

    Formula: (sum over positives of negatives below + negatives at the same score / 2) / (P N)
    Undefined: where a label that takes part does not occur in the gold; among weighted ones a
        label that weighs nothing has no part.
    Source: Hanley and McNeil 1982; Hand and Till 2001 for ovo; values as scikit-learn's
        roc_auc_score, which refuses or skips absent labels in ovo where this is undefined.
    """

    multi_class: Literal["ovr", "ovo"] = "ovr"
    weighting: Weighting = "macro"

    short = "roc_auc"
    title = "ROC-AUC"
    tests = ("delong",)
    rests_on_scarcest = 4  # as areas of exponential scores vary near 1: Newcombe 2006, method 5
    zero = "every positive example has a lower probability than every negative one"

    def __post_init__(self) -> None:
        fold_option(self, "multi_class", ("ovr", "ovo"))
        fold_option(self, "weighting", ("macro", "weighted"))

    def score_group(self, tally: CurveTally, group: int) -> float:
        def share(column: int, positives: list[int], negatives: list[int]) -> float:
            masses = tally.masses(group, column)
            pairs = float(masses[positives].sum()) * float(masses[negatives].sum())
            return tally.area(group, column, positives, negatives) / pairs if pairs else np.nan

        labels = range(len(tally.labels))
        if len(tally.columns) == 1 or self.multi_class == "ovr":
            own = enumerate(map(tally.labels.index, tally.columns))
            parts = [
                share(at, [label], [one for one in labels if one != label]) for at, label in own
            ]
            return average(parts, weigh_labels(tally, group, self.weighting))
        pairs = list(combinations(labels, 2))
        # Both directions of each pair; columns and labels have one order here.
        parts = [
            (share(one, [one], [other]) + share(other, [other], [one])) / 2 for one, other in pairs
        ]
        masses = tally.masses(group, 0)
        weights = [masses[one] + masses[other] for one, other in pairs]
        shares = np.array(weights if self.weighting == "weighted" else [1] * len(parts))
        return average(parts, shares)

    def change_label(self, tally: CurveTally, group: int, column: int) -> Changes:
        scores, counts = tally.steps(group, column)
        own = tally.labels.index(tally.columns[column])
        rest = [label for label in range(len(tally.labels)) if label != own]
        single = len(tally.columns) == 1
        pairs = self.multi_class == "ovo" and not single
        sides = [[label] for label in rest] if pairs else [rest]
        changes = np.zeros(counts.shape)
        masses = counts.sum(0)
        weighted = self.weighting == "weighted" and not single
        total = float(masses.sum()) if weighted else len(tally.columns)
        mean = self.score_group(tally, group) if weighted else 0.0
        for others in sides:
            below, negatives = _share_below(counts[:, others].sum(1))
            above, positives = _share_below(counts[:, own])
            area = float(counts[:, own] @ below / positives)
            parts = [own, *others] if pairs else [own]
            share = float(masses[parts].sum()) if weighted else len(parts)
            scale = share / (total * len(parts) * len(sides))
            changes[:, own] += scale * (below - area) / positives
            changes[:, others] += (scale * (1 - above - area) / negatives)[:, None]
            if weighted:
                changes[:, parts] += (area - mean) / (total * len(parts) * len(sides))
        return scores, changes


def _share_below(counts: NDArray[Any]) -> tuple[Values, float]:
    """The share of these below each of their scores, half of those there too; and their number."""
    total = float(counts.sum()) or np.nan
    return (np.cumsum(counts) - counts / 2) / total, total
