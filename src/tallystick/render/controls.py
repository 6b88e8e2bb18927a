"""Escapes characters that move the cursor, change the direction of text, or are invisible."""

import re
from collections.abc import Iterable
from dataclasses import replace

from tallystick.render.cells import Cell, Mark, Toned, Worded
from tallystick.render.document import Document, Grid, Heading

CONTROLS = (
    r"(?<![^\x00-\u02ff])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\u02ff])|"
    r"[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\ud800-\udfff\ufeff\ufff9-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    r"\U0001d173-\U0001d17a\U000e0001-\U000e007f]"
)
"""Control and format characters, and lone surrogates, as a regular expression.

Joiners belong to words of Persian or Hindi and to emoji, and are escaped beside Latin letters only;
visible format characters, such as Arabic number signs, are kept.
"""

_CONTROLS = re.compile(CONTROLS)


def escape_controls(text: str) -> str:
    r"""Writes control and format characters as escapes, such as `\n` and `\u202e`."""
    return type(text)(_CONTROLS.sub(lambda one: one[0].encode("unicode_escape").decode(), text))


def clean(document: Document) -> Document:
    """Returns a document with all control characters escaped, for people to read."""
    return replace(
        document,
        grids=tuple(map(_clean_grid, document.grids)),
        heading=escape_controls(document.heading),
        sentences=_clean_all(document.sentences),
        notes=_clean_all(document.notes),
        methods=escape_controls(document.methods),
        signatures={
            escape_controls(name): escape_controls(shaped)
            for name, shaped in document.signatures.items()
        },
    )


def _clean_all(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(escape_controls, texts))


def _clean_grid(grid: Grid) -> Grid:
    return replace(
        grid,
        caption=escape_controls(grid.caption),
        headings=tuple(map(_clean_heading, grid.headings)),
        blocks=tuple(tuple(tuple(map(_clean_cell, row)) for row in block) for block in grid.blocks),
        legend=_clean_all(grid.legend),
    )


def _clean_heading(heading: str | Heading) -> str | Heading:
    if isinstance(heading, Heading):
        return replace(heading, name=escape_controls(heading.name))
    return escape_controls(heading)


def _clean_cell(cell: Cell) -> Cell:
    match cell:
        case str():
            return escape_controls(cell)
        case Toned(text):
            return replace(cell, text=escape_controls(text))
        case Mark(letters=letters):
            return replace(cell, letters=escape_controls(letters))
        case Worded(words):
            return replace(cell, words=escape_controls(words))
    return cell
