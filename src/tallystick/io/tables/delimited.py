"""Reads CSV and TSV files, whole or in blocks of rows.

Large files that are plain are read by a kernel, where columns whose values recur, such as labels,
become codes; all others by Arrow. A closing row is appended for it. If that does not come out
again, an unclosed quote has swallowed it, which Arrow would accept silently, as it would text after
a closing quote. A file that is refused is read again row by row, to name the faulty row.
"""

from codecs import BOM_UTF8
from collections.abc import Collection, Generator, Iterable, Iterator
from contextlib import closing
from typing import BinaryIO

import numpy as np
import pyarrow
import pyarrow.csv

from tallystick._native import _ext
from tallystick.errors import InputError
from tallystick.io.files.lines import LONGEST
from tallystick.io.files.opening import open_binary
from tallystick.io.files.pieces import Asked
from tallystick.io.files.recognition import is_usual
from tallystick.io.tables.building import MOST_CODED, SEED, build_cells
from tallystick.io.tables.columns import NOTE, select_names
from tallystick.io.tables.quotes import Quotes
from tallystick.io.tables.rows import CLOSING, Layout, check_rows, read_layout
from tallystick.io.tables.values import parse_number

_MANY_LINES = 20
"""A quoted field with more ends of lines than so many may have swallowed rows."""
_BLOCKS = (1 << 20, 1 << 25, LONGEST)
_CHUNK, _LEAST = 1 << 22, 1 << 20
"""So many bytes of plain files are read at once; smaller files than the other are left to Arrow."""


def read_delimited(asked: Asked) -> tuple[list[str], pyarrow.Table]:
    """Returns the names of all columns, and the columns that are kept, as strings or codes of them.

    A blank line is skipped, except in a single column, where it is an empty value. Where the usual
    delimiter does not separate the fields, another one is found out from the header.

    Raises:
        InputError: The file cannot be opened; a row is ragged, not UTF-8, never closed or has text
            after a closing quote; or what was taken for the header of a single column is one of its
            values.
    """
    layout, kept = _open(asked)
    coded = _CodedCells(layout, kept)
    parts = list(coded.read(asked))
    if coded.finished and parts:
        return layout.header, pyarrow.concat_tables(parts)
    for block in _BLOCKS:
        try:
            columns = _read_whole(asked, layout, kept, block)
        except pyarrow.ArrowInvalid as error:
            _explain(layout, block, error)
            continue
        _check_header(layout, columns)
        return layout.header, columns
    raise _refuse(layout)


def iterate_delimited(asked: Asked) -> Iterator[tuple[list[str], pyarrow.Table]]:
    """Yields what `read_delimited` returns in blocks of some rows."""
    layout, kept = _open(asked)
    coded = _CodedCells(layout, kept)
    for columns in coded.read(asked):
        yield layout.header, columns
    if coded.finished:
        return
    done = max(layout.start, coded.rows)
    for block in _BLOCKS:
        passed = 0
        try:
            with closing(_read_blocks(asked, layout, kept, block)) as blocks:
                for columns in blocks:
                    fresh = columns.slice(max(0, done - passed))
                    passed += columns.num_rows
                    if fresh.num_rows:
                        done = passed
                        _check_header(layout, fresh)
                        yield layout.header, _encode(fresh, coded.coded) if coded.rows else fresh
        except pyarrow.ArrowInvalid as error:
            _explain(layout, block, error)
            continue
        return
    raise _refuse(layout)


def _open(asked: Asked) -> tuple[Layout, list[str]]:
    """Returns the layout of a file, and the names of the columns to keep."""
    layout = read_layout(asked.path, asked.kind)
    return layout, select_names(layout.source, layout.header, asked.only)


class _CodedCells:
    """The rows of a file, as far as it is plain: without quotes in fields, and as it begins.

    Attributes:
        rows: How many rows have been read, the header among them.
        finished: Whether these are all rows of the file.
        coded: The columns that are codes, as the first block shows it.
    """

    def __init__(self, layout: Layout, kept: list[str]) -> None:
        self.rows, self.finished, self.coded = 0, False, tuple(kept)
        self._layout, self._kept = layout, kept
        self._places = np.array([layout.header.index(name) for name in kept], np.int64)

    def read(self, asked: Asked) -> Iterator[pyarrow.Table]:
        """Yields the rows up to the first block that is not plain."""
        watch = asked.watch
        before = 0 if watch is None else watch.done_bytes
        if len(self._layout.header) > 1:
            yield from self._read(asked)
        if watch is not None and not self.finished:  # all is read once more
            watch.done_bytes = before

    def _read(self, asked: Asked) -> Iterator[pyarrow.Table]:
        with open_binary(asked.path, watch=asked.watch) as file:
            chunk = file.read(_CHUNK)
            if len(chunk) < _LEAST:
                return
            text = chunk.removeprefix(BOM_UTF8)
            while text:
                end = text.rfind(b"\n") + 1
                if not chunk:
                    end, text = len(text) + 1, text + b"\n"
                columns = self._code(text[:end]) if end else None
                if columns is None:
                    return
                fresh = columns.slice(max(0, self._layout.start - self.rows))
                self.rows += columns.num_rows
                if fresh.num_rows:
                    yield fresh
                chunk = file.read(_CHUNK)
                text = text[end:] + chunk
            self.finished = True

    def _code(self, text: bytes) -> pyarrow.Table | None:
        """The columns of some lines; None where they are not plain."""
        layout, data = self._layout, np.frombuffer(text, np.uint8)
        spelled = np.array([name not in self.coded for name in self._kept], np.uint8)
        width = len(layout.header)
        found = _ext.code_cells(
            data, layout.delimiter, width, self._places, spelled, MOST_CODED, SEED
        )
        if found is None:
            return None
        columns = dict(zip(self._kept, found, strict=True))
        # A column without rows is of no other kind than before.
        few = tuple(
            name for name in self.coded if len(columns[name][0]) or len(columns[name][2]) == 1
        )
        if few != self.coded:
            if self.rows:
                return None
            self.coded = few
        built = {name: build_cells(*column) for name, column in columns.items()}
        return pyarrow.table(built) if text.isascii() or _are_texts(built.values()) else None


def _are_texts(columns: Iterable[pyarrow.Array]) -> bool:
    try:
        for column in columns:
            texts = column.dictionary if isinstance(column, pyarrow.DictionaryArray) else column
            texts.validate(full=True)
    except pyarrow.ArrowInvalid:
        return False
    return True


class _ClosedFile:
    """A file followed by the closing row, as far as Arrow needs a file."""

    closed = False

    def __init__(self, file: BinaryIO, row: bytes, layout: Layout) -> None:
        self.has_nul = self.has_quotes = False
        self.quotes = Quotes(layout.delimiter) if layout.quoted else None
        self._file = file
        self._between = b""  # ends the last line if the file does not
        self._rest = row

    def read(self, size: int) -> bytes:
        """Returns the next bytes, at most `size` of them except for the closing row."""
        chunk = self._file.read(size)
        if chunk:
            self.has_nul |= b"\0" in chunk
            self._between = b"" if chunk.endswith((b"\n", b"\r")) else b"\n"
            self.has_quotes |= b'"' in chunk
            if self.quotes is not None:
                self.quotes.take(chunk)
            return chunk
        if self.quotes is not None:
            self.quotes.take(b"\n")
        rest, self._between, self._rest = self._between + self._rest, b"", b""
        return rest

    def check(self, rows: pyarrow.Table | pyarrow.RecordBatch, *, last: bool) -> None:
        """Raises Arrow's own error if what came out cannot be what went in."""
        # A NUL makes Arrow lose count of quotes and rows.
        if self.has_nul:
            raise pyarrow.ArrowInvalid("the file holds a NUL byte")
        if self.quotes is not None and self.quotes.broken:
            raise pyarrow.ArrowInvalid("text follows a closing quote")
        if last and any(column[-1].as_py() != CLOSING for column in rows.columns):
            raise pyarrow.ArrowInvalid("the closing row is gone")


def _read_whole(asked: Asked, layout: Layout, kept: list[str], block: int) -> pyarrow.Table:
    with open_binary(asked.path, watch=asked.watch) as file:
        closed = _close(file, layout)
        table = pyarrow.csv.read_csv(closed, **_options(layout, kept, block))
        closed.check(table, last=True)
    rows = table.slice(layout.start, table.num_rows - 1 - layout.start)
    return _note_quotes(rows, layout, asked.kind) if closed.has_quotes else rows


def _read_blocks(
    asked: Asked, layout: Layout, kept: list[str], block: int
) -> Generator[pyarrow.Table, None, None]:
    """Yields the rows in blocks, the header among them, but not the closing row."""
    with open_binary(asked.path, watch=asked.watch) as file:
        closed = _close(file, layout)
        held = None  # the last block ends with the closing row
        for batch in pyarrow.csv.open_csv(closed, **_options(layout, kept, block)):
            if held is not None:
                closed.check(held, last=False)
                rows = pyarrow.Table.from_batches([held])
                yield _note_quotes(rows, layout, asked.kind) if closed.has_quotes else rows
            held = batch if batch.num_rows else held
        if held is None:
            raise pyarrow.ArrowInvalid("the closing row is gone")
        closed.check(held, last=True)
        rows = pyarrow.Table.from_batches([held.slice(0, held.num_rows - 1)])
        yield _note_quotes(rows, layout, asked.kind) if closed.has_quotes else rows


def _note_quotes(rows: pyarrow.Table, layout: Layout, kind: str) -> pyarrow.Table:
    """The rows with a note where quotes are not read as in CSV, or a field has many lines."""
    if " " in kind:  # which says how quotes are read
        return rows
    if not layout.quoted:
        note = (
            f"{layout.source}: quotes are part of the fields, as one begins with a quote and does "
            "not end with one; --quote double reads fields in quotes as in CSV."
        )
        return rows.replace_schema_metadata({NOTE: note})
    import pyarrow.compute as pc  # since few files have quotes

    lines = [pc.count_substring(one, "\n") for one in rows.columns]
    most = max((pc.max(own).as_py() or 0 for own in lines), default=0)
    if most < (1 if kind == "tsv" else _MANY_LINES):
        return rows
    note = (
        f"{layout.source}: a quoted field has {most + 1} lines; where its quote is not meant to "
        "open a field, pass --quote none."
    )
    return rows.replace_schema_metadata({NOTE: note})


def _close(file: BinaryIO, layout: Layout) -> _ClosedFile:
    row = layout.delimiter.join([CLOSING] * len(layout.header)) + "\n"
    return _ClosedFile(file, row.encode(), layout)


def _options(layout: Layout, kept: list[str], block: int) -> dict[str, object]:
    return {
        # A thread that begins as the process ends would abort it.
        "read_options": pyarrow.csv.ReadOptions(
            use_threads=False, block_size=block, column_names=layout.header
        ),
        "parse_options": pyarrow.csv.ParseOptions(
            delimiter=layout.delimiter,
            quote_char='"' if layout.quoted else False,
            newlines_in_values=layout.quoted,
            ignore_empty_lines=len(layout.header) > 1,
        ),
        "convert_options": pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(kept, pyarrow.string()), include_columns=kept
        ),
    }


def _encode(columns: pyarrow.Table, coded: Collection[str]) -> pyarrow.Table:
    """The columns, of which those are codes that are so in the blocks before."""
    named = zip(columns.column_names, columns.columns, strict=True)
    return pyarrow.table(
        {name: own.dictionary_encode() if name in coded else own for name, own in named}
    )


def _check_header(layout: Layout, columns: pyarrow.Table) -> None:
    """Raises an error if the header of a single column is rather its first value."""
    name = layout.header[0]
    if len(layout.header) > 1 or is_usual(name):
        return
    recurs = columns.column(0).index(name).as_py() >= 0
    if recurs or (name != "0" and parse_number(name) is not None):  # pandas calls a lone column 0
        raise InputError(
            f"{layout.source}: the first line {name!r} was read as a header, but looks like a "
            "value; add a header line with the column's name, or pass --input-format lines"
        )


def _explain(layout: Layout, block: int, error: pyarrow.ArrowInvalid) -> None:
    """Raises the error of the faulty row; there is none where a row is only longer than a block.

    Rows are not looked at one by one where a larger block may hold them, as they take memory.
    """
    if block == _BLOCKS[-1] or "straddl" not in str(error):
        check_rows(layout)


def _refuse(layout: Layout) -> InputError:
    return InputError(f"{layout.source}: cannot be read as a table; is a row longer than 64 MiB?")
