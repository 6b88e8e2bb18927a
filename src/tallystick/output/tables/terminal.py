"""Prints documents to a terminal, with the means of rich."""

from rich.box import Box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tallystick.output.tables.document import Document, Style
from tallystick.output.tables.formats import clean
from tallystick.output.tables.layout import Page, fit
from tallystick.output.tables.text import align, list_notes
from tallystick.output.tables.typeset import choose_columns

# rich draws an empty edge on either side of a table.
_MARGIN = 2
_BOX = Box("    \n    \n ── \n    \n ── \n    \n    \n    \n")
"""Lines below the headings and between blocks, and none around."""
_COLOURS = {"good": "green", "bad": "bold red", "open": "yellow"}


def print_rich(document: Document, style: Style) -> None:
    """Prints tables with the columns asked for, sentences and notes, as wide as the terminal."""
    document = clean(choose_columns(document, style))
    console = Console(highlight=False)
    if document.heading:
        console.print(_indent(Text(document.heading, style="bold")))
    for grid in document.grids:
        if grid.caption:
            console.print(_indent(Text(grid.caption, style="bold")))
        for page in fit(grid, style, width=console.width - _MARGIN):
            console.print(_build_table(page))
    for sentence in (*document.legends, *document.sentences):
        console.print(_indent(Text(sentence)))
    for lead, note in list_notes(document, style):
        console.print(_indent(Text.assemble((lead, "bold"), note)))


def _indent(text: Text) -> Padding:
    return Padding(text, (0, 0, 0, 1))


def _build_table(page: Page) -> Table:
    table = Table(box=_BOX, header_style="bold", padding=(0, 1, 0, 0), pad_edge=False)
    for column in page:
        table.add_column(
            # Text, unlike a string, is never read as markup.
            Text("\n".join(align(line, column) for line in column.heading)),
            vertical="bottom",
            no_wrap=True,
        )
    for block in zip(*(column.blocks for column in page), strict=True):
        for row in zip(*block, strict=True):
            # A row of intervals names nothing; it belongs to the numbers above it.
            names = (cell for cell, column in zip(row, page, strict=True) if column.textual)
            cells = (
                Text(align(cell, column), style=_COLOURS.get(column.tones.get(cell, ""), ""))
                for cell, column in zip(row, page, strict=True)
            )
            table.add_row(*cells, style=None if row[0] or any(names) else "dim")
        table.add_section()
    return table
