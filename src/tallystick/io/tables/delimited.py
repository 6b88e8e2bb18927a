"""Reads CSV and TSV files by Arrow, whole or in blocks of rows.

What Arrow accepts though it is wrong, such as text after a closing quote, is noted as the file is
read. A file that is refused is read again row by row, to name the faulty row.
"""

from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
import pyarrow
import pyarrow.csv

from tallystick.errors import InputError
from tallystick.io.files.lines import LONGEST
from tallystick.io.files.opening import open_binary
from tallystick.io.files.pieces import Asked
from tallystick.io.files.recognition import is_usual
from tallystick.io.tables.building import build_strings
from tallystick.io.tables.columns import NOTE, select_names
from tallystick.io.tables.rows import Layout, check_rows, read_layout
from tallystick.io.tables.values import parse_number, plain

_MANY_LINES = 20
"""A quoted field with more ends of lines than so many may have swallowed rows."""
_BLOCKS = (1 << 20, 1 << 25, LONGEST)
_QUOTE = ord('"')


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
    blocks = list(_read(asked, layout, kept))
    if not blocks:
        return layout.header, pyarrow.table({name: build_strings([]) for name in kept})
    notes = [own.schema.metadata for own in blocks if own.schema.metadata]
    return layout.header, pyarrow.concat_tables(blocks).replace_schema_metadata(
        max(notes, key=str, default=None)
    )


def iterate_delimited(asked: Asked, _rows: int = 0) -> Iterator[tuple[list[str], pyarrow.Table]]:
    """Yields what `read_delimited` returns in blocks of some rows."""
    layout, kept = _open(asked)
    for columns in _read(asked, layout, kept):
        yield layout.header, columns


def _open(asked: Asked) -> tuple[Layout, list[str]]:
    """Returns the layout of a file, and the names of the columns to keep."""
    layout = read_layout(asked.path, asked.format)
    return layout, select_names(layout.source, layout.header, asked.only)


def _read(asked: Asked, layout: Layout, kept: list[str]) -> Iterator[pyarrow.Table]:
    """Yields the rows of a file in blocks."""
    done = layout.start
    for block in _BLOCKS:
        passed = 0
        try:
            for rows, quoted in _read_blocks(asked, layout, kept, block):
                fresh = rows.slice(max(0, done - passed))
                passed += rows.num_rows
                if fresh.num_rows:
                    done = passed
                    _check_header(layout, fresh)
                    yield _note_quotes(fresh, layout, asked.format) if quoted else fresh
        except pyarrow.ArrowInvalid as error:
            # Rows are not looked at one by one where a larger block may hold them.
            if block == _BLOCKS[-1] or "straddl" not in str(error):
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
    """A file, as far as Arrow needs one, that notes what Arrow would accept though it is wrong.

    A quote opens a field only as its first byte, two quotes within it stand for one, and what
    follows the closing quote ends the field. Where every other quote begins a field and those
    between end one, all is well; otherwise each row is looked at.
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
        """Returns the next bytes, at most `size` of them."""
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
        """Raises an error if a row is wrong."""
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
            "value; add a header line with the column's name, or pass --input-format lines"
        )
