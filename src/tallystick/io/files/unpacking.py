"""Decompresses files within limits, so that a small file cannot fill memory or disk."""

import gzip
from typing import BinaryIO, cast

from tallystick.errors import InputError
from tallystick.io.files.progress import note_reads

_FREE = 1 << 26
_RATIO = 200


def unpack_gzip(packed: BinaryIO, source: str) -> BinaryIO:
    """Returns the unpacked content of an open gzip file."""
    content = cast("BinaryIO", gzip.GzipFile(fileobj=packed))
    return note_reads(content, lambda _: check_size(source, packed.tell(), content.tell()), 1 << 18)


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
