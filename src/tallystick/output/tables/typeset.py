"""Turns the cells of a grid into text: digits, percent, columns, and names and marks of papers."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from tallystick.errors import UsageError
from tallystick.output.tables.cells import (
    Bounded,
    Cell,
    Ends,
    Mark,
    PValue,
    Shown,
    Tinted,
    Toned,
    Worded,
    count_decimals,
    escape_controls,
    find_custom,
    is_fraction,
    is_metric,
    is_number,
    name_column,
    scale,
    show,
    unbound,
)
from tallystick.output.tables.document import Document, Grid, Heading, LazyGrids, Row, Style, Table


def typeset(grid: Grid, style: Style, *, titled: bool = False, usual: bool = False) -> Table[Shown]:
    """Writes every cell of a grid in a style.

    `titled` names columns as papers do; `usual` has the decimals that papers have, as titled does.
    """
    headings = tuple(_typeset_heading(heading, style, titled) for heading in grid.headings)
    decimals = _choose_decimals(grid, style, usual or titled)
    scale_of = _Scale(style, decimals, titled, usual=usual or titled)
    named = _find_named(grid)
    if named is None:
        metrics = _name_metrics(grid, ())
        blocks = tuple(_typeset_columns(block, metrics, scale_of) for block in grid.blocks)
    else:
        blocks = tuple(
            tuple(_typeset_row(row, _name_metrics(grid, row), named, scale_of) for row in block)
            for block in grid.blocks
        )
    return Table(
        grid.kind, grid.caption, headings, grid.leads, blocks, grid.metric, names=grid.textual
    )


def typeset_score(cell: Cell, metric: str, style: Style) -> Shown:
    """Writes a number that stands alone with the decimals that papers have of its metric."""
    grid = Grid("overview", "", (metric,), 0, (((cell,),),))
    return typeset(grid, style, usual=True).rows[0][0]


class _Scale:
    """How the numbers of each metric are written: whether in percent, and with how many digits."""

    def __init__(
        self, style: Style, decimals: Mapping[str, int], titled: bool, *, usual: bool
    ) -> None:
        self.style, self.titled, self._usual = style, titled, usual
        self._decimals = decimals
        self._found: dict[str, tuple[bool, int]] = {}

    def find(self, metric: str) -> tuple[bool, int]:
        """Finds both of a metric once, however many numbers it has."""
        if metric not in self._found:
            fraction = is_fraction(metric)
            digits = self._decimals.get(metric)
            if digits is None:
                usual = find_custom(metric) if self._usual else None
                digits = self.style.round(metric, fraction=fraction, usual=usual)
            self._found[metric] = self.style.percent and fraction, digits
        return self._found[metric]


def _choose_decimals(grid: Grid, style: Style, usual: bool) -> dict[str, int]:
    """The decimals of metrics of columns of numbers: those that suit the largest number of each.

    Papers print COMET as the field does.
    """
    if style.digits is not None:
        return {}
    largest: dict[str, float] = {}
    for metric, cells in _list_cells(grid):
        if usual and find_custom(metric) is not None:
            continue
        if is_number(metric) and metric not in style.decimals:
            for number in map(unbound, cells):
                if isinstance(number, float):
                    largest[metric] = max(largest.get(metric, 0.0), abs(number))
    return {
        metric: count_decimals(size, style.round(metric, fraction=False))
        for metric, size in largest.items()
    }


def _list_cells(grid: Grid) -> Iterator[tuple[str, Row]]:
    if _find_named(grid) is None:
        yield from zip(_name_metrics(grid, ()), zip(*grid.rows, strict=True), strict=False)
        return
    for row in grid.rows:
        pairs = zip(_name_metrics(grid, row), row, strict=True)
        yield from ((metric, (cell,)) for metric, cell in pairs)


def _name_metrics(grid: Grid, row: Row) -> list[str]:
    own = str(row[place]) if (place := _find_named(grid)) is not None else grid.metric
    return [
        (one.metric or own) if isinstance(one, Heading) else own or one for one in grid.headings
    ]


def _find_named(grid: Grid) -> int | None:
    return grid.headings.index("metric") if "metric" in grid.headings[: grid.leads] else None


def _typeset_heading(heading: str | Heading, style: Style, titled: bool) -> str:
    if str(heading) in style.rename:
        return style.rename[str(heading)]
    if isinstance(heading, Heading) and heading.data and titled:
        heading = str(replace(heading, metric=name_column(heading.metric)))
    elif titled:
        heading = name_column(str(heading))
    return rename(str(heading), style)


def rename(text: str, style: Style) -> str:
    """Returns a text with the names in it that a style changes."""
    if not style.rename:
        return text
    names = "|".join(map(re.escape, sorted(style.rename, key=len, reverse=True)))
    return re.sub(rf"(?<![\w-])(?:{names})(?![\w-])", lambda found: style.rename[found[0]], text)


def _typeset_columns(
    block: Sequence[Row], metrics: Sequence[str], scale_of: _Scale
) -> tuple[tuple[Shown, ...], ...]:
    columns = (
        [_typeset_cell(cell, metric, scale_of) for cell in cells]
        for metric, cells in zip(metrics, zip(*block, strict=True), strict=True)
    )
    return tuple(zip(*columns, strict=True)) if block else ()


def _typeset_row(
    row: Row, metrics: Sequence[str], named: int, scale_of: _Scale
) -> tuple[Shown, ...]:
    metric, style = metrics[named], scale_of.style
    title = name_column(metric) if scale_of.titled else metric
    shown = [_typeset_cell(cell, own, scale_of) for own, cell in zip(metrics, row, strict=True)]
    shown[named] = show(style.rename.get(metric) or title, 0)
    return tuple(shown)


def _typeset_cell(cell: Cell, metric: str, scale_of: _Scale) -> Shown:
    if isinstance(cell, Tinted):
        return _typeset_cell(cell.cell, metric, scale_of)._replace(tone=cell.tone)
    percent, digits = scale_of.find("p" if isinstance(cell, PValue) else metric)
    style = scale_of.style
    if isinstance(cell, Bounded) and cell.ends.whole and not style.intervals:
        cell = cell.value
    shown = show(scale(cell, 100) if percent else cell, digits)
    if shown.name and style.rename:
        return shown._replace(text=rename(shown.text, style))
    return shown


def title_caption(grid: Grid) -> str:
    """Writes a table's metrics in its caption, such as `ranked by macro_f1`, as papers do."""
    names = filter(is_metric, {grid.metric, *map(str, grid.headings)})
    known = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    if not known:
        return grid.caption
    return re.sub(rf"(?<!\w)(?:{known})(?!\w)", lambda name: name_column(name[0]), grid.caption)


def choose_columns(document: Document, style: Style) -> Document:
    """Keeps the requested columns, in that order, after the names of the rows.

    Captions, sentences and notes have the names that the style gives. A table whose numbers are
    all of a requested metric is kept whole; one without any requested column is left out.
    """
    if style.rename:
        told, notes = (
            tuple(rename(text, style) for text in texts)
            for texts in (document.sentences, document.notes)
        )
        grids = tuple(replace(own, caption=rename(own.caption, style)) for own in document.grids)
        document = replace(document, grids=grids, sentences=told, notes=notes)
    if not style.columns:
        return document
    known = dict.fromkeys(
        name for grid in document.grids for name in (grid.metric, *_name_all(grid)) if name
    )
    for name in style.columns:
        if name not in known:
            raise UsageError(f"there is no column {name!r}, only {', '.join(map(repr, known))}")
    grids = tuple(
        chosen for grid in document.grids if (chosen := _choose(grid, style.columns)) is not None
    )
    sheet = document.sheet() if document.sheet else None
    chosen_sheet = sheet and _choose(sheet, style.columns)
    return replace(document, grids=grids, sheet=lambda: chosen_sheet)


def _choose(grid: Grid, names: Sequence[str]) -> Grid | None:
    if grid.metric in names:
        return grid
    known = _name_all(grid)
    places = [known.index(name) for name in names if name in known]
    if not places:
        return None
    rows = [place for place in range(grid.leads) if grid.textual[place] and place not in places]
    leads = rows + [place for place in places if place < grid.leads]
    return grid.take(leads + [place for place in places if place >= grid.leads], len(leads))


def _name_all(grid: Grid) -> list[str]:
    return [one.name if isinstance(one, Heading) else one for one in grid.headings]


def explain(grids: Sequence[Grid], methods: str) -> str:
    """Says what the marks in the tables mean; empty if they have none."""
    sentences = explain_marks(grids)
    if any(_has_ends(cell) for grid in grids for row in grid.rows for cell in row):
        sentences = (*sentences, methods or "Brackets: confidence intervals.")
    return " ".join(sentences)


def explain_marks(grids: Sequence[Grid]) -> tuple[str, ...]:
    """Says what bold, letters, lines and asterisks mean in tables that have them."""
    cells = [cell for grid in grids for row in grid.rows for cell in row]
    marks = [cell for cell in cells if isinstance(cell, Mark)]
    sentences = []
    if any(mark.bold for mark in marks):
        sentences.append("Bold: no system is significantly better.")
    if any(mark.letters for mark in marks):
        sentences.append("Scores that share a letter are not significantly different.")
    legends = dict.fromkeys(sentence for grid in grids for sentence in grid.legend)
    return (*sentences, *legends)


def mark_once(grid: Grid) -> Grid:
    """A ranking whose only mark of significance is bold, without letters and lines."""
    if grid.kind != "ranking":
        return grid
    legend = tuple(one for one in grid.legend if " line " not in one)
    whole = replace(grid, blocks=(grid.rows,), legend=legend)
    return whole.change_rows(
        lambda row: tuple(
            replace(cell, letters="") if isinstance(cell, Mark) else cell for cell in row
        )
    )


def _has_ends(cell: Cell) -> bool:
    ends = cell if isinstance(cell, Ends) else getattr(cell, "ends", None)
    return ends is not None and not math.isnan(ends.low)


_TOLD: dict[type, tuple[str, ...]] = {
    Document: ("grids", "heading", "sentences", "notes", "methods", "signatures"),
    Table: ("caption", "headings", "blocks", "legend"),
    Heading: ("name",),
    Toned: ("text",),
    Mark: ("letters",),
    Worded: ("words",),
}
"""The parts of documents and cells that hold text for people."""

_UNTOLD = {Bounded, Ends, float, int, type(None)}
"""Cells that hold no text: nearly all, where there are many."""


def clean(document: Document) -> Document:
    """Returns a document with all control characters escaped, for people to read."""
    cleaned: Document = _clean(document)
    return cleaned


def _clean(part: Any) -> Any:
    if isinstance(part, str):
        return escape_controls(part)
    if isinstance(part, tuple | LazyGrids):
        return tuple([one if type(one) in _UNTOLD else _clean(one) for one in part])
    if isinstance(part, dict):
        return {_clean(name): _clean(value) for name, value in part.items()}
    names = _TOLD.get(type(part), ())
    return replace(part, **{name: _clean(getattr(part, name)) for name in names}) if names else part
