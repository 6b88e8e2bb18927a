"""Writes documents as HTML for notebooks, light or dark."""

import html
from collections.abc import Sequence

from tallystick.render.cells import escape_controls, format_cell
from tallystick.render.document import Document, Grid, Row
from tallystick.render.layout import condense

__all__ = ["write_html"]

# The colours of the notebook are inherited, so that the tables suit its theme.
_STYLE = """\
<style>
.tallystick-report { overflow-x: auto; }
.tallystick-table { border-collapse: collapse; margin: 0 0 1em; color: inherit; }
.tallystick-table caption { caption-side: top; text-align: left; font-weight: bold; \
color: inherit; }
.tallystick-table th, .tallystick-table td { padding: 0.2em 0.8em; text-align: right; \
white-space: pre; font-variant-numeric: tabular-nums; }
.tallystick-table .tallystick-name { text-align: left; }
.tallystick-table tbody { border-top: 1px solid currentColor; }
.tallystick-note { margin: 0.3em 0; }
</style>"""


def write_html(document: Document, *, digits: int) -> str:
    """Write each grid as a table with a caption, then all sentences as paragraphs."""
    heading = [f"<h3>{_escape(document.heading)}</h3>"] if document.heading else []
    tables = (_write_table(condense(grid), digits) for grid in document.grids)
    paragraphs = (
        f'<p class="tallystick-note">Note: {_escape(remark)}</p>' for remark in document.remarks
    )
    lines = ('<div class="tallystick-report">', _STYLE, *heading, *tables, *paragraphs, "</div>")
    return "\n".join(lines) + "\n"


def _write_table(grid: Grid, digits: int) -> str:
    classes = [' class="tallystick-name"' if textual else "" for textual in grid.textual]
    blocks = ([_write_row(row, "td", classes, digits) for row in block] for block in grid.blocks)
    lines = (
        '<table class="tallystick-table">',
        f"<caption>{_escape(grid.caption or 'Scores')}</caption>",
        f"<thead>\n{_write_row(grid.headings, 'th', classes, digits)}\n</thead>",
        *("\n".join(("<tbody>", *rows, "</tbody>")) for rows in blocks),
        "</table>",
    )
    return "\n".join(lines)


def _write_row(row: Row, tag: str, classes: Sequence[str], digits: int) -> str:
    cells = "".join(
        f"<{tag}{name}>{html.escape(format_cell(cell, digits=digits))}</{tag}>"
        for cell, name in zip(row, classes, strict=True)
    )
    return f"<tr>{cells}</tr>"


def _escape(text: str) -> str:
    return html.escape(escape_controls(text))
