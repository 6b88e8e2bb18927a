"""Writes documents as HTML: a part of a notebook, light or dark, or a page for word processors."""

import html
from collections.abc import Sequence

from tallystick.render.cells import Shown, escape_controls
from tallystick.render.document import Document, Grid
from tallystick.render.layout import condense
from tallystick.render.paper import explain, explain_marks
from tallystick.render.style import Style
from tallystick.render.text import list_notes
from tallystick.render.typeset import Table, title_caption, typeset

__all__ = ["write_html", "write_page"]

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

# Word processors know attributes and few styles; the three rules are those of booktabs.
_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font-family: serif; }}
table {{ border-collapse: collapse; margin-bottom: 1em; border-bottom: 1.5pt solid black; }}
caption {{ caption-side: top; text-align: left; white-space: nowrap; }}
sup {{ line-height: 0; }}
th {{ font-weight: normal; border-top: 1.5pt solid black; border-bottom: 0.75pt solid black; }}
th, td {{ padding: 1pt 6pt; text-align: right; white-space: nowrap; }}
.name {{ text-align: left; }}
.first td {{ border-top: 0.75pt solid black; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def write_html(document: Document, style: Style) -> str:
    """Writes each grid as a table with a caption, then all sentences, as a part of a notebook."""
    heading = [f"<h3>{_escape(document.heading)}</h3>"] if document.heading else []
    tables = (_write_table(grid, style) for grid in document.grids)
    words = (*explain_marks(document.grids), *document.sentences)
    told = [*(("", one) for one in words), *list_notes(document, style)]
    paragraphs = (f'<p class="tallystick-note">{_escape(lead + note)}</p>' for lead, note in told)
    lines = ('<div class="tallystick-report">', _STYLE, *heading, *tables, *paragraphs, "</div>")
    return "\n".join(lines) + "\n"


def _write_table(grid: Grid, style: Style) -> str:
    table = typeset(condense(grid), style)
    classes = [' class="tallystick-name"' if textual else "" for textual in table.textual]
    blocks = ([_write_row(row, classes) for row in block] for block in table.blocks)
    lines = (
        f'<table class="tallystick-table{_stack(table)}">',
        *([f"<caption>{_escape(grid.caption)}</caption>"] if grid.caption else []),
        f"<thead>\n{_write_headings(table, classes)}\n</thead>",
        *("\n".join(("<tbody>", *rows, "</tbody>")) for rows in blocks),
        "</table>",
    )
    return "\n".join(lines)


def _stack(table: Table) -> str:
    """The class of tables with so many intervals that these stand below their numbers."""
    columns = zip(*table.rows, strict=True)
    bounded = sum(any(cell.interval for cell in column) for column in columns)
    return " tallystick-stacked" if bounded > _MOST_BESIDE else ""


def write_page(document: Document, style: Style) -> str:
    """Writes a page of tables as a paper has them, which a word processor opens or takes pasted."""
    heading = [f"<p><b>{_escape(document.heading)}</b></p>"] if document.heading else []
    tables = (_write_paper_table(grid, style) for grid in document.grids)
    legend = explain(document.grids, document.methods)
    told = [legend, *document.sentences, *(f"Note: {note}" for note in document.notes)]
    paragraphs = [f"<p>{_escape(sentence)}</p>" for sentence in told if sentence]
    shaped = [
        f"<p>{_escape(name)}: <code>{_escape(signature)}</code></p>"
        for name, signature in document.signatures.items()
    ]
    body = "\n".join((*heading, *tables, *paragraphs, *shaped))
    return _PAGE.format(title=_escape(document.heading) or "Scores", body=body)


def _write_paper_table(grid: Grid, style: Style) -> str:
    table = typeset(condense(grid), style, titled=True)
    classes = [' class="name"' if textual else "" for textual in table.textual]
    caption = title_caption(grid.caption)
    lines = [
        "<table>",
        *([f"<caption>{_escape(caption)}</caption>"] if caption else []),
        f"<thead>\n{_write_headings(table, classes)}\n</thead>",
        "<tbody>",
    ]
    for place, block in enumerate(table.blocks):
        for number, row in enumerate(block):
            first = ' class="first"' if place and not number else ""
            lines.append(_write_row(row, classes, first))
    return "\n".join((*lines, "</tbody>", "</table>"))


def _write_headings(table: Table, classes: Sequence[str]) -> str:
    cells = "".join(
        f"<th{name}>{html.escape(heading)}</th>"
        for heading, name in zip(table.headings, classes, strict=True)
    )
    return f"<tr>{cells}</tr>"


def _write_row(row: Sequence[Shown], classes: Sequence[str], own: str = "") -> str:
    cells = "".join(
        f"<td{name}>{_write_cell(cell)}</td>" for cell, name in zip(row, classes, strict=True)
    )
    return f"<tr{own}>{cells}</tr>"


def _write_cell(cell: Shown) -> str:
    text = html.escape(cell.text)
    number = f"<b>{text}</b>" if cell.bold else text
    letters = f"<sup>{cell.letters}</sup>" if cell.letters else ""
    interval = f"<small> {cell.interval}</small>" if cell.interval else ""
    return number + letters + interval


def _escape(text: str) -> str:
    return html.escape(escape_controls(text))
