"""The tables of a page: grids as text, with whiskers, and with the number behind each cell."""

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from tallystick.output.tables.cells import Cell, PValue, Shown, Tinted, Toned, unbound
from tallystick.output.tables.document import Grid, Row, Style
from tallystick.output.tables.layout import condense
from tallystick.output.tables.typeset import explain_marks, typeset

_PAGED = ("board", "differences", "groups")
"""The kinds of grids that pages alone have, with the decimals of papers."""
_WIDTH, _MARGIN = 160.0, 6.0


class Column(Struct, frozen=True):
    """The head of a column, its class where it holds words, and the ends of its whiskers' scale."""

    heading: str
    style: str = ""
    ends: tuple[str, ...] = ()


class Written(Struct, frozen=True):
    """A cell as text, with its class, words for a pointer, and data: its number in full.

    A whisker is where the number and the ends of its interval lie, from the left.
    """

    shown: Shown
    style: str = ""
    title: str = ""
    data: Mapping[str, str] = {}
    whisker: tuple[float, ...] = ()


class Table(Struct, frozen=True):
    """A grid as text, whose blocks of rows are set apart; its column `head` names the rows."""

    kind: str
    caption: str
    columns: tuple[Column, ...]
    head: int | None
    blocks: tuple[tuple[tuple[Written, ...], ...], ...]
    legend: str
    track: str | None = None


def write_table(grid: Grid, style: Style, track: str | None = None) -> Table:
    """Writes a grid for a page; the first numbers of a leaderboard have whiskers."""
    grid = condense(grid)
    scale = _find_scale(grid) if grid.kind == "board" else ()
    # The ends of the scale are written as the numbers are that stand beside them.
    name = grid.rows[0][0] if _has_metrics(grid) else None
    places = range(len(grid.headings))
    ends = tuple(tuple(end if at == grid.leads else name for at in places) for end in scale)
    text = typeset(
        replace(grid, blocks=(*grid.blocks, ends)),
        replace(style, intervals=True) if scale else style,
        usual=grid.kind in _PAGED,
    )
    told = tuple(row[grid.leads].text for row in text.blocks[-1])
    columns = tuple(
        Column(
            text.headings[at], "name" if grid.textual[at] else "", told if at == grid.leads else ()
        )
        for at in places
    )
    blocks = tuple(
        tuple(_write_row(grid, row, shown, scale) for row, shown in zip(rows, block, strict=True))
        for rows, block in zip(grid.blocks, text.blocks, strict=False)
    )
    head = max((at for at in range(grid.leads) if grid.textual[at]), default=None)
    legend = " ".join(explain_marks((grid,)))
    return Table(grid.kind, grid.caption, columns, head, blocks, legend, track)


def _has_metrics(grid: Grid) -> bool:
    """Whether each row of a leaderboard is a metric."""
    return grid.headings[0] == "metric"


def _find_scale(grid: Grid) -> tuple[float, ...]:
    """The ends of the whiskers' scale; those of all metrics are 0 and 1."""
    spans = [_span(row[grid.leads]) for row in grid.rows]
    if _has_metrics(grid):
        return (0.0, 1.0) if any(own and 0 <= min(own) <= max(own) <= 1 for own in spans) else ()
    numbers = [number for own in spans for number in own]
    return (min(numbers), max(numbers)) if numbers else ()


def _span(cell: Cell) -> tuple[float, ...]:
    """A score and the ends of its interval; nothing where one of them is unknown."""
    ends, value = getattr(cell, "ends", None), unbound(cell)
    if ends is None or not isinstance(value, int | float):
        return ()
    numbers = (value, ends.low, ends.high)
    return numbers if all(map(math.isfinite, numbers)) else ()


def _write_row(
    grid: Grid, row: Row, shown: Sequence[Shown], scale: Sequence[float]
) -> tuple[Written, ...]:
    cells = list(map(write_cell, row, shown))
    if scale:
        whisker = _place(_span(row[grid.leads]), *scale)
        cells[grid.leads] = replace(cells[grid.leads], whisker=whisker)
    if grid.kind == "differences":
        names = map(str, grid.headings)
        cells = [_name_pair(*own, str(row[0])) for own in zip(cells, row, names, strict=True)]
    return tuple(cells)


def write_cell(cell: Cell, shown: Shown) -> Written:
    """Adds to the text of a cell the number behind it, and how it is decorated."""
    value = cell.value if isinstance(cell, PValue) else unbound(cell)
    tone = f"tone-{shown.tone}" if isinstance(cell, Toned) else shown.tone
    style = " ".join(filter(None, (tone, "best" if shown.bold else "")))
    if not isinstance(value, int | float) or not math.isfinite(value):
        return Written(shown, style)
    if isinstance(value, int) and shown.text == str(value):
        shown = shown._replace(text=f"{value:,}")
    return Written(shown, style, data={"value": repr(value)})


def _name_pair(written: Written, cell: Cell, other: str, name: str) -> Written:
    """Adds to a difference which systems it is of, and what a pointer tells of it."""
    if not isinstance(cell, Tinted):
        return written
    shown = written.shown
    told = f"{shown.text.rstrip('*')} {shown.interval} {cell.words}"
    return replace(
        written,
        shown=shown._replace(interval=""),
        title=" ".join(f"{name} - {other}: {told}".split()),
        data={**written.data, "a": name, "b": other},
    )


def _place(span: Sequence[float], low: float, high: float) -> tuple[float, ...]:
    """How far to the right numbers lie on a scale; nothing where it does not hold all of them."""
    if not span or not low <= min(span) <= max(span) <= high:
        return ()
    room = (_WIDTH - 2 * _MARGIN) / (high - low or 1)
    return tuple(round(_MARGIN + (number - low) * room, 1) for number in span)
