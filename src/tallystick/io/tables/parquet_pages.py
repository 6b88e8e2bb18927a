"""Measures a Parquet file by its footer and the headers of its pages, before anything is decoded.

A footer may be false, and a page of a few bytes can unpack to gigabytes; readers rely on the header
of each page. Arrow's own view of a footer ends the process where the footer is damaged.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from tallystick.errors import InputError
from tallystick.frozen import dataclass

_FOOTER = 1 << 19
_HEADER = 1 << 20
_PAGES = 20_000
_DEEPEST = 60
_END: Final = b"PAR1"
_WIDTHS: Final = {0: 1, 1: 4, 2: 8, 3: 12, 4: 4, 5: 8, 6: 8}
"""The bytes of a value by its physical type, with its offset where it is a text."""
_TEXT, _FIXED = 6, 7
_DICTIONARIES: Final = (2, 8)
_DELTA: Final = 7
_TEXTS: Final = {None, 0, 4, 19, 20}
"""What texts stand for where each of a dictionary is read once: text, enumerations and JSON."""


_Fields: TypeAlias = dict[int, Any]
"""A record of Thrift: its values by the numbers of their fields."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column without others inside of it.

    Attributes:
        path: Its name, behind the names of what it is inside of.
        width: How many bytes a value takes, besides its text.
        texts: Whether its values are texts of any length.
    """

    path: str
    width: int
    texts: bool
    plain: bool
    repeated: bool


@dataclass(frozen=True, slots=True)
class Footer:
    """What the footer of a file says.

    Attributes:
        rows: How many rows there are, by the count that is the largest.
        chunks: The column, the first byte and the end of each run of pages.
    """

    columns: Sequence[Column]
    rows: int
    chunks: Sequence[tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class Page:
    """What the header of a page says.

    Attributes:
        values: How many values it holds; 0 where it is a dictionary.
        repeats: Whether values stand for texts of a dictionary, or repeat the one before.
        delta: Whether each repeats the beginning of the one before.
    """

    column: int
    size: int
    values: int
    repeats: bool
    delta: bool


def read_footer(file: memoryview) -> Footer:
    """Returns the footer of a Parquet file."""
    if len(file) < 12 or bytes(file[-4:]) != _END:
        raise _refuse("it does not end as one")
    size = int.from_bytes(file[-8:-4], "little")
    if size > _FOOTER:
        raise InputError(
            f"has a Parquet footer of more than {_FOOTER >> 10} kB, which is too large"
        )
    try:
        found = _Thrift(file[max(0, len(file) - 8 - size) : len(file) - 8]).read_struct()
        groups = found.get(4, [])
        counts = [_number(found[3]), sum(_number(group[3]) for group in groups)]
        chunks = [
            (at, *_find_chunk(chunk[3])) for group in groups for at, chunk in enumerate(group[1])
        ]
        columns = [*_list_columns(iter(found[2]))]
        if any(at >= len(columns) or end > len(file) for at, _, end in chunks):
            raise _refuse("a column lies outside of it")
    except (AttributeError, IndexError, KeyError, TypeError, UnicodeError) as error:
        raise _refuse("its footer is damaged") from error
    return Footer(columns, max(counts), chunks)


def _refuse(reason: str) -> InputError:
    return InputError(f"is not a valid Parquet file: {reason}")


def _number(value: object) -> int:
    """Checks that a value is a whole number of at least 0."""
    if type(value) is not int or value < 0:
        raise TypeError(value)
    return value


def _find_chunk(chunk: _Fields) -> tuple[int, int]:
    """The first byte of some pages of a column, and their end."""
    first, start = _number(chunk.get(11) or 0), _number(chunk[9])
    start = min(first, start) if first and start else first or start
    return start, start + _number(chunk[7])


def _list_columns(elements: Iterator[_Fields]) -> Iterator[Column]:
    """Yields the columns of a schema, which lists what is inside of each element behind it."""
    root = next(elements, {})
    waiting = [("", False, root.get(5, 0))]
    while waiting:
        before, repeated, children = waiting.pop()
        if not children:
            continue
        waiting.append((before, repeated, children - 1))
        own = next(elements, None)
        if own is None:
            raise KeyError("schema")
        name, several = before + own[4].decode(), repeated or own.get(3) == 2
        if own.get(5):
            waiting.append((f"{name}.", several, _number(own[5])))
            continue
        kind = own[1]
        width = _number(own[2]) if kind == _FIXED else _WIDTHS[kind]
        levels = 4 if before or several else 0
        plain = own.get(6) in _TEXTS
        yield Column(name, max(width, 1) + levels, kind == _TEXT, plain, several)


def list_pages(file: memoryview, footer: Footer) -> Iterator[Page]:
    """Yields the pages of all columns."""
    count = 0
    for column, start, end in footer.chunks:
        place = start
        while place < end:
            count += 1
            if count > _PAGES:
                raise InputError(f"has more than {_PAGES:,} Parquet pages; write larger ones")
            page, size = _read_page(column, file[place : place + _HEADER])
            yield page
            place += size


def _read_page(column: int, data: memoryview) -> tuple[Page, int]:
    header = _Thrift(data)
    try:
        found = header.read_struct()
        own = found.get(5) or found.get(8) or {}
        encoding = own.get(4 if 8 in found else 2)
        delta = encoding == _DELTA
        repeats = delta or encoding in _DICTIONARIES
        page = Page(column, _number(found[2]), _number(own.get(1, 0)), repeats, delta)
        return page, header.place + _number(found[3])
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise _refuse("a page has no header") from error


class _Thrift:
    """A record in Thrift's compact protocol."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self.place = 0

    def read_struct(self, depth: int = 0) -> _Fields:
        """Returns fields by their numbers.

        Raises:
            IndexError: It does not end.
            KeyError: It holds what no record of Parquet does.
        """
        fields: _Fields = {}
        number = 0
        while head := self._read_byte():
            step, kind = head >> 4, head & 15
            number = number + step if step else self._read_number()
            fields[number] = kind == 1 if kind in (1, 2) else self._read_value(kind, depth)
        return fields

    def _read_value(self, kind: int, depth: int) -> object:
        if kind in (1, 2, 3):
            return self._read_byte()
        if kind in (4, 5, 6):
            return self._read_number()
        if kind in (7, 8):
            length = 8 if kind == 7 else self._read_varint()
            self.place += length
            if self.place > len(self._data):
                raise IndexError(self.place)
            return bytes(self._data[self.place - length : self.place])
        if kind in (9, 10) and depth < _DEEPEST:
            head = self._read_byte()
            size = head >> 4 if head < 240 else self._read_varint()
            return [self._read_value(head & 15, depth + 1) for _ in range(size)]
        if kind == 12 and depth < _DEEPEST:
            return self.read_struct(depth + 1)
        raise KeyError(kind)

    def _read_byte(self) -> int:
        byte = self._data[self.place]
        self.place += 1
        return byte

    def _read_varint(self) -> int:
        number = 0
        for shift in range(0, 70, 7):
            byte = self._read_byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
        raise KeyError("varint")

    def _read_number(self) -> int:
        number = self._read_varint()
        return (number >> 1) ^ -(number & 1)
