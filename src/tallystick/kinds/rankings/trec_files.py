"""Reads TREC qrels and runs: fields between blanks or tabs, lines with # left out."""

import math
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import suppress

import pyarrow as pa
from msgspec import Struct

from tallystick.errors import InputError
from tallystick.io.files.opening import SNIFFED, Progress, name_source, open_binary, try_sniff

_CHUNK = 1 << 24
_COMMENT = re.compile(rb"^[ \t]*(#[^\n]*)?\r?(\n|$)", re.MULTILINE)
_BLANKS = re.compile(rb"[ \t]+")
_EDGES = re.compile(rb"^[ \t]+|[ \t]+(?=\r?$)", re.MULTILINE)
_REST = re.compile(rb"^((?:[^ \t\r\n]+[ \t]){5}[^ \t\r\n]+)[ \t][^\r\n]*", re.MULTILINE)
_ITERATION = re.compile(rb"[Qq]?\d+|-")


class Form(Struct, frozen=True):
    """What the lines of a TREC file hold.

    Attributes:
        said: What messages call the file.
        fields: What its lines are made of.
        number: The field with the number that is read.
    """

    said: str
    fields: tuple[str, ...]
    number: str


QRELS = Form("qrels", ("query", "iteration", "document", "grade"), "grade")
RUN = Form("a run", ("query", "Q0", "document", "rank", "score", "tag"), "score")


def find_form(path: str, *, beside_qrels: bool = False) -> Form | None:
    """Returns whether most of the first lines are those of qrels or of a run; None if neither.

    The others are told as wrong where they are read. Beside qrels the second field of runs may be
    anything.
    """
    start = try_sniff(path)
    lines = [row for line in start.split(b"\n") if (row := line.split()) and row[0][:1] != b"#"]
    rows = lines if len(start) < SNIFFED else lines[:-1]
    if 2 * sum(map(_is_judgement, rows)) > len(rows):
        return QRELS
    results = sum(_is_result(row, beside_qrels=beside_qrels) for row in rows)
    return RUN if 2 * results > len(rows) else None


def _is_judgement(row: list[bytes]) -> bool:
    return len(row) == 4 and bool(_is_number(row[3]) and _ITERATION.fullmatch(row[1]))


def _is_result(row: list[bytes], *, beside_qrels: bool) -> bool:
    """Whether a line is one of a run; with `Q0` and six fields it is, whatever its numbers are."""
    named = len(row) > 4 and row[1].upper() == b"Q0"
    numbered = len(row) > 4 and _is_number(row[3]) and _is_number(row[4])
    return (numbered and (named or beside_qrels)) or (named and len(row) == 6)


def _is_number(text: bytes) -> bool:
    try:
        return not math.isnan(float(text))
    except ValueError:
        return False


def iterate_trec(path: str, form: Form, watch: Progress | None = None) -> Iterator[pa.Table]:
    """Yields the lines of a file in tables of `query`, `document` and `number`."""
    before, rest = 0, b""
    with open_binary(path, watch=watch) as file:
        while chunk := file.read(_CHUNK):
            chunk = chunk if before or rest else chunk.removeprefix(BOM_UTF8)
            end = chunk.rfind(b"\n") + 1
            if end == 0:
                rest += chunk
                continue
            lines, rest = rest + chunk[:end], chunk[end:]
            yield from _parse(lines, form, path, before)
            before += lines.count(b"\n")
    if rest.strip():
        yield from _parse(rest, form, path, before)


def _parse(lines: bytes, form: Form, path: str, before: int) -> Iterator[pa.Table]:
    found = None
    for tidy in (_join_blanks, _tidy):
        with suppress(pa.ArrowInvalid):
            found = _split(tidy(lines), form)
            break
    if found is None or _has_gaps(found):
        if not _COMMENT.sub(b"", lines).strip():
            return
        raise _find_fault(lines, form, path, before)
    yield found


def _has_gaps(table: pa.Table) -> bool:
    """Whether a query or a document is empty, or a number is NaN."""
    import pyarrow.compute as pc

    lengths = (pc.binary_length(table.column(name)) for name in ("query", "document"))
    return bool(
        any(pc.min(own).as_py() == 0 for own in lengths)
        or pc.any(pc.is_nan(table.column("number"))).as_py()
    )


def _join_blanks(lines: bytes) -> bytes:
    """Lines whose fields are parted by one blank, or by one tab, as those of most files are."""
    lines = _COMMENT.sub(b"", lines) if b"#" in lines else lines
    tabs = b"\t" in lines
    mixed = tabs and b" " in lines
    return _BLANKS.sub(b" ", lines) if mixed or (b"\t\t" if tabs else b"  ") in lines else lines


def _tidy(lines: bytes) -> bytes:
    """The same without comments, blanks at the ends, and what stands behind the fields of runs."""
    lines = _EDGES.sub(b"", _BLANKS.sub(b" ", _COMMENT.sub(b"", lines)))
    return _REST.sub(rb"\1", lines)


def _split(lines: bytes, form: Form) -> pa.Table:
    from pyarrow import csv

    names = ("query", "document", form.number)
    table = csv.read_csv(
        pa.py_buffer(lines),
        csv.ReadOptions(column_names=form.fields, block_size=len(lines) + 1, use_threads=False),
        csv.ParseOptions(delimiter="\t" if b"\t" in lines else " ", quote_char=False),
        csv.ConvertOptions(
            include_columns=names,
            column_types=dict(zip(names, (pa.binary(), pa.binary(), pa.float64()), strict=True)),
            null_values=[],
            strings_can_be_null=False,
        ),
    )
    return table.rename_columns(["query", "document", "number"])


def _find_fault(lines: bytes, form: Form, path: str, before: int) -> InputError:
    shape = " ".join(form.fields)
    for at, line in enumerate(lines.split(b"\n"), before + 1):
        row = line.split()
        if not row or row[0][:1] == b"#":
            continue
        few = len(row) != len(form.fields) if form == QRELS else len(row) < len(form.fields)
        place = f"{name_source(path)}, line {at}"
        if few:
            shown = line.decode(errors="replace").strip()[:60]
            return InputError(f"{place}: {shown!r} is not a line of {form.said}, such as {shape!r}")
        value = row[form.fields.index(form.number)]
        if not _is_number(value):
            shown = value.decode(errors="replace")[:60]
            return InputError(f"{place}: the {form.number} is {shown!r}, not a number")
    return InputError(f"{name_source(path)}: cannot be read as {form.said}, lines of {shape!r}")
