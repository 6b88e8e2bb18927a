"""Writes documents in GitHub Markdown."""

import re
from collections.abc import Sequence

from tallystick.render.cells import escape_controls, format_cell, measure
from tallystick.render.document import Document, Grid, Row

__all__ = ["write_markdown"]

# An underscore between letters or digits is plain text, as in `macro_f1`.
_SPECIAL = re.compile(r"[\\`*~$<&|\[\]]|(?<![^\W_])_|_(?![^\W_])")

# GitHub makes links of these after it has read the text, so that no backslash keeps it from that.
_LINKS = re.compile(
    r"(?<=@)(?=\w)|(?<=#)(?=\d)|(?<=\bhttp)(?=s?://)|(?<=\bwww)(?=\.)", re.IGNORECASE
)
_APART = "<!-- -->"


def write_markdown(document: Document, *, digits: int) -> str:
    """Write each grid as a table below its caption in bold, then all sentences as paragraphs."""
    heading = [f"### {_escape_text(document.heading)}"] if document.heading else []
    tables = (_write_table(grid, digits) for grid in document.grids)
    paragraphs = (f"Note: {_escape_text(remark)}" for remark in document.remarks)
    return "\n\n".join((*heading, *tables, *paragraphs)) + "\n"


def _write_table(grid: Grid, digits: int) -> str:
    rows = [_format_row(row, digits) for row in (grid.headings, *grid.rows)]
    widths = [max(3, *map(measure, column)) for column in zip(*rows, strict=True)]
    marks = [
        "-" * width if left else "-" * (width - 1) + ":"
        for width, left in zip(widths, grid.textual, strict=True)
    ]
    heading, *body = (_write_row(row, widths, grid.textual) for row in rows)
    caption = [f"**{_escape_text(grid.caption)}**", ""] if grid.caption else []
    return "\n".join((*caption, heading, f"| {' | '.join(marks)} |", *body))


def _format_row(row: Row, digits: int) -> list[str]:
    return [_escape(format_cell(cell, digits=digits)) for cell in row]


def _write_row(cells: Sequence[str], widths: Sequence[int], textual: Sequence[bool]) -> str:
    padded = []
    for cell, width, left in zip(cells, widths, textual, strict=True):
        space = " " * (width - measure(cell))
        padded.append(cell + space if left else space + cell)
    return f"| {' | '.join(padded)} |"


def _escape_text(text: str) -> str:
    return _escape(escape_controls(text))


def _escape(text: str) -> str:
    return _LINKS.sub(_APART, _SPECIAL.sub(r"\\\g<0>", text))
