"""Reads text files line by line, as strict UTF-8."""

from codecs import BOM_UTF8
from collections.abc import Generator, Iterator

from tallystick.errors import InputError
from tallystick.io.files.byte_ranges import Span
from tallystick.io.files.opening import name_source, open_binary
from tallystick.io.files.pipes import reading
from tallystick.io.files.progress import Progress
from tallystick.io.files.signatures import check_start


def read_lines(path: str, *, watch: Progress | None = None) -> list[str]:
    r"""Reads a file that holds one example a line; blank lines are examples too.

    Only `\n` and `\r\n` end a line, and the last line may lack them.

    Args:
        path: The file.
        watch: What counts the bytes as they are read.

    Raises:
        InputError: The file cannot be opened, is empty, no text, or not UTF-8.
    """
    with reading(path):
        check_start(path, kind="lines")
        lines = list(iterate_lines(path, watch=watch))
    if not lines:
        raise InputError(f"{name_source(path)}: is empty, but one example a line was expected")
    return lines


def iterate_lines(
    path: str, *, watch: Progress | None = None, span: Span | None = None
) -> Iterator[str]:
    """Yields the lines of a UTF-8 file, without their ends and without a byte order mark.

    Args:
        path: The file.
        watch: What counts the bytes as they are read.
        span: The lines to read; all if None.

    Raises:
        InputError: The file cannot be opened or is not UTF-8.
    """
    for line in iterate_bytes(path, watch=watch, span=span):
        yield line.decode()


def iterate_bytes(
    path: str, *, watch: Progress | None = None, span: Span | None = None
) -> Generator[bytes, None, None]:
    """Yields what `iterate_lines` yields as UTF-8.

    Raises:
        InputError: As in `iterate_lines`.
    """
    offset, first = (0, 0) if span is None else (span.start, span.first)
    with open_binary(path, watch=watch, span=span) as file:
        for number, raw in enumerate(file, start=first + 1):
            line = raw if offset else raw.removeprefix(BOM_UTF8)
            offset += len(raw)
            if not line:
                return  # a byte order mark alone is no line
            if not line.isascii():
                _check_text(line, offset - len(line), f"{name_source(path)}: line {number}")
            yield line[:-2] if line.endswith(b"\r\n") else line.removesuffix(b"\n")


def _check_text(line: bytes, before: int, place: str) -> None:
    try:
        line.decode()
    except UnicodeDecodeError as error:
        raise InputError(
            f"{place} is not UTF-8 at byte offset {before + error.start} "
            f"(0x{line[error.start]:02x})"
        ) from error
