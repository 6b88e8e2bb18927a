"""Fits a grid to the width of a page: what to leave out, turn, number, break and fold."""

from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeAlias

from tallystick.render.cells import Bounded, Cell, format_cell, measure, shorten
from tallystick.render.document import Grid, Row

__all__ = ["GAP", "Column", "Page", "condense", "fit", "measure_page"]

GAP = 2
_LONGEST_NAME = 40
_LONGEST_METRIC = 72
"""Room for the repr of a metric, whose end may be all that sets it apart from another one."""
_MOST_METRICS_ACROSS = 4
_MOST_LABELS_ACROSS = 8


@dataclass(frozen=True, slots=True)
class Column:
    """One column as text.

    Attributes:
        heading: One or two lines.
        blocks: The cells, in blocks that are set apart from each other.
        textual: Whether the cells are names, which align left, and not numbers.
        width: How many columns of a screen the widest line takes.
    """

    heading: tuple[str, ...]
    blocks: tuple[tuple[str, ...], ...]
    textual: bool
    width: int


Page: TypeAlias = tuple[Column, ...]
"""Columns that stand side by side."""


def fit(grid: Grid, *, digits: int, width: int) -> tuple[Page, ...]:
    """Lay a grid out as pages of at most `width`, each of which repeats the leading columns."""
    grid = condense(grid)
    page = _format_columns(grid, digits)
    if grid.kind == "confusion" and (
        len(grid.rows) > _MOST_LABELS_ACROSS or measure_page(page) > width
    ):
        grid = _number_labels(grid)
        page = _format_columns(grid, digits)
    if measure_page(page) > width:
        page = _format_columns(grid, digits, broken=True)
    return _fold(page, grid.leads, width)


def condense(grid: Grid) -> Grid:
    """Drop the leading names that never vary; turn a single row of many metrics upright.

    Counts stay even if constant: how many examples were scored is worth a column.
    """
    if grid.kind != "overview":
        return grid
    constant = {
        column
        for column in range(grid.leads)
        if len({row[column] for row in grid.rows}) == 1
        and not isinstance(grid.rows[0][column], int)
    }
    kept = [column for column in range(len(grid.headings)) if column not in constant]
    narrow = replace(
        grid,
        headings=tuple(grid.headings[column] for column in kept),
        leads=grid.leads - len(constant),
        blocks=tuple(
            tuple(tuple(row[column] for column in kept) for row in block) for block in grid.blocks
        ),
    )
    metrics = len(narrow.headings) - narrow.leads
    single = len(narrow.rows) == 1
    return _turn_upright(narrow) if single and metrics > _MOST_METRICS_ACROSS else narrow


def _turn_upright(grid: Grid) -> Grid:
    pairs = tuple(zip(grid.headings, grid.rows[0], strict=True))
    if not any(isinstance(cell, Bounded) for _, cell in pairs):
        return replace(grid, headings=("metric", "value"), leads=1, blocks=(pairs,))
    rows = tuple((name, *_part(cell)) for name, cell in pairs)
    return replace(grid, headings=("metric", "value", "interval"), leads=1, blocks=(rows,))


def _part(cell: Cell) -> tuple[Cell, Cell]:
    """A number, and what stands with it: its interval, or nothing."""
    return (cell.value, cell.ends) if isinstance(cell, Bounded) else (cell, None)


def _stack(row: Row) -> tuple[Row, ...]:
    """The row, and below it the intervals of its numbers where there are any."""
    if not any(isinstance(cell, Bounded) for cell in row):
        return (row,)
    numbers, ends = zip(*map(_part, row), strict=True)
    return numbers, ends


def _number_labels(grid: Grid) -> Grid:
    # Most cells of a large matrix are zero; as dots they let the others stand out.
    rows = tuple(
        (number, gold, *(count or "." for count in counts))
        for number, (gold, *counts) in enumerate(grid.rows, start=1)
    )
    numbers = map(str, range(1, len(rows) + 1))
    return replace(grid, headings=("", grid.headings[0], *numbers), leads=2, blocks=(rows,))


def _format_columns(grid: Grid, digits: int, *, broken: bool = False) -> Page:
    columns = []
    stacked = [[line for row in block for line in _stack(row)] for block in grid.blocks]
    for column, (title, textual) in enumerate(zip(grid.headings, grid.textual, strict=True)):
        heading = format_cell(title, digits=digits)
        # A repr stays whole: only the words of a name may stand below each other.
        lines = tuple(heading.split("_", 1)) if broken and heading.isidentifier() else (heading,)
        longest = _LONGEST_METRIC if title == "metric" else _LONGEST_NAME
        blocks = tuple(
            tuple(shorten(format_cell(row[column], digits=digits), longest) for row in block)
            for block in stacked
        )
        width = max(map(measure, chain(lines, *blocks)))
        columns.append(Column(lines, blocks, textual, width))
    return tuple(columns)


def measure_page(page: Page) -> int:
    """Count the columns of a screen that a page takes."""
    return sum(column.width for column in page) + GAP * (len(page) - 1)


def _fold(columns: Page, leads: int, width: int) -> tuple[Page, ...]:
    pages = []
    page = columns[:leads]
    for column in columns[leads:]:
        if len(page) > leads and measure_page((*page, column)) > width:
            pages.append(page)
            page = columns[:leads]
        page = (*page, column)
    return (*pages, page)
