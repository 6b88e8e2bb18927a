"""Writes documents as plain text: aligned columns with words below them, or a line per score."""

import textwrap
from collections.abc import Sequence

from tallystick.output.tables.cells import format_cell, measure, unbound
from tallystick.output.tables.controls import escape_controls
from tallystick.output.tables.document import Document, Grid, Line, Style
from tallystick.output.tables.layout import GAP, Column, Page, fit, measure_page
from tallystick.output.tables.notes import count_shown

WIDTH = 100
"""The width of a page without a terminal."""


def write_text(document: Document, style: Style, *, width: int = WIDTH) -> str:
    """Writes each grid below its caption, then sentences, then notes, with blank lines between."""
    notes = list_notes(document, style)
    words = (
        "\n".join(
            wrap(sentence, width=width) for sentence in (*document.legends, *document.sentences)
        ),
        "\n".join(wrap(*note, width=width) for note in notes),
    )
    grids = (_write_grid(grid, style, width) for grid in document.grids)
    sections = (document.heading, *grids, *words)
    return "\n\n".join(section for section in sections if section) + "\n"


def list_notes(document: Document, style: Style) -> list[tuple[str, str]]:
    """Returns the notes to show, each with its lead, and how many more there are."""
    most = count_shown(document.notes, style.notes)
    shown = [("Note: ", note) for note in document.notes[:most]]
    hidden = len(document.notes) - len(shown)
    if hidden:
        shown.append(("", f"({hidden} more {'note' if hidden == 1 else 'notes'}, see .notes)"))
    return ([("", document.methods)] if document.methods else []) + shown


def _write_grid(grid: Grid, style: Style, width: int) -> str:
    pages = map(_write_page, fit(grid, style, width=width))
    caption = [grid.caption] if grid.caption else []
    return "\n\n".join((*caption, *pages))


def _write_page(page: Page) -> str:
    rule = "-" * measure_page(page)
    blocks = zip(*(column.blocks for column in page), strict=True)
    parts = [_write_headings(page), *(_write_block(page, block) for block in blocks)]
    return f"\n{rule}\n".join(parts)


def _write_headings(page: Page) -> str:
    depth = max(len(column.heading) for column in page)
    padded = [("",) * (depth - len(column.heading)) + column.heading for column in page]
    return _write_block(page, padded)


def _write_block(page: Page, block: Sequence[Sequence[str]]) -> str:
    columns = (_align(cells, column) for cells, column in zip(block, page, strict=True))
    gap = " " * GAP
    return "\n".join([gap.join(line).rstrip(" ") for line in zip(*columns, strict=True)])


def _align(cells: Sequence[str], column: Column) -> list[str]:
    if not "".join(cells).isascii():
        return [align(cell, column) for cell in cells]
    if column.textual:
        return [cell.ljust(column.width) for cell in cells]
    return [cell.rjust(column.width) for cell in cells]


def align(cell: str, column: Column) -> str:
    """Pads a cell to the width of its column: names on the right, numbers on the left."""
    space = " " * (column.width - measure(cell))
    return cell + space if column.textual else space + cell


def wrap(lead: str, sentence: str = "", *, width: int = WIDTH) -> str:
    """Wraps a sentence between words; further lines are indented below the end of the lead."""
    return textwrap.fill(
        lead + sentence,
        width,
        subsequent_indent=" " * len(lead) if sentence else "",
        break_long_words=False,
        break_on_hyphens=False,
    )


def write_lines(document: Document, style: Style) -> str:
    """Writes lines such as `Macro F1-Score: 0.5667`, with blank lines between paragraphs.

    Intervals are left out unless the style asks for them.
    """
    paragraphs = (
        "\n".join(_write_line(line, style) for line in paragraph)
        for paragraph in document.paragraphs or ()
    )
    return "\n\n".join(paragraphs) + "\n"


def _write_line(line: Line, style: Style) -> str:
    values = []
    for title, cell in line.values:
        text = format_cell(
            cell if style.intervals else unbound(cell), digits=style.round("", fraction=False)
        )
        values.append(f"{escape_controls(title)}: {text}")
    return escape_controls(line.words) + ", ".join(values)
