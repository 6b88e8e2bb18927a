"""Recognises files that are neither tables nor text by their first bytes, and says what to do."""

import re

from tallystick.errors import InputError
from tallystick.io.files.opening import name_source, sniff
from tallystick.io.files.recognition import (
    name_format,
    name_headless,
    name_lines,
    name_object,
)

_START = 1 << 12
_TO_UTF8 = "save it as UTF-8, for example with iconv -f {0} -t UTF-8"
_SAVE = "save the sheet as CSV and give that"
_GET = "fetch the file itself with git lfs pull"
_UNPACK = "decompress it, or compress it with gzip instead"
_UNPACK_ALL = "unpack it, and pack its files as a zip archive where several are needed"
_WRITE = "write CSV or JSON Lines, which run no code when they are read"

# The longer of two that begin alike stands first.
_FOREIGN = (
    (b"\xff\xfe\0\0", "is UTF-32", _TO_UTF8.format("UTF-32")),
    (b"\0\0\xfe\xff", "is UTF-32", _TO_UTF8.format("UTF-32")),
    (b"\xff\xfe", "is UTF-16", _TO_UTF8.format("UTF-16")),
    (b"\xfe\xff", "is UTF-16", _TO_UTF8.format("UTF-16")),
    (b"PK\x03\x04", "is a zip archive", "unpack it, or give all files in it with --submissions"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is an Excel file", _SAVE),
    (b"version https://git-lfs", "is a pointer of Git LFS and not the file itself", _GET),
    (b"BZh", "is compressed with bzip2", _UNPACK),
    (b"\xfd7zXZ\0", "is compressed with xz", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "is compressed with zstd", _UNPACK),
    (b"PAR1", "is a Parquet file", "name it .parquet, or pass --input-format parquet"),
    (b"ARROW1\0\0", "is an Arrow file", "write it as Parquet"),
    (b"%PDF-", "is a PDF file", "give the text or the table that it was made from"),
    (b"7z\xbc\xaf\x27\x1c", "is a 7z archive", _UNPACK_ALL),
    (b"Rar!\x1a\x07", "is a rar archive", _UNPACK_ALL),
    *((b"\x80" + bytes([one]), "is a pickle of Python", _WRITE) for one in range(2, 6)),
)
_SEGMENTS = "write its segments one a line, or as a table"
# Marks of text, in small letters, which white space and a byte order mark may precede.
_MARKED = (
    (b"<?xml", "is XML", _SEGMENTS),
    *((b"<" + name, "is SGM", _SEGMENTS) for name in (b"refset", b"srcset", b"tstset", b"mteval")),
    (b"<!doctype mteval", "is SGM", _SEGMENTS),
    (b"webvtt", "is WebVTT", _SEGMENTS),
)
_OPENED = re.compile(rb'[\[{][\[{]?("[^"]*":.*[\[{,])?\n["\[{\d-]')
"""A first line of JSON that goes on, without its spaces, with the first character below."""
_SHEET = (b"xl/", b"[Content_Types].xml")
_PAGE = (b"<!doctype html", b"<html")


def check_start(path: str, *, kind: str, sure: bool = False) -> None:
    """Raises an error if a file does not begin like a table or a text of a kind of `read_table`.

    Lines are texts or labels, whatever they look like, where the caller is `sure` of that.
    """
    start = sniff(path)
    source = name_source(path)
    if not start:
        raise InputError(
            f"{source}: is empty (0 bytes); check that the program that writes it has finished"
        )
    found = name_foreign(start[:_START], kind) or name_format(start, kind)
    if found is None and kind == "lines" and not sure:
        found = name_lines(start)
    if found is None and kind == "jsonl":
        found = name_object(start, alone=path.lower().endswith((".json", ".json.gz")))
        text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
        if found is None and text.startswith(b"{") and _goes_on(text):
            cure = "write each object on one line, as jq -c . does, or a list of all objects"
            found = "its objects are written over several lines", cure
    if found is None and kind.startswith(("csv", "tsv")):
        found = name_headless(start, "\t" if kind.startswith("tsv") else ",")
    if found is not None:
        what, cure = found
        raise InputError(f"{source}: {what}; {cure}")


def is_sheet(start: bytes) -> bool:
    """Returns whether a zip archive with these first bytes is a sheet of Excel."""
    return any(mark in start for mark in _SHEET)


def name_foreign(start: bytes, kind: str) -> tuple[str, str] | None:
    """Returns what the first bytes show a file to be, and the cure; None if nothing foreign."""
    if kind == "parquet":  # its reader says what is wrong
        return None
    if start.startswith(b"PK\x03\x04") and is_sheet(start):
        return "is an Excel file", _SAVE
    for mark, what, cure in _FOREIGN:
        if start.startswith(mark):
            return what, cure
    return _name_text(start.removeprefix(b"\xef\xbb\xbf").lstrip(), kind) or _name_wide(start)


def _name_text(text: bytes, kind: str) -> tuple[str, str] | None:
    """Returns what text shows itself to be that is neither a table nor texts one a line."""
    marked = text[:16].lower()
    for mark, what, cure in _MARKED:
        if marked.startswith(mark):
            return what, cure
    if kind != "lines":
        return ("is a web page", "download the file itself") if marked.startswith(_PAGE) else None
    if _goes_on(text):
        return "is JSON over several lines", "name it .json, or pass --input-format jsonl"
    return None


def _goes_on(text: bytes) -> bool:
    """Returns whether a text begins like JSON whose first value ends below its first line."""
    line, end, rest = text.partition(b"\n")
    return _OPENED.fullmatch(b"".join(line.split()) + end + rest.lstrip()[:1]) is not None


def _name_wide(start: bytes) -> tuple[str, str] | None:
    """Returns what text of two bytes a character is that has no byte order mark."""
    size = len(start) // 2
    for high, encoding in ((1, "UTF-16LE"), (0, "UTF-16BE")):
        highs, lows = start[high : 2 * size : 2], start[1 - high : 2 * size : 2]
        # Letters outside of Latin-1 have no NUL, but a header and separators mostly do.
        if size > 1 and 2 * highs.count(0) > size and all(lows):
            return "is UTF-16 without a byte order mark", _TO_UTF8.format(encoding)
    return None
