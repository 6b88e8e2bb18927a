"""Confusion matrices, changed predictions and flaky problems as tables and as files."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from tallystick.output.results.records import ConfusionMatrix, Flip
from tallystick.output.tables.document import Document, Grid, Heading, Row


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


def document_flips(flips: Mapping[tuple[str, str], Sequence[Flip]]) -> Document:
    """Returns the flips of pairs of systems as a document."""
    records = [
        {"a": a, "b": b} | asdict(flip) for (a, b), several in flips.items() for flip in several
    ]
    return _list_pairs(("a", "b", *Flip.__struct_fields__), 2, records)


def _list_pairs(headings: tuple[str, ...], leads: int, records: list[dict[str, Any]]) -> Document:
    rows: tuple[Row, ...] = tuple(tuple(own.values()) for own in records)
    return Document((Grid("pairs", "", headings, leads, (rows,)),), records=records)


class Flaky(Struct, frozen=True):
    """A problem of which some tries of a system are right and some are wrong."""

    system: str
    group: str | None
    example: str
    tries: int
    correct: int


def document_flaky(flaky: Sequence[Flaky]) -> Document:
    """Returns flaky problems as a document."""
    return _list_pairs(tuple(Flaky.__struct_fields__), 1, list(map(asdict, flaky)))
