"""One cell of a table as text that cannot break the table, and its width on a screen."""

import math
import unicodedata
from collections.abc import Iterable
from itertools import accumulate
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace


class Ends(Struct, frozen=True):
    """The ends of an interval, one of them infinite if one-sided; `whole` for those of a count."""

    low: float
    high: float
    whole: bool = False


class Bounded(Struct, frozen=True):
    """A number, perhaps undefined, with its interval.

    A signed one above 0 has a plus, as a difference has; an asterisk follows a significant one.
    """

    value: float
    ends: Ends
    signed: bool = False
    star: bool = False


class Mark(Struct, frozen=True):
    """A score with what a paper shows of its rank: bold is what no system significantly beats.

    Two scores that share a letter are not significantly different.
    """

    value: float
    bold: bool
    letters: str
    ends: Ends | None = None


class PValue(Struct, frozen=True):
    """A p-value, which is never shown as 0."""

    value: float


class Toned(Struct, frozen=True):
    """A word that a terminal shows in colour: green, red or yellow."""

    text: str
    tone: Literal["good", "bad", "open"]


class Worded(Struct, frozen=True):
    """A number that a user chose, in its shortest form after words: `drop 0.02`."""

    words: str
    value: float


class Tinted(Struct, frozen=True):
    """A number on a ground that pages colour, and words that they show of it besides."""

    cell: Bounded | float
    tone: str
    words: str = ""


Cell: TypeAlias = str | float | Bounded | Ends | Mark | PValue | Tinted | Toned | Worded | None
"""A name, a number (NaN where it is undefined), or None where there is nothing to show."""


class Shown(NamedTuple):
    """A cell as text, in the parts that a writer places or decorates.

    The interval is in brackets; `bold`, `letters` and `tone` are those of `Mark`, `Toned` and
    `Tinted`; a `name` is words, and no number.
    """

    text: str
    interval: str = ""
    bold: bool = False
    letters: str = ""
    tone: str = ""
    name: bool = False


UNDEFINED = "n/a"
DASH = "\N{EN DASH}"
_MANY = 3
_READABLE = 18
"""The most decimals that numbers are written with."""
_LEAST, _MOST = 1e-9, 1e15
"""Between these, numbers have no exponent."""
_ZERO_WIDTH = frozenset({"Mn", "Me", "Cf"})


def show(cell: Cell, digits: int) -> Shown:
    """Writes a cell as text, in parts; numbers have `digits` decimals.

    The ends of a score's interval have one decimal less if that leaves three; the ends of a
    difference's interval have as many.
    """
    if isinstance(cell, Bounded):  # by far the most cells, where there are many
        text = _format_number(cell.value, digits, cell.signed) + ("*" if cell.star else "")
        own = digits if cell.signed else round_ends(cell.ends, digits)
        return Shown(text, _format_ends(cell.ends, own))
    match cell:
        case Mark(value, bold, letters, ends):
            interval = _format_ends(ends, round_ends(ends, digits)) if ends else ""
            return Shown(format_cell(value, digits=digits), interval, bold, letters)
        case Ends():
            return Shown("", _format_ends(cell, round_ends(cell, digits)))
        case Toned(text, tone):
            return Shown(text, tone=tone, name=True)
        case Worded(words, value):
            return Shown(f"{words} {value:g}")
    return Shown(format_cell(cell, digits=digits), name=isinstance(cell, str))


def format_cell(cell: Cell, *, digits: int) -> str:
    """Formats a count as an integer, a score with `digits` decimals, and NaN as `n/a`.

    An interval stands in brackets behind its number.
    """
    match cell:
        case None:
            return ""
        case str():
            return cell
        case PValue(p):
            return format_p(p, digits)
        case int() | float():
            return _format_number(cell, digits)
    shown = show(cell, digits)
    return " ".join(filter(None, (shown.text, shown.interval)))


def _format_number(number: float, digits: int, signed: bool = False) -> str:
    if math.isnan(number):
        return UNDEFINED
    sign = "+" if signed and number > 0 else ""
    return sign + (str(number) if isinstance(number, int) else _write(number, digits))


def _write(number: float, digits: int) -> str:
    """Writes a number with so many decimals; one too large or small for them with an exponent."""
    if digits > _READABLE or _MOST <= abs(number) < math.inf:
        return f"{number:.3e}" if number else "0"
    return f"{number:z.{digits}f}"


def _format_ends(ends: Ends, digits: int) -> str:
    """Writes an interval; ends from -1 to 1 lack the zero before the point, to be read quickly."""
    if math.isnan(ends.low):
        return ""
    if 1 < digits <= _READABLE and -1 <= ends.low <= ends.high <= 1:  # as of thousands of groups
        low = _drop_zero(f"{ends.low:z.{digits}f}")
        return f"[{low}, {_drop_zero(f'{ends.high:z.{digits}f}')}]"
    low, high = _write(ends.low, digits), _write(ends.high, digits)
    if digits > 1 and _is_short(ends.low) and _is_short(ends.high):
        low, high = _drop_zero(low), _drop_zero(high)
    if ends.high == math.inf != -ends.low:
        return f"(\N{GREATER-THAN OR EQUAL TO} {low})"
    if ends.low == -math.inf != -ends.high:
        return f"(\N{LESS-THAN OR EQUAL TO} {high})"
    return f"[{low}, {high}]"


def _is_short(end: float) -> bool:
    return -1 <= end <= 1 or math.isinf(end)


def _drop_zero(text: str) -> str:
    return text[1:] if text.startswith("0.") else text.replace("-0.", "-.")


def round_ends(ends: Ends, digits: int) -> int:
    """Returns the decimals of an interval's ends: none for counts, else one less than many.

    A bound that is compared with a limit keeps all of them.
    """
    if ends.whole:
        return 0
    if math.isinf(ends.low) or math.isinf(ends.high):
        return digits
    return digits - 1 if digits > _MANY else digits


def count_decimals(number: float, digits: int) -> int:
    """Returns the decimals that leave a positive number so many significant digits.

    From 0.01 to 1, where scores lie, these are as many decimals. Far below, where they would fill
    a line, these are more than are written.
    """
    if 0.01 <= number <= 1 or number == 0 or not math.isfinite(number):
        return digits
    decimals = max(0, digits - 1 - math.floor(math.log10(number)))
    return decimals if number > _LEAST else _READABLE + decimals


def format_p(p: float, digits: int) -> str:
    """Writes a p-value, which is never shown as 0."""
    least = 10.0**-digits
    if math.isnan(p):
        return UNDEFINED
    return f"< {least:.{digits}f}" if p < least else f"{p:.{digits}f}"


def format_range(low: int | None, high: int | None) -> str:
    """Writes a range of whole numbers, or one number if both ends are equal; empty for None."""
    if low is None:
        return ""
    return str(low) if low == high else f"{low}{DASH}{high}"


def format_change(rank: int | None, previous: int | None) -> str:
    """Writes how many ranks a system has gained or lost, or that it is new."""
    if rank is None:
        return ""
    if previous is None:
        return "new"
    gained = previous - rank
    return "=" if not gained else f"▲{gained}" if gained > 0 else f"▼{-gained}"


def unbound(cell: Cell) -> Cell:
    """Returns the cell without its interval and its ground."""
    cell = cell.cell if isinstance(cell, Tinted) else cell
    return cell.value if isinstance(cell, Bounded | Mark) else cell


def scale(cell: Cell, factor: float) -> Cell:
    """Multiplies the score in a cell by a factor; other cells stay as they are."""
    match cell:
        case Bounded(value, ends):
            return replace(cell, value=value * factor, ends=_scale_ends(ends, factor))
        case Mark(value, ends=ends):
            ends = _scale_ends(ends, factor) if ends else None
            return replace(cell, value=value * factor, ends=ends)
        case Ends():
            return _scale_ends(cell, factor)
        case Worded(words, value):
            return Worded(words, value * factor)
        case float():
            return cell * factor
    return cell


def _scale_ends(ends: Ends, factor: float) -> Ends:
    return replace(ends, low=ends.low * factor, high=ends.high * factor)


def measure(text: str) -> int:
    """Counts the columns that a line of text takes: wide characters two, combining ones none."""
    return len(text) if text.isascii() else sum(map(_measure_char, text))


def measure_most(texts: Iterable[str]) -> int:
    """Counts the columns that the widest of some lines takes; 0 without any."""
    lines = list(texts)
    return max(map(len if "".join(lines).isascii() else measure, lines), default=0)


def _measure_char(char: str) -> int:
    if unicodedata.category(char) in _ZERO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def shorten(text: str, width: int) -> str:
    """Replaces the middle of a text wider than `width` columns by an ellipsis."""
    if measure(text) <= width:
        return text
    tail = (width - 1) // 2
    return _clip(text, width - 1 - tail) + "…" + _clip(text[::-1], tail)[::-1]


def _clip(text: str, width: int) -> str:
    ends = accumulate(map(_measure_char, text))
    return "".join(char for char, end in zip(text, ends, strict=True) if end <= width)
