"""Turns the cells of a grid into text: digits, percent, columns, and names and marks of papers."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from tallystick.errors import UsageError
from tallystick.output.tables.cells import (
    USUAL,
    Bounded,
    Cell,
    Ends,
    Mark,
    PValue,
    Shown,
    Tinted,
    Toned,
    Worded,
    escape_controls,
    is_fraction,
    is_metric,
    is_points,
    measure_spread,
    name_column,
    scale,
    show,
    unbound,
)
from tallystick.output.tables.document import Document, Grid, Heading, LazyGrids, Row, Style, Table


def typeset(grid: Grid, style: Style, *, titled: bool = False) -> Table[Shown]:
    """Writes every cell of a grid in a style; `titled` names columns as papers do."""
    headings = tuple(_typeset_heading(heading, style, titled) for heading in grid.headings)
    write = _Typesetter(grid, style, titled).write_row
    blocks = tuple(tuple(map(write, block)) for block in grid.blocks)
    return Table(
        grid.kind, grid.caption, headings, grid.leads, blocks, grid.metric, names=grid.textual
    )


def typeset_score(cell: Cell, metric: str, style: Style) -> Shown:
    """Writes a number that is not in a table."""
    grid = Grid("overview", "", (metric,), 0, (((cell,),),))
    return typeset(grid, style).rows[0][0]


class _Typesetter:
    """Writes the rows of a grid, the numbers of each metric in one way."""

    def __init__(self, grid: Grid, style: Style, titled: bool) -> None:
        self._grid, self._style, self._titled = grid, style, titled
        # Where a column names the metric of each row, its numbers are of that.
        leads = grid.headings[: grid.leads]
        self._named = leads.index("metric") if "metric" in leads else None
        self._metrics = None if self._named is not None else self._name_metrics(grid.metric)
        self._scales: dict[str, tuple[bool, int]] = {}
        self._numbers: dict[str, tuple[float, float]] = {}
        if style.digits is None:
            self._measure()

    def _name_metrics(self, own: str) -> list[str]:
        return [
            (one.metric or own) if isinstance(one, Heading) else own or one.partition(" [")[0]
            for one in self._grid.headings
        ]

    def _list_metrics(self, row: Row) -> list[str]:
        if self._metrics is not None or self._named is None:
            return self._metrics or []
        return self._name_metrics(str(row[self._named]))

    def _measure(self) -> None:
        """Finds the largest number and the narrowest interval of each metric."""
        for row in self._grid.rows:
            for metric, cell in zip(self._list_metrics(row), row, strict=True):
                if isinstance(number := unbound(cell), float) and math.isfinite(number):
                    largest, spread = self._numbers.get(metric, (0.0, math.inf))
                    spread = min(spread, measure_spread(cell) or math.inf)
                    self._numbers[metric] = max(largest, abs(number)), spread

    def _find_scale(self, metric: str) -> tuple[bool, int]:
        """Whether a metric is written in percent, and with how many decimals."""
        if metric not in self._scales:
            digits = self._style.count_decimals(metric, *self._numbers.get(metric, ()))
            self._scales[metric] = self._style.percent and is_fraction(metric), digits
        return self._scales[metric]

    def write_row(self, row: Row) -> tuple[Shown, ...]:
        """Writes the cells of a row, and the name of its metric as papers do."""
        metrics = self._list_metrics(row)
        shown = list(map(self._write, row, metrics))
        if self._named is not None:
            metric = metrics[self._named]
            title = name_column(metric) if self._titled else metric
            shown[self._named] = show(self._style.rename.get(metric) or title, 0)
        return tuple(shown)

    def _write(self, cell: Cell, metric: str) -> Shown:
        if isinstance(cell, Tinted):
            return self._write(cell.cell, metric)._replace(tone=cell.tone)
        if isinstance(cell, PValue):
            return show(cell, self._style.decimals.get("p", max(USUAL, self._style.digits or 0)))
        percent, digits = self._find_scale(metric)
        if isinstance(cell, Bounded) and cell.ends.whole and not self._style.intervals:
            cell = cell.value
        shown = show(scale(cell, 100) if percent else cell, digits)
        if shown.name and self._style.rename:
            return shown._replace(text=rename(shown.text, self._style))
        return shown


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


def title_caption(grid: Grid) -> str:
    """Writes a table's metrics in its caption, such as `ranked by macro_f1`, as papers do."""
    return title_names(grid.caption, [grid.metric, *map(str, grid.headings)])


def title_names(text: str, names: Iterable[str]) -> str:
    """Writes those of the names that are metrics in a text as papers do."""
    known = "|".join(map(re.escape, sorted(filter(is_metric, {*names}), key=len, reverse=True)))
    if not known:
        return text
    return re.sub(rf"(?<!\w)(?:{known})(?!\w)", lambda name: name_column(name[0]), text)


def choose_scale(metrics: Iterable[str], style: Style) -> Style:
    """Returns the style in percent next to scores that papers print on a scale of 0 to 100."""
    return replace(style, percent=True) if any(map(is_points, metrics)) else style


def choose_columns(document: Document, style: Style) -> Document:
    """Keeps the requested columns, in that order, after the names of the rows.

    Captions, sentences and notes have the names that the style gives. A table whose numbers are
    all of a requested metric is kept whole; one without any requested column is left out.
    """
    if style.rename:
        message, notes = (
            tuple(rename(text, style) for text in texts)
            for texts in (document.sentences, document.notes)
        )
        grids, paper = (
            tuple(replace(own, caption=rename(own.caption, style)) for own in tables)
            for tables in (document.grids, document.paper)
        )
        document = replace(document, grids=grids, paper=paper, sentences=message, notes=notes)
    if not style.columns:
        return document
    known = dict.fromkeys(
        name for grid in document.grids for name in (grid.metric, *_name_all(grid)) if name
    )
    for name in style.columns:
        if name not in known:
            raise UsageError(f"there is no column {name!r}, only {', '.join(map(repr, known))}")
    grids, paper = (
        tuple(chosen for grid in own if (chosen := _choose(grid, style.columns)) is not None)
        for own in (document.grids, document.paper)
    )
    sheet = document.sheet() if document.sheet else None
    chosen_sheet = sheet and _choose(sheet, style.columns)
    return replace(document, grids=grids, paper=paper, sheet=lambda: chosen_sheet)


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
    cells = (cell for grid in grids for row in grid.rows for cell in row)
    ends = (cell if isinstance(cell, Ends) else getattr(cell, "ends", None) for cell in cells)
    if any(one is not None and not math.isnan(one.low) for one in ends):
        sentences = (*sentences, methods or "Brackets: confidence intervals.")
    return " ".join(sentences)


def explain_marks(grids: Sequence[Grid]) -> tuple[str, ...]:
    """Says what bold, letters, lines and asterisks mean in tables that have them."""
    cells = [cell for grid in grids for row in grid.rows for cell in row]
    marks = [cell for cell in cells if isinstance(cell, Mark)]
    sentences = []
    if any(mark.bold for mark in marks):
        sentences.append("Bold: best, or not significantly worse than the best.")
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


_TOLD: dict[type, tuple[str, ...]] = {
    Document: ("grids", "paper", "heading", "sentences", "notes", "methods", "signatures"),
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
