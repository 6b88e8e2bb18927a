"""Precision of spans."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, final

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
class SpanPrecision(Metric):
    """The share of predicted spans that are right, or what they are worth on average.

    Formula: what predicted spans are worth / predicted spans
    Undefined: where no span of the type is predicted; seqeval and conlleval print 0 there.
    Source: Tjong Kim Sang and De Meulder 2003; values as conlleval and seqeval's precision_score,
        and for exact, partial and type as nervaluate.
    """

    average: Average = "micro"
    match: Match = "strict"
    labels: tuple[Label, ...] | None = None
    other_type: float = 0
    severities: Severities | None = None
    zero_division: float = math.nan

    short: ClassVar[str] = "span_precision"
    title: ClassVar[str] = "Span Precision"
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
    return Ratio(counts.predicted_hits, counts.predicted)
