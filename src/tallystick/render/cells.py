"""One cell of a table as text that cannot break the table, and its width on a screen."""

import math
import unicodedata
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

__all__ = [
    "DASH",
    "Bounded",
    "Cell",
    "Ends",
    "Mark",
    "PValue",
    "escape_controls",
    "format_cell",
    "format_p",
    "measure",
    "shorten",
    "unbound",
]


@dataclass(frozen=True, slots=True)
class Ends:
    """The ends of an interval; `whole` where they are those of a count."""

    low: float
    high: float
    whole: bool


@dataclass(frozen=True, slots=True)
class Bounded:
    """A number with its interval."""

    value: float
    ends: Ends


@dataclass(frozen=True, slots=True)
class Mark:
    """A score with what a paper shows of its rank.

    Attributes:
        value: The score; NaN where it is undefined.
        bold: Whether it is not beaten.
        letters: Two scores that share a letter are not significantly different.
    """

    value: float
    bold: bool
    letters: str


@dataclass(frozen=True, slots=True)
class PValue:
    """A p-value, which is never shown as 0."""

    value: float


Cell: TypeAlias = str | float | Bounded | Ends | Mark | PValue | None
"""A name, a number (NaN where it is undefined), or None where there is nothing to show."""

UNDEFINED = "n/a"
DASH = "\N{EN DASH}"
_CONTROLS = frozenset({"Cc", "Cs", "Zl", "Zp"})
_DIRECTIONS = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
_ZERO_WIDTH = frozenset({"Mn", "Me", "Cf"})


def format_cell(cell: Cell, *, digits: int) -> str:
    """Format a count as an integer, a score with `digits` decimals, and NaN as `n/a`.

    An interval is written with an en dash, in parentheses behind its number.
    """
    match cell:
        case None:
            text = ""
        case str():
            text = escape_controls(cell)
        case Mark(value=value):
            text = format_cell(value, digits=digits)
        case PValue(p):
            text = format_p(p, digits)
        case Bounded(value=value, ends=ends):
            text = f"{format_cell(value, digits=digits)} ({format_cell(ends, digits=digits)})"
        case Ends(low, high, whole):
            text = DASH.join(_format_end(end, whole, digits) for end in (low, high))
        case int():
            text = str(cell)
        case _:
            text = UNDEFINED if math.isnan(cell) else f"{cell:z.{digits}f}"
    return text


def format_p(p: float, digits: int) -> str:
    """Write a p-value, which is never shown as 0."""
    least = 10.0**-digits
    if math.isnan(p):
        return UNDEFINED
    return f"< {least:.{digits}f}" if p < least else f"{p:.{digits}f}"


def unbound(cell: Cell) -> Cell:
    """The cell without its interval."""
    return cell.value if isinstance(cell, Bounded) else cell


def _format_end(end: float, whole: bool, digits: int) -> str:
    """One digit less than scores have, and no zero before the point: ends are read at a glance."""
    text = f"{end:z.{0 if whole else max(digits - 1, 2)}f}"
    return text.replace("0.", ".", 1) if text.removeprefix("-").startswith("0.") else text


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
