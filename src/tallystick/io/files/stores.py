"""Files in object stores such as `s3://bucket/key` and `gs://bucket/key`, through Arrow.

Credentials, regions and endpoints are those of Arrow: the usual environment variables and files,
and options such as `s3://bucket/key?endpoint_override=localhost:9000&scheme=http`. `anonymous@`
before the bucket sends no credentials.
"""

from __future__ import annotations

import functools
import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, cast
from urllib.parse import parse_qsl

from msgspec import Struct

from tallystick.errors import InputError

if TYPE_CHECKING:
    import pyarrow.fs

_REMOTE = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_ADDRESS = re.compile(
    r"(?P<store>(s3|gs|gcs)://([^@/?]*@)?)(?P<bucket>[^/?]+)/?(?P<key>.*?)"
    r"(?P<options>\?[a-z_]+=[^?]*)?"
)
_FIRST, _MOST = 1 << 16, 1 << 23
_REJECTED = ("ACCESS_DENIED", "403", "401", "credential", "permission", "token", "INVALID_ACCESS")
_LOST = ("NETWORK_CONNECTION", "curlCode", "UNAVAILABLE", "Could not connect")


class Stamp(Struct, frozen=True):
    """An existing file, with its size and when it was changed, in nanoseconds since 1970."""

    path: str
    size: int
    changed: int


class _Address(Struct, frozen=True):
    """An address, taken apart."""

    store: str
    bucket: str
    key: str
    options: str

    @property
    def place(self) -> str:
        return f"{self.bucket}/{self.key}"

    def name(self, place: str) -> str:
        return f"{self.store}{place}{self.options}"

    def open(self) -> pyarrow.fs.FileSystem:
        return _open_store(self.store, self.bucket, self.options)


def is_remote(path: str) -> bool:
    """Returns whether a path is an address in an object store."""
    return _REMOTE.match(path) is not None


@contextmanager
def open_exactly(path: str) -> Iterator[BinaryIO]:
    """Opens a stored file for random access: only the bytes that are read are fetched."""
    address = _split(path)
    with _explain(path, address), address.open().open_input_file(address.place) as file:
        yield cast("BinaryIO", file)


@contextmanager
def open_ahead(path: str) -> Iterator[BinaryIO]:
    """Opens a stored file for sequential reading, with growing read-ahead."""
    with open_exactly(path) as file:
        yield cast("BinaryIO", io.BufferedReader(_Ahead(file, file.seek(0, io.SEEK_END)), _FIRST))


def measure(path: str) -> Stamp | None:
    """Returns the size of a stored file and when it was changed; None if there is none."""
    import pyarrow.fs

    address = _split(path)
    with _explain(path, address):
        (info,) = address.open().get_file_info([address.place])
    if info.type != pyarrow.fs.FileType.File:
        return None
    return Stamp(path, info.size, info.mtime_ns or 0)


def cut_options(path: str) -> str:
    """Returns an address without the options of its store; a local path is as it is."""
    return path.removesuffix(_split(path).options) if is_remote(path) else path


def read_tag(path: str) -> str:
    """Returns the tag of a stored file's content (ETag), which changes with the content."""
    address = _split(path)
    with _explain(path, address):
        held = address.open().open_input_stream(address.place, compression=None).metadata()
    tag: bytes = held.get(b"ETag") or repr(sorted(held.items())).encode()
    return tag.decode()


def list_stored(path: str, folder: str) -> list[Stamp]:
    """Returns all files below a folder of the store of `path`, sorted, with its options."""
    import pyarrow.fs

    address, below = _split(path), _split(folder)
    with _explain(path, address):
        chosen = pyarrow.fs.FileSelector(
            below.place.rstrip("/"), recursive=True, allow_not_found=not _lacks_bucket(address)
        )
        found = address.open().get_file_info(chosen)
    files = [info for info in found if info.type == pyarrow.fs.FileType.File]
    stored = [Stamp(address.name(info.path), info.size, info.mtime_ns or 0) for info in files]
    return sorted(stored, key=lambda one: one.path)


def store(path: str, content: bytes) -> None:
    """Writes a file to a store, whole or not at all."""
    address = _split(path)
    with _explain(path, address):
        # Arrow would compress what has the name of something compressed.
        file = address.open().open_output_stream(address.place, compression=None)
        file.write(content)
        file.close()


def check_bucket(path: str) -> None:
    """Checks that the bucket is there into which something is to be written."""
    address = _split(path)
    with _explain(path, address):
        if _lacks_bucket(address):
            raise InputError(f"{path}: cannot be written: there is no bucket {address.bucket}")


class _Ahead(io.RawIOBase):
    """A stored file that is read ahead: each fetch doubles in size while reading is sequential."""

    def __init__(self, file: BinaryIO, end: int) -> None:
        self._file = file
        self._end = end
        self._place = 0
        self._held = memoryview(b"")
        self._start = 0
        self._size = _FIRST // 2

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        if not self._start <= self._place < self._start + len(self._held):
            self._fetch()
        chunk = self._held[self._place - self._start :][: len(buffer)]
        buffer[: len(chunk)] = chunk
        self._place += len(chunk)
        return len(chunk)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        begin = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._end}[whence]
        self._place = begin + offset
        return self._place

    def _fetch(self) -> None:
        on = self._place == self._start + len(self._held)
        self._size = min(2 * self._size, _MOST) if on else _FIRST
        self._file.seek(self._place)
        self._start = self._place
        self._held = memoryview(self._file.read(max(0, min(self._size, self._end - self._place))))


def _split(path: str) -> _Address:
    found = _ADDRESS.fullmatch(path)
    if found is None:
        raise InputError(
            f"{path}: cannot be read from there; download it, or name an object store as "
            "s3://BUCKET/KEY or gs://BUCKET/KEY"
        )
    return _Address(found["store"], found["bucket"], found["key"], found["options"] or "")


@functools.lru_cache(maxsize=64)
def _open_store(kind: str, bucket: str, options: str) -> pyarrow.fs.FileSystem:
    import pyarrow.fs

    if kind == "s3://anonymous@":  # which Arrow knows for gs:// alone
        named = dict(parse_qsl(options.removeprefix("?")))
        scheme, _, host = os.environ.get("AWS_ENDPOINT_URL", "").partition("://")
        if host and "endpoint_override" not in named:
            named |= {"scheme": scheme, "endpoint_override": host}
        if not {"region", "endpoint_override"} & named.keys():
            named["region"] = pyarrow.fs.resolve_s3_region(bucket)
        return pyarrow.fs.S3FileSystem(anonymous=True, **named)
    system, _ = pyarrow.fs.FileSystem.from_uri(f"{kind}{bucket}{options}")
    return system


@contextmanager
def _explain(path: str, address: _Address) -> Iterator[None]:
    """Raises what Arrow raises about a store as an InputError that says what to do."""
    try:
        try:
            yield
        except FileNotFoundError as error:
            what = f"bucket {address.bucket}" if _lacks_bucket(address) else "such file"
            raise InputError(f"{path}: cannot be found; there is no {what}") from error
    except InputError:
        raise
    except (OSError, ValueError, TypeError) as error:  # Arrow's own errors are among these
        raise InputError(f"{path}: {_name_fault(str(error), address)}") from error


def _name_fault(text: str, address: _Address) -> str:
    reason = text.partition(" (Request ID")[0]
    if "NO_SUCH_BUCKET" in text or ("Bucket" in text and "not found" in text):
        return f"cannot be found; there is no bucket {address.bucket}"
    if any(mark in text for mark in _LOST):
        return f"the store cannot be reached: {reason}"
    if any(mark in text for mark in _REJECTED):
        return (
            "the store refuses access; set credentials as for its other programs (such as "
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY), or write anonymous@ before the name of "
            f"a public bucket ({reason})"
        )
    return f"the store answers: {reason}"


def _lacks_bucket(address: _Address) -> bool:
    import pyarrow.fs

    (info,) = address.open().get_file_info([address.bucket])
    return bool(info.type == pyarrow.fs.FileType.NotFound)
