r"""Writes one table as a LaTeX tabular: decimals aligned, intervals in small type below numbers."""

import re
from collections.abc import Sequence

from tallystick.frozen import dataclass
from tallystick.render.cells import UNDEFINED, Shown
from tallystick.render.typeset import Table

# A bracket or an asterisk at the start of a row would be read as an option of the line break
# before it, and babel gives the double quote a meaning in some languages.
_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"{\char34}",
        "[": "{[}",
        "*": "{*}",
        "\N{MIDDLE DOT}": r"\textperiodcentered{}",
        "\N{GREATER-THAN OR EQUAL TO}": r"$\geq$",
        "\N{LESS-THAN OR EQUAL TO}": r"$\leq$",
        "\N{BLACK UP-POINTING TRIANGLE}": r"$\uparrow$",
        "\N{BLACK DOWN-POINTING TRIANGLE}": r"$\downarrow$",
        **{char: f"\\{char}" for char in "&%$#_{}"},
    }
)
_WORDS = re.compile(r"\w[\w-]* \w[\w -]*")
_MINUS = re.compile(r"(^| )- ")
_NUMBER = re.compile(r"((?:< )?[+-]?)(\d+)((?:\.\d+)?)(\*?)")


def escape(text: str) -> str:
    """Escapes text for LaTeX."""
    return _MINUS.sub(r"\1$-$ ", text.translate(_ESCAPES))


def break_heading(heading: str) -> list[str]:
    """The one or two lines of a heading; only words may stand below each other."""
    if " · " in heading:
        return heading.rsplit(" · ", 1)
    return heading.split(" ", 1) if _WORDS.fullmatch(heading) else [heading]


@dataclass(frozen=True, slots=True)
class _Column:
    """The room that all cells of one column need, so that their decimals are aligned.

    It is the longest sign, part before the point, part from the point on, and letters behind a
    number; bold digits may be wider.
    """

    align: str
    sign: str = ""
    whole: str = ""
    rest: str = ""
    star: bool = False
    letters: str = ""
    bold: bool = False

    def write(self, cell: Shown) -> str:
        """Writes one cell, padded to the widest parts of its column."""
        if cell.text == UNDEFINED and not cell.name:
            return "--"
        parts = _NUMBER.fullmatch(cell.text)
        if cell.name or parts is None or self.align != "c":
            return rf"\textbf{{{escape(cell.text)}}}" if cell.bold else escape(cell.text)
        sign, whole, rest, star = parts.groups()
        if self.rest and not rest:
            return _sign(sign + whole)  # a count among scores
        before = _leave(self.sign[len(sign) :]) + _leave(self.whole[len(whole) :])
        number = _sign(sign + whole) + rest
        shown = _decorate(number, star, cell.letters, bold=cell.bold)
        longest = number + self.rest[len(rest) :]
        room = _decorate(longest, "*" if self.star else "", self.letters, bold=self.bold)
        return before + (shown if shown == room else rf"\rlap{{{shown}}}\hphantom{{{room}}}")


def _decorate(number: str, star: str, letters: str, *, bold: bool) -> str:
    text = rf"\textbf{{{number}}}" if bold else number
    return text + escape(star) + (rf"\textsuperscript{{{letters}}}" if letters else "")


def _leave(text: str) -> str:
    return rf"\hphantom{{{_sign(text)}}}" if text else ""


def _sign(number: str) -> str:
    return escape(number).replace("-", "$-$").replace("+", "$+$")


def write_tabular(table: Table) -> str:
    """Writes one tabular, which needs the package booktabs."""
    columns = [_measure(table, place) for place in range(len(table.headings))]
    blocks = ("\n".join(_write_row(columns, row) for row in block) for block in table.blocks)
    return "\n".join(
        (
            rf"\begin{{tabular}}{{@{{}}{''.join(column.align for column in columns)}@{{}}}}",
            r"\toprule",
            _write_headings(table.headings),
            r"\midrule",
            "\n\\midrule\n".join(blocks),
            r"\bottomrule",
            r"\end{tabular}",
        )
    )


def _measure(table: Table, place: int) -> _Column:
    if table.textual[place]:
        return _Column("l")
    cells = [row[place] for row in table.rows]
    numbers = [found for cell in cells if (found := _NUMBER.fullmatch(cell.text))]
    if not any(found[3] for found in numbers) and not any(cell.interval for cell in cells):
        return _Column("r")
    return _Column(
        "c",
        max((found[1] for found in numbers), key=len, default=""),
        max((found[2] for found in numbers), key=len, default=""),
        max((found[3] for found in numbers), key=len, default=""),
        any(found[4] for found in numbers),
        max((cell.letters for cell in cells), key=len, default=""),
        any(cell.bold for cell in cells),
    )


def _write_headings(headings: Sequence[str]) -> str:
    """Writes headings of two words as two lines, so that columns are no wider than numbers."""
    broken = [break_heading(heading) for heading in headings]
    depth = max(map(len, broken))
    padded = ([""] * (depth - len(parts)) + parts for parts in broken)
    return "\n".join(" & ".join(map(escape, line)) + r" \\" for line in zip(*padded, strict=True))


def _write_row(columns: Sequence[_Column], row: Sequence[Shown]) -> str:
    """Writes a row, and below it its intervals, close to their numbers."""
    line = " & ".join(column.write(cell) for column, cell in zip(columns, row, strict=True))
    if not any(cell.interval for cell in row):
        return line + r" \\"
    ends = (rf"{{\scriptsize {_sign(cell.interval)}}}" if cell.interval else "" for cell in row)
    return rf"{line} \\[-0.6ex]" + "\n" + " & ".join(ends) + r" \\"
