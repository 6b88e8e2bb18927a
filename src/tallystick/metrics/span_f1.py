"""F1 of spans."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from tallystick.examples.labels import Label
from tallystick.metrics.averages import Ratio
from tallystick.metrics.metric import Average, Direction, Metric, Values
from tallystick.metrics.span_ratios import (
    Severities,
    average_spans,
    check_spans,
    count_spans,
    name_matches,
    name_spans,
)
from tallystick.tallies.span_matches import Match
from tallystick.tallies.spans import SpanCounts, SpanMatches
from tallystick.tallies.sums import Sums
from tallystick.tallies.tally import Counter


@final
@dataclass(frozen=True, slots=True, repr=False)
class SpanF1(Metric):
    """The harmonic mean of the precision and the recall of spans, such as named entities.

    Formula: 2 P R / (P + R), where P is what predicted spans are worth / predicted spans, and R is
        what gold spans are worth / gold spans; with a strict match 2 TP / (2 TP + FP + FN)
    Undefined: where there are no spans of the type, in gold or predicted; seqeval and conlleval
        print 0 there.
    Source: Tjong Kim Sang and De Meulder 2003; values as conlleval and seqeval's f1_score, and for
        exact, partial and type as nervaluate; overlap is Da San Martino et al. 2019.
    """

    average: Average = "micro"
    match: Match = "strict"
    labels: tuple[Label, ...] | None = None
    other_type: float = 0
    severities: Severities | None = None
    zero_division: float = math.nan

    short: ClassVar[str] = "span_f1"
    title: ClassVar[str] = "Span F1"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type[Counter], ...]] = (SpanMatches,)
    zero: ClassVar[str] = "no span of its outputs matches one of the gold"
    presets: ClassVar[Mapping[str, Mapping[str, object]]] = name_matches(short)

    def __post_init__(self) -> None:
        check_spans(self)

    @property
    def name(self) -> str:
        return name_spans(self)

    @property
    def counter(self) -> SpanMatches:
        return count_spans(self)

    def score(self, tally: Sums) -> Values:
        return average_spans(self, tally, _ratio)


def _ratio(counts: SpanCounts) -> Ratio:
    crossed = counts.predicted_hits * counts.gold + counts.gold_hits * counts.predicted
    none = crossed == 0
    total = counts.predicted + counts.gold
    return Ratio(2 * counts.predicted_hits * counts.gold_hits, np.where(none, total, crossed))
