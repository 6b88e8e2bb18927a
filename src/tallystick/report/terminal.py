"""Prints results to a terminal, with the means of rich."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tallystick.report.cells import escape_controls
from tallystick.report.comparison import Comparison, pivot_differences
from tallystick.report.evaluation import Evaluation
from tallystick.report.grid import Grid, list_grids
from tallystick.report.layout import Page, fit
from tallystick.report.methods import describe_intervals
from tallystick.report.ranking import Ranking, list_ranking_grids, list_ranking_notes

__all__ = ["print_rich"]

# rich draws an empty edge on either side of a table.
_MARGIN = 2


def print_rich(result: Evaluation | Comparison | Ranking, digits: int) -> None:
    """Print the tables, sentences and notes of a result, fitted to the width of the terminal."""
    console = Console(highlight=False)
    grids, sentences, notes = _list_parts(result, digits)
    for grid in grids:
        if grid.caption:
            console.print(_indent(Text(escape_controls(grid.caption), style="bold")))
        for page in fit(grid, digits=digits, width=console.width - _MARGIN):
            console.print(_build_table(page))
    for sentence in sentences:
        console.print(_indent(Text(escape_controls(sentence))))
    for note in notes:
        console.print(_indent(Text.assemble(("Note: ", "bold"), escape_controls(note))))


def _list_parts(
    result: Evaluation | Comparison | Ranking, digits: int
) -> tuple[Sequence[Grid], Sequence[str], Sequence[str]]:
    """The grids, the sentences that stand for themselves, and the notes."""
    match result:
        case Evaluation():
            grids = list_grids(result.scores, result.lead, result.confusions)
            return grids, (), (*result.notes, *describe_intervals(result.scores))
        case Comparison():
            return (pivot_differences(result, digits),), result.sentences(), result.notes
        case Ranking():
            return list_ranking_grids(result), (), list_ranking_notes(result)


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
            names = (cell for cell, column in zip(row, page, strict=True) if column.textual)
            table.add_row(*map(Text, row), style=None if row[0] or any(names) else "dim")
        table.add_section()
    return table
