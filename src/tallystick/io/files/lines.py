"""Reads text files as strict UTF-8: line by line, or in blocks of lines with offsets."""

from codecs import BOM_UTF8
from collections.abc import Generator, Iterator
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.io.files.opening import Progress, name_source, open_binary, reading
from tallystick.io.files.recognition import LINES, check_rules
from tallystick.limits import LIMITS

Block = tuple[NDArray[np.uint8], NDArray[np.int64]]
"""UTF-8 bytes and offsets: line i is bytes[offsets[i] : offsets[i + 1]]."""

_CHUNK = 1 << 18


def read_lines(path: str, *, sure: bool = False) -> list[str]:
    r"""Reads a file of one example per line, also blank ones; `sure` lines are not recognised."""
    with reading(path):
        check_rules(path, LINES[:-1] if sure else LINES)
        lines = list(iterate_lines(path))
    if not lines:
        raise InputError(f"{name_source(path)}: is empty, but one example a line was expected")
    return lines


def iterate_lines(path: str, *, watch: Progress | None = None) -> Iterator[str]:
    """Yields the lines of a UTF-8 file without their ends and byte order mark."""
    for line in iterate_bytes(path, watch=watch):
        yield line.decode()


def iterate_bytes(path: str, *, watch: Progress | None = None) -> Generator[bytes, None, None]:
    """Yields what `iterate_lines` yields, as UTF-8."""
    for text in iterate_texts(path, watch=watch):
        yield from text.replace(b"\r\n", b"\n").removesuffix(b"\n").split(b"\n")


def iterate_texts(
    path: str, *, watch: Progress | None = None, bounded: bool = True, size: int = 0
) -> Iterator[bytes]:
    """Yields many whole lines at a time, with their ends, as UTF-8 without a byte order mark.

    A line of more than `LIMITS.line` bytes is an error if lines are `bounded`. Lines come in pieces
    of about `size` bytes, if it is given.
    """
    offset = 0
    with open_binary(path, watch=watch) as file:
        for raw in iterate_whole_lines(file, path, bounded, size):
            text = raw if offset else raw.removeprefix(BOM_UTF8)
            offset += len(raw)
            fault = None if text.isascii() else _find_fault(text)
            sound = len(text) if fault is None else text.rfind(b"\n", 0, fault.start) + 1
            if sound:
                yield text[:sound]
            if fault is not None:
                line = offset - len(text) + sound
                raise InputError(
                    f"{_locate(path, line)} is not UTF-8 at byte offset "
                    f"{line - sound + fault.start} (0x{text[fault.start]:02x})"
                ) from fault


def iterate_blocks(
    path: str, lines: int, *, watch: Progress | None = None, sure: bool = False
) -> Iterator[Block]:
    r"""Yields a text file as blocks of this many lines each; the last one may have fewer.

    Only `\n` and `\r\n` end a line, and the last line may lack them. A byte order mark belongs to
    the first line: published scores of files that begin with one count it as a character. Lines
    that look like a table, or begin with ids, are an error unless the caller is `sure` of them.
    """
    with reading(path):
        check_rules(path, LINES[:-1] if sure else LINES)
        with open_binary(path, watch=watch) as file:
            yield from _cut_blocks(file, lines, path)


def count_lines(path: str) -> int:
    """Returns the number of lines of a text file."""
    with open_binary(path) as file:
        blocks = _cut_blocks(file, 1 << 14, path)
        return sum(len(offsets) - 1 for _, offsets in blocks)


def _locate(path: str, before: int) -> str:
    number = 1
    with open_binary(path) as file:
        while before > 0 and (chunk := file.read(min(before, _CHUNK))):
            number += chunk.count(b"\n")
            before -= len(chunk)
    return f"{name_source(path)}: line {number}"


def split_lines(text: bytes) -> Block:
    """Returns lines without their ends; the last one may lack its end."""
    text = text.replace(b"\r\n", b"\n")
    data = np.frombuffer(text if text.endswith(b"\n") else text + b"\n", np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    offsets = np.zeros(len(ends) + 1, np.int64)
    offsets[1:] = ends - np.arange(len(ends))
    return np.delete(data, ends), offsets


def iterate_whole_lines(
    file: BinaryIO, path: str, bounded: bool = True, size: int = 0
) -> Iterator[bytes]:
    """Yields the bytes of a file, cut after ends of lines."""
    before = 0
    while chunk := file.read(size or _CHUNK):
        rest = b"" if chunk.endswith(b"\n") else file.readline(LIMITS.line + 1 if bounded else -1)
        start = chunk.rfind(b"\n") + 1
        length = len(chunk) - start + len(rest.removesuffix(b"\n"))
        if bounded and length > LIMITS.line:
            check_length(length, _locate(path, before + start))
        text = chunk + rest
        yield text
        before += len(text)


def check_length(size: int, place: str, cure: str = "") -> None:
    """Raises an error if a line or a row has so many bytes that memory might not hold them."""
    if size > LIMITS.line:
        raise InputError(f"{place} is longer than {LIMITS.line >> 20} MiB, which is too long{cure}")


def _find_fault(text: bytes) -> UnicodeDecodeError | None:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return error
    return None


def _cut_blocks(file: BinaryIO, lines: int, path: str) -> Iterator[Block]:
    pending, source, before = b"", name_source(path), 0
    for whole in iterate_whole_lines(file, path):
        pending += whole
        while pending.count(b"\n") >= lines:
            ends = np.flatnonzero(np.frombuffer(pending, np.uint8) == ord("\n"))
            cut = int(ends[lines - 1]) + 1
            _check_text(pending[:cut], source, before)
            yield split_lines(pending[:cut])
            pending, before = pending[cut:], before + lines
    if pending:
        _check_text(pending, source, before)
        yield split_lines(pending)


def _check_text(text: bytes, source: str, before: int) -> None:
    fault = _find_fault(text)
    if fault is not None:
        line = before + text.count(b"\n", 0, fault.start) + 1
        at = fault.start - (text.rfind(b"\n", 0, fault.start) + 1)
        raise InputError(
            f"{source}: line {line} is not UTF-8 at its byte {at + 1} (0x{text[fault.start]:02x})"
        ) from fault
