"""Writes the page: its sections, its figures and all records, in one file."""

import base64
import hashlib
import json
from importlib import resources
from typing import TYPE_CHECKING, Any

from tallystick import __version__
from tallystick.errors import UsageError
from tallystick.render.cells import escape_controls
from tallystick.report.boards import list_boards
from tallystick.report.content import Content
from tallystick.report.copies import list_copies
from tallystick.report.labels import list_classes, list_matrices
from tallystick.report.pairs import list_pairs
from tallystick.report.tables import list_tables
from tallystick.report.verdict import write_verdict

if TYPE_CHECKING:
    import jinja2

__all__ = ["check_report", "write_page"]

_POLICY = (
    "default-src 'none'; script-src {scripts}; style-src {styles}; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
_TITLES = {
    "score": "Scores",
    "compare": "Comparison",
    "rank": "Ranking",
    "gate": "Gate",
    "other": "Result",
}


def check_report() -> None:
    """Raises a UsageError where what a report needs is not installed."""
    try:
        import jinja2
        import vl_convert
    except ModuleNotFoundError as error:
        raise UsageError(
            f"a report needs {error.name}, which is not installed: "
            "pip install 'tallystick[report]'; results go to .json, .md, .tex and .csv without it"
        ) from error
    del jinja2, vl_convert


def write_page(content: Content) -> str:
    """Writes a report as one page of HTML; the same content gives the same bytes."""
    check_report()
    script, style = _read("script.js"), _read("style.css")
    policy = _POLICY.format(scripts=_digest(script), styles=_digest(style))
    boards = list_boards(content)
    return (
        _load()
        .get_template("page.html")
        .render(
            kind=content.kind,
            title=_TITLES[content.kind],
            version=__version__,
            policy=policy,
            script=script,
            style=style,
            verdict=write_verdict(content),
            boards=boards,
            pairs=list_pairs(content),
            classes=list_classes(content),
            matrices=list_matrices(content),
            tables=list_tables(content),
            document=content.document,
            origin=content.origin,
            data=_embed(
                {
                    "tallystick": __version__,
                    "kind": content.kind,
                    "command": content.origin.command,
                    "inputs": [
                        {"path": one.path, "size": one.size, "sha256": one.sha256}
                        for one in content.origin.inputs
                    ],
                    "result": content.result,
                    "copies": list_copies(content),
                }
            ),
        )
    )


def _load() -> "jinja2.Environment":
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        loader=jinja2.PackageLoader("tallystick.report", "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["plain"] = escape_controls
    return environment


def _read(name: str) -> str:
    return (resources.files("tallystick.report") / "static" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """The source of a policy that allows this text and no other."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _embed(data: Any) -> str:
    """JSON that no text in it can end: a browser looks for tags before it looks for strings."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    escapes = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
    for mark, escape in escapes.items():
        text = text.replace(mark, escape)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
