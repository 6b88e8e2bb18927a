"""CSV and TSV files are read by Arrow; one that Arrow refuses is read again to name its fault.

A closing row is added behind the last one. Where it does not come out again, an open quote has
swallowed it, which Arrow alone would accept without a word.
"""

import csv
import io
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import BinaryIO

import pyarrow
import pyarrow.compute
import pyarrow.csv

from tallystick.errors import InputError
from tallystick.io.columns import is_usual, select_names
from tallystick.io.files import name_source, open_binary
from tallystick.io.separators import find_separator, name_separator

__all__ = ["read_delimited"]

_CLOSING = os.urandom(16).hex()  # drawn anew, so that no file can hold it
_BLOCK = 1 << 20
_LARGEST_BLOCK = 1 << 30
_SAMPLE = 1 << 16


@dataclass(frozen=True, slots=True)
class _Layout:
    """What is known of a file once its header has been read."""

    path: str
    delimiter: str
    header: list[str]
    blank: int  # lines before the header


def read_delimited(
    path: str, *, delimiter: str, only: Collection[str] | None
) -> tuple[list[str], pyarrow.Table]:
    """Return the names of all columns, and the columns that are kept, as strings.

    A blank line is skipped, except in a single column, where it is an empty value.

    Args:
        path: The file.
        delimiter: What usually separates the fields; another one is found out from the header.
        only: The columns to keep where present; all if None.

    Raises:
        InputError: The file cannot be opened; a row is ragged, not UTF-8 or never closed; or what
            was taken for the header of a single column is one of its values.
    """
    layout = _read_header(path, _find_delimiter(path, delimiter))
    source = name_source(path)
    kept = select_names(source, layout.header, only)
    columns = _parse(layout, kept, block=_BLOCK)
    if columns is None:
        _check_rows(layout)
        # No row is at fault, so one of them must be longer than a block.
        columns = _parse(layout, kept, block=_LARGEST_BLOCK)
    if columns is None:
        raise InputError(f"{source}: cannot be read as a table; is a row longer than 1 GiB?")
    if len(layout.header) == 1 and kept:
        _check_header(columns.column(0), layout.header[0], source)
    return layout.header, columns


class _ClosedFile:
    """A file followed by the closing row, as far as Arrow needs a file."""

    closed = False

    def __init__(self, file: BinaryIO, row: bytes) -> None:
        self.has_nul = False
        self._file = file
        self._between = b""  # ends the last line if the file does not
        self._rest = row

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most `size` of them except for the closing row."""
        chunk = self._file.read(size)
        if chunk:
            self.has_nul |= b"\0" in chunk
            self._between = b"" if chunk.endswith((b"\n", b"\r")) else b"\n"
            return chunk
        rest, self._between, self._rest = self._between + self._rest, b"", b""
        return rest


def _parse(layout: _Layout, kept: list[str], *, block: int) -> pyarrow.Table | None:
    """Return the columns; None if the file is faulty or has a row longer than a block."""
    width = len(layout.header)
    closing = layout.delimiter.join([_CLOSING] * width) + "\n"
    with open_binary(layout.path) as file:
        closed = _ClosedFile(file, closing.encode())
        try:
            columns = pyarrow.csv.read_csv(
                closed,
                pyarrow.csv.ReadOptions(block_size=block, column_names=layout.header),
                pyarrow.csv.ParseOptions(
                    delimiter=layout.delimiter,
                    newlines_in_values=True,
                    ignore_empty_lines=width > 1,
                ),
                pyarrow.csv.ConvertOptions(
                    column_types=dict.fromkeys(kept, pyarrow.string()), include_columns=kept
                ),
            )
        except pyarrow.ArrowInvalid:
            return None
    # A NUL makes Arrow lose count of quotes and rows.
    if closed.has_nul or any(column[-1].as_py() != _CLOSING for column in columns.columns):
        return None
    # The header comes out as a row too, and above a single column so do blank lines.
    start = 1 if width > 1 else layout.blank + 1
    return columns.slice(start, columns.num_rows - 1 - start)


def _find_delimiter(path: str, usual: str) -> str:
    with open_binary(path) as file:
        sample = file.read(_SAMPLE)
    text = sample.decode("utf-8-sig", errors="surrogateescape")
    return find_separator(text, usual, whole=len(sample) < _SAMPLE)


def _check_header(values: pyarrow.ChunkedArray, name: str, source: str) -> None:
    """Raise an error if the header of a single column is rather its first value."""
    if is_usual(name):
        return
    recurs = pyarrow.compute.index(values, name).as_py() >= 0
    if recurs or (name != "0" and _is_number(name)):  # pandas calls a lone column 0
        raise InputError(
            f"{source}: the first line {name!r} was read as a header, but looks like a value; "
            "write the name of the column above it, or pass --input-format lines"
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read_header(path: str, delimiter: str) -> _Layout:
    source = name_source(path)
    for blank, header in enumerate(_iterate_rows(path, delimiter)):
        if header == [_CLOSING]:
            break
        if header:
            _check_closed(header, f"{source}: row 1")
            _check_text(header, [], f"{source}: row 1")
            return _Layout(path, delimiter, header, blank)
    raise InputError(f"{source}: is empty, but a header with column names was expected")


def _check_rows(layout: _Layout) -> None:
    """Raise the error that names the first faulty row, if there is one."""
    rows = islice(_iterate_rows(layout.path, layout.delimiter), layout.blank, None)
    width = len(layout.header)
    full = (row for row in rows if row or width == 1)
    for number, row in enumerate(full, start=1):
        if row == [_CLOSING]:
            return
        place = f"{name_source(layout.path)}: row {number}"
        _check_closed(row, place)
        _check_text(row, layout.header, place)
        if len(row or [""]) != width:
            marks = name_separator(layout.delimiter)
            cure = f"; put a field that holds {marks} in quotes" if len(row) > width else ""
            raise InputError(
                f"{place} has {len(row)} fields, but the header has {width}, separated by "
                f"{marks}{cure}"
            )


def _check_closed(row: list[str], place: str) -> None:
    if row and row[-1].endswith(_CLOSING):
        raise InputError(f"{place} opens a quote in field {len(row)} that is never closed")


def _check_text(row: list[str], header: list[str], place: str) -> None:
    for index, field in enumerate(row):
        column = repr(header[index]) if index < len(header) else index + 1
        if "\0" in field:
            raise InputError(f"{place}, column {column} holds a NUL byte, so it is not text")
        try:
            field.encode()
        except UnicodeEncodeError as error:
            byte = ord(field[error.start]) - 0xDC00
            raise InputError(f"{place}, column {column}: 0x{byte:02x} is not UTF-8") from error


def _iterate_rows(path: str, delimiter: str) -> Iterator[list[str]]:
    """Yield the rows, a blank one and the closing row; what is not UTF-8 comes as surrogates."""
    csv.field_size_limit(2**31 - 1)  # the default of 128 KiB is shorter than some documents
    with open_binary(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="")
        closed = chain(text, ["\n", _CLOSING])  # the line between keeps it off an open quote
        try:
            yield from csv.reader(closed, delimiter=delimiter)
        except csv.Error as error:
            raise InputError(f"{name_source(path)}: cannot be read as a table: {error}") from error
