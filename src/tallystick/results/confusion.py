"""Confusion matrices as tables and as files."""

import math
from collections.abc import Sequence
from dataclasses import replace

from tallystick.render.document import Document, Grid, Heading
from tallystick.results.records import ConfusionMatrix


def document_confusion(matrix: ConfusionMatrix, *, normalise: bool = False) -> Document:
    """Returns a confusion matrix as a document of its own.

    With `normalise` each row is divided by its sum; a row of zeros is undefined then.
    """
    if normalise:
        matrix = replace(matrix, counts=tuple(map(_normalise_row, matrix.counts)))
    rows = "rates" if normalise else "counts"
    parts = {"system": matrix.system, "labels": matrix.labels, rows: list(matrix.counts)}
    return Document((pivot_confusion(matrix),), parts=parts)


def _normalise_row(row: Sequence[float]) -> tuple[float, ...]:
    total = sum(row)
    return tuple(count / total if total else math.nan for count in row)


def pivot_confusion(matrix: ConfusionMatrix, *, named: bool = False) -> Grid:
    """Makes a row of each gold label; `named` puts the system into the caption."""
    whose = f" of {matrix.system}" if named else ""
    return Grid(
        kind="confusion",
        caption=f"Confusion matrix{whose} (rows gold, columns predicted)",
        headings=("gold\\predicted", *map(Heading, matrix.labels)),
        leads=1,
        blocks=(
            tuple((gold, *row) for gold, row in zip(matrix.labels, matrix.counts, strict=True)),
        ),
    )
