"""The tables of the terminal, as the page shows them."""

import math

from tallystick.frozen import dataclass
from tallystick.render.cells import Bounded, Cell, Mark, PValue, Shown
from tallystick.render.document import Grid
from tallystick.render.layout import condense
from tallystick.render.style import Style
from tallystick.render.typeset import choose_columns, typeset
from tallystick.report.content import Content

_OWN = ("confusion", "classes")
"""The kinds of tables that have sections of their own."""


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column, and whether the column holds names."""

    heading: str
    textual: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the terminal, as `Grid`, whose blocks of rows are set apart from each other.

    A cell is what people read, and the number behind it in full; empty where there is none.
    """

    kind: str
    caption: str
    columns: tuple[Column, ...]
    blocks: tuple[tuple[tuple[tuple[Shown, str], ...], ...], ...]
    legend: tuple[str, ...]


def list_tables(content: Content) -> tuple[Table, ...]:
    """The tables that no other section of the report shows."""
    grids = choose_columns(content.document, content.style).grids
    return tuple(_write_grid(grid, content.style) for grid in grids if _is_shown(grid, content))


def _is_shown(grid: Grid, content: Content) -> bool:
    """Whether a table is not shown elsewhere: places and pairs have sections of their own."""
    if grid.kind in _OWN:
        return False
    if content.kind == "rank":
        return bool(content.list("standings")) and grid is content.document.grids[0]
    return content.kind in ("gate", "other")


def list_classes(content: Content) -> tuple[Table, ...]:
    """The scores per class."""
    grids = (grid for grid in content.document.grids if grid.kind == "classes")
    return tuple(_write_grid(grid, content.style) for grid in grids)


def _write_grid(grid: Grid, style: Style) -> Table:
    """Writes a table of the terminal for the page."""
    grid = condense(grid)
    table = typeset(grid, style)
    columns = zip(table.headings, table.textual, strict=True)
    blocks = tuple(
        tuple(
            tuple(zip(row, map(_read, raw), strict=True))
            for row, raw in zip(block, own, strict=True)
        )
        for block, own in zip(table.blocks, grid.blocks, strict=True)
    )
    heads = tuple(Column(*pair) for pair in columns)
    return Table(grid.kind, grid.caption, heads, blocks, grid.legend)


def _read(cell: Cell) -> str:
    """The number of a cell in full; empty where it has none, or it is undefined."""
    value = cell.value if isinstance(cell, Bounded | Mark | PValue) else cell
    return repr(value) if isinstance(value, int | float) and math.isfinite(value) else ""
