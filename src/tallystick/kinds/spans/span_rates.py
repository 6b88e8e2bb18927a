"""Precision, recall and F1 of spans: their options, and sums of types brought to one number."""

import abc
import math
from collections.abc import Callable
from typing import Any, ClassVar, final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.kinds.spans import SPANS
from tallystick.kinds.spans.span_matches import MATCHES, Match, credit_spans
from tallystick.kinds.spans.spans import SpanPairs, Spans
from tallystick.model.codes import Label
from tallystick.model.systems import Systems
from tallystick.model.tallies.groups import need_examples
from tallystick.model.tallies.metric import Average, Metric, Values, check_number, fold_option, show
from tallystick.model.tallies.ratios import Ratio, check_labels, check_zero_division, divide, weigh
from tallystick.model.tallies.sums import Sums, sum_values
from tallystick.settings import freeze_lists

Counts = NDArray[np.float64]


class SpanMatches(Struct, frozen=True):
    """Sums what the spans of each type are worth on either side.

    A character in spans of another type on the other side is worth `other_type`.
    """

    kind: ClassVar = SPANS
    columns = ("predicted_hits", "gold_hits", "predicted", "gold")
    at_most = (("predicted_hits", "predicted"), ("gold_hits", "gold"))
    """What spans of either side are worth, and their numbers; in characters where these match."""
    match: Match = "strict"
    other_type: float = 0

    def count(self, systems: Systems) -> Sums:
        need_examples(systems, "metrics of spans")
        pairs = SPANS.of(systems)
        if systems.weights is not None:
            raise UsageError("metrics of spans do not support weights")
        if pairs.gold.words is not None and self.match not in ("strict", "exact"):
            raise UsageError(
                f"facts have no place, and match strictly or exactly, not {self.match}"
            )
        whole = self.match not in ("partial", "overlap") and not self.other_type
        types, columns = len(pairs.gold.labels.names), len(self.columns)
        shape = (len(pairs), len(pairs.outputs), types, columns)
        rows = np.zeros(shape, np.int64 if whole else np.float64)
        for system, output in enumerate(pairs.outputs):
            self._count_rows(pairs, output, rows[:, system])
        tally = sum_values(self, systems, rows.reshape(*shape[:2], types * columns))
        return replace(tally, labels=pairs.gold.labels.names)

    def _count_rows(self, pairs: SpanPairs, output: Spans, rows: NDArray[Any]) -> None:
        """Fills the columns of each type, for each example: of shape (examples, types, columns)."""
        examples, types, _ = rows.shape
        gold, own = credit_spans(pairs.gold, output, self.match, self.other_type)
        for column, side in enumerate((own, gold)):
            cells = side.owners * types + side.codes
            for place, values in ((column, side.hits), (column + 2, side.sizes)):
                found = np.bincount(cells, values, examples * types)
                rows[..., place] = found.reshape(examples, types)


class SpanCounts(Struct, frozen=True, eq=False):
    """The sums of each type, of shape (..., groups, types): what spans are worth, and how many."""

    labels: tuple[Label, ...]
    predicted_hits: Counts
    gold_hits: Counts
    predicted: Counts
    gold: Counts

    @classmethod
    def of(cls, tally: Sums) -> "SpanCounts":
        """The sums of the only system of a tally."""
        return cls(tally.labels, *np.moveaxis(tally.by_label(), -1, 0))

    def pick(self, labels: tuple[Label, ...]) -> "SpanCounts":
        """The sums of these types in this order; those of a type never seen are 0."""
        places = [self.labels.index(label) if label in self.labels else -1 for label in labels]

        def at(counts: Counts) -> Counts:
            padded = np.concatenate(
                [counts, np.zeros_like(counts, shape=(*counts.shape[:-1], 1))], -1
            )
            return padded[..., places]

        return SpanCounts(labels, *map(at, self._columns))

    def pool(self) -> "SpanCounts":
        """All types taken together, as one."""
        return SpanCounts(("micro",), *(own.sum(-1, keepdims=True) for own in self._columns))

    def weigh(self, weights: NDArray[np.float64]) -> "SpanCounts":
        """The sums with each type weighed."""
        return SpanCounts(self.labels, *(own * weights for own in self._columns))

    @property
    def used(self) -> NDArray[np.bool_]:
        """Which types occur in gold or output."""
        return (self.predicted > 0) | (self.gold > 0)

    @property
    def _columns(self) -> tuple[Counts, ...]:
        return (self.predicted_hits, self.gold_hits, self.predicted, self.gold)


Severities = tuple[tuple[str, float], ...]


class _SpanRatio(Metric, frozen=True):
    """A ratio of counts of spans of each type, brought to one number."""

    counters = (SpanMatches,)
    zero = "no span of its outputs matches one of the gold"

    average: Average = "micro"
    match: Match = "strict"
    labels: tuple[Label, ...] | None = None
    other_type: float = 0
    severities: Severities | None = None
    zero_division: float = math.nan

    def __post_init__(self) -> None:
        _check_spans(self)

    @abc.abstractmethod
    def ratio(self, counts: SpanCounts) -> Ratio:
        """The numerator and the denominator of each type."""

    @property
    def name(self) -> str:
        """The name with the average and the match: `micro_partial_span_f1`."""
        match = () if self.match == "strict" else (self.match,)
        average = () if self.average is None else (self.average,)
        return "_".join([*average, *match, self.short])

    def score(self, tally: Sums) -> Values:
        return _average_spans(self, tally, self.ratio)


@final
class SpanPrecision(_SpanRatio, frozen=True):
    """The share of predicted spans that are right, or what they are worth on average.

    Formula: what predicted spans are worth / predicted spans
    Undefined: where no span of the type is predicted; seqeval and conlleval print 0 there.
    Source: Tjong Kim Sang and De Meulder 2003; values as conlleval and seqeval's precision_score,
        and for exact, partial and type as nervaluate.
    """

    short = "span_precision"
    title = "Span Precision"

    def ratio(self, counts: SpanCounts) -> Ratio:
        return Ratio(counts.predicted_hits, counts.predicted)


@final
class SpanRecall(_SpanRatio, frozen=True):
    """The share of gold spans that are found, or what they are worth on average.

    Formula: what gold spans are worth / gold spans
    Undefined: where the gold has no span of the type; seqeval and conlleval print 0 there.
    Source: Tjong Kim Sang and De Meulder 2003; values as conlleval and seqeval's recall_score,
        and for exact, partial and type as nervaluate.
    """

    short = "span_recall"
    title = "Span Recall"

    def ratio(self, counts: SpanCounts) -> Ratio:
        return Ratio(counts.gold_hits, counts.gold)


@final
class SpanF1(_SpanRatio, frozen=True):
    """The harmonic mean of the precision and the recall of spans, such as named entities.

    Formula: 2 P R / (P + R), where P is what predicted spans are worth / predicted spans, and R is
        what gold spans are worth / gold spans; with a strict match 2 TP / (2 TP + FP + FN)
    Undefined: where there are no spans of the type, in gold or predicted; seqeval and conlleval
        print 0 there.
    Source: Tjong Kim Sang and De Meulder 2003; values as conlleval and seqeval's f1_score, and for
        exact, partial and type as nervaluate; overlap is Da San Martino et al. 2019.
    """

    short = "span_f1"
    title = "Span F1"

    def ratio(self, counts: SpanCounts) -> Ratio:
        crossed = counts.predicted_hits * counts.gold + counts.gold_hits * counts.predicted
        none = crossed == 0
        total = counts.predicted + counts.gold
        return Ratio(2 * counts.predicted_hits * counts.gold_hits, np.where(none, total, crossed))


def _check_spans(metric: Any) -> None:
    """Raises a UsageError unless the metric's options have values that they may have."""
    fold_option(metric, "average", ("micro", "macro", "weighted", None))
    fold_option(metric, "match", MATCHES)
    check_labels(metric)
    check_number("other_type", metric.other_type, 0, 1)
    check_zero_division(metric.zero_division)
    if metric.other_type and metric.match != "character":
        raise UsageError("other_type is what a character is worth: it goes with match='character'")
    freeze_lists(metric, "severities")
    _check_severities(metric.severities)


def _check_severities(severities: object) -> None:
    if severities is None:
        return
    pairs = severities if isinstance(severities, tuple) and severities else (None,)
    for pair in pairs:
        if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str)):
            raise UsageError(
                "severities is a tuple of types and what they weigh, such as "
                f"(('minor', 1), ('major', 5)), not {show(severities)}"
            )
        check_number(f"the weight of {pair[0]}", pair[1], 0)


def _average_spans(metric: Any, tally: Sums, ratio: Callable[[SpanCounts], Ratio]) -> Values:
    """The score of a metric with the options of spans.

    With `labels=None`, types that a group has neither in gold nor in outputs have no part in its
    averages, as in seqeval.
    """
    counts = SpanCounts.of(tally)
    if metric.labels is not None:
        counts = counts.pick(metric.labels)
    if metric.severities is not None:
        counts = counts.weigh(_list_weights(counts.labels, dict(metric.severities)))
    if metric.average == "micro":
        return divide(ratio(counts.pool()), metric.zero_division)[..., 0]
    values = divide(ratio(counts), metric.zero_division)
    if metric.labels is None:
        values = np.where(counts.used, values, np.nan)
    if metric.average is None:
        return values
    return weigh(values, counts.gold if metric.average == "weighted" else np.ones_like(values))


def _list_weights(labels: tuple[Label, ...], weights: dict[Label, float]) -> Values:
    unknown = next((label for label in labels if label not in weights), None)
    if unknown is not None:
        raise UsageError(
            f"severities has no weight for {unknown!r}: it names {', '.join(map(str, weights))}"
        )
    return np.array([weights[label] for label in labels], np.float64)
