"""Escapes characters that move the cursor, change the direction of text, or are invisible."""

import re
from dataclasses import replace
from typing import Any

from tallystick.output.tables.cells import Bounded, Ends, Mark, Toned, Worded
from tallystick.output.tables.document import Document, Grid, Heading, LazyGrids

CONTROLS = (
    r"(?<![^\x00-\u02ff])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\u02ff])|"
    r"[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\ud800-\udfff\ufeff\ufff9-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    r"\U0001d173-\U0001d17a\U000e0001-\U000e007f]"
)
"""Control and format characters, and lone surrogates, as a regular expression.

Joiners belong to words of Persian or Hindi and to emoji, and are escaped beside Latin letters only;
visible format characters, such as Arabic number signs, are kept.
"""

_CONTROLS = re.compile(CONTROLS)


def escape_controls(text: str) -> str:
    r"""Writes control and format characters as escapes, such as `\n` and `\u202e`."""
    if text.isprintable():  # as nearly all are, and no control or format character is
        return text
    return type(text)(_CONTROLS.sub(lambda one: one[0].encode("unicode_escape").decode(), text))


_TOLD: dict[type, tuple[str, ...]] = {
    Document: ("grids", "heading", "sentences", "notes", "methods", "signatures"),
    Grid: ("caption", "headings", "blocks", "legend"),
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
