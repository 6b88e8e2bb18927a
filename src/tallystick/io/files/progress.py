"""Measures how much there is to read, and how much of it has been read."""

import io
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import BinaryIO, cast

from tallystick.errors import InputError
from tallystick.frozen import dataclass
from tallystick.io.files.datasets import list_files


@dataclass(slots=True)
class Progress:
    """A counter of the bytes read from disk, before decompression.

    Attributes:
        done_bytes: The bytes read so far. Bytes that are read twice count twice, so the total may
            slightly exceed what `measure_input` returns.
        parts: Of how many parts the whole is made; 0 where it is read in one piece.
        done_parts: How many of them are done.
    """

    done_bytes: int = 0
    parts: int = 0
    done_parts: int = 0


def measure_input(paths: Iterable[str]) -> int:
    """Returns how many bytes files have; pipes, standard input and missing files count nothing."""
    total = 0
    for path in paths:
        with suppress(InputError):
            total += sum(one.size for one in list_files(path))
    return total


def count_reads(file: BinaryIO, watch: Progress) -> BinaryIO:
    """Returns a file that adds what is read from it to a counter."""

    def count(size: int) -> None:
        watch.done_bytes += size

    return note_reads(file, count, 1 << 14)


def note_reads(file: BinaryIO, note: Callable[[int], None], buffer: int) -> BinaryIO:
    """Returns a buffered file that calls `note` with the number of bytes of each read."""
    return cast("BinaryIO", io.BufferedReader(_Noted(file, note), buffer))


class _Noted(io.RawIOBase):
    def __init__(self, file: BinaryIO, note: Callable[[int], None]) -> None:
        self._file = file
        self._note = note

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        size = int(self._file.readinto(buffer))  # type: ignore[attr-defined]
        self._note(size)
        return size

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)
