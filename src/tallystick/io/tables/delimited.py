"""Reads CSV and TSV files by Arrow, whole or in blocks of rows.

What Arrow wrongly accepts is noted on the way; a rejected file is read again to name the row.
"""

import csv
import io
import re
import reprlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import lru_cache, partial
from itertools import islice
from typing import BinaryIO

import numpy as np
import pyarrow
import pyarrow.csv
from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import InputError, say_count
from tallystick.io.files.datasets import Asked
from tallystick.io.files.lines import check_length, iterate_whole_lines
from tallystick.io.files.opening import SNIFFED, name_source, open_binary, sniff
from tallystick.io.files.recognition import is_usual
from tallystick.io.tables.formats import (
    COMMAS,
    DELIMITERS,
    NOTE,
    is_headless,
    name_columns,
    select_names,
)
from tallystick.io.tables.values import build_strings, parse_number, plain
from tallystick.limits import LIMITS

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_LEAST, _FEW = 500, 8
"""Of the first rows, this many must there be, and so often must values recur, to become codes."""


class Layout(Struct, frozen=True):
    """The delimiter and the header of a file, and the number of blank lines before that.

    Attributes:
        quoted: Whether quotes enclose fields.
        coded: The columns whose first values recur.
        headless: Whether the first row is one of data.
    """

    path: str
    delimiter: str
    header: list[str]
    blank: int
    quoted: bool
    coded: frozenset[str]
    headless: bool

    @property
    def source(self) -> str:
        """What messages call the file."""
        return name_source(self.path)

    @property
    def start(self) -> int:
        """The number of rows up to the first one of data, where the header counts as a row."""
        # Above a single column a blank line is a row too.
        return (0 if len(self.header) > 1 else self.blank) + (not self.headless)


def read_layout(path: str, kind: str) -> Layout:
    """Returns the layout of a CSV or TSV file."""
    name, *words = kind.split(" ")
    headless, start = is_headless(kind), sniff(path)
    text, whole = start.decode("utf-8-sig", errors="surrogateescape"), len(start) < SNIFFED
    delimiter = find_separator(text, DELIMITERS[name], whole=whole)
    quoted = "none" not in words and ("double" in words or delimiter != "\t" or _are_quoted(path))
    layout = Layout(path, delimiter, [], 0, quoted, frozenset(), headless)
    short = whole or len(_split(text, delimiter)) > 1
    with nullcontext(io.BytesIO(start)) if short else open_binary(path) as file:
        for blank, header in enumerate(_iterate_rows(file, layout)):
            if header:
                _check_text(header, [], f"{layout.source}: row 1")
                names = name_columns(layout.source, kind, header)
                coded, above = _find_coded(text, delimiter, names), 0 if headless else blank
                return replace(layout, header=names, blank=above, coded=coded)
    raise InputError(f"{layout.source}: is empty, but a header with column names was expected")


def check_rows(layout: Layout) -> None:
    """Raises the error that names the first faulty row, if there is one."""
    width = len(layout.header)
    with open_binary(layout.path) as file:
        found = islice(_iterate_rows(file, layout), layout.blank, None)
        rows = (row for row in found if row or width == 1)
        for number, row in enumerate(rows, start=1):
            place = f"{layout.source}: row {number}"
            _check_text(row, layout.header, place)
            if len(row or [""]) != width:
                marks = _SEPARATORS[layout.delimiter]
                cure = f"; put a field that contains {marks} in quotes" if len(row) > width else ""
                above = "first row" if layout.headless else "header"
                raise InputError(
                    f"{place} has {say_count(len(row), 'field')}, but the {above} has {width}, "
                    f"separated by {marks}{cure}"
                )


def find_separator(text: str, usual: str, *, whole: bool) -> str:
    """Returns the separator: the usual one if it splits header and rows alike, or the best."""
    usually = _count_fields(text, usual, whole)
    if usually[:1] > [1] and len(set(usually)) == 1:
        return usual
    widths = {mark: _count_fields(text, mark, whole) for mark in _SEPARATORS}
    splitting = [mark for mark in _SEPARATORS if widths[mark][:1] > [1]]
    splitting.sort(key=lambda mark: (mark != usual, -widths[mark][0]))
    consistent = [mark for mark in splitting if len(set(widths[mark])) == 1]
    return next(iter(consistent or splitting), usual)


def _count_fields(text: str, mark: str, whole: bool) -> list[int]:
    widths = [len(row) for row in _split(text, mark)]
    return widths if whole else [*widths[:1], *widths[1:-1]]


@lru_cache(maxsize=4)  # of texts of 64 kB, which are split several times
def _split(text: str, mark: str) -> list[list[str]]:
    """Returns the rows that are not blank; none where the text is no CSV."""
    try:
        return list(filter(None, csv.reader(io.StringIO(text, newline=""), delimiter=mark)))
    except csv.Error:
        return []


def _find_coded(text: str, mark: str, header: Sequence[str]) -> frozenset[str]:
    rows = _split(text, mark)[1:-1]
    columns = zip(header, zip(*rows, strict=False), strict=False)
    few = (name for name, values in columns if _FEW * len({*values}) <= len(rows))
    return frozenset(few if len(rows) >= _LEAST else ())


def _are_quoted(path: str) -> bool:
    """Whether quotes enclose fields of a TSV file: all close on their line, or widths vary."""
    field = rb'(?:"(?:[^"\r\n]|"")*+"|(?!")[^\t\r\n]*+)'
    whole = re.compile(rb"%b(?:\t%b)*+\r?\n?" % (field, field))
    opened = re.compile(rb'^(?:[^\n]*\t)?"[^\n]*\n?', re.MULTILINE)
    widths, closed = set[int](), True
    with open_binary(path) as file:
        for lines in iterate_whole_lines(file, path):
            text = lines.removeprefix(BOM_UTF8)
            if closed and b'"' in text:
                closed = all(map(whole.fullmatch, opened.findall(text)))
            widths.update(row.count(b"\t") for row in text.split(b"\n") if row.strip())
    return closed or len(widths) > 1


def _check_text(row: Sequence[str], header: Sequence[str], place: str) -> None:
    for index, field in enumerate(row):
        column = _name(header, index)
        if "\0" in field:
            raise InputError(f"{place}, column {column} contains a NUL byte, so it is not text")
        if not field.isascii() and (stray := re.search("[\udc80-\udcff]", field)):
            byte = ord(stray[0]) - 0xDC00
            raise InputError(f"{place}, column {column}: 0x{byte:02x} is not UTF-8")


def _name(header: Sequence[str], index: int) -> str:
    return repr(header[index]) if index < len(header) else str(index + 1)


def _iterate_rows(file: BinaryIO, layout: Layout) -> Iterator[list[str]]:
    """Yields the rows of a file; what is not UTF-8 comes as surrogates."""
    csv.field_size_limit(2**31 - 1)  # the default of 128 KiB is shorter than some documents
    lines: list[str] = []  # of one row
    single = len(layout.header) == 1
    number = 1 - layout.blank * single
    with io.TextIOWrapper(file, "utf-8-sig", "surrogateescape", newline="") as text:
        kept = _keep(iter(partial(text.readline, LIMITS.line + 1), ""), lines, layout.source)
        read = partial(csv.reader, kept, delimiter=layout.delimiter, strict=True)
        try:
            for row in read() if layout.quoted else read(quoting=csv.QUOTE_NONE):
                yield row
                number += bool(row) or single
                lines.clear()
        except csv.Error as error:
            raise _explain_quote(lines, layout, number) from error


def _explain_quote(lines: Sequence[str], layout: Layout, number: int) -> InputError:
    place = f"{layout.source}: row {number}"
    index, found = _find_stray("".join(lines), layout.delimiter)
    if found is None:
        return InputError(f"{place} opens a quote in field {index + 1} that is never closed")
    return InputError(
        f"{place}, column {_name(layout.header, index)}: text follows the closing quote of "
        f"{reprlib.repr(found)}; a quote within a quoted field is written twice"
    )


def _find_stray(row: str, delimiter: str) -> tuple[int, str | None]:
    """Returns the index of a field with text after its closing quote, and it; None if unclosed."""
    mark = re.escape(delimiter)
    field = re.compile(rf'"(?:[^"]++|"")*+"([^{mark}\r\n]*)|(?!")[^{mark}\r\n]*')
    start = number = 0
    while (found := field.match(row, start)) is not None and not found[1]:
        start, number = found.end() + 1, number + 1
    return number, None if found is None else found[0]


def _keep(given: Iterable[str], lines: list[str], source: str) -> Iterator[str]:
    number = size = 0
    for line in given:
        if not lines:
            number, size = number + 1, 0
        size += len(line)
        if size > LIMITS.line:
            check_length(size, f"{source}: row {number}", ", or a quote in it is never closed")
        lines.append(line)
        yield line


_MANY_LINES = 20
"""A quoted field with more ends of lines than this many may have swallowed rows."""
_QUOTE = ord('"')


def iterate_delimited(asked: Asked, _rows: int) -> Iterator[tuple[list[str], pyarrow.Table]]:
    """Yields the names of all columns, and the kept ones in blocks, as strings or codes."""
    layout = read_layout(asked.path, asked.format)
    kept, columns = select_names(layout.source, layout.header, asked.only), None
    for columns in _read(asked, layout, kept):
        yield layout.header, columns
    if columns is None:
        yield layout.header, pyarrow.table({name: build_strings([]) for name in kept})


def _read(asked: Asked, layout: Layout, kept: list[str]) -> Iterator[pyarrow.Table]:
    done = layout.start
    for block in LIMITS.csv_blocks:
        passed = 0
        try:
            for rows, quoted in _read_blocks(asked, layout, kept, block):
                fresh = rows.slice(max(0, done - passed))
                passed += rows.num_rows
                if fresh.num_rows:
                    done = passed
                    _check_header(layout, fresh)
                    fresh = _note_quotes(fresh, layout, asked.format) if quoted else fresh
                    notes = fresh.schema.metadata or {}
                    commas = {**notes, COMMAS: b""} if layout.delimiter == ";" else notes
                    yield fresh.replace_schema_metadata(commas or None)
        except pyarrow.ArrowInvalid as error:
            # Rows are not looked at one by one where a larger block may hold them.
            if block == LIMITS.csv_blocks[-1] or "straddl" not in str(error):
                check_rows(layout)
            continue
        return
    raise InputError(f"{layout.source}: cannot be read as a table; is a row longer than 64 MiB?")


def _read_blocks(
    asked: Asked, layout: Layout, kept: list[str], block: int
) -> Iterator[tuple[pyarrow.Table, bool]]:
    """Yields the rows in blocks, the header among them, and whether there are quotes so far."""
    coded = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    types = {name: coded if name in layout.coded else pyarrow.string() for name in kept}
    with open_binary(asked.path, watch=asked.watch) as file:
        noted = _NotedFile(file, layout)
        blocks = pyarrow.csv.open_csv(
            noted,
            # A thread that begins as the process ends would abort it.
            pyarrow.csv.ReadOptions(
                use_threads=False, block_size=block, column_names=layout.header
            ),
            pyarrow.csv.ParseOptions(
                delimiter=layout.delimiter,
                quote_char='"' if layout.quoted else False,
                newlines_in_values=layout.quoted,
                ignore_empty_lines=len(layout.header) > 1,
            ),
            pyarrow.csv.ConvertOptions(column_types=types, include_columns=kept),
        )
        for batch in blocks:
            noted.check()
            yield pyarrow.Table.from_batches([batch]), noted.has_quotes
        noted.check()


class _NotedFile:
    """A file for Arrow that notes what Arrow accepts though it is wrong.

    A quote opens a field only as its first byte, two quotes within it represent one, and a
    delimiter or the end of the line follows the closing quote; otherwise each row is checked.
    """

    closed = False

    def __init__(self, file: BinaryIO, layout: Layout) -> None:
        self.has_quotes = False
        self._file, self._layout = file, layout
        self._odd = self._inside = self._checked = False
        self._last = b"\n"
        self._beside = np.zeros(
            256, bool
        )  # what may stand before an opening or after a closing quote
        self._beside[[ord(layout.delimiter), *b'\n\r"']] = True

    def read(self, size: int) -> bytes:
        chunk = self._file.read(size)
        # A NUL makes Arrow lose count of quotes and rows.
        self._odd |= b"\0" in chunk
        quotes = b'"' in chunk
        self.has_quotes |= quotes
        if not chunk:
            self._odd |= self._inside
        elif self._layout.quoted and (quotes or self._last == b'"'):
            self._follow(chunk if self._last else b"\n" + chunk.removeprefix(BOM_UTF8))
        self._last = chunk[-1:]
        return chunk

    def _follow(self, chunk: bytes) -> None:
        data = np.frombuffer((self._last or b"\n") + chunk, np.uint8)
        places = np.flatnonzero(data[1:] == _QUOTE) + 1
        before = data[places[int(self._inside) :: 2] - 1]
        closing = places[1 - int(self._inside) :: 2]
        after = data[closing[closing < len(data) - 1] + 1]
        if self._last == b'"' and not self._inside:
            after = np.append(after, data[1])
        self._odd |= not (self._beside[before].all() and self._beside[after].all())
        self._inside ^= len(places) % 2 == 1

    def check(self) -> None:
        if self._odd and not self._checked:
            check_rows(self._layout)
            self._checked = True


def _note_quotes(rows: pyarrow.Table, layout: Layout, kind: str) -> pyarrow.Table:
    """The rows with a note where quotes are not read as in CSV, or a field has many lines."""
    if "none" in kind or "double" in kind:  # which say how quotes are read
        return rows
    if not layout.quoted:
        note = (
            f"{layout.source}: quotes are part of the fields, as one begins with a quote and does "
            "not end with one; --quote double reads fields in quotes as in CSV."
        )
        return rows.replace_schema_metadata({NOTE: note})
    import pyarrow.compute as pc  # since few files have quotes

    lines = [pc.count_substring(plain(one), "\n") for one in rows.columns]
    most = max((pc.max(own).as_py() or 0 for own in lines), default=0)
    if most < (1 if kind == "tsv" else _MANY_LINES):
        return rows
    note = (
        f"{layout.source}: a quoted field has {most + 1} lines; where its quote is not meant to "
        "open a field, pass --quote none."
    )
    return rows.replace_schema_metadata({NOTE: note})


def _check_header(layout: Layout, columns: pyarrow.Table) -> None:
    """Raises an error if the header of a single column is rather its first value."""
    name = layout.header[0]
    if len(layout.header) > 1 or is_usual(name) or layout.headless:
        return
    recurs = plain(columns.column(0)).index(name).as_py() >= 0
    if recurs or (name != "0" and parse_number(name) is not None):  # pandas calls a lone column 0
        raise InputError(
            f"{layout.source}: the first line {name!r} was read as a header, but looks like a "
            "value; add a header line with the column's name, or pass `input_format='lines'`"
        )
