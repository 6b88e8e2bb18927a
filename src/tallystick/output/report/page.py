"""Writes the page: its sections, its tables, its figures and all records, in one file."""

import base64
import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from tallystick.output.figures.drawing import check_report, draw_svg, read_bundle
from tallystick.output.figures.figure import list_figures
from tallystick.output.figures.layers import DARK, LIGHT, Spec, configure
from tallystick.output.tables.cells import (
    CONTROLS,
    Cell,
    PValue,
    Shown,
    Tinted,
    Toned,
    escape_controls,
    unbound,
)
from tallystick.output.tables.document import Document, Grid, Row, Sections, Style
from tallystick.output.tables.formats import render
from tallystick.output.tables.text import condense
from tallystick.output.tables.typeset import explain_marks, typeset
from tallystick.version import __version__

if TYPE_CHECKING:
    import jinja2
    import markupsafe

Record: TypeAlias = dict[str, Any]
"""An object as JSON has it."""

_BLOCK = re.compile(
    '<script type="application/json" id="tallystick-report">(.*?)</script>', re.DOTALL
)


class InputFile(Struct, frozen=True):
    """A file that was read, with its size in bytes and its SHA-256 in hexadecimal."""

    path: str
    size: int
    sha256: str


class Origin(Struct, frozen=True):
    """How a result was made: what was typed, empty in Python, and the files that were read."""

    command: str = ""
    inputs: tuple[InputFile, ...] = ()


class Content(Struct, frozen=True, kw_only=True):
    """What a report is made of, with all records as JSON has them, and evidence for each track."""

    document: Document
    sections: Sections
    result: Record
    evidence: tuple[Record, ...] = ()
    origin: Origin = Origin()
    style: Style = Style()

    @property
    def matrices(self) -> list[Record]:
        """The confusion matrix of each system, and of each track where there are several."""
        if "confusions" in self.result:
            return [{"track": None, **one} for one in self.list("confusions")]
        return [
            matrix | {"track": one["track"]}
            for one in self.evidence
            for matrix in one["confusions"]
        ]

    @property
    def findings(self) -> list[Record]:
        """How sound the data of each track is."""
        return [
            finding | {"track": one["track"]}
            for one in self.evidence
            for finding in one["findings"]
        ]

    @property
    def kind(self) -> str:
        """What was asked for: `score`, `compare`, `rank`, `gate`, or `other`."""
        return kind_of(self.result)

    def list(self, name: str) -> list[Record]:
        """Returns the records under a key, such as `places`; none if there is no such key."""
        found: list[Record] = self.result.get(name, [])
        return found


def kind_of(result: Record) -> str:
    """Returns what a result in JSON is: `score`, `compare`, `rank`, `gate`, or `other`."""
    marks = {"places": "rank", "verdict": "gate", "differences": "compare", "scores": "score"}
    return next((kind for mark, kind in marks.items() if mark in result), "other")


def read_data(text: str) -> Record | None:
    """Returns all that a report holds; None where a page is no report."""
    found = _BLOCK.search(text)
    if found is None:
        return None
    data = msgspec.json.decode(found[1])
    if not isinstance(data, dict):
        raise ValueError("the data of the page is not an object")
    return data


_WIDTH, _MARGIN = 160.0, 6.0


class PageColumn(Struct, frozen=True):
    """The head of a column, its class if it contains words, and the ends of its scale."""

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


class PageTable(Struct, frozen=True):
    """A grid as text, whose blocks of rows are set apart; its column `head` names the rows."""

    kind: str
    caption: str
    columns: tuple[PageColumn, ...]
    head: int | None
    blocks: tuple[tuple[tuple[Written, ...], ...], ...]
    legend: str
    track: str | None = None


def write_table(grid: Grid, style: Style, track: str | None = None) -> PageTable:
    """Writes a grid for a page; the first numbers of a leaderboard have whiskers."""
    grid = condense(grid)
    scale = _find_scale(grid) if grid.kind == "board" else ()
    # The ends of the scale are written as the numbers are that stand beside them.
    name = grid.rows[0][0] if grid.headings[0] == "metric" else None
    places = range(len(grid.headings))
    ends = tuple(tuple(end if at == grid.leads else name for at in places) for end in scale)
    text = typeset(
        replace(grid, blocks=(*grid.blocks, ends)),
        replace(style, intervals=True) if scale else style,
    )
    message = tuple(row[grid.leads].text for row in text.blocks[-1])
    columns = tuple(
        PageColumn(
            text.titles[at], "name" if grid.textual[at] else "", message if at == grid.leads else ()
        )
        for at in places
    )
    blocks = tuple(
        tuple(_write_row(grid, row, shown, scale) for row, shown in zip(rows, block, strict=True))
        for rows, block in zip(grid.blocks, text.blocks, strict=False)
    )
    head = max((at for at in range(grid.leads) if grid.textual[at]), default=None)
    legend = " ".join(explain_marks((grid,)))
    return PageTable(grid.kind, grid.caption, columns, head, blocks, legend, track)


def _find_scale(grid: Grid) -> tuple[float, ...]:
    spans = [_span(row[grid.leads]) for row in grid.rows]
    if grid.headings[0] == "metric":
        return (0.0, 1.0) if any(own and 0 <= min(own) <= max(own) <= 1 for own in spans) else ()
    numbers = [number for own in spans for number in own]
    if not numbers:
        return ()
    low, high = min(numbers), max(numbers)
    if not (low >= 0 and high <= 1 and high - low >= 0.01):
        return low, high
    steps = 10 if high - low >= 0.1 else 100
    return math.floor(low * steps) / steps, math.ceil(high * steps) / steps


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
    if not isinstance(cell, Tinted):
        return written
    shown = written.shown
    message = f"{shown.text.rstrip('*')} {shown.interval} {cell.words}"
    return replace(
        written,
        shown=shown._replace(interval=""),
        title=" ".join(f"{name} - {other}: {message}".split()),
        data={**written.data, "a": name, "b": other},
    )


def _place(span: Sequence[float], low: float, high: float) -> tuple[float, ...]:
    """How far to the right numbers lie on a scale; nothing where it does not hold all of them."""
    if not span or not low <= min(span) <= max(span) <= high:
        return ()
    room = (_WIDTH - 2 * _MARGIN) / (high - low or 1)
    return tuple(round(_MARGIN + (number - low) * room, 1) for number in span)


_POLICY = (
    "default-src 'none'; script-src {scripts}; style-src {styles}; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
_SCRIPTS = ("page.js", "figures.js", "examples.js")
_LONGEST = 1_000
_MARKS = re.compile(f"[<>&]|{CONTROLS}")
_TITLES = {
    "score": "Scores",
    "compare": "Comparison",
    "rank": "Ranking",
    "gate": "Gate",
    "other": "Result",
}

_THEMES = {"light": configure(LIGHT), "dark": configure(DARK)}
"""The `config` of all specifications on a light and on a dark page."""

_SECTIONS = {
    "rank": (
        "leaderboard",
        "Scores with their intervals, and the range of ranks each system could hold",
    ),
    "critical-difference": (
        "leaderboard",
        "Mean ranks; a bar joins systems that Nemenyi's test does not separate",
    ),
    "scores": ("leaderboard", "Scores with their intervals"),
    "compare": ("pairs", "Differences with their intervals"),
    "gate": ("leaderboard", "How far each check is from its limit"),
    "depths": ("leaderboard", "Scores by depth"),
    "groups": ("groups", "Scores of each group"),
    "roc": ("probabilities", "ROC: true positive rate against false positive rate"),
    "pr": ("probabilities", "Precision and recall at every threshold"),
    "reliability": ("probabilities", "Reliability: observed against predicted probability"),
    "risks": ("probabilities", "Risk-coverage: errors among the examples that are surest"),
    "threshold": ("probabilities", "Scores at every threshold"),
    "wins": ("leaderboard", "Games won by the system of the row against that of the column"),
    "lengths": ("texts", "Scores by the length of the reference"),
}
"""The section that shows each kind of figure, and the line below it; others are tables."""

_OWN = ("confusion", "classes")
"""The kinds of tables that have sections of their own."""

_WIDE = ("rank", "critical-difference", "compare", "gate", "scores", "groups")


class _Drawing(Struct, frozen=True):
    """A figure: its images for a light and a dark page, and its Vega-Lite specification."""

    name: str
    caption: str
    light: str
    dark: str
    spec: Spec


def write_page(content: Content, *, title: str = "", above: Mapping[str, str] | None = None) -> str:
    """Writes a report as one page of HTML, with links to the pages `above` it."""
    check_report()
    drawings, sections, style = _list_drawings(content), content.sections, content.style
    classes = (grid for grid in content.document.grids if grid.kind == "classes")
    scripts = [*([read_bundle()] if drawings else []), "\n".join(map(_read, _SCRIPTS))]
    return _render(
        "page.html",
        scripts,
        title=title or _TITLES[content.kind],
        above=above or {},
        content=content,
        data=_embed(_list_data(content, drawings)),
        tables=[write_table(grid, style) for grid in sections.tables if grid.kind not in _OWN],
        pairs=[write_table(grid, style, track) for track, grid in sections.pairs],
        groups=[write_table(grid, style) for grid in sections.groups],
        classes=[write_table(grid, style) for grid in classes],
        examples=[one for one in content.evidence if one["examples"] is not None],
        drawings=drawings,
    )


def write_index(folder: str, pages: Mapping[str, str]) -> str:
    """Writes a page of links to the pages of saved results, by the names of their files."""
    style = _read("style.css")
    policy = f"default-src 'none'; style-src {_digest(style)}; base-uri 'none'; form-action 'none'"
    links = {name: quote(target) for name, target in pages.items()}
    return _fill("index.html", folder=folder, pages=links, policy=policy, style=style)


def render_page(template: str, data: Mapping[str, object], **parts: object) -> str:
    """Writes a page whose tables can be sorted and that contains some data; it has no figures."""
    return _render(template, [_read("page.js")], data=_embed(data), **parts)


def _render(template: str, scripts: Sequence[str], **parts: object) -> str:
    style = _read("style.css")
    policy = _POLICY.format(scripts=" ".join(map(_digest, scripts)), styles=_digest(style))
    parts |= {"version": __version__, "policy": policy, "scripts": scripts, "style": style}
    return _fill(template, **parts)


def _fill(template: str, **parts: object) -> str:
    return str(_load().get_template(template).render(parts))


def _list_drawings(content: Content) -> dict[str, list[_Drawing]]:
    found: dict[str, list[_Drawing]] = {}
    if content.kind == "other":
        return found
    tracks = {one["track"] for one in content.list("places")}
    for name, draw in list_figures(content.result).items():
        kind, _, rest = name.partition(" ")
        if kind not in _SECTIONS or (kind == "rank" and rest and rest not in tracks):
            continue  # the other groups of a ranking are in a table
        section, caption = _SECTIONS[kind]
        spec = draw(wide=kind in _WIDE)
        plain = {key: part for key, part in spec.items() if key != "config"}
        svgs = (draw_svg(plain | {"config": config}).encode() for config in _THEMES.values())
        light, dark = (
            f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}" for svg in svgs
        )
        found.setdefault(section, []).append(_Drawing(name, caption, light, dark, plain))
    return found


def _list_data(content: Content, drawings: Mapping[str, Sequence[_Drawing]]) -> dict[str, object]:
    figures = {one.name: one.spec for section in drawings.values() for one in section}
    plain = replace(content.style, columns=())
    styles = {"latex": plain, "markdown": plain, "csv": Style()} if content.document.grids else {}
    return {
        "tallystick": __version__,
        "kind": content.kind,
        "command": content.origin.command,
        "inputs": [asdict(one) for one in content.origin.inputs],
        "result": content.result,
        "evidence": content.evidence,
        "figures": figures,
        "themes": _THEMES if figures else {},
        "copies": {name: render(content.document, name, style) for name, style in styles.items()},
    }


@cache
def _load() -> "jinja2.Environment":
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        loader=jinja2.PackageLoader("tallystick.output.report", "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_finalize,
    )
    environment.filters["lines"] = _escape_lines
    environment.filters["cut"] = _cut
    return environment


def _finalize(value: object) -> object:
    """Escapes control characters in what a template writes, unless it is HTML already."""
    return escape_controls(value) if type(value) is str else value


def _escape_lines(text: str) -> "markupsafe.Markup":
    import markupsafe

    return markupsafe.Markup("\n").join(map(escape_controls, text.split("\n")))


def _cut(text: str | None) -> str:
    """A text of an example, not all of it where it is long; the page's data has it in full."""
    text = text or ""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _read(name: str) -> str:
    return (resources.files("tallystick.output.report") / "static" / name).read_text(
        encoding="utf-8"
    )


def _digest(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _embed(data: object) -> str:
    """Writes JSON without tags, which browsers see even in strings, and control characters."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _MARKS.sub(_write_mark, text)


def _write_mark(found: re.Match[str]) -> str:
    mark = found[0]
    return f"\\u{ord(mark):04x}" if mark in "<>&" else json.dumps(mark)[1:-1]
