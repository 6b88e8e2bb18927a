"""Keeps the content of standard input and pipes, which can be read only once, while needed.

The content of a shell's pipe, such as `<(...)`, never changes and is kept for good. A named pipe
may have a new writer each time, so its content is dropped once it has been read completely; the
next reading waits for the next writer.
"""

import functools
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from tallystick.errors import InputError

_UNNAMED = ("/dev/fd/", "/proc/")

_held: dict[tuple[int, int, int], bytes] = {}
_holders: list[object] = []


def is_stream(path: str) -> bool:
    """Returns whether a path is standard input or a pipe."""
    return path == "-" or stat.S_ISFIFO(os.stat(path).st_mode)


def is_piped(path: str) -> bool:
    """Returns whether a path is standard input or a pipe; False if there is no such file."""
    with suppress(OSError):
        return is_stream(path)
    return False


def drain(path: str) -> bytes:
    """Returns all that standard input or a pipe holds, which is kept for the next time."""
    if path == "-":
        if sys.stdin is None:
            raise InputError("standard input: is closed, so it cannot be read")
        return _drain_stream(sys.stdin.buffer)
    known = _held.get(_identify(path))
    if known is None:
        with open(path, "rb") as pipe:
            known = pipe.read()
        _held[_identify(path)] = known
    return known


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Lets a path be read as often as needed within, and then drops what a named pipe held."""
    try:
        yield
    finally:
        if not _holders:
            _drop(path)


@contextmanager
def hold_pipes() -> Iterator[None]:
    """Keeps the content of named pipes until the end, for a command that reads one twice."""
    holder = object()
    _holders.append(holder)
    try:
        yield
    finally:
        _holders.remove(holder)
        if not _holders:
            _held.clear()


@functools.lru_cache(maxsize=1)
def _drain_stream(stream: BinaryIO) -> bytes:
    return stream.read()


def _drop(path: str) -> None:
    if path != "-" and _held and not os.path.realpath(path).startswith(_UNNAMED):
        with suppress(OSError):
            _held.pop(_identify(path), None)


def _identify(path: str) -> tuple[int, int, int]:
    """The pipe, and when it was last written to or made, as another may have its number later."""
    status = os.stat(path)
    return status.st_dev, status.st_ino, status.st_ctime_ns
