"""Texts of every system beside their references, as strings or as token lists."""

import re
from collections.abc import Sequence
from typing import final

from tallystick.examples.systems import Column
from tallystick.frozen import dataclass
from tallystick.kinds.texts.texts import TextExamples
from tallystick.kinds.texts.token_lists import TokenExamples

TextPart = TextExamples | TokenExamples
_BETWEEN = " ||| "


@final
@dataclass(frozen=True, slots=True, eq=False)
class TextColumn(Column):
    """Each system's texts beside the references."""

    parts: tuple[TextPart, ...]

    def __len__(self) -> int:
        return len(self.parts[0])

    @property
    def has_lines(self) -> bool:
        """Whether a text has several lines."""
        parts = (part for part in self.parts if isinstance(part, TextExamples))
        sides = (side for part in parts for side in (part.hypotheses, part.references))
        return any(re.search(b"\n", side.data.data) is not None for side in sides)

    def of(self, places: Sequence[int]) -> "TextColumn":
        """The texts of some of the systems."""
        return TextColumn(tuple(self.parts[place] for place in places))

    def take(self, rows: slice) -> "TextColumn":
        """The texts of some of the examples."""
        return TextColumn(tuple(_take(part, rows) for part in self.parts))

    def tell_gold(self, row: int) -> str:
        """All references of an example; token lists have lost their spelling."""
        part = self.parts[0]
        if isinstance(part, TokenExamples):
            return ""
        return _BETWEEN.join(part.references.take(slice(*part.spans[row : row + 2])).strings())

    def tell_output(self, place: int, row: int) -> str:
        """The text of the system that stands at a place."""
        part = self.parts[place]
        if isinstance(part, TokenExamples):
            return ""
        return part.hypotheses.take(slice(row, row + 1)).strings()[0]


def _take(part: TextPart, rows: slice) -> TextPart:
    spans = part.spans[rows.start : rows.stop + 1]
    held = slice(int(spans[0]), int(spans[-1]))
    if isinstance(part, TokenExamples):
        own = part.hypotheses.take(rows), part.references.take(held)
        return TokenExamples(*own, spans - spans[0])
    return TextExamples(part.hypotheses.take(rows), part.references.take(held), spans - spans[0])
