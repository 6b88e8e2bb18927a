"""Reads zip archives within size limits, and never unpacks outside the chosen folder."""

import atexit
import lzma
import os
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import BinaryIO, cast

from tallystick.errors import InputError
from tallystick.io.files.opening import check_size, open_binary
from tallystick.io.files.signatures import is_sheet

Refused = tuple[str, str]
"""A name, and the reason why it was not read."""

_MAGIC = b"PK\x03\x04"
_CHUNK = 1 << 20
_MOST = 100_000
_MOST_SENT = 2_000
"""An archive of a submission holds no more files, whatever they are."""
_ENCRYPTED = 1
_ZSTD = 93
_DRIVE = 1  # the place of the colon in C:
_FAULTS = (zipfile.BadZipFile, RuntimeError, zlib.error, lzma.LZMAError, EOFError, OSError)


@contextmanager
def open_zip(path: str, *, most: int | None = None) -> Iterator[zipfile.ZipFile]:
    """Opens a zip archive of at most so many files; None takes the usual bound."""
    most = most or _MOST
    try:
        with open_binary(path) as file:
            excess = InputError(f"{path}: holds more than {most:,} files, which is too many")
            with zipfile.ZipFile(cast("BinaryIO", _Short(file, most, excess))) as archive:
                if len(archive.infolist()) > most:
                    raise excess
                yield archive
    except InputError:
        raise
    except (zipfile.BadZipFile, ValueError) as error:
        raise InputError(f"{path}: is not a valid zip archive: {error}") from error


class _Short:
    """An archive whose list of files, which is read at once, has only so many bytes."""

    def __init__(self, file: BinaryIO, most: int, excess: InputError) -> None:
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable
        self._file = file
        self._longest, self._excess = max(_CHUNK, 300 * most), excess

    def read(self, size: int = -1) -> bytes:
        if size > self._longest:
            raise self._excess
        return self._file.read(size)


def read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, source: str) -> bytes:
    """Returns the unpacked content of a file in an archive; `source` is its name in messages."""
    source = f"{source}: {member.filename}"
    content = bytearray()
    try:
        for chunk in _unpack(archive, member):
            content += chunk
            check_size(source, member.compress_size, len(content))
    except _FAULTS as error:
        raise InputError(f"{source} {_explain(member, error)}") from error
    return bytes(content)


def is_zip(path: str) -> bool:
    """Returns whether a file begins as zip archives do, and is no sheet of Excel."""
    with open_binary(path) as file:
        start = file.read(1 << 12)
    return start.startswith(_MAGIC) and not is_sheet(start)


def unpack_zip(path: str, *, most: int | None = None) -> tuple[str, tuple[Refused, ...]]:
    """Unpacks an archive into a private folder that exists until the process ends.

    Args:
        path: The archive.
        most: How many bytes it may unpack to; None is bound by its own size.

    Returns:
        The folder, and what was refused: names that point out of it, links, and what is damaged.
    """
    folder = tempfile.mkdtemp(prefix="tallystick-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    refused, total = [], 0

    def check(before: int, size: int) -> None:
        check_size(path, os.path.getsize(path), before + size, most)

    with open_zip(path, most=None if most is None else _MOST_SENT) as archive:
        for member in archive.infolist():
            reason = _find_danger(member)
            if reason is None and not member.is_dir():
                target = os.path.join(folder, *member.filename.split("/"))
                size, reason = _write_member(archive, member, target, partial(check, total))
                total += size
            if reason is not None:
                refused.append((member.filename, reason))
    return folder, tuple(refused)


def _find_danger(member: zipfile.ZipInfo) -> str | None:
    """Returns why a file may not be unpacked, if it may not."""
    name = member.filename
    parts = name.rstrip("/").split("/")
    if not name.isprintable():
        return "has a name that cannot be printed"
    if name.startswith("/") or "\\" in name or name[_DRIVE : _DRIVE + 1] == ":":
        return "has an absolute name"
    if any(part in ("", ".", "..") for part in parts):
        return "has a name that leads out of its folder"
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is a symbolic link" if kind == stat.S_IFLNK else "is not a plain file"
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # A few bytes of other methods are unpacked to gigabytes at once.
        return _explain(member, NotImplementedError())
    return None


def _write_member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: str, check: Callable[[int], None]
) -> tuple[int, str | None]:
    """Writes a file of an archive; return its size and why it could not be written, if so."""
    size = 0
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "xb") as file:
            for chunk in _unpack(archive, member):
                size += file.write(chunk)
                check(size)
    except FileExistsError:
        return size, "is in the archive twice"
    except _FAULTS as error:
        with suppress(OSError):
            os.unlink(target)
        return size, _explain(member, error)
    return size, None


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    with archive.open(member) as packed:
        while chunk := packed.read(_CHUNK):
            yield chunk


def _explain(member: zipfile.ZipInfo, error: Exception) -> str:
    """Returns what is wrong with a file in an archive, worded to follow its name."""
    if member.flag_bits & _ENCRYPTED:
        return "is encrypted; create the archive again without a password"
    if member.compress_type == _ZSTD:
        return "is compressed with zstd, which needs Python 3.14; compress it with deflate"
    if isinstance(error, NotImplementedError):
        return f"is compressed by method {member.compress_type}; compress it with deflate"
    return f"cannot be unpacked: {error}"
