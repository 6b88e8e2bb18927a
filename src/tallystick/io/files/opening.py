"""Opens plain, gzipped and piped files, with limits on what is unpacked, and writes whole files."""

import functools
import gzip
import io
import os
import stat
import sys
import time
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_LE, getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import lru_cache
from typing import BinaryIO, cast

from msgspec import Struct

from tallystick.errors import InputError
from tallystick.io.files.datasets import list_files
from tallystick.io.files.outputs import Outputs, find_outputs
from tallystick.io.files.stores import is_remote, measure, open_ahead, open_exactly
from tallystick.limits import LIMITS

_UNNAMED = ("/dev/fd/", "/proc/")

_drained: dict[tuple[int, int, int], bytes] = {}
"""The content of pipes. That of a shell's, such as `<(...)`, never changes; a named pipe may have a
new writer each time, so that its content is dropped once it has been read completely."""
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
    known = _drained.get(_identify(path))
    if known is None:
        with open(path, "rb") as pipe:
            known = pipe.read()
        _drained[_identify(path)] = known
    return known


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Lets a path be read as often as needed within, and then drops what a named pipe held."""
    try:
        yield
    finally:
        kept = not _drained or _holders or path == "-"
        if not kept and not os.path.realpath(path).startswith(_UNNAMED):
            with suppress(OSError):
                _drained.pop(_identify(path), None)


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
            _drained.clear()


@functools.lru_cache(maxsize=1)
def _drain_stream(stream: BinaryIO) -> bytes:
    return stream.read()


def _identify(path: str) -> tuple[int, int, int]:
    """The pipe, and when it was last written to or made, as another may have its number later."""
    status = os.stat(path)
    return status.st_dev, status.st_ino, status.st_ctime_ns


class Progress(Struct):
    """A counter of the bytes read from disk, perhaps more than once, and of parts."""

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


def _count_reads(file: BinaryIO, watch: Progress | None) -> BinaryIO:
    """Returns a file that adds what is read from it to a counter, if there is one."""

    def count(size: int) -> None:
        if watch is not None:
            watch.done_bytes += size

    return file if watch is None else _note_reads(file, count, 1 << 14)


def _note_reads(file: BinaryIO, note: Callable[[int], None], buffer: int) -> BinaryIO:
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


_held: dict[str, tuple[tuple[int, ...] | None, bytes]] = {}
"""Files that are held in memory, with what changes whenever they do."""
_TICK = 20_000_000
"""Within this many nanoseconds a file may change and keep its time."""
_GZIP = b"\x1f\x8b"
_BUFFER = 1 << 18
_LOOKED_AT = 1 << 13
SNIFFED = 1 << 16
"""How many bytes of a file are looked at to recognise its format."""
_RATIO = 200


def name_source(path: str) -> str:
    """Returns what messages call a path: `-` is standard input."""
    return "standard input" if path == "-" else path


@contextmanager
def open_binary(path: str, *, watch: Progress | None = None) -> Iterator[BinaryIO]:
    """Opens a file for reading bytes, unpacked if it is gzip; `-` is standard input."""
    outputs = find_outputs()
    if outputs is not None and path != "-":
        outputs.note_input(path)
    stamp = _stamp(path)
    start = _read_start(path, stamp) if stamp and stamp[-1] < SNIFFED else None
    if start is None or len(start) == SNIFFED:
        with _open(path, watch) as file:
            yield file
    else:
        yield _count_reads(io.BytesIO(start), watch)


@contextmanager
def _open(path: str, watch: Progress | None = None) -> Iterator[BinaryIO]:
    source = name_source(path)
    with (
        _explain_reads(source),
        _open_packed(path) as packed,
        _unpack(_count_reads(packed, watch), source) as file,
    ):
        yield _as_text(file, source)


def _as_text(file: BinaryIO, source: str) -> BinaryIO:
    """Returns text as UTF-8 in which LF ends each line, also if CR did, as once on the Mac."""
    start = _peek(file)
    if encoding := _find_wide(start):
        file.read(len(BOM_UTF16_LE) if start.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else 0)
        file = _Converted(file, _decode_wide(encoding, source)).buffered()
        start = _peek(file)
    if b"\r" not in start[:-1] or b"\n" in start or b"\0" in start:  # NUL is not in texts
        return file
    return _Converted(file, lambda text: text.replace(b"\r", b"\n")).buffered()


def _peek(file: BinaryIO) -> bytes:
    start = file.getbuffer() if isinstance(file, io.BytesIO) else file.peek(1)  # type: ignore[attr-defined]
    return bytes(start[:_LOOKED_AT])


def _find_wide(start: bytes) -> str | None:
    """Returns the encoding of UTF-16, by its mark or as most characters are of Latin-1, or None."""
    size = 0 if start.startswith(BOM_UTF32_LE) else len(start) // 2
    for mark, encoding, high in ((BOM_UTF16_LE, "utf-16-le", 1), (BOM_UTF16_BE, "utf-16-be", 0)):
        if size and start.startswith(mark):
            return encoding
        highs, lows = start[high : 2 * size : 2], start[1 - high : 2 * size : 2]
        if size > 1 and 2 * highs.count(0) > size and 50 * lows.count(0) <= size:
            return encoding
    return None


def _decode_wide(encoding: str, source: str) -> Callable[[bytes], bytes]:
    """Returns a function that converts pieces of UTF-16 to UTF-8, in order; the last is b""."""
    decoder, line = getincrementaldecoder(encoding)(), 1

    def convert(piece: bytes) -> bytes:
        nonlocal line
        try:
            text = decoder.decode(piece, final=not piece).encode()
        except UnicodeDecodeError as error:
            line += error.object[: error.start].decode(encoding).count("\n")
            raise InputError(
                f"{source}: line {line} is not UTF-16: {error.reason}; save the file as UTF-8"
            ) from error
        line += text.count(b"\n")
        return text

    return convert


class _Converted(io.RawIOBase):
    """A file whose pieces are converted in order; the last is b""."""

    def __init__(self, file: BinaryIO, convert: Callable[[bytes], bytes]) -> None:
        self._file, self._convert, self._rest = file, convert, b""

    def buffered(self) -> BinaryIO:
        return cast("BinaryIO", io.BufferedReader(self, _BUFFER))

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        piece = b"more"
        while piece and not self._rest:
            piece = self._file.read(len(buffer))
            self._rest = self._convert(piece)
        text, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(text)] = text
        return len(text)


def hold_files(paths: Iterable[str]) -> None:
    """Reads files once for all that opens them from now on, until they are released."""
    for path in paths:
        if not is_remote(path) and os.path.isfile(path):
            stamp = _stamp(path)
            if stamp is None or _held.get(path, (None,))[0] != stamp:
                with _explain_reads(path), open(path, "rb") as file:
                    _held[path] = stamp, file.read()


def release_files() -> None:
    """Forgets the files that are held."""
    _held.clear()


def sniff(path: str) -> bytes:
    """Returns the first bytes of a file, unpacked; they are read once until the file changes."""
    stamp = measure(path) if is_remote(path) else _stamp(path)
    return (_read_start if stamp else _read_start.__wrapped__)(path, stamp)


def _stamp(path: str) -> tuple[int, ...] | None:
    """Returns numbers that change with a local file; None of pipes and files just written."""
    if path != "-" and not is_remote(path):
        with suppress(OSError):
            one = os.stat(path)
            changed = one.st_mtime_ns, one.st_ctime_ns  # of which tools such as rsync set the first
            settled = abs(time.time_ns() - max(changed)) > _TICK
            if stat.S_ISREG(one.st_mode) and settled:
                return one.st_dev, one.st_ino, *changed, one.st_size
    return None


@lru_cache(maxsize=64)
def _read_start(path: str, stamp: object) -> bytes:
    with _open(path) as file:
        return file.read(SNIFFED)


def try_sniff(path: str) -> bytes:
    """Returns the first bytes of a file; none if it cannot be read, which its reader reports."""
    with suppress(InputError):
        return sniff(path)
    return b""


@contextmanager
def open_random(path: str, *, watch: Progress | None = None) -> Iterator[BinaryIO]:
    """Opens a file like `open_binary`, for random access: only what is read is fetched."""
    if not is_remote(path):
        with open_binary(path, watch=watch) as file:
            yield file
        return
    with open_exactly(path) as stored:
        yield _count_reads(stored, watch)


@contextmanager
def _explain_reads(source: str) -> Iterator[None]:
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        reason = "it is cut off" if isinstance(error, EOFError) else error
        raise InputError(f"{source}: cannot be unpacked as gzip: {reason}") from error
    except IsADirectoryError as error:
        raise InputError(
            f"{source}: is a directory; give a file, or all files in it with --submissions"
        ) from error
    except OSError as error:
        raise InputError(f"{source}: cannot be read: {error.strerror or error}") from error


def write_text(path: str, text: str) -> None:
    """Writes a UTF-8 file as `write_bytes` does."""
    write_bytes(path, text.encode())


def write_bytes(path: str, content: bytes) -> None:
    """Writes a file as a whole: a failure leaves the old file unchanged."""
    with _gather() as outputs:
        outputs.write_bytes(path, content)


def append_text(path: str, text: str) -> None:
    """Writes UTF-8 text at the end of a file, which is made where there is none."""
    with _gather() as outputs:
        outputs.append_text(path, text)


def _gather() -> AbstractContextManager[Outputs]:
    """The outputs that are collected here, else new ones that are put in place at once."""
    collected = find_outputs()
    return Outputs() if collected is None else nullcontext(collected)


def _open_packed(path: str) -> AbstractContextManager[BinaryIO]:
    if is_remote(path):
        return open_ahead(path)
    if path in _held:
        return io.BytesIO(_held[path][1])
    return io.BytesIO(drain(path)) if is_stream(path) else open(path, "rb")


def _unpack(packed: BinaryIO, source: str) -> BinaryIO:
    start = packed.read(len(_GZIP))
    packed.seek(0)
    if start == _GZIP:
        file = cast("BinaryIO", gzip.GzipFile(fileobj=packed))
        return _note_reads(file, lambda _: check_size(source, packed.tell(), file.tell()), _BUFFER)
    if start and source.lower().endswith(".gz"):
        raise InputError(f"{source}: is named .gz but is not gzip; rename it or compress it")
    return packed


def check_size(source: str, packed: int, unpacked: int, most: int | None = None) -> None:
    """Raises an error above `most` bytes, or above 64 MiB and 200 times the packed size."""
    if most is not None and unpacked > most:
        raise InputError(f"{source}: unpacks to more than {most / 1e6:,.0f} MB, which is too much")
    if unpacked > LIMITS.unpacked and unpacked > _RATIO * packed:
        raise InputError(
            f"{source}: unpacks to more than {LIMITS.unpacked >> 20} MiB and {_RATIO} times its "
            "size, which is rejected; write it without compression if that is intended"
        )
