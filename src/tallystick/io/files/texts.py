"""Reads text files in blocks of whole lines, each as one buffer with offsets."""

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from tallystick.errors import InputError
from tallystick.io.files.byte_ranges import Span
from tallystick.io.files.lines import Block, Locator, iterate_whole_lines, split_lines
from tallystick.io.files.opening import name_source, open_binary
from tallystick.io.files.pipes import reading
from tallystick.io.files.progress import Progress
from tallystick.io.files.signatures import check_start


def iterate_blocks(
    path: str, lines: int, *, watch: Progress | None = None, span: Span | None = None
) -> Iterator[Block]:
    r"""Yields a text file as blocks of so many lines each; the last one may have fewer.

    Only `\n` and `\r\n` end a line, and the last line may lack them. A byte order mark belongs to
    the first line: published scores of files that begin with one count it as a character.
    """
    before = 0 if span is None else span.first
    with reading(path):
        check_start(path, kind="lines")
        with open_binary(path, watch=watch, span=span) as file:
            yield from _cut_blocks(file, lines, Locator(path, span), before)


def count_lines(path: str) -> int:
    """Returns the number of lines of a text file."""
    with open_binary(path) as file:
        blocks = _cut_blocks(file, 1 << 14, Locator(path))
        return sum(len(offsets) - 1 for _, offsets in blocks)


def read_stripped(path: str, encoding: str = "utf-8") -> list[str]:
    r"""The lines of a text file without white space at their ends, as sacreBLEU's command has them.

    Only `\n` ends a line.
    """
    with reading(path), open_binary(path) as file:
        content = file.read()
    try:
        lines = content.decode(encoding).split("\n")
    except UnicodeError as error:
        raise InputError(f"{name_source(path)}: is not {encoding}: {error}") from error
    return [line.rstrip() for line in (lines if lines[-1] else lines[:-1])]


def _cut_blocks(file: BinaryIO, lines: int, locate: Locator, before: int = 0) -> Iterator[Block]:
    pending, source = b"", name_source(locate.path)
    for whole in iterate_whole_lines(file, locate):
        pending += whole
        while (cut := _find_line(pending, lines)) is not None:
            _check_text(pending[:cut], source, before)
            yield split_lines(pending[:cut])
            pending, before = pending[cut:], before + lines
    if pending:
        _check_text(pending, source, before)
        yield split_lines(pending if pending.endswith(b"\n") else pending + b"\n")


def _find_line(text: bytes, lines: int) -> int | None:
    """Where the given number of lines ends; None if there are not that many line ends yet."""
    if text.count(b"\n") < lines:
        return None
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
    return int(ends[lines - 1]) + 1


def _check_text(text: bytes, source: str, before: int) -> None:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        line = before + text.count(b"\n", 0, error.start) + 1
        at = error.start - (text.rfind(b"\n", 0, error.start) + 1)
        raise InputError(
            f"{source}: line {line} is not UTF-8 at its byte {at + 1} (0x{text[error.start]:02x})"
        ) from error
