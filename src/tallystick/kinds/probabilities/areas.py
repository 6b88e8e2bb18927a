"""Formulas over curves, applied group by group and label by label."""

import abc
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallystick.kinds.probabilities.score_counter import Curve
from tallystick.model.tallies.curve import CurveTally
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.ratios import Ratio, divide

Formula = Callable[[NDArray[Any], NDArray[Any], NDArray[Any]], float]
"""Distinct ascending scores, and how many positives and negatives have each: a number."""


Change = Callable[[NDArray[Any], NDArray[Any], NDArray[Any]], tuple[Values, Values]]
"""The same, and what one more positive, or one more negative, at each score would change."""


Weighting = Literal["macro", "weighted"]
"""Whether labels count equally, or as often as they occur in the gold."""

Changes = tuple[NDArray[Any], Values]
"""Distinct ascending scores, and by how much one more example of each gold label there would change
a metric for each unit of its weight, of shape (scores, labels), but for a constant."""


class CurveMetric(Metric):
    """A formula over the curves of one group after the other."""

    __slots__ = ()

    counters = (Curve,)

    @abc.abstractmethod
    def score_group(self, tally: CurveTally, group: int) -> float:
        """The value of a group."""

    @abc.abstractmethod
    def change_label(self, tally: CurveTally, group: int, column: int) -> Changes:
        """What one more example at each score of a label would change, but for a constant."""

    def influence(self, tally: CurveTally) -> Values:
        """How fast the score of its group rises with the weight of each of `list_units`."""
        units = tally.list_units()
        slopes, order = np.zeros(len(units.gold)), np.argsort(units.groups, kind="stable")
        ends = np.searchsorted(units.groups[order], np.arange(len(tally.groups) + 1))
        for group, (start, stop) in enumerate(pairwise(ends.tolist())):
            here = order[start:stop]
            gold, masses = units.gold[here], units.masses[here]
            moves = np.zeros(len(here))
            for column in range(len(tally.columns)):
                steps, changes = self.change_label(tally, group, column)
                moves += changes[np.searchsorted(steps, units.scores[column, here]), gold]
            slopes[here] = moves - masses @ moves / (masses.sum() or 1)
        return slopes

    def score(self, tally: CurveTally) -> Values:
        return np.array([self.score_group(tally, at) for at in range(len(tally.groups))], float)


def score_labels(tally: CurveTally, group: int, formula: Formula) -> list[float]:
    """The formula on each scored label against the rest."""
    found = []
    for column in range(len(tally.columns)):
        scores, counts, positives = count_label(tally, group, column)
        wide = scores.astype(np.float64, copy=False)
        found.append(formula(wide, positives, counts.sum(1) - positives))
    return found


def count_label(
    tally: CurveTally, group: int, column: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The scores of a label, the counts of each, and how many of these are of the label itself."""
    scores, counts = tally.steps(group, column)
    return scores, counts, counts[:, tally.labels.index(tally.columns[column])]


def weigh_labels(tally: CurveTally, group: int, weighting: Weighting) -> Values:
    """How much each scored label counts in a mean: by its frequency in the gold, or equally."""
    masses = tally.masses(group, 0)
    own = np.array([masses[tally.labels.index(label)] for label in tally.columns], np.float64)
    return own if weighting == "weighted" else np.ones(len(own))


def average(parts: Sequence[float], shares: Values) -> float:
    """The weighted mean of parts, of which those that weigh nothing may be undefined."""
    found = np.where(shares > 0, parts, 0) @ shares
    return float(divide(Ratio(found, shares.sum()), np.nan))


def change_with_rest(tally: CurveTally, group: int, column: int, change: Change) -> Changes:
    """What more examples change in a formula on one scored label against the rest."""
    scores, counts, positives = count_label(tally, group, column)
    wide = scores.astype(np.float64, copy=False)
    own, other = change(wide, positives, counts.sum(1) - positives)
    changes = np.repeat(np.asarray(other)[:, None], len(tally.labels), axis=1)
    changes[:, tally.labels.index(tally.columns[column])] = own
    return scores, changes
