"""Writes documents in GitHub Markdown."""

import re
from collections.abc import Sequence

from tallystick.output.tables.cells import Shown, measure
from tallystick.output.tables.document import Document, Grid, Style
from tallystick.output.tables.layout import condense
from tallystick.output.tables.typeset import explain, mark_once, title_caption, typeset

# An underscore between letters or digits is plain text, as in `macro_f1`.
_SPECIAL = re.compile(r"[\\`*~$<&|\[\]]|(?<![^\W_])_|_(?![^\W_])")

# GitHub makes links of these after it has read the text, so that no backslash keeps it from that.
_LINKS = re.compile(
    r"(?<=@)(?=\w)|(?<=#)(?=\d)|(?<=\bhttp)(?=s?://)|(?<=\bwww)(?=\.)", re.IGNORECASE
)
_APART = "<!-- -->"


def write_markdown(document: Document, style: Style) -> str:
    """Writes each grid as a table below its caption in bold, then all sentences as paragraphs."""
    heading = [f"### {_escape(document.heading)}"] if document.heading else []
    grids = tuple(map(mark_once, document.grids))
    tables = (_write_table(grid, style) for grid in grids)
    legend = explain(grids, document.methods)
    told = [*document.sentences, *(f"Note: {note}" for note in document.notes)]
    words = [_escape(sentence) for sentence in (legend, *told) if sentence]
    signatures = [f"{name}: `{shaped}`" for name, shaped in document.signatures.items()]
    return "\n\n".join((*heading, *tables, *words, *signatures)) + "\n"


def _write_table(grid: Grid, style: Style) -> str:
    table = typeset(condense(grid), style, titled=True)
    headings = [_escape(heading) for heading in table.headings]
    rows = [headings, *(list(map(_format_cell, row)) for row in table.rows)]
    widths = [max(3, *map(measure, column)) for column in zip(*rows, strict=True)]
    marks = [
        "-" * width if left else "-" * (width - 1) + ":"
        for width, left in zip(widths, table.textual, strict=True)
    ]
    heading, *body = (_write_row(row, widths, table.textual) for row in rows)
    caption = [f"**{_escape(title_caption(grid))}**", ""] if grid.caption else []
    return "\n".join((*caption, heading, f"| {' | '.join(marks)} |", *body))


def _format_cell(cell: Shown) -> str:
    text = _escape(cell.text)
    number = f"**{text}**" if cell.bold else text
    return " ".join(filter(None, (number, _escape(cell.interval))))


def _write_row(cells: Sequence[str], widths: Sequence[int], textual: Sequence[bool]) -> str:
    padded = []
    for cell, width, left in zip(cells, widths, textual, strict=True):
        space = " " * (width - measure(cell))
        padded.append(cell + space if left else space + cell)
    return f"| {' | '.join(padded)} |"


def _escape(text: str) -> str:
    return _LINKS.sub(_APART, _SPECIAL.sub(r"\\\g<0>", text))
