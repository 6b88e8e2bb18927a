"""Draws the logo of a bundle whose organiser has none: a tally of five."""

import struct
import zlib

import numpy as np

_SIDE = 240
_INK = (38, 70, 83)


def draw_logo() -> bytes:
    """Returns a square picture of 240 pixels as PNG."""
    picture = np.full((_SIDE, _SIDE, 3), 255, np.uint8)
    for left in (60, 90, 120, 150):
        picture[50:190, left : left + 12] = _INK
    rows = np.arange(_SIDE)
    for row in rows[60:180]:
        left = 200 - (row - 60) * 4 // 3
        picture[row, max(left, 30) : left + 16] = _INK
    lines = b"".join(b"\x00" + line.tobytes() for line in picture)
    header = struct.pack(">IIBBBBB", _SIDE, _SIDE, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
