"""Writes documents as plain text for people: aligned columns on lines of at most 100."""

import textwrap
from collections.abc import Sequence

from tallystick.render.cells import escape_controls, measure
from tallystick.render.document import Document, Grid
from tallystick.render.layout import GAP, Column, Page, fit, measure_page

__all__ = ["write_text"]

_WIDTH = 100


def write_text(document: Document, *, digits: int) -> str:
    """Write each grid below its caption, then sentences, then notes, with blank lines between."""
    words = (
        "\n".join(map(_wrap, document.sentences)),
        "\n".join(_wrap(note, "Note: ") for note in document.notes),
    )
    grids = (_write_grid(grid, digits) for grid in document.grids)
    sections = (escape_controls(document.heading), *grids, *words)
    return "\n\n".join(section for section in sections if section) + "\n"


def _write_grid(grid: Grid, digits: int) -> str:
    pages = map(_write_page, fit(grid, digits=digits, width=_WIDTH))
    caption = [escape_controls(grid.caption)] if grid.caption else []
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
    """Write the lines of a block, which holds one sequence of cells for each column."""
    lines = zip(*block, strict=True)
    return "\n".join(_write_line(page, line) for line in lines)


def _write_line(page: Page, cells: Sequence[str]) -> str:
    return (" " * GAP).join(map(_align, cells, page)).rstrip(" ")


def _align(cell: str, column: Column) -> str:
    space = " " * (column.width - measure(cell))
    return cell + space if column.textual else space + cell


def _wrap(sentence: str, lead: str = "") -> str:
    return textwrap.fill(
        lead + escape_controls(sentence),
        _WIDTH,
        subsequent_indent=" " * len(lead),
        break_long_words=False,
        break_on_hyphens=False,
    )
