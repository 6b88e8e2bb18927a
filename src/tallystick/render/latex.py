"""Writes documents as LaTeX tabulars in the style of booktabs."""

import math

from tallystick.render.cells import DASH, Cell, Mark, PValue, escape_controls, format_cell
from tallystick.render.document import Document, Grid, Row

__all__ = ["write_latex"]

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
        **{char: f"\\{char}" for char in "&%$#_{}"},
    }
)


def write_latex(document: Document, *, digits: int) -> str:
    """Write one tabular per grid; headings, captions and sentences are comments."""
    heading = [f"% {escape_controls(document.heading)}"] if document.heading else []
    tabulars = "\n\n".join(_write_tabular(grid, digits) for grid in document.grids)
    comments = (f"% Note: {escape_controls(remark)}" for remark in document.remarks)
    return "\n".join((*heading, r"% \usepackage{booktabs}", tabulars, *comments)) + "\n"


def _write_tabular(grid: Grid, digits: int) -> str:
    alignment = "".join("l" if textual else "r" for textual in grid.textual)
    blocks = ("\n".join(_write_row(row, digits) for row in block) for block in grid.blocks)
    return "\n".join(
        (
            *([f"% {escape_controls(grid.caption)}"] if grid.caption else []),
            rf"\begin{{tabular}}{{{alignment}}}",
            r"\toprule",
            _write_row(grid.headings, digits),
            r"\midrule",
            "\n\\midrule\n".join(blocks),
            r"\bottomrule",
            r"\end{tabular}",
        )
    )


def _write_row(row: Row, digits: int) -> str:
    return " & ".join(_write_cell(cell, digits) for cell in row) + r" \\"


def _write_cell(cell: Cell, digits: int) -> str:
    if isinstance(cell, Mark):
        return _write_mark(cell, digits)
    text = format_cell(cell, digits=digits)
    if isinstance(cell, str | PValue):
        return text.translate(_ESCAPES)
    if isinstance(cell, float) and math.isnan(cell):
        return "--"
    return text.replace("-", "$-$").replace(DASH, "--")


def _write_mark(mark: Mark, digits: int) -> str:
    value = _write_cell(mark.value, digits)
    shown = rf"\textbf{{{value}}}" if mark.bold else value
    return rf"{shown}\textsuperscript{{{mark.letters}}}" if mark.letters else shown
