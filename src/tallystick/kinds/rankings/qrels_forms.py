"""Reads qrels and runs from TREC files, dictionaries, JSON and tables."""

import math
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

import numpy as np
import pyarrow as pa
from msgspec import Struct

from tallystick.errors import InputError
from tallystick.io.files.opening import SNIFFED, Progress, name_source, open_binary, try_sniff
from tallystick.io.logs.log import need_number, read_whole
from tallystick.io.tables.formats import guess_by_ending
from tallystick.io.tables.table import Table, from_arrow, iterate_tables, read_table
from tallystick.io.tables.values import as_keys
from tallystick.limits import LIMITS
from tallystick.model.columns import find
from tallystick.model.sides import Side

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
RANKS = Form("a run of MS MARCO", ("query", "document", "rank"), "rank")
RUN = Form("a run", ("query", "Q0", "document", "rank", "score", "tag"), "score")


def find_form(path: str, *, beside_qrels: bool = False) -> Form | None:
    """Returns whether most of the first lines are those of qrels or of a run; None if neither.

    The others are told as wrong where they are read. Beside qrels the second field of runs may be
    anything.
    """
    start = try_sniff(path)
    lines = [row for line in start.split(b"\n") if (row := line.split()) and row[0][:1] != b"#"]
    rows = lines if len(start) < SNIFFED else lines[:-1]
    judgements = sum(
        len(row) == 4 and _is_number(row[3]) and _ITERATION.fullmatch(row[1]) is not None
        for row in rows
    )
    if 2 * judgements > len(rows):
        return QRELS
    if beside_qrels and _are_ranks(rows):
        return RANKS
    results = sum(_is_result(row, beside_qrels=beside_qrels) for row in rows)
    return RUN if 2 * results > len(rows) else None


def _are_ranks(rows: list[list[bytes]]) -> bool:
    """Whether lines are those of MS MARCO: the documents of each query by rank, from 0 or 1 on."""
    if not rows or any(len(row) != 3 or not row[2].isdigit() for row in rows):
        return False
    ranks: dict[bytes, list[int]] = {}
    for query, _, rank in rows:
        ranks.setdefault(query, []).append(int(rank))
    each = [*ranks.values()]
    return all(own == sorted(set(own)) for own in each) and all(own[0] < 2 for own in each[:-1])


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
        while chunk := file.read(LIMITS.trec_piece):
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
    """The same without comments, blanks at the ends, and what is behind the fields of runs."""
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
        few = len(row) != len(form.fields) if form != RUN else len(row) < len(form.fields)
        place = f"{name_source(path)}, line {at}"
        if few:
            shown = line.decode(errors="replace").strip()[:60]
            return InputError(f"{place}: {shown!r} is not a line of {form.said}, such as {shape!r}")
        value = row[form.fields.index(form.number)]
        if not _is_number(value):
            shown = value.decode(errors="replace")[:60]
            return InputError(f"{place}: the {form.number} is {shown!r}, not a number")
    return InputError(f"{name_source(path)}: cannot be read as {form.said}, lines of {shape!r}")


_DOCUMENT = ("doc_id", "corpus-id", "corpus_id", "docno", "docid", "document", "pid")
_QUERY_IDS = ("query_id", "query-id", "qid", "q_id")
_QUERY = (*_QUERY_IDS, "query", "topic")
_GRADE = ("relevance", "score", "grade", "rel", "label")
_SCORE = ("score", "relevance", "sim", "similarity")
_NESTED = re.compile(rb'\s*\{\s*"[^"]*"\s*:\s*\{\s*("[^"]*"\s*:\s*-?[\d.]|\})')
_OBJECTS = re.compile(rb'\s*\{\s*"[^"]*"\s*:\s*\{')
_NOTHING_ELSE = re.compile(_NESTED.pattern + rb'[^{}]*($|\}?\s*(,\s*"[^"]*"\s*:\s*\{|\}\s*$))')
"""The first query of a JSON object of queries, and that another one, or the end, comes next."""


def are_qrels(gold: object, *, asked: bool | None) -> bool:
    """Whether something is qrels: TREC files and dictionaries, and JSON and tables unless others'.

    Where nothing is asked for (None), JSON and tables must hold nothing else.
    """
    if isinstance(gold, str):
        return find_form(gold) is not None or (asked is not False and _has_form(gold, asked))
    if isinstance(gold, Mapping):
        return bool(asked) or any(isinstance(own, Mapping) for own in gold.values())
    known = asked is not False and _is_frame(gold)
    return known and _has_columns(from_arrow(gold, "gold"), asked)


def _is_frame(data: object) -> bool:
    return hasattr(data, "__arrow_c_stream__") and hasattr(data, "columns")


def _has_columns(table: Table, asked: bool | None) -> bool:
    """Whether a table has queries and documents; where nothing is asked for, grades and no more."""
    names = table.names()
    if asked:
        return all(find(names, usual) for usual in (_QUERY, _DOCUMENT))
    found = [find(names, usual) for usual in (_QUERY_IDS, _DOCUMENT, _GRADE[:-1])]
    return None not in found and len(names) == len(found)


def _has_form(path: str, asked: bool | None) -> bool:
    """Whether a file contains a JSON object of objects, or a table with queries and documents."""
    if _holds_dictionary(path, _NESTED if asked else _NOTHING_ELSE):
        return True
    try:
        return _has_columns(next(iterate_tables(path, rows=1)), asked)
    except InputError:
        return False  # whoever reads it tells what is wrong


def _holds_dictionary(path: str, form: re.Pattern[bytes]) -> bool:
    """Whether a file is JSON such as `{"q1": {"d1": 1}}`."""
    if guess_by_ending(path) not in (None, "jsonl") or path.lower().endswith(("jsonl", "ndjson")):
        return False
    return form.match(try_sniff(path).removeprefix(BOM_UTF8)) is not None


def read_numbers(data: object, source: str, *, judged: bool) -> pa.Table:
    """Reads qrels (`judged`) or a run from a dictionary or a table."""
    if isinstance(data, str):
        data = read_whole(data) if _holds_dictionary(data, _OBJECTS) else read_table(data)
    if isinstance(data, Mapping):
        return _flatten(data, source)
    if not isinstance(data, Table):
        if not _is_frame(data):
            raise InputError(
                f"{source}: dictionaries such as {{query: {{document: score}}}} or a table of "
                f"queries, documents and scores were expected, not {type(data).__name__}"
            )
        data = from_arrow(data, source)
    return _take(data, _GRADE if judged else _SCORE)


def _flatten(data: Mapping[object, object], source: str) -> pa.Table:
    queries, documents = list[bytes](), list[bytes]()
    numbers = list[object]()
    for query, own in data.items():
        if not isinstance(own, Mapping):
            raise InputError(
                f"{source}: the query {query!r} contains {type(own).__name__}, where a dictionary "
                "of documents was expected, such as {'d1': 2}"
            )
        queries += [str(query).encode()] * len(own)
        documents += [str(name).encode() for name in own]
        numbers += own.values()

    def locate(row: int) -> str:
        query, document = (own[row].decode() for own in (queries, documents))
        return f"{source}, query {query!r}, document {document!r}"

    try:
        column = pa.array(numbers, pa.float64())
    except (pa.ArrowException, TypeError, OverflowError):
        found = [need_number(one, locate(row)) for row, one in enumerate(numbers)]
        for row, value in enumerate(numbers):
            if found[row] is None and value is not None:
                large = f"{locate(row)}: {value!r} is too large for a number"
                raise InputError(large) from None
        column = pa.array(found, pa.float64())
    table = (pa.array(queries, pa.binary()), pa.array(documents, pa.binary()), column)
    return _build(*table, source, locate)


def _take(table: Table, usual: tuple[str, ...]) -> pa.Table:
    """The columns of queries, documents and numbers of a table."""
    names = []
    for listed in (_QUERY, _DOCUMENT, usual):
        name = find(table.names(), listed)
        if name is None and len(table.names()) == 1:
            raise InputError(
                f"{table.source}: contains neither lines of a TREC file, such as 'q1 Q0 d7 1 2.5 "
                "bm', nor columns such as query_id, doc_id and score"
            )
        if name is None:
            known = ", ".join(table.names())
            raise InputError(
                f"{table.source}: has no column {listed[0]!r}; the columns are {known}"
            )
        names.append(name)
    query, document = (
        as_keys(table.column(name), table.source).cast(pa.binary()) for name in names[:2]
    )
    numbers = pa.array(Side(table).numbers(names[2]).astype(np.float64))

    def locate(row: int) -> str:
        return f"{table.source}, {table.locate(row)}"

    return _build(query, document, numbers, table.source, locate)


def _build(
    query: pa.Array,
    document: pa.Array,
    numbers: pa.Array,
    source: str,
    locate: Callable[[int], str],
) -> pa.Table:
    import pyarrow.compute as pc

    table = pa.table({"query": query, "document": document, "number": numbers})
    if not len(table):
        raise InputError(f"{source}: contains no queries")
    for name, column in zip(table.column_names, table.columns, strict=True):
        blank = pc.is_nan(column) if name == "number" else pc.equal(pc.binary_length(column), 0)
        row = pc.index(pc.fill_null(blank, True), True).as_py()
        if row >= 0:
            raise InputError(f"{locate(row)}: the {name} is missing")
    return table
