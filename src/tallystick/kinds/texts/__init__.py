"""Texts next to their references."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from tallystick.model.facts import Facts
from tallystick.model.reading import Kind, Reading, later

if TYPE_CHECKING:
    from tallystick.kinds.texts.text_columns import TextColumn


class TextKind(Kind["TextColumn"], frozen=True, eq=False):
    """Texts next to their references."""

    name: str = "texts"
    single = True
    submitted = True
    textual = True

    column: "ClassVar[type[TextColumn]]" = later("texts.text_columns", "TextColumn")
    read_lists = later("texts.text_columns", "read_text_lists")
    draft = later("texts.text_columns", "draft_texts")
    open = later("texts.text_columns", "open_texts")

    def repeat(self, values: Sequence[object], reading: Reading) -> Sequence[object] | None:
        return ["your output"] * len(values) if values and isinstance(values[0], str) else None

    def signature(
        self, facts: Facts, counted: str, references: int | None, split: Sequence[str | None]
    ) -> Sequence[str]:
        shape = [f"references:{references or 'var'}"]
        if len(split) > 1:
            shape.append(f"tokenizers:{'+'.join(name or 'usual' for name in split)}")
        return shape


TEXTS = TextKind()
