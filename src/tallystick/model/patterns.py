"""Columns of patterns: what several rows tell of an example."""

from collections.abc import Sequence
from typing import final

from tallystick.frozen import dataclass, replace
from tallystick.model.codes import Label, Labels
from tallystick.model.reading import Kind
from tallystick.model.systems import Column


@final
@dataclass(frozen=True, slots=True, eq=False)
class Patterns(Column):
    """What was observed of each example, written as a label.

    Attributes:
        outputs: The pattern of each example, for every system.
        parts: The labels that patterns are made of, where they are made of some.
    """

    outputs: tuple[Labels, ...]
    parts: tuple[Label, ...] = ()

    def __len__(self) -> int:
        return len(self.outputs[0])

    @property
    def label_names(self) -> tuple[Label, ...]:
        """The labels that patterns are made of."""
        return self.parts

    def of(self, places: Sequence[int]) -> "Patterns":
        """The patterns of some of the systems."""
        return replace(self, outputs=tuple(self.outputs[place] for place in places))

    def take(self, rows: slice) -> "Patterns":
        """The patterns of some of the examples."""
        return replace(self, outputs=tuple(own.take(rows) for own in self.outputs))

    def tell_output(self, place: int, row: int) -> str:
        """The pattern of the system that stands at a place."""
        own = self.outputs[place]
        return str(own.names[int(own.codes[row])])


@final
@dataclass(frozen=True, slots=True, eq=False)
class PatternKind(Kind[Patterns]):
    """What several rows tell of an example, which are read by layouts of their own."""

    name: str
    said: str
    column = Patterns
