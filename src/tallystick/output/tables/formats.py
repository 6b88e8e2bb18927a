"""One function for every format: a document becomes the text of a file."""

import importlib
from typing import Any

from msgspec.structs import replace

from tallystick.errors import UsageError
from tallystick.output.tables.cells import Bounded, Ends, Mark, Toned, Worded
from tallystick.output.tables.controls import escape_controls
from tallystick.output.tables.document import Document, Heading, LazyGrids, Style, Table
from tallystick.output.tables.typeset import choose_columns

_WRITERS = {
    "table": ("text", "write_text"),
    "markdown": ("markup", "write_markdown"),
    "latex": ("latex", "write_latex"),
    "notebook": ("markup", "write_html"),
}
"""The module and the function that write each format, which are loaded when it is asked for."""

FORMATS = ("table", "csv", "json", "markdown", "latex", "lines")
"""What `render` can write for a file; only some documents have `lines`."""


def check_style(style: Style, format: str) -> None:
    """Raises a UsageError where a style does not go with a format for programs."""
    chosen = style.percent or style.decimals or (style.columns and format != "csv")
    if (chosen or style.rename) and format in ("csv", "json", "eee", "lines"):
        raise UsageError(
            f"{format} has everything in full; percent, decimals, columns and other names are for "
            "tables"
        )
    if (style.caption is not None or style.label is not None) and format != "latex":
        raise UsageError("a caption and a label are for LaTeX: --format latex, or -o NAME.tex")


def render(document: Document, format: str, style: Style | None = None) -> str:
    """Writes a document in one of `FORMATS`, as text that ends with a newline.

    `notebook` and, for scores of one system, `eee` are further formats.

    `csv` and `json` are exact. All but `csv` and `lines` hold the intervals that there are; these
    two only where the style asks for them.

    Raises:
        UsageError: The document has no such format or column, or the style does not go with it.
    """
    style = style or Style()
    check_style(style, format)
    if format in _WRITERS:
        module, writer = _WRITERS[format]
        write = getattr(importlib.import_module(f"tallystick.output.tables.{module}"), writer)
        return str(write(clean(choose_columns(document, style)), style))
    from tallystick.output.tables.data_formats import write_document_csv, write_json

    match format:
        case "csv":
            return write_document_csv(choose_columns(document, style), intervals=style.intervals)
        case "json":
            return write_json(document)
        case "eee":
            from tallystick.output.tables.data_formats import write_every

            return write_every(document)
        case "lines" if document.paragraphs is not None:
            from tallystick.output.tables.text import write_lines

            return write_lines(document, style)
    known = FORMATS if document.paragraphs is not None else FORMATS[:-1]
    raise UsageError(
        f"There is no format {format!r}, expected one of {', '.join(map(repr, known))}."
    )


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
