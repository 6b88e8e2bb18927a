"""Fits tables to a width, and writes documents as plain text, for a terminal with colours."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, compress
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import count_shown
from tallystick.output.tables.cells import Shown, measure, measure_most, shorten
from tallystick.output.tables.document import Document, Grid, Style, Table
from tallystick.output.tables.typeset import choose_columns, clean, typeset

if TYPE_CHECKING:
    import rich.table

_GAP = 2
_LONGEST_NAME = 40
_SHORTENED = 24
"""The most columns of a screen for a system's name in a table that would else be too wide."""
_LONGEST_METRIC = 72
"""The same for the repr of a metric, which may differ from another one in its end alone."""
_SPARE = "old"
"""The column of checks that can be left out: the new score and the difference imply it."""
_MOST_METRICS_ACROSS = 4
MOST_LABELS_ACROSS = 8


class ScreenColumn(Struct, frozen=True):
    """One column as text, with a heading of one or two lines.

    Textual columns are names, which align left. The width is that of the widest line on a
    screen, and tones are the names of cells' colours.
    """

    heading: tuple[str, ...]
    blocks: tuple[tuple[str, ...], ...]
    textual: bool
    width: int
    tones: Mapping[str, str] = {}

    def align(self, cell: str) -> str:
        """Pads a cell to the width of the column: names on the right, numbers on the left."""
        space = " " * (self.width - measure(cell))
        return cell + space if self.textual else space + cell


Page: TypeAlias = tuple[ScreenColumn, ...]
"""Columns that are side by side."""


def fit(grid: Grid, style: Style, *, width: int) -> tuple[Page, ...]:
    """Lays a grid out as pages of at most `width`, each of which repeats the leading columns.

    Intervals are behind their numbers where there is room, else below them.
    """
    grid = condense(grid)
    table = typeset(grid, style)
    if grid.kind in ("overview", "classes") and _measure_least(table) > width:
        return _fold(_stack(table, width), grid.leads, width)
    page = _lay_out(table)
    crowded = len(grid.rows) > MOST_LABELS_ACROSS or measure_page(page) > width
    if grid.kind == "confusion" and crowded:
        page = _lay_out(typeset(number_labels(grid), style))
        return _fold(page, 2, width)
    if measure_page(page) > width and grid.kind in ("ranking", "pairs"):
        grid = grid.change_rows(  # so that each row fits on one line
            lambda row: tuple(
                shorten(one, _SHORTENED) if isinstance(one, str) else one for one in row
            )
        )
        table = typeset(grid, style)
        page = _lay_out(table)
    if measure_page(page) > width:
        page = _stack(table, width)
    if measure_page(page) > width and grid.kind == "checks" and _SPARE in grid.headings:
        kept = [place for place, name in enumerate(grid.headings) if name != _SPARE]
        return fit(grid.take(kept, grid.leads), style, width=width)
    return _fold(page, grid.leads, width)


def condense(grid: Grid) -> Grid:
    """Drops leading columns of names that never vary; transposes a single row of many metrics.

    Counts stay even if constant: how many examples were scored is worth a column.
    """
    if grid.kind != "overview":
        return grid
    constant = {
        column
        for column in range(grid.leads)
        if len({row[column] for row in grid.rows}) == 1
        and grid.headings[column] != "n"  # some are texts, such as `2 of 3`
        and not isinstance(grid.rows[0][column], int)
    }
    kept = [column for column in range(len(grid.headings)) if column not in constant]
    if not kept:
        return grid
    narrow = grid.take(kept, grid.leads - len(constant))
    if "metric" in (own := {grid.headings[column]: column for column in constant}):
        narrow = replace(narrow, metric=str(grid.rows[0][own["metric"]]))
    metrics = len(narrow.headings) - narrow.leads
    if len(narrow.rows) != 1 or metrics <= _MOST_METRICS_ACROSS:
        return narrow
    pairs = tuple(zip(map(str, narrow.headings), narrow.rows[0], strict=True))
    return replace(grid, headings=("metric", "value"), leads=1, blocks=(pairs,))


def number_labels(grid: Grid) -> Grid:
    """Numbers the labels of a matrix, and writes dots for zeros, so that other counts stand out."""
    rows = tuple(
        (number, gold, *(count or "." for count in counts))
        for number, (gold, *counts) in enumerate(grid.rows, start=1)
    )
    numbers = map(str, range(1, len(rows) + 1))
    return replace(grid, headings=("", grid.headings[0], *numbers), leads=2, blocks=(rows,))


def _measure_least(table: Table[Shown]) -> int:
    columns = zip(*table.rows, strict=True)
    return sum(
        room + measure_most(cell.text for cell in cells)
        for cells in columns
        if (room := measure_most(cell.interval for cell in cells))
    )


def _lay_out(table: Table[Shown]) -> Page:
    return tuple(
        _build_column(
            (heading,), [[row[place] for row in block] for block in table.blocks], textual
        )
        for place, (heading, textual) in enumerate(zip(table.titles, table.textual, strict=True))
    )


def _stack(table: Table[Shown], width: int) -> Page:
    """Columns whose intervals are centred below their numbers; headings are broken if need be."""
    tall = [
        [any(cell.text and cell.interval for cell in row) for row in block]
        for block in table.blocks
    ]
    bodies = [_stack_column(table, place, tall) for place in range(len(table.headings))]
    for broken in (False, True):
        page = tuple(
            _head(_break(heading) if broken else (heading,), *body)
            for heading, body in zip(table.titles, bodies, strict=True)
        )
        if measure_page(page) <= width:
            break
    return page


def _stack_column(
    table: Table[Shown], place: int, tall: Sequence[Sequence[bool]]
) -> tuple[ScreenColumn, str, int]:
    """A column without its heading, what is behind each number, and how wide intervals are."""
    cells = [row[place] for row in table.rows]
    digits = measure_most(cell.text for cell in cells)
    room = measure_most(cell.interval for cell in cells)
    margin = " " * max((room - digits) // 2, 0) if room else ""
    blocks = []
    for block, two in zip(table.blocks, tall, strict=True):
        lines = []
        for row, both in zip(block, two, strict=True):
            own = row[place]
            first, second = (own.text + margin, own.interval) if own.text else (own.interval, "")
            lines.append(Shown(first, "", own.bold, own.letters, own.tone, own.name))
            if both:
                lines.append(Shown(second))
        blocks.append(lines)
    heading = tuple(one for one in table.titles[place : place + 1] if one == "metric")
    return _build_column(heading, blocks, table.textual[place]), margin, room


def _head(heading: tuple[str, ...], column: ScreenColumn, margin: str, room: int) -> ScreenColumn:
    titles = tuple(part + margin if measure(part + margin) <= room else part for part in heading)
    return replace(column, heading=titles, width=max(column.width, measure_most(titles)))


def _break(heading: str) -> tuple[str, ...]:
    if " · " in heading:
        return tuple(heading.rsplit(" · ", 1))
    return tuple(heading.split("_", 1)) if heading.isidentifier() else (heading,)


def _build_column(
    heading: tuple[str, ...], blocks: Sequence[Sequence[Shown]], textual: bool
) -> ScreenColumn:
    cells = list(chain.from_iterable(blocks))
    if not textual and any(cell.text.endswith("*") for cell in cells):
        blocks = [  # so that there is room for an asterisk after each number
            [
                cell
                if cell.text.endswith("*") or not cell.text
                else cell._replace(text=f"{cell.text} ")
                for cell in block
            ]
            for block in blocks
        ]
        cells = list(chain.from_iterable(blocks))
    longest = _LONGEST_METRIC if heading == ("metric",) else _LONGEST_NAME
    tones = {cell.text: cell.tone for cell in cells if cell.tone}
    room = measure_most(cell.interval for cell in cells)
    if room and not any(cell.text for cell in cells):  # intervals alone stand where numbers do
        alone = [[Shown(cell.interval) for cell in block] for block in blocks]
        return _build_column(heading, alone, textual)
    if not room:
        texts = tuple(tuple(cell.text for cell in block) for block in blocks)
        if measure_most(chain(*texts)) > longest:
            texts = tuple(tuple(shorten(text, longest) for text in block) for block in texts)
        width = measure_most(chain(heading, *texts))
        return ScreenColumn(heading, texts, textual, width, tones)
    # A number and its interval stand in two columns below one heading.
    left = measure_most(chain(heading, (cell.text for cell in cells)))
    lines = tuple(
        tuple(f"{_pad(cell.text, left)} {cell.interval:<{room}}" for cell in block)
        for block in blocks
    )
    titles = tuple(f"{_pad(part, left)} {'':<{room}}" for part in heading)
    return ScreenColumn(titles, lines, textual, left + 1 + room, tones)


def _pad(text: str, width: int) -> str:
    return " " * (width - measure(text)) + text


def measure_page(page: Page) -> int:
    """Counts the columns of a screen that a page takes."""
    return sum(column.width for column in page) + _GAP * (len(page) - 1)


def _fold(columns: Page, leads: int, width: int) -> tuple[Page, ...]:
    widths = [column.width + _GAP for column in columns]
    pages = fold(widths, leads, width + _GAP)
    return tuple(_close_up(tuple(columns[place] for place in page)) for page in pages)


def _close_up(page: Page) -> Page:
    """Leaves out the lines on which a page has nothing: intervals that are on other pages."""
    kept = [
        [any(cells) for cells in zip(*lines, strict=True)]
        for lines in zip(*(column.blocks for column in page), strict=True)
    ]
    return tuple(
        replace(
            column,
            blocks=tuple(
                tuple(compress(lines, own)) for lines, own in zip(column.blocks, kept, strict=True)
            ),
        )
        for column in page
    )


def fold(widths: Sequence[float], leads: int, room: float) -> Iterator[list[int]]:
    """Yields as many columns as are side by side, by place, each time with the leading ones."""
    page = [*range(leads)]
    for place in range(leads, len(widths)):
        if len(page) > leads and sum(widths[one] for one in (*page, place)) > room:
            yield page
            page = [*range(leads)]
        page.append(place)
    yield page


WIDTH = 100
"""The width of a page without a terminal."""


def write_text(document: Document, style: Style, *, width: int = WIDTH) -> str:
    """Writes each grid below its caption, then sentences, then notes, with blank lines between."""
    words = (
        "\n".join(
            wrap(sentence, width=width) for sentence in (*document.legends, *document.sentences)
        ),
        "\n".join(wrap(*note, width=width) for note in list_notes(document, style)),
    )
    grids = (
        "\n\n".join(filter(None, (grid.caption, *map(_write_page, fit(grid, style, width=width)))))
        for grid in document.grids
    )
    return "\n\n".join(filter(None, (document.heading, *grids, *words))) + "\n"


def list_notes(document: Document, style: Style) -> list[tuple[str, str]]:
    """Returns the notes to show, each with its lead, and the number of further ones."""
    most = count_shown(document.notes, style.notes)
    shown = [("Note: ", note) for note in document.notes[:most]]
    hidden = len(document.notes) - len(shown)
    if hidden:
        shown.append(("", f"({hidden} more {'note' if hidden == 1 else 'notes'}, see .notes)"))
    return ([("", document.methods)] if document.methods else []) + shown


def _write_page(page: Page) -> str:
    depth = max(len(column.heading) for column in page)
    heads = [("",) * (depth - len(column.heading)) + column.heading for column in page]
    rule, gap = "-" * measure_page(page), " " * _GAP
    blocks = (
        zip(
            *(map(column.align, cells) for cells, column in zip(block, page, strict=True)),
            strict=True,
        )
        for block in (heads, *zip(*(column.blocks for column in page), strict=True))
    )
    return f"\n{rule}\n".join(
        "\n".join([gap.join(line).rstrip(" ") for line in block]) for block in blocks
    )


def wrap(lead: str, sentence: str = "", *, width: int = WIDTH) -> str:
    """Wraps a sentence between words; further lines are indented below the end of the lead."""
    return textwrap.fill(
        lead + sentence,
        width,
        subsequent_indent=" " * len(lead) if sentence else "",
        break_long_words=False,
        break_on_hyphens=False,
    )


_COLOURS = {"good": "green", "bad": "bold red", "open": "yellow"}


def print_rich(document: Document, style: Style) -> None:
    """Prints tables with the columns asked for, sentences and notes, as wide as the terminal."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    document = clean(choose_columns(document, style))
    console = Console(highlight=False)

    def write(*parts: str | tuple[str, str]) -> None:
        console.print(Padding(Text.assemble(*parts), (0, 0, 0, 1)))

    if document.heading:
        write((document.heading, "bold"))
    for grid in document.grids:
        if grid.caption:
            write((grid.caption, "bold"))
        for page in fit(grid, style, width=console.width - 2):  # rich adds empty edges
            console.print(_build_rich_table(page))
    for sentence in (*document.legends, *document.sentences):
        write(sentence)
    for lead, note in list_notes(document, style):
        write((lead, "bold"), note)


def _build_rich_table(page: Page) -> "rich.table.Table":
    from rich.box import Box
    from rich.table import Table
    from rich.text import Text

    # Lines below the headings and between blocks, and none around.
    box = Box("    \n    \n ── \n    \n ── \n    \n    \n    \n")
    table = Table(box=box, header_style="bold", padding=(0, 1, 0, 0), pad_edge=False)
    for column in page:
        # Text, unlike a string, is never read as markup.
        heading = Text("\n".join(map(column.align, column.heading)))
        table.add_column(heading, vertical="bottom", no_wrap=True)
    for block in zip(*(column.blocks for column in page), strict=True):
        for row in zip(*block, strict=True):
            # A row of intervals names nothing; it belongs to the numbers above it.
            names = (cell for cell, column in zip(row, page, strict=True) if column.textual)
            cells = (
                Text(column.align(cell), style=_COLOURS.get(column.tones.get(cell, ""), ""))
                for cell, column in zip(row, page, strict=True)
            )
            table.add_row(*cells, style=None if row[0] or any(names) else "dim")
        table.add_section()
    return table
