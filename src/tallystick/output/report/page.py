"""Writes the page: its sections, its figures and all records, in one file.

A figure is there as pictures, which need no JavaScript, and as a specification.
"""

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import asdict, replace

from tallystick.output.figures.drawing import draw_svg
from tallystick.output.figures.figure import list_figures
from tallystick.output.figures.theme import DARK, LIGHT, Spec, configure
from tallystick.output.report.bundle import check_report, read_bundle
from tallystick.output.report.content import Content
from tallystick.output.report.tables import write_table
from tallystick.output.tables.controls import CONTROLS, escape_controls
from tallystick.output.tables.document import Style
from tallystick.output.tables.formats import render
from tallystick.version import __version__

if TYPE_CHECKING:
    import jinja2
    import markupsafe

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
    """Writes a report as one page of HTML; the same content gives the same bytes.

    Its title is by default what the report is, such as Scores. The pages that lead to it are by
    their addresses from it.
    """
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
    """Writes a page whose tables can be sorted and that holds some data; it has no figures."""
    return _render(template, [_read("page.js")], data=_embed(data), **parts)


def _render(template: str, scripts: Sequence[str], **parts: object) -> str:
    """Fills a template in, with its style, its scripts, and a policy that allows no others."""
    style = _read("style.css")
    policy = _POLICY.format(scripts=" ".join(map(_digest, scripts)), styles=_digest(style))
    parts |= {"version": __version__, "policy": policy, "scripts": scripts, "style": style}
    return _fill(template, **parts)


def _fill(template: str, **parts: object) -> str:
    page: str = _load().get_template(template).render(parts)
    return page


def _list_drawings(content: Content) -> dict[str, list[_Drawing]]:
    """The figures of each section, by its name."""
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
        light, dark = (_picture(plain | {"config": config}) for config in _THEMES.values())
        found.setdefault(section, []).append(_Drawing(name, caption, light, dark, plain))
    return found


def _picture(spec: Spec) -> str:
    content = base64.b64encode(draw_svg(spec).encode()).decode()
    return f"data:image/svg+xml;base64,{content}"


def _list_data(content: Content, drawings: Mapping[str, Sequence[_Drawing]]) -> dict[str, object]:
    """The data that the page holds for its own script and for other programs."""
    figures = {one.name: one.spec for section in drawings.values() for one in section}
    return {
        "tallystick": __version__,
        "kind": content.kind,
        "command": content.origin.command,
        "inputs": [asdict(one) for one in content.origin.inputs],
        "result": content.result,
        "evidence": content.evidence,
        "figures": figures,
        "themes": _THEMES if figures else {},
        "copies": _list_copies(content),
    }


def _list_copies(content: Content) -> dict[str, str]:
    """The result as LaTeX, Markdown and CSV, as the command itself writes them."""
    plain = replace(content.style, columns=())
    styles = {"latex": plain, "markdown": plain, "csv": Style()}
    shown = styles.items() if content.document.grids else ()
    return {name: render(content.document, name, style) for name, style in shown}


@cache
def _load() -> "jinja2.Environment":
    """The templates, which are compiled once for all pages."""
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
    """Escapes the control characters of a text except its line ends."""
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
    """The source of a policy that allows this text and no other."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _embed(data: object) -> str:
    """Writes JSON without tags, which browsers see even in strings, and control characters."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _MARKS.sub(_write_mark, text)


def _write_mark(found: re.Match[str]) -> str:
    mark = found[0]
    return f"\\u{ord(mark):04x}" if mark in "<>&" else json.dumps(mark)[1:-1]
