"""Prints an evaluation to a terminal, with the means of rich."""

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tallystick.report.cells import escape_controls
from tallystick.report.evaluation import Evaluation
from tallystick.report.grid import list_grids
from tallystick.report.layout import Page, fit
from tallystick.report.methods import describe_intervals

__all__ = ["print_rich"]

# rich draws an empty edge on either side of a table.
_MARGIN = 2


def print_rich(evaluation: Evaluation, digits: int) -> None:
    """Print the tables and notes of an evaluation, fitted to the width of the terminal."""
    console = Console(highlight=False)
    for grid in list_grids(evaluation.scores, evaluation.lead, evaluation.confusions):
        if grid.caption:
            console.print(_indent(Text(escape_controls(grid.caption), style="bold")))
        for page in fit(grid, digits=digits, width=console.width - _MARGIN):
            console.print(_build_table(page))
    for note in (*evaluation.notes, *describe_intervals(evaluation.scores)):
        console.print(_indent(Text.assemble(("Note: ", "bold"), escape_controls(note))))


def _indent(text: Text) -> Padding:
    return Padding(text, (0, 0, 0, 1))


def _build_table(page: Page) -> Table:
    table = Table(box=box.SIMPLE, header_style="bold", padding=(0, 1, 0, 0), pad_edge=False)
    for column in page:
        table.add_column(
            # Text, unlike a string, is never read as markup.
            Text("\n".join(column.heading)),
            justify="left" if column.textual else "right",
            vertical="bottom",
            no_wrap=True,
        )
    for block in zip(*(column.blocks for column in page), strict=True):
        for row in zip(*block, strict=True):
            # A row of intervals names nothing; it belongs to the numbers above it.
            table.add_row(*map(Text, row), style=None if row[0] else "dim")
        table.add_section()
    return table
