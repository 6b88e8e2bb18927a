"""One function for every format: a document becomes the text of a file."""

from collections.abc import Callable, Mapping

from tallystick.errors import UsageError
from tallystick.render.document import Document
from tallystick.render.html import write_html
from tallystick.render.latex import write_latex
from tallystick.render.lines import write_lines
from tallystick.render.markdown import write_markdown
from tallystick.render.records import write_csv, write_json
from tallystick.render.text import write_text

__all__ = ["DIGITS", "FORMATS", "render"]

DIGITS = 4
"""How many decimals scores have where nobody says."""

MOST_DIGITS = 17
"""No float64 has more decimals that mean anything."""

_WRITERS: Mapping[str, Callable[..., str]] = {
    "table": write_text,
    "markdown": write_markdown,
    "latex": write_latex,
    "html": write_html,
}
FORMATS = ("table", "csv", "json", "markdown", "latex", "html", "lines")
"""What `render` can write; only some documents have `lines`."""


def render(
    document: Document, format: str, *, digits: int = DIGITS, intervals: bool = False
) -> str:
    """Write a document in one of `FORMATS`, as text that ends with a newline.

    Scores have `digits` decimals where people read them; `csv` and `json` are exact. All but `csv`
    and `lines` hold the intervals that there are; these two only with `intervals`.

    Raises:
        UsageError: The document has no such format, or digits is negative.
    """
    if not 0 <= digits <= MOST_DIGITS:
        raise UsageError(f"The number of digits is {digits}, expected 0 to {MOST_DIGITS}.")
    if format in _WRITERS:
        return _WRITERS[format](document, digits=digits)
    match format:
        case "csv":
            return write_csv(document, intervals=intervals)
        case "json":
            return write_json(document)
        case "lines" if document.paragraphs is not None:
            return write_lines(document, digits=digits, intervals=intervals)
    known = FORMATS if document.paragraphs is not None else FORMATS[:-1]
    raise UsageError(
        f"There is no format {format!r}, expected one of {', '.join(map(repr, known))}."
    )
