"""Writes documents in GitHub Markdown, and as a part of a notebook, light or dark."""

import html
import re
from collections.abc import Iterable, Sequence

from tallystick.output.tables.cells import Shown, measure
from tallystick.output.tables.document import Document, Grid, Style, Table
from tallystick.output.tables.layout import condense
from tallystick.output.tables.text import list_notes
from tallystick.output.tables.typeset import (
    explain,
    explain_marks,
    mark_once,
    title_caption,
    typeset,
)

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
    headings = [_escape(heading) for heading in table.titles]
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


# The colours of the notebook are inherited, so that the tables suit its theme.
_STYLE = """\
<style>
.tallystick-report { overflow-x: auto; }
.tallystick-table { border-collapse: collapse; margin: 0 0 1em; color: inherit; }
.tallystick-table caption { caption-side: top; text-align: left; font-weight: bold; \
color: inherit; white-space: nowrap; }
.tallystick-table th, .tallystick-table td { padding: 0.2em 0.8em; text-align: right; \
white-space: pre; font-variant-numeric: tabular-nums; }
.tallystick-table .tallystick-name { text-align: left; }
.tallystick-table tbody { border-top: 1px solid currentColor; }
.tallystick-table small { opacity: 0.7; }
.tallystick-table sup { line-height: 0; }
.tallystick-stacked small { display: block; }
.tallystick-note { margin: 0.3em 0; }
</style>"""

_MOST_BESIDE = 3
"""How many columns have their intervals beside their numbers."""


def write_html(document: Document, style: Style) -> str:
    """Writes each grid as a table with a caption, then all sentences, as a part of a notebook."""
    heading = [f"<h3>{html.escape(document.heading)}</h3>"] if document.heading else []
    tables = (_write_html_table(grid, style) for grid in document.grids)
    words = (*explain_marks(document.grids), *document.sentences)
    told = [*(("", one) for one in words), *list_notes(document, style)]
    paragraphs = (
        f'<p class="tallystick-note">{html.escape(lead + note)}</p>' for lead, note in told
    )
    lines = ('<div class="tallystick-report">', _STYLE, *heading, *tables, *paragraphs, "</div>")
    return "\n".join(lines) + "\n"


def _write_html_table(grid: Grid, style: Style) -> str:
    table = typeset(condense(grid), style)
    classes = [' class="tallystick-name"' if textual else "" for textual in table.textual]
    heading = _write_html_row("th", map(html.escape, table.titles), classes)
    blocks = (
        [_write_html_row("td", map(_write_html_cell, row), classes) for row in block]
        for block in table.blocks
    )
    lines = (
        f'<table class="tallystick-table{_stack(table)}">',
        *([f"<caption>{html.escape(grid.caption)}</caption>"] if grid.caption else []),
        f"<thead>\n{heading}\n</thead>",
        *("\n".join(("<tbody>", *rows, "</tbody>")) for rows in blocks),
        "</table>",
    )
    return "\n".join(lines)


def _stack(table: Table[Shown]) -> str:
    """The class of tables with so many intervals that these stand below their numbers."""
    columns = zip(*table.rows, strict=True)
    bounded = sum(any(cell.interval for cell in column) for column in columns)
    return " tallystick-stacked" if bounded > _MOST_BESIDE else ""


def _write_html_row(mark: str, cells: Iterable[str], classes: Sequence[str]) -> str:
    written = (f"<{mark}{name}>{cell}</{mark}>" for cell, name in zip(cells, classes, strict=True))
    return f"<tr>{''.join(written)}</tr>"


def _write_html_cell(cell: Shown) -> str:
    text = html.escape(cell.text)
    number = f"<b>{text}</b>" if cell.bold else text
    letters = f"<sup>{html.escape(cell.letters)}</sup>" if cell.letters else ""
    interval = f"<small> {cell.interval}</small>" if cell.interval else ""
    return number + letters + interval
