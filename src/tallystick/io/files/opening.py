"""Opens plain, gzipped and piped files, and replaces a file as a whole when it is written.

What is unpacked has limits, so that a small file cannot fill memory or disk.
"""

import gzip
import io
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import BinaryIO, cast

from tallystick.errors import InputError
from tallystick.io.files.outputs import Outputs, find_outputs
from tallystick.io.files.pipes import drain, is_stream
from tallystick.io.files.progress import Progress, count_reads, note_reads
from tallystick.io.files.stores import is_remote, open_ahead, open_exactly

_held: dict[str, tuple[tuple[int, ...], bytes]] = {}
"""Files that are held in memory, with what changes whenever they do."""
_GZIP = b"\x1f\x8b"
_BUFFER = 1 << 18
_FREE = 1 << 26
_RATIO = 200


def name_source(path: str) -> str:
    """Returns what messages call a path: `-` is standard input."""
    return "standard input" if path == "-" else path


@contextmanager
def open_binary(path: str, *, watch: Progress | None = None) -> Iterator[BinaryIO]:
    """Opens a file for reading bytes, unpacked if it is gzip; `-` is standard input.

    Standard input and pipes are held in memory, so that they can be opened again. `watch` counts
    the bytes before they are unpacked.
    """
    source = name_source(path)
    outputs = find_outputs()
    if outputs is not None and path != "-":
        outputs.note_input(path)
    with _explain_reads(source), _open_packed(path) as packed:
        counted = packed if watch is None else count_reads(packed, watch)
        with _unpack(counted, source) as file:
            yield file


def hold_files(paths: Iterable[str]) -> None:
    """Reads files once for all that opens them from now on, until they are released."""
    for path in paths:
        if not is_remote(path) and os.path.isfile(path):
            status = os.stat(path)
            stamp = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
            if path not in _held or _held[path][0] != stamp:
                with _explain_reads(path), open(path, "rb") as file:
                    _held[path] = stamp, file.read()


def release_files() -> None:
    """Forgets the files that are held."""
    _held.clear()


def read_start(path: str, size: int) -> bytes:
    """Returns the first bytes of a file; none if it cannot be read, as whoever reads it tells."""
    try:
        with open_binary(path) as file:
            return file.read(size)
    except InputError:
        return b""


@contextmanager
def open_random(path: str, *, watch: Progress | None = None) -> Iterator[BinaryIO]:
    """Opens a file like `open_binary`, for random access: only what is read is fetched."""
    if not is_remote(path):
        with open_binary(path, watch=watch) as file:
            yield file
        return
    with open_exactly(path) as stored:
        yield stored if watch is None else count_reads(stored, watch)


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
    """Writes a file as a whole: a failure leaves the old file as it was.

    Within `collect_outputs` it is put in place together with all others.
    """
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
        return note_reads(file, lambda _: check_size(source, packed.tell(), file.tell()), _BUFFER)
    if start and source.lower().endswith(".gz"):
        raise InputError(f"{source}: is named .gz but is not gzip; rename it or compress it")
    return packed


def check_size(source: str, packed: int, unpacked: int, most: int | None = None) -> None:
    """Raises an error if what is packed unpacks to over 64 MiB and over 200 times its size.

    Likewise for more than `most` bytes.
    """
    if most is not None and unpacked > most:
        raise InputError(f"{source}: unpacks to more than {most / 1e6:,.0f} MB, which is too much")
    if unpacked > _FREE and unpacked > _RATIO * packed:
        raise InputError(
            f"{source}: unpacks to more than {_FREE >> 20} MiB and {_RATIO} times its size, "
            "which is refused; write it without compression if that is intended"
        )
