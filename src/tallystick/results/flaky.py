"""Problems that are solved in some tries and missed in others, as a table and as a file."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from tallystick.render.document import Document, Grid, Row


@dataclass(frozen=True, slots=True)
class Flaky:
    """A problem of which some tries of a system are right and some are wrong.

    Attributes:
        system: The name of the system.
        group: The group of the problem, or None.
        example: The id of the problem.
        tries: How often it was tried.
        correct: How many tries were right.
    """

    system: str
    group: str | None
    example: str
    tries: int
    correct: int


def document_flaky(flaky: Sequence[Flaky]) -> Document:
    """Returns flaky problems as a document."""
    headings = tuple(Flaky.__dataclass_fields__)
    records = list(map(asdict, flaky))
    rows: tuple[Row, ...] = tuple(tuple(own.values()) for own in records)
    return Document((Grid("pairs", "", headings, 1, (rows,)),), records=records)
