"""Metrics of how scores order the labels of each example: LRAP, coverage error, ranking loss."""

from typing import ClassVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.kinds.labels import LABEL_SETS, SET_PROBABILITIES, find_scored
from tallystick.kinds.labels.label_columns import LabelRows, Output, read_scores
from tallystick.model.systems import Systems
from tallystick.model.tallies.groups import need_examples
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.ratios import Ratio, divide
from tallystick.model.tallies.sums import Sums, sum_values


def find_set_scores(systems: Systems) -> tuple[Systems, LabelRows, tuple[Output, ...]]:
    """The systems that have scores of every label, with gold label sets and outputs."""
    need_examples(systems, "metrics of probabilities")
    systems = systems.of(*find_scored(systems))
    column = LABEL_SETS.of(systems)
    if not column.outputs or not isinstance(column.gold, LabelRows):
        raise UsageError("label sets with a score of each label are needed, and there are none")
    return systems, column.gold, column.outputs


def mark_members(gold: LabelRows) -> NDArray[np.bool_]:
    """Which labels each example has, of shape (examples, labels)."""
    members = np.zeros((len(gold), len(gold.names)), bool)
    members[gold.sets.list_members()] = True
    return members


class LabelRanks(Struct, frozen=True):
    """Sums what each example's order of labels is worth; several measures share its tally."""

    kind = SET_PROBABILITIES
    columns: ClassVar = ("lrap", "coverage", "loss", "area", "parted", "found", "any", "examples")
    digits: int | None = None

    def count(self, systems: Systems) -> Sums:
        scored, gold, outputs = find_set_scores(systems)
        members = mark_members(gold)
        rows = [_measure(members, self._read(own)) for own in outputs]
        return sum_values(self, scored, np.stack(rows, axis=1))

    def _read(self, output: Output) -> Values:
        scores = np.asarray(read_scores(output), np.float64)
        return scores if self.digits is None else np.round(scores, self.digits)


def _measure(members: NDArray[np.bool_], scores: Values) -> Values:
    """The columns of each example, of shape (examples, columns)."""
    n, wide = scores.shape
    order = np.argsort(-scores, axis=1, kind="stable")
    gold = np.take_along_axis(members, order, axis=1)
    ranked = np.take_along_axis(scores, order, axis=1)
    places = np.broadcast_to(np.arange(wide), (n, wide))
    fresh = np.ones((n, wide + 1), bool)
    fresh[:, 1:-1] = ranked[:, 1:] != ranked[:, :-1]
    starts = np.maximum.accumulate(np.where(fresh[:, :-1], places, 0), axis=1)
    lasts = np.where(fresh[:, 1:], places, wide - 1)
    lasts = np.minimum.accumulate(lasts[:, ::-1], axis=1)[:, ::-1]
    hits = np.take_along_axis(np.cumsum(gold, axis=1), lasts, axis=1)
    others = np.cumsum(~gold, axis=1)
    at_or_above = np.take_along_axis(others, lasts, axis=1)
    above: Values = np.take_along_axis(others - ~gold, starts, axis=1)
    positives = gold.sum(axis=1)
    pairs = positives * (wide - positives)
    some, parted = positives > 0, pairs > 0
    found = np.where(gold, hits / (lasts + 1), 0).sum(axis=1) / np.maximum(positives, 1)
    missed = np.where(gold, at_or_above, 0).sum(axis=1) / np.maximum(pairs, 1)
    lost = np.where(gold, at_or_above + above, 0).sum(axis=1) / (2 * np.maximum(pairs, 1))
    columns = (
        np.where(parted, found, 1),
        np.where(gold, lasts + 1, 0).max(axis=1, initial=0),
        missed,
        np.where(parted, 1 - lost, 0),
        parted,
        np.where(some, found, 0),
        some,
        np.ones(n),
    )
    return np.stack([np.asarray(one, np.float64) for one in columns], axis=-1)


class _OrderOfLabels(Metric, frozen=True):
    """The mean of a measure of the order of each example's labels."""

    counters = (LabelRanks,)
    reads: ClassVar[str] = "order"
    measure: ClassVar[str]

    def score(self, tally: Sums) -> Values:
        return divide(Ratio(tally[self.measure], tally["examples"]), np.nan)


class LRAP(_OrderOfLabels, frozen=True):
    """Label ranking average precision: share of labels ranked as high that are right.

    It is the mean over the gold labels of an example, and then over examples. An example with no
    label, or with all, counts 1.

    Formula: mean of 1/|Y| sum over y in Y of |{z in Y: s_z >= s_y}| / |{z: s_z >= s_y}|
    Undefined: without examples.
    Source: Tsoumakas, Katakis and Vlahavas 2010; values as scikit-learn's
        label_ranking_average_precision_score.
    """

    short = "lrap"
    title = "LRAP"
    measure = "lrap"


class CoverageError(_OrderOfLabels, frozen=True):
    """How many of the best-scored labels include all gold labels of an example, on average.

    An example without labels counts 0.

    Formula: mean of max over y in Y of |{z: s_z >= s_y}|
    Undefined: without examples.
    Source: Tsoumakas, Katakis and Vlahavas 2010; values as scikit-learn's coverage_error.
    """

    short = "coverage_error"
    better = "lower"
    bounds = (0, float("inf"))
    measure = "coverage"


class RankingLoss(_OrderOfLabels, frozen=True):
    """Share of pairs of a gold and another label that are in the wrong order, or tie.

    An example with no label, or with all, counts 0.

    Formula: mean of |{(y, z): y in Y, z not in Y, s_y <= s_z}| / (|Y| (L - |Y|)), of L labels
    Undefined: without examples.
    Source: Tsoumakas, Katakis and Vlahavas 2010; values as scikit-learn's label_ranking_loss.
    """

    short = "ranking_loss"
    better = "lower"
    measure = "loss"
