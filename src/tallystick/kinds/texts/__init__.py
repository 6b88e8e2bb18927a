"""Texts beside their references."""

from typing import TYPE_CHECKING, final

from tallystick.frozen import dataclass
from tallystick.model.reading import Kind, Lists, Opened, Reader
from tallystick.model.systems import Systems

if TYPE_CHECKING:
    from tallystick.kinds.texts.text_columns import TextColumn


@final
@dataclass(frozen=True, slots=True, eq=False)
class TextKind(Kind["TextColumn"]):
    """Texts beside their references."""

    name: str = "texts"

    @property
    def column(self) -> "type[TextColumn]":
        from tallystick.kinds.texts.text_columns import TextColumn

        return TextColumn

    def read_lists(self, systems: Systems, given: Lists) -> Systems:
        from tallystick.kinds.texts.text_columns import TextColumn, read_pairs

        parts = (read_pairs(own, given.gold, name) for name, own in given.outputs.items())
        return systems.beside(self.name, TextColumn(tuple(parts)))

    def open(self, gold: Opened) -> Reader:
        """Leaves the references to each system: which column has them depends on its own."""
        from tallystick.kinds.texts.text_columns import TextReader

        return TextReader(gold.left)


TEXTS = TextKind()
