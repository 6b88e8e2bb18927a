"""One cell of a table as text that cannot break the table, and its width on a screen."""

import math
import unicodedata
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

__all__ = ["Cell", "Mark", "escape_controls", "format_cell", "measure", "shorten"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A score with what a paper shows of its rank.

    Attributes:
        value: The score; NaN where it is undefined.
        bold: Whether it is not beaten.
        letters: Two scores that share a letter are not told apart.
    """

    value: float
    bold: bool
    letters: str


Cell: TypeAlias = str | float | Mark | None
"""A name, a number (NaN where it is undefined), or None where there is nothing to show."""

UNDEFINED = "n/a"
_CONTROLS = frozenset({"Cc", "Cs", "Zl", "Zp"})
_DIRECTIONS = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
_ZERO_WIDTH = frozenset({"Mn", "Me", "Cf"})


def format_cell(cell: Cell, *, digits: int) -> str:
    """Format a count as an integer, a score with `digits` decimals, and NaN as `n/a`."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return escape_controls(cell)
    if isinstance(cell, Mark):
        return format_cell(cell.value, digits=digits)
    if isinstance(cell, int):
        return str(cell)
    return UNDEFINED if math.isnan(cell) else f"{cell:z.{digits}f}"


def escape_controls(text: str) -> str:
    r"""Write characters that move the cursor or turn the line as escapes, such as `\n`."""
    return "".join(
        char.encode("unicode_escape").decode() if _is_control(char) else char for char in text
    )


def _is_control(char: str) -> bool:
    return unicodedata.category(char) in _CONTROLS or unicodedata.bidirectional(char) in _DIRECTIONS


def measure(text: str) -> int:
    """Count the columns that a line of text takes: wide characters two, combining ones none."""
    return sum(map(_measure_char, text))


def _measure_char(char: str) -> int:
    if unicodedata.category(char) in _ZERO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def shorten(text: str, width: int) -> str:
    """Replace the middle of a text wider than `width` columns by an ellipsis."""
    if measure(text) <= width:
        return text
    tail = (width - 1) // 2
    return _clip(text, width - 1 - tail) + "…" + _clip(text[::-1], tail)[::-1]


def _clip(text: str, width: int) -> str:
    ends = accumulate(map(_measure_char, text))
    return "".join(char for char, end in zip(text, ends, strict=True) if end <= width)
