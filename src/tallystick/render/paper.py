"""Marks of significance in the tables of papers, and their legends."""

import math
from collections.abc import Sequence

from tallystick.frozen import replace
from tallystick.render.cells import Cell, Ends, Mark
from tallystick.render.document import Grid


def explain(grids: Sequence[Grid], methods: str) -> str:
    """Says what the marks in the tables mean; empty if they have none."""
    sentences = explain_marks(grids)
    if any(_has_ends(cell) for grid in grids for row in grid.rows for cell in row):
        sentences = (*sentences, methods or "Brackets: confidence intervals.")
    return " ".join(sentences)


def explain_marks(grids: Sequence[Grid]) -> tuple[str, ...]:
    """Says what bold, letters, lines and asterisks mean in tables that have them."""
    cells = [cell for grid in grids for row in grid.rows for cell in row]
    marks = [cell for cell in cells if isinstance(cell, Mark)]
    sentences = []
    if any(mark.bold for mark in marks):
        sentences.append("Bold: no system is significantly better.")
    if any(mark.letters for mark in marks):
        sentences.append("Scores that share a letter are not significantly different.")
    legends = dict.fromkeys(sentence for grid in grids for sentence in grid.legend)
    return (*sentences, *legends)


def mark_once(grid: Grid) -> Grid:
    """A ranking whose only mark of significance is bold, without letters and lines."""
    if grid.kind != "ranking":
        return grid
    legend = tuple(one for one in grid.legend if " line " not in one)
    whole = replace(grid, blocks=(grid.rows,), legend=legend)
    return whole.change_rows(
        lambda row: tuple(
            replace(cell, letters="") if isinstance(cell, Mark) else cell for cell in row
        )
    )


def _has_ends(cell: Cell) -> bool:
    ends = cell if isinstance(cell, Ends) else getattr(cell, "ends", None)
    return ends is not None and not math.isnan(ends.low)
