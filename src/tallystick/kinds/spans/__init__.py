"""Spans of texts, and tags that represent them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from tallystick.model.columns import INPUT, TOKENS
from tallystick.model.facts import Facts
from tallystick.model.reading import Drafted, Kind, Reader, Reading, Sample, later
from tallystick.model.sides import Side
from tallystick.model.systems import Systems

if TYPE_CHECKING:
    from tallystick.kinds.spans.spans import SpanPairs


class SpanKind(Kind["SpanPairs"], frozen=True, eq=False):
    """Spans, and tags that represent them."""

    name: str = "spans"
    submitted = True
    beside = (INPUT, TOKENS)

    column: "ClassVar[type[SpanPairs]]" = later("spans.spans", "SpanPairs")
    fits = later("spans.span_columns", "holds_spans")
    looks = later("spans.spans", "look_like_spans")
    make_up = later("spans.span_columns", "make_spans")

    def read_lists(
        self, systems: Systems, gold: object, outputs: Mapping[str, object], reading: Reading
    ) -> Systems:
        from tallystick.kinds.spans.span_columns import read_span_lists

        spans, notes = read_span_lists(gold, outputs, reading.columns)
        return systems.beside(self.name, spans).tell(*notes)

    def draft(self, sample: Sample, name: str) -> Drafted:
        from tallystick.kinds.spans.span_columns import draft_spans

        own = sample.reading.columns.predicted or "predicted_spans"
        return draft_spans(sample, own)

    def repeat(self, values: Sequence[Any], reading: Reading) -> Sequence[object]:
        """No span, or the tags of tokens outside of all spans."""
        return [["O" for one in row if isinstance(one, str)] for row in values]

    def signature(
        self, facts: Facts, counted: str, references: int | None, split: Sequence[str | None]
    ) -> Sequence[str]:
        return [] if facts.scheme is None else [f"tags:{facts.scheme}"]

    def open(self, left: Side, reading: Reading, *, alone: bool) -> Reader:
        from tallystick.kinds.spans.span_columns import SpanReader, read_gold_spans

        spans = read_gold_spans(left, reading.columns, alone=alone)
        return SpanReader(spans, left, reading.columns)


SPANS = SpanKind()
