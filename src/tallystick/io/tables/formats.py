"""Finds the format of a table by name, by the ending of its file, or by its first bytes."""

import re
from codecs import BOM_UTF8
from collections.abc import Sequence
from contextlib import suppress

from tallystick.errors import InputError, UsageError
from tallystick.io.files.datasets import find_pieces, list_files
from tallystick.io.files.opening import SNIFFED, sniff, try_sniff
from tallystick.io.files.pieces import Piece
from tallystick.io.files.progress import measure_input
from tallystick.io.files.recognition import is_usual
from tallystick.io.files.stores import cut_options

DELIMITERS = {
    kind + quote: mark
    for kind, mark in (("csv", ","), ("tsv", "\t"))
    for quote in ("", " none", " double")
}
"""What usually separates the fields of a kind of table; with ` none` quotes are text, with
` double` they enclose fields, and without either the kind and the file decide."""
LINE = "line"
"""The column of CoNLL files with the number of each sentence's first line."""
SCORES = ("system", "segment", "score")
"""The columns of the score files of mt-metrics-eval."""

_ENDINGS = {
    ".txt": "lines",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".conll": "conll",
    ".bio": "conll",
    ".iob": "conll",
    ".iob2": "conll",
    ".score": "score",
}
_JSON = re.compile(rb"\s*(\[\s*)?\{")
_TAG = re.compile(rb".*[ \t](O|[BIELMSUW]-\S+)[ \t\r]*")
_KINDS = ("lines", "csv", "tsv", "jsonl", "parquet", "conll", "score", "blanks")

ROWS = "rows:"
"""How the kind begins of a JSON object that holds its rows in a list, by the key of that."""


def find_kind(pieces: Sequence[Piece], kind: str | None) -> str:
    """Returns the kind of some files, which is guessed where it is not given."""
    if kind is not None and not kind.startswith(" "):
        if kind not in (*_KINDS, *DELIMITERS) and not kind.startswith(ROWS):
            known = f"{', '.join(_KINDS[:-1])} or {_KINDS[-1]}"
            raise UsageError(f"unknown kind of table {kind!r}: expected {known}")
        return kind
    (first, *others), quote = pieces, kind or ""
    kind = guess_kind(first.path)
    if quote and kind not in DELIMITERS:
        raise UsageError(f"--quote goes with CSV and TSV files, and {first.path} is {kind}")
    for other in others:
        if (own := guess_kind(other.path)) != kind:
            raise InputError(
                f"{other.path} is {own}, but {first.path} is {kind}; files that are read as one "
                "table are of the same kind"
            )
    return kind + quote


def guess_kind(path: str) -> str:
    """Returns a kind of table by a file's ending or its first bytes.

    A text whose lines end in tags is CoNLL, and one of usual names above as many fields is a table
    whose columns are parted by blanks. Of several files that are one table the first tells.
    """
    kind = guess_by_ending(path)
    if kind == "lines":
        return _guess_text(path)
    if kind is not None:
        return kind
    first = find_pieces(path)[0].path
    if first != path:
        return guess_kind(first)
    return _guess_content(sniff(path))


def guess_by_ending(path: str) -> str | None:
    """Returns what the name of a file says of its kind; None where it says nothing."""
    plain = cut_options(path)
    name = plain.lower().removesuffix(".gz")
    return next((kind for ending, kind in _ENDINGS.items() if name.endswith(ending)), None)


_GZIP = 16
"""By how much gzip shrinks tables of labels, or more."""


def measure_unpacked(path: str) -> int:
    """Returns how many bytes a path's Parquet or gzip has in memory, about; 0 of other formats."""
    if path.lower().endswith(".gz"):
        return _GZIP * measure_input([path])
    if guess_by_ending(path) not in (None, "parquet"):
        return 0
    from tallystick.io.tables.parquet import measure_file

    with suppress(InputError):
        files = [one.path for one in list_files(path)]
        return sum(measure_file(own) for own in files if guess_by_ending(own) == "parquet")
    return 0


def _guess_content(start: bytes) -> str:
    if start.startswith(b"PAR1"):
        return "parquet"
    text = start.removeprefix(BOM_UTF8)
    if _JSON.match(text):
        return "jsonl"
    if _are_tagged(text):
        return "conll"
    if _look_blank(text, whole=len(start) < SNIFFED):
        return "blanks"
    line = text.lstrip(b"\r\n").partition(b"\n")[0]
    return "tsv" if b"\t" in line else "csv" if b"," in line else "lines"


def _guess_text(path: str) -> str:
    """Returns the kind of a file that is called a text."""
    start = try_sniff(find_pieces(path)[0].path)
    if _are_tagged(start):
        return "conll"
    return "blanks" if _look_blank(start, whole=len(start) < SNIFFED) else "lines"


def _are_tagged(start: bytes) -> bool:
    """Whether the first lines are two or more that end in tags, but for comments and blank ones."""
    lines = [line for line in start.split(b"\n")[:100] if line.strip() and line[:1] != b"#"]
    whole = lines[:-1] if len(start) == SNIFFED else lines
    return len(whole) > 1 and all(map(_TAG.fullmatch, whole))


def _look_blank(start: bytes, *, whole: bool) -> bool:
    """Whether text begins as a table whose columns are parted by blanks.

    Two columns or more have usual names, and all rows have as many fields as the header. So do
    hardly any sentences.
    """
    header = start.lstrip().partition(b"\n")[0].split()
    usual = sum(is_usual(name.decode(errors="replace")) for name in header)
    if usual < 2 or b"," in start or b";" in start:
        return False
    lines = [line.split() for line in start.split(b"\n") if line.strip()]
    rows = lines if whole else lines[:-1]
    return len(rows) > 1 and all(len(row) == len(header) for row in rows)
