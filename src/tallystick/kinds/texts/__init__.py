"""Texts next to their references."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tallystick.model.facts import Facts
from tallystick.model.reading import Drafted, Kind, Reader, Reading, Sample
from tallystick.model.sides import Side
from tallystick.model.systems import Systems

if TYPE_CHECKING:
    from tallystick.kinds.texts.text_columns import TextColumn


class TextKind(Kind["TextColumn"], frozen=True, eq=False):
    """Texts next to their references."""

    name: str = "texts"
    single = True
    submitted = True
    textual = True

    @property
    def column(self) -> "type[TextColumn]":
        from tallystick.kinds.texts.text_columns import TextColumn

        return TextColumn

    def read_lists(
        self, systems: Systems, gold: object, outputs: Mapping[str, object], reading: Reading
    ) -> Systems:
        from tallystick.kinds.texts.text_columns import TextColumn, read_pairs

        parts = (read_pairs(own, gold, name) for name, own in outputs.items())
        return systems.beside(self.name, TextColumn(tuple(parts)))

    def draft(self, sample: Sample, name: str) -> Drafted | None:
        """Answers with the first reference of each example."""
        from tallystick.kinds.texts.text_columns import find_references, list_references

        if sample.reading.soft:
            return None
        side = Side(sample.table)
        golden = list_references(side, find_references(side, sample.reading.columns))
        own = (one if isinstance(one, list) else [one] for one in golden)
        return Drafted({name: [str(next(filter(None, one), "")) for one in own]})

    def repeat(self, values: Sequence[object], reading: Reading) -> Sequence[object] | None:
        return ["your output"] * len(values) if values and isinstance(values[0], str) else None

    def signature(
        self, facts: Facts, counted: str, references: int | None, split: Sequence[str | None]
    ) -> Sequence[str]:
        shape = [f"references:{references or 'var'}"]
        if len(split) > 1:
            shape.append(f"tokenizers:{'+'.join(name or 'usual' for name in split)}")
        return shape

    def open(self, left: Side, reading: Reading, *, alone: bool) -> Reader:
        """Leaves the references to each system: which column has them depends on its own."""
        from tallystick.kinds.texts.text_columns import TextReader

        return TextReader(left)


TEXTS = TextKind()
