"""Decompresses files within limits, so that a small file cannot fill memory or disk."""

import gzip
import io
from typing import BinaryIO, cast

from tallystick.errors import InputError

_FREE = 1 << 26
_RATIO = 200


def unpack_gzip(packed: BinaryIO, source: str) -> BinaryIO:
    """Returns the unpacked content of an open gzip file.

    Raises:
        InputError: While it is read: it unpacks to far more than its size.
    """
    return cast("BinaryIO", io.BufferedReader(_Bounded(packed, source), 1 << 18))


def check_size(source: str, packed: int, unpacked: int, most: int | None = None) -> None:
    """Raises an error if what is packed unpacks to over 64 MiB and over 200 times its size.

    Args:
        source: What messages call it.
        packed: Its size in bytes.
        unpacked: How many bytes have been unpacked.
        most: How many there may be in any case; None is bound by its own size.

    Raises:
        InputError: It does, or there are more bytes than that.
    """
    if most is not None and unpacked > most:
        raise InputError(f"{source}: unpacks to more than {most / 1e6:,.0f} MB, which is too much")
    if unpacked > _FREE and unpacked > _RATIO * packed:
        raise InputError(
            f"{source}: unpacks to more than {_FREE >> 20} MiB and {_RATIO} times its size, "
            "which is refused; decompress it first if that is intended"
        )


class _Bounded(io.RawIOBase):
    """The content of a gzip file, up to a plausible multiple of its size."""

    def __init__(self, packed: BinaryIO, source: str) -> None:
        self._packed = packed
        self._source = source
        self._content = gzip.GzipFile(fileobj=packed)

    def readable(self) -> bool:
        """Returns that it can be read."""
        return True

    def seekable(self) -> bool:
        """Returns that it can be read anew from any place."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Reads into a buffer and returns the number of bytes."""
        size = self._content.readinto(buffer)
        check_size(self._source, self._packed.tell(), self._content.tell())
        return size

    def seek(self, offset: int, whence: int = 0) -> int:
        """Goes to a place."""
        return self._content.seek(offset, whence)

    def tell(self) -> int:
        """Returns the place that is read next."""
        return self._content.tell()
