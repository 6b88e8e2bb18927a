"""Reads zip archives within size limits, and never unpacks outside the chosen folder."""

import atexit
import lzma
import os
import shutil
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, cast

from tallystick.errors import InputError
from tallystick.io.files.opening import check_size, open_binary, sniff
from tallystick.io.files.recognition import is_sheet
from tallystick.limits import LIMITS

Rejected = tuple[str, str]
"""A name, and the reason why it was not read."""

_MAGIC = b"PK\x03\x04"
_CHUNK = 1 << 20
_MOST_SENT = 2_000
"""An archive of a submission contains no more files, whatever they are."""
_ENCRYPTED = 1
_ZSTD = 93
_HEAD = struct.Struct("<26x2H")
"""The fixed part of the header before a member, which ends with the sizes of its two others."""
_DRIVE = 1  # the place of the colon in C:
_FAULTS = (zipfile.BadZipFile, RuntimeError, zlib.error, lzma.LZMAError, EOFError, OSError)


@contextmanager
def open_zip(path: str, *, most_bytes: int | None = None) -> Iterator[zipfile.ZipFile]:
    """Opens a zip archive that unpacks, as a whole, to no more than is usual, or than so much."""
    most = LIMITS.archived_files if most_bytes is None else _MOST_SENT
    try:
        with open_binary(path) as file:
            size = file.seek(0, os.SEEK_END)
            excess = InputError(f"{path}: contains more than {most:,} files, which is too many")
            with zipfile.ZipFile(cast("BinaryIO", _Short(file, most, excess))) as archive:
                if len(archive.infolist()) > most:
                    raise excess
                # No member is read beyond the size that is declared for it.
                check_size(path, size, sum(one.file_size for one in archive.infolist()), most_bytes)
                yield archive
    except InputError:
        raise
    except (zipfile.BadZipFile, ValueError) as error:
        raise InputError(
            f"{path}: is not a valid zip archive: {error}; check that it was copied to its end"
        ) from error


class _Short:
    """An archive whose list of files, which is read at once, has only this many bytes."""

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
    except _FAULTS as error:
        raise InputError(f"{source} {_explain(member, error)}") from error
    return bytes(content)


def is_zip(path: str) -> bool:
    """Returns whether a file begins as zip archives do, and is no sheet of Excel."""
    start = sniff(path)
    return start.startswith(_MAGIC) and not is_sheet(start)


def unpack_zip(path: str, *, most: int | None = None) -> tuple[str, tuple[Rejected, ...]]:
    """Unpacks an archive into a temporary folder; returns it and what was rejected, and why."""
    folder = tempfile.mkdtemp(prefix="tallystick-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    rejected = []
    with open_zip(path, most_bytes=most) as archive:
        for member in archive.infolist():
            reason = _find_danger(member)
            if reason is None and not member.is_dir():
                target = os.path.join(folder, *member.filename.split("/"))
                reason = _write_member(archive, member, target)
            if reason is not None:
                rejected.append((member.filename, reason))
    return folder, tuple(rejected)


def _find_danger(member: zipfile.ZipInfo) -> str | None:
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
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, _ZSTD):
        # A few bytes of other methods are unpacked to gigabytes at once.
        return _explain(member, NotImplementedError())
    return None


def _write_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: str) -> str | None:
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "xb") as file:
            file.writelines(_unpack(archive, member))
    except FileExistsError:
        return "is in the archive twice"
    except _FAULTS as error:
        with suppress(OSError):
            os.unlink(target)
        return _explain(member, error)
    return None


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yields the content of a member, at most as many bytes as its declared size."""
    if member.compress_type == _ZSTD and not member.flag_bits & _ENCRYPTED:
        yield from _unpack_zstd(archive, member)
        return
    with archive.open(member) as packed:
        while chunk := packed.read(_CHUNK):
            yield chunk


def _unpack_zstd(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Does the same of a member that zipfile cannot unpack before Python 3.14."""
    import pyarrow as pa

    file = cast("BinaryIO", archive.fp)
    file.seek(member.header_offset)
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size:
        raise EOFError("it is cut off")
    file.seek(member.header_offset + _HEAD.size + sum(_HEAD.unpack(head)))
    packed = pa.BufferReader(file.read(member.compress_size))
    left, check = member.file_size, 0
    with pa.CompressedInputStream(packed, "zstd") as unpacked:
        while left and (chunk := unpacked.read(min(left, _CHUNK))):
            left, check = left - len(chunk), zlib.crc32(chunk, check)
            yield chunk
    if left or check != member.CRC:
        raise zipfile.BadZipFile("its content does not fit its checksum")


def _explain(member: zipfile.ZipInfo, error: Exception) -> str:
    """Returns what is wrong with a file in an archive, worded to follow its name."""
    if member.flag_bits & _ENCRYPTED:
        return "is encrypted; create the archive again without a password"
    if isinstance(error, NotImplementedError):
        return f"is compressed by method {member.compress_type}; compress it with deflate"
    return f"cannot be unpacked: {error}"
