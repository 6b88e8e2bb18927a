"""Which columns and rows of a file are asked for; some rows as a range of its bytes."""

import io
from collections.abc import Collection
from typing import TYPE_CHECKING, BinaryIO, cast

from tallystick.frozen import dataclass

if TYPE_CHECKING:
    from tallystick.io.files.progress import Progress

_BUFFER = 1 << 20


@dataclass(frozen=True, slots=True)
class Span:
    """Some rows of a file that follow each other.

    Attributes:
        first: How many rows of data stand before them.
        start: Where their bytes begin; of no meaning in a Parquet file.
        head: How many bytes at the beginning of the file are its header, which is read before them.
        keys: All keys of a file of JSON Lines, each with the kind of its first value that is no
            null.
    """

    first: int
    rows: int
    start: int = 0
    stop: int = 0
    head: int = 0
    keys: tuple[tuple[str, str | None], ...] = ()


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
    """A request to read a file of a known kind: some columns and rows of it, or all.

    Attributes:
        only: The columns to keep where present; all if None.
        watch: What counts the bytes as they are read.
    """

    path: str
    kind: str
    only: Collection[str] | None = None
    watch: "Progress | None" = None
    span: Span | None = None


def read_span(file: BinaryIO, span: Span) -> BinaryIO:
    """Returns the header of an open file and some of its rows, as if they were all of it."""
    return cast("BinaryIO", io.BufferedReader(_Spliced(file, span), _BUFFER))


class _Spliced(io.RawIOBase):
    """The first bytes of a file, followed by some later ones."""

    def __init__(self, file: BinaryIO, span: Span) -> None:
        self._file = file
        self._head = file.read(span.head)
        if self._head.endswith(b"\r"):
            self._head += b"\n"  # which cannot be taken for one that the rows begin with
        file.seek(span.start)
        self._left = span.stop - span.start

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        if self._head:
            chunk, self._head = self._head[: len(buffer)], self._head[len(buffer) :]
        else:
            chunk = self._file.read(min(self._left, len(buffer)))
            self._left -= len(chunk)
        buffer[: len(chunk)] = chunk
        return len(chunk)
