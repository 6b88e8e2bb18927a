"""Metrics of how scores order examples and labels: ROC-AUC, average precision, top-k accuracy."""

import abc
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import Danger, UsageError
from tallystick.kinds.labels import (
    LABELS,
    PROBABILITIES,
    SET_PROBABILITIES,
    find_scored,
    find_scores,
)
from tallystick.kinds.labels.accuracy import Accuracy
from tallystick.kinds.labels.label_columns import Confusion, LabelColumn, Output, read_scores
from tallystick.kinds.labels.label_encoding import USUAL_THRESHOLD
from tallystick.kinds.probabilities.label_ranks import (
    LabelRanks,
    find_set_scores,
    mark_members,
)
from tallystick.model.codes import Label, Labels
from tallystick.model.facts import Facts
from tallystick.model.systems import Systems
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.curve import CurveTally, sort_rows
from tallystick.model.tallies.groups import group_codes, need_examples
from tallystick.model.tallies.metric import Metric, Share, Values
from tallystick.model.tallies.ratios import Proportion, Ratio, divide
from tallystick.model.tallies.score_rows import ScoreRows
from tallystick.model.tallies.sums import Sums
from tallystick.model.tallies.tally import Tally, need_patterns


def check_digits(digits: object) -> None:
    """Raises a UsageError unless it is a number of decimals, or None."""
    whole = isinstance(digits, int) and not isinstance(digits, bool)
    if digits is not None and not (whole and 1 <= digits <= 15):  # type: ignore[operator]
        raise UsageError(f"scores are rounded to 1 to 15 decimals, not to {digits!r}")


class Curve(Struct, frozen=True):
    """Sorts the scores of the examples by group, scored label and gold label.

    Rounding to `digits` decimals keeps the tally of one system small.
    """

    kind = PROBABILITIES
    digits: int | None = None

    def __post_init__(self) -> None:
        check_digits(self.digits)

    def __repr__(self) -> str:
        return "Curve()" if self.digits is None else f"Curve(digits={self.digits})"

    def count(self, systems: Systems) -> CurveTally | ScoreRows:
        need_examples(systems, "metrics of probabilities")
        rows = self._list_rows(systems)
        return rows if len(rows.systems) > 1 else rows.of(*rows.systems)

    def count_one(self, systems: Systems) -> CurveTally:
        """Tallies the only system that has probabilities."""
        tally: CurveTally = self._list_rows(systems).of(*find_scored(systems))
        return tally

    def _list_rows(self, systems: Systems) -> ScoreRows:
        scored, gold, outputs = find_scores(systems)
        scores = [read_scores(own) for own in outputs]
        if self.digits is not None:
            scores = [np.round(own, self.digits) for own in scores]
        return keep_scores(self, scored, gold, scores)


class SetCurves(Curve, frozen=True):
    """Sorts the scores of the labels of sets in the same way."""

    kind = SET_PROBABILITIES

    def __repr__(self) -> str:
        return f"Set{Curve.__repr__(self).replace('Curve', 'Curves')}"

    def _list_rows(self, systems: Systems) -> ScoreRows:
        scored, gold, outputs = find_set_scores(systems)
        sets, codes = np.unique(mark_members(gold), axis=0, return_inverse=True)
        names = tuple("".join("01"[one] for one in row) for row in sets.astype(int).tolist())
        scores = [read_scores(own) for own in outputs]
        if self.digits is not None:
            scores = [np.round(own, self.digits) for own in scores]
        patterns = Labels(codes.ravel().astype(np.uint32), names)
        rows = keep_scores(self, scored, patterns, scores)
        return replace(rows, several=gold.names)


def keep_scores(
    counter: object, systems: Systems, gold: Labels, scores: Iterable[NDArray[Any]]
) -> ScoreRows:
    """Returns the rows of the scores of all systems, without rows of weight 0."""
    names, codes = group_codes(systems)
    weights, clusters = systems.weights, systems.clusters
    own = gold, Labels(codes, names), tuple(scores)
    rows = ScoreRows(counter, systems.names, *own, sort_rows, weights, clusters)
    return rows if systems.weights is None else rows.take(np.flatnonzero(systems.weights))


Array = NDArray[Any]

Formula = Callable[[Array, Array, Array], float]
"""A function of distinct ascending scores, and of the positives and negatives that have each."""

Change = Callable[[Array, Array, Array], tuple[Values, Values]]
"""What one more positive, or one more negative, at each score changes; of the same arguments."""

Weighting = Literal["macro", "weighted", "micro", "samples"] | None
"""Whether labels count equally, or as often as they occur in the gold; of label sets also all pairs
of an example and a label together, or each example by itself. None is a score for each label."""

Changes = tuple[Array, Values]
"""Distinct ascending scores, and how much one more example of each gold label there changes a
metric by its weight, of shape (scores, labels), up to a constant."""


class CurveMetric(Metric, frozen=True):
    """A formula over the curves of one group after the other.

    Attributes:
        reads: Whether scores are read as probabilities or, of any scale, by their order.
    """

    counters = (Curve, SetCurves)
    reads: ClassVar[Literal["probabilities", "order"]] = "probabilities"

    @abc.abstractmethod
    def score_group(self, tally: CurveTally, group: int) -> float:
        """The value of a group."""

    @abc.abstractmethod
    def change_label(self, tally: CurveTally, group: int, column: int | None) -> Changes:
        """What one more example at each score of a label changes, up to a constant."""

    def list_columns(self, tally: CurveTally) -> list[int | None]:
        """The scored labels that take part; None is all of them together."""
        return [*range(len(tally.columns))]

    def influence(self, tally: CurveTally) -> Values | None:
        """How fast the score of its group rises with the weight of each of `list_units`."""
        units = tally.list_units()
        slopes, order = np.zeros(len(units.groups)), np.argsort(units.groups, kind="stable")
        ends = np.searchsorted(units.groups[order], np.arange(len(tally.groups) + 1))
        for group, (start, stop) in enumerate(pairwise(ends.tolist())):
            here = order[start:stop]
            gold, masses = units.gold[:, here], units.masses[here]
            moves = np.zeros(len(here))
            changed = {
                column: self.change_label(tally, group, column)
                for column in self.list_columns(tally)
            }
            for column in range(len(tally.columns)):
                found = changed.get(None, changed.get(column))
                if found is None:
                    continue
                steps, changes = found
                moves += changes[np.searchsorted(steps, units.scores[column, here]), gold[column]]
            slopes[here] = moves - masses @ moves / (masses.sum() or 1)
        return slopes

    def score(self, tally: CurveTally) -> Values:
        return np.array([self.score_group(tally, at) for at in range(len(tally.groups))], float)


def score_labels(
    tally: CurveTally, group: int, formula: Formula, columns: Sequence[int | None] | None = None
) -> list[float]:
    """The formula on each scored label, or on those of some columns, against the rest."""
    places = range(len(tally.columns)) if columns is None else columns
    sides = (split_label(tally, group, column) for column in places)
    return [formula(scores.astype(np.float64, copy=False), *both) for scores, *both in sides]


def split_label(tally: CurveTally, group: int, column: int | None) -> tuple[Array, Array, Array]:
    """The scores of a label, and how many examples of the label, and of others, have each."""
    scores, counts = tally.steps(group, column)
    positives = counts[:, tally.positive(column)]
    return scores, positives, counts.sum(1) - positives


def average(parts: Sequence[float], shares: Values) -> float:
    """The weighted mean of parts, of which those that weigh nothing may be undefined."""
    found = np.where(shares > 0, parts, 0) @ shares
    return float(divide(Ratio(found, shares.sum()), np.nan))


def change_with_rest(tally: CurveTally, group: int, column: int | None, change: Change) -> Changes:
    """What more examples change in a formula on one scored label against the rest."""
    scores, *both = split_label(tally, group, column)
    own, other = change(scores.astype(np.float64, copy=False), *both)
    changes = np.repeat(np.asarray(other)[:, None], len(tally.labels), axis=1)
    changes[:, tally.positive(column)] = own
    return scores, changes


class _Area(CurveMetric, frozen=True):
    """An area of each scored label against the rest, brought to one number."""

    reads = "order"
    sampled: ClassVar[tuple[str, str]]
    """The columns of `LabelRanks` with the sum over examples, and with how many have an area."""

    if TYPE_CHECKING:  # fields of the subclasses, which have them in other places

        @property
        def weighting(self) -> Weighting: ...
        @property
        def label(self) -> Label | None: ...

    @property
    def counter(self) -> LabelRanks | None:
        return LabelRanks() if self.weighting == "samples" else None

    @property
    def name(self) -> str:
        if self.label is not None:
            return f"{self.short}({self.label})"
        usual = self.weighting in ("macro", None)
        return self.short if usual else f"{self.weighting}_{self.short}"

    @property
    def full_title(self) -> str:
        usual = self.weighting in ("macro", None) or self.label is not None
        return self.title if usual else f"{str(self.weighting).title()} {self.title}"

    def score(self, tally: CurveTally | Sums) -> Values:
        if isinstance(tally, Sums):
            above, below = self.sampled
            return divide(Ratio(tally[above], tally[below]), np.nan)
        return CurveMetric.score(self, tally)

    def influence(self, tally: CurveTally | Sums) -> Values | None:
        return None if isinstance(tally, Sums) else CurveMetric.influence(self, tally)

    def list_columns(self, tally: CurveTally) -> list[int | None]:
        if self.label is not None:
            if self.label not in tally.columns:
                raise UsageError(f"{self!r} is of a label that has no scores")
            return [tally.columns.index(self.label)]
        if self.weighting != "micro":
            return CurveMetric.list_columns(self, tally)
        if not tally.several:
            raise UsageError(f"micro_{self.short} is for several labels an example")
        return [None]

    def weigh(self, tally: CurveTally, group: int) -> Values:
        """How much each of the columns counts: by its frequency in the gold, or equally."""
        columns = self.list_columns(tally)
        if self.weighting != "weighted":
            return np.ones(len(columns))
        own = [tally.masses(group, at)[tally.positive(at)] for at in columns if at is not None]
        return np.array(own, np.float64)


class ROCAUC(_Area, frozen=True):
    """Probability that a positive example scores above a negative one; ties count half.

    With a probability for each label, one label against the rest (`ovr`) or all ordered pairs of
    labels (`ovo`), averaged equally (`macro`) or by label frequency (`weighted`). Label sets can be
    pooled (`micro`) or scored by example (`samples`, without those with no label or all);
    `weighting=None` scores each label.

    Formula: (sum over positives of negatives below + negatives at the same score / 2) / (P N)
    Undefined: if a label that takes part does not occur in the gold; among weighted ones a
        label that weighs nothing has no part.
    Source: Hanley and McNeil 1982; Hand and Till 2001 for ovo; values as scikit-learn's
        roc_auc_score, which refuses or skips absent labels in ovo where this is undefined.
    """

    multi_class: Literal["ovr", "ovo"] = "ovr"
    weighting: Weighting = "macro"
    label: Label | None = None

    short = "roc_auc"
    title = "ROC-AUC"
    sampled = ("area", "parted")
    tests = ("delong",)
    rests_on_scarcest = 4  # as areas of exponential scores vary near 1: Newcombe 2006, method 5
    zero = "every positive example has a lower probability than every negative one"

    def score_group(self, tally: CurveTally, group: int) -> float:
        def share(column: int | None, positives: list[int], negatives: list[int]) -> float:
            masses = tally.masses(group, column)
            pairs = float(masses[positives].sum()) * float(masses[negatives].sum())
            return tally.area(group, column, positives, negatives) / pairs if pairs else np.nan

        labels, columns = range(len(tally.labels)), self.list_columns(tally)
        if len(columns) == 1 or tally.several or self.multi_class == "ovr":
            own = [(at, tally.positive(at)) for at in columns]
            parts = [
                share(at, [label], [one for one in labels if one != label]) for at, label in own
            ]
            return average(parts, self.weigh(tally, group))
        pairs = list(combinations(labels, 2))
        # Both directions of each pair; columns and labels have one order here.
        parts = [
            (share(one, [one], [other]) + share(other, [other], [one])) / 2 for one, other in pairs
        ]
        masses = tally.masses(group, 0)
        weights = [masses[one] + masses[other] for one, other in pairs]
        shares = np.array(weights if self.weighting == "weighted" else [1] * len(parts))
        return average(parts, shares)

    def change_label(self, tally: CurveTally, group: int, column: int | None) -> Changes:
        scores, counts = tally.steps(group, column)
        own = tally.positive(column)
        rest = [label for label in range(len(tally.labels)) if label != own]
        weights = self.weigh(tally, group)
        single = len(weights) == 1
        pairs = self.multi_class == "ovo" and not single and not tally.several
        sides = [[label] for label in rest] if pairs else [rest]
        changes = np.zeros(counts.shape)
        masses = counts.sum(0)
        weighted = self.weighting == "weighted" and not single
        total = float(masses.sum() if pairs else weights.sum())
        total = total if weighted else len(weights)
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


class AveragePrecision(_Area, frozen=True):
    """Area under the precision-recall curve as a sum of steps, not interpolated.

    With a probability for each label, the mean over labels, each against the rest, equally
    (`macro`) or by label frequency (`weighted`). Label sets can be pooled (`micro`) or scored by
    example (`samples`, without those with no label); `weighting=None` scores each label.

    Formula: sum over thresholds of (R_n - R_{n-1}) P_n
    Undefined: if no gold example is positive; scikit-learn says 0 there.
    Source: values as scikit-learn's average_precision_score.
    """

    weighting: Weighting = "macro"
    label: Label | None = None

    short = "average_precision"
    sampled = ("found", "any")
    rests_on_scarcest = 1

    def change_label(self, tally: CurveTally, group: int, column: int | None) -> Changes:
        scores, changes = change_with_rest(tally, group, column, _find_changes)
        weights, columns = self.weigh(tally, group), self.list_columns(tally)
        changes *= weights[columns.index(column)] / weights.sum()
        if self.weighting == "weighted" and column is not None and len(weights) > 1:
            parts = score_labels(tally, group, _average_precision)
            moved = parts[column] - average(parts, weights)
            changes[:, tally.positive(column)] += moved / weights.sum()
        return scores, changes

    def score_group(self, tally: CurveTally, group: int) -> float:
        parts = score_labels(tally, group, _average_precision, self.list_columns(tally))
        return average(parts, self.weigh(tally, group))


def _average_precision(scores: Array, positives: Array, negatives: Array) -> float:
    found = np.cumsum(positives[::-1], dtype=np.float64)
    seen = found + np.cumsum(negatives[::-1], dtype=np.float64)
    if not len(found) or found[-1] == 0:
        return np.nan
    precision = np.divide(found, seen, out=np.zeros_like(found), where=seen > 0)
    return float(np.dot(positives[::-1], precision) / found[-1])


def _find_changes(scores: Array, positives: Array, negatives: Array) -> tuple[Values, Values]:
    """A positive adds its own precision; both kinds change that of all positives below."""
    found = np.cumsum(positives[::-1], dtype=np.float64)[::-1]
    seen = found + np.cumsum(negatives[::-1], dtype=np.float64)[::-1]
    if not len(found) or found[0] == 0:
        return np.full(found.shape, np.nan), np.full(found.shape, np.nan)
    precision = np.divide(found, seen, out=np.zeros_like(found), where=seen > 0)
    each = np.divide(positives, seen, out=np.zeros_like(found), where=seen > 0)
    lost = np.cumsum(each * precision)
    value = np.dot(positives, precision) / found[0]
    return (precision - value + np.cumsum(each) - lost) / found[0], -lost / found[0]


class TopLabels(Struct, frozen=True):
    """Counts the gold label as predicted if it is among the `k` most probable labels."""

    kind = PROBABILITIES
    k: int = 1

    def count(self, systems: Systems) -> Cells:
        scored, gold, outputs = find_scores(systems)
        column = LabelColumn(gold, tuple(self._predict(gold, own) for own in outputs))
        return replace(Confusion().count(scored.beside(LABELS.side, column)), counter=self)

    def _predict(self, gold: Labels, output: Output) -> Output:
        """The gold label where it is among the first k, else the most probable label."""
        scores = read_scores(output)
        if scores.ndim == 1:
            threshold = USUAL_THRESHOLD if output.threshold is None else output.threshold
            scores = np.stack([2 * threshold - scores, scores], axis=-1)
        own = scores[np.arange(len(scores)), gold.codes][:, None]
        # Of equal scores, those of later labels come first.
        later = np.arange(scores.shape[1]) > gold.codes[:, None]
        found = ((scores > own) | ((scores == own) & later)).sum(axis=1) < self.k
        codes = np.where(found, gold.codes, scores.argmax(axis=1)).astype(gold.codes.dtype)
        missed = ~found & (codes == gold.codes)  # a tie that another label has won
        if missed.any():
            codes[missed] = np.where(gold.codes[missed] == 0, 1, 0)
        return replace(output, labels=Labels(codes, gold.names))


class TopKAccuracy(Proportion, frozen=True):
    """Proportion of examples whose gold label is among the k most probable labels.

    Of labels with equal probability, the one that is last in the order of the labels comes first.

    Formula: examples with the gold label among the k labels of the highest probability / all
    Undefined: without examples.
    Source: values as scikit-learn's top_k_accuracy_score.
    """

    k: int = 2

    short = "top_k_accuracy"
    title = "Top-k Accuracy"
    ranges: ClassVar = {"k": (1,)}
    zero = "no gold label is among its most probable ones"
    counters = (TopLabels,)
    tests = ("mcnemar", "mcnemar-midp")
    explained: ClassVar = {"k": "how many of the most probable labels count"}

    @property
    def counter(self) -> TopLabels:
        return TopLabels(self.k)

    @property
    def name(self) -> str:
        return f"top_{self.k}_accuracy"

    @property
    def full_title(self) -> str:
        return f"Top-{self.k} Accuracy"

    def estimand(self, tally: Cells) -> Share:
        return Accuracy().estimand(tally)

    def notes(self, tally: Tally, facts: Facts) -> Iterator[tuple[str, str]]:
        labels = len(need_patterns(tally).labels)
        if self.k >= labels:
            text = f"always 1 with {labels} labels, whatever the outputs: {{}}."
            yield Danger(text), self.name
