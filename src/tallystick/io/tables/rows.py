"""Reads a CSV file row by row: for its header, and to name the row that Arrow refuses."""

import csv
import io
import os
import reprlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice

from tallystick.errors import InputError, say_count
from tallystick.frozen import dataclass
from tallystick.io.files.lines import LONGEST, check_length
from tallystick.io.files.opening import SNIFFED, name_source, open_binary, sniff
from tallystick.io.tables.formats import DELIMITERS
from tallystick.io.tables.quotes import are_quoted, find_stray

CLOSING = os.urandom(16).hex()
"""The content of every field in the closing row: random, so that no file can contain it."""
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}


@dataclass(frozen=True, slots=True)
class Layout:
    """The delimiter and the header of a file, and the number of blank lines before that.

    Attributes:
        quoted: Whether a field that begins with a quote ends with the next one that is not doubled.
    """

    path: str
    delimiter: str
    header: list[str]
    blank: int
    quoted: bool = True

    @property
    def source(self) -> str:
        """What messages call the file."""
        return name_source(self.path)

    @property
    def start(self) -> int:
        """The number of rows up to the first one of data, where the header counts as a row."""
        # Above a single column a blank line is a row too.
        return 1 if len(self.header) > 1 else self.blank + 1


def read_layout(path: str, kind: str) -> Layout:
    """Returns the layout of a file of a kind of delimited table.

    In a TSV file quotes enclose fields if each that begins with a quote ends with one on the same
    line, or if lines differ in their number of fields otherwise.
    """
    delimiter = _find_delimiter(path, DELIMITERS[kind])
    source, quote = name_source(path), kind.partition(" ")[2]
    quoted = quote == "double" or (not quote and (delimiter != "\t" or are_quoted(path, delimiter)))
    with _open_rows(path, delimiter, quoted=quoted) as (rows, _):
        for blank, header in enumerate(rows):
            if header == [CLOSING]:
                break
            if header:
                _check_closed(header, f"{source}: row 1")
                _check_text(header, [], f"{source}: row 1")
                return Layout(path, delimiter, header, blank, quoted)
    raise InputError(f"{source}: is empty, but a header with column names was expected")


def check_rows(layout: Layout) -> None:
    """Raises the error that names the first faulty row, if there is one."""
    with _open_rows(layout.path, layout.delimiter, quoted=layout.quoted) as (rows, lines):
        width = len(layout.header)
        full = (row for row in islice(rows, layout.blank, None) if row or width == 1)
        lines.clear()
        for number, row in enumerate(full, start=1):
            if row == [CLOSING]:
                return
            _check_row(row, "".join(lines), layout, f"{layout.source}: row {number}")
            lines.clear()


def _find_delimiter(path: str, usual: str) -> str:
    sample = sniff(path)
    text = sample.decode("utf-8-sig", errors="surrogateescape")
    return find_separator(text, usual, whole=len(sample) < SNIFFED)


def find_separator(text: str, usual: str, *, whole: bool) -> str:
    """Returns what separates the fields: what splits the header, and all rows as it splits that.

    The usual separator stands wherever it splits the header and the rows alike. Otherwise the one
    that gives the most columns does, and where none is consistent, one that splits the header.
    Where the text is not whole, its last row may be cut off.
    """
    usually = _count_fields(text, usual, whole)
    if usually[:1] > [1] and len(set(usually)) == 1:
        return usual
    widths = {mark: _count_fields(text, mark, whole) for mark in _SEPARATORS}
    splitting = [mark for mark in _SEPARATORS if widths[mark][:1] > [1]]
    splitting.sort(key=lambda mark: (mark != usual, -widths[mark][0]))
    consistent = [mark for mark in splitting if len(set(widths[mark])) == 1]
    return next(iter(consistent or splitting), usual)


def _count_fields(text: str, mark: str, whole: bool) -> list[int]:
    """Returns the number of fields of the header and of each row that is not blank."""
    try:
        lines = io.StringIO(text, newline="")
        widths = [len(row) for row in csv.reader(lines, delimiter=mark) if row]
    except csv.Error:
        return []
    return widths if whole else [*widths[:1], *widths[1:-1]]


def _check_row(row: list[str], text: str, layout: Layout, place: str) -> None:
    width = len(layout.header)
    _check_closed(row, place)
    if layout.quoted:
        _check_quotes(text, layout, place)
    _check_text(row, layout.header, place)
    if len(row or [""]) != width:
        marks = _SEPARATORS[layout.delimiter]
        cure = f"; put a field that holds {marks} in quotes" if len(row) > width else ""
        raise InputError(
            f"{place} has {say_count(len(row), 'field')}, but the header has {width}, separated by "
            f"{marks}{cure}"
        )


def _check_closed(row: list[str], place: str) -> None:
    if row and row[-1].endswith(CLOSING):
        raise InputError(f"{place} opens a quote in field {len(row)} that is never closed")


def _check_quotes(text: str, layout: Layout, place: str) -> None:
    stray = find_stray(text.lstrip("\r\n"), layout.delimiter)
    if stray is not None:
        index, stood = stray
        raise InputError(
            f"{place}, column {_name(layout.header, index)}: text follows the closing quote of "
            f"{reprlib.repr(stood)}; a quote within a quoted field is written twice"
        )


def _check_text(row: list[str], header: list[str], place: str) -> None:
    for index, field in enumerate(row):
        column = _name(header, index)
        if "\0" in field:
            raise InputError(f"{place}, column {column} holds a NUL byte, so it is not text")
        try:
            field.encode()
        except UnicodeEncodeError as error:
            byte = ord(field[error.start]) - 0xDC00
            raise InputError(f"{place}, column {column}: 0x{byte:02x} is not UTF-8") from error


def _name(header: list[str], index: int) -> str:
    return repr(header[index]) if index < len(header) else str(index + 1)


@contextmanager
def _open_rows(
    path: str, delimiter: str, *, quoted: bool
) -> Iterator[tuple[Iterator[list[str]], list[str]]]:
    """Opens the rows, a blank one and the closing row; what is not UTF-8 comes as surrogates.

    Beside the rows is the list to which the lines of each are added as it is read.
    """
    csv.field_size_limit(2**31 - 1)  # the default of 128 KiB is shorter than some documents
    with open_binary(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="")
        bounded = iter(partial(text.readline, LONGEST + 1), "")
        closed = chain(bounded, ["\n", CLOSING])  # the line between keeps it off an open quote
        lines: list[str] = []
        try:
            kept = _keep(closed, lines, name_source(path))
            read = partial(csv.reader, kept, delimiter=delimiter)
            yield read() if quoted else read(quoting=csv.QUOTE_NONE), lines
        except csv.Error as error:
            raise InputError(f"{name_source(path)}: cannot be read as a table: {error}") from error


def _keep(given: Iterable[str], lines: list[str], source: str) -> Iterator[str]:
    """Yields the lines and keeps those of one row, until they are cleared."""
    number = size = 0
    for line in given:
        if not lines:
            number, size = number + 1, 0
        size += len(line)
        if size > LONGEST:
            check_length(size, f"{source}: row {number}", ", or a quote in it is never closed")
        lines.append(line)
        yield line
