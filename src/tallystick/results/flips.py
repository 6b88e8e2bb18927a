"""The examples on which systems differ, as a table and as a file."""

from collections.abc import Mapping, Sequence

from tallystick.render.document import Document, Grid, Row
from tallystick.results.records import Flip


def document_flips(flips: Mapping[tuple[str, str], Sequence[Flip]]) -> Document:
    """Returns the flips of pairs of systems as a document."""
    names = tuple(Flip.__dataclass_fields__)
    headings = ("a", "b", *names)
    rows: tuple[Row, ...] = tuple(
        (*pair, *(getattr(flip, name) for name in names))
        for pair, several in flips.items()
        for flip in several
    )
    records = [dict(zip(headings, row, strict=True)) for row in rows]
    return Document((Grid("pairs", "", headings, 2, (rows,)),), records=records)
