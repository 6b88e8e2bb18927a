"""Spans, read from tables and from memory."""

from typing import final

from tallystick.examples.columns import Columns
from tallystick.examples.sides import Side
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass, field, replace
from tallystick.kinds.spans.span_columns import Golden as GoldenSpans
from tallystick.kinds.spans.span_columns import pair_spans, read_own_spans
from tallystick.kinds.spans.spans import Spans


@final
@dataclass(frozen=True, slots=True, eq=False)
class SpanReader:
    """Reads spans, and tags that stand for them; keeps those of each system with their notes."""

    golden: GoldenSpans
    left: Side
    columns: Columns
    found: dict[str, tuple[Spans, tuple[str, ...]]] = field(default_factory=dict)

    def read(self, name: str, side: Side, columns: Columns) -> None:
        """Reads the spans of a system."""
        self.found[name] = read_own_spans(name, self.golden, self.left, side, columns)

    def add(self, systems: Systems) -> Systems:
        """Returns the systems with their spans."""
        spans = pair_spans(
            self.golden, [self.found[name][0] for name in systems.names], self.columns
        )
        own = dict.fromkeys(note for name in systems.names for note in self.found[name][1])
        return replace(
            systems.beside("spans", spans), notes=(*self.golden.notes, *systems.notes, *own)
        )
