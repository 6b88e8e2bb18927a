"""Which columns and rows of a file are asked for."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from tallystick.frozen import dataclass

if TYPE_CHECKING:
    from tallystick.io.files.progress import Progress


@dataclass(frozen=True, slots=True)
class Span:
    """Some groups of rows of a Parquet file that follow each other.

    Attributes:
        first: How many rows precede them.
        rows: How many rows they have.
        size: How many bytes they take.
    """

    first: int
    rows: int
    size: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A file, or some of its rows.

    Attributes:
        span: The rows; None for all, however many they are.
        values: Further columns, each with the one value that all rows have in it.
    """

    path: str
    span: Span | None = None
    values: tuple[tuple[str, str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """A request to read a file of a known format: some columns and rows of it, or all.

    Attributes:
        only: The columns to keep where present; all if None.
        watch: What counts the bytes as they are read.
        span: The rows of a Parquet file; None for all.
    """

    path: str
    format: str
    only: Collection[str] | None = None
    watch: "Progress | None" = None
    span: Span | None = None
