"""Finds text after a closing quote in a CSV file, which parsers would add to the field silently."""

import re
from codecs import BOM_UTF8
from typing import final

import numpy as np
from numpy.typing import NDArray

from tallystick.io.files.lines import iterate_whole_lines
from tallystick.io.files.opening import open_binary

_QUOTE, _NEWLINE, _RETURN = b'"\n\r'
_PLAIN, _OPEN, _FREE = b"x", b'\n"', b"\n"
"""What stands for all bytes so far: in a plain field, in quotes, or where a field may begin."""


@final
class Quotes:
    """Follows the quotes of a file, chunk by chunk.

    A quote opens a field only as its first byte, two quotes within it stand for one, and what
    follows the closing quote ends the field.

    Attributes:
        broken: Whether something else follows a closing quote.
    """

    def __init__(self, delimiter: str) -> None:
        """Begins where a field may begin."""
        self.broken = False
        self._before = b""
        self._delimiter = ord(delimiter)
        self._ends = np.zeros(256, bool)
        self._ends[[self._delimiter, _NEWLINE, _RETURN]] = True
        self._known = self._ends.copy()
        self._known[_QUOTE] = True

    def take(self, chunk: bytes) -> None:
        """Follows the next bytes, of which quotes at the end wait for what follows them."""
        if not self._before:
            self._before, chunk = _FREE, chunk.removeprefix(BOM_UTF8)
        if b'"' not in chunk and self._before in (_PLAIN, _FREE, _OPEN):
            if chunk and self._before != _OPEN:
                self._before = _FREE if self._ends[chunk[-1]] else _PLAIN
            return
        data = self._before + chunk
        body = data.rstrip(b'"')
        inside = b'"' in body and self._follow(np.frombuffer(body, np.uint8))
        state = _OPEN if inside else _FREE if self._ends[body[-1]] else _PLAIN
        self._before = state + data[len(body) :]

    def _follow(self, data: NDArray[np.uint8]) -> bool:
        """Follows all quotes of some bytes; returns whether a field is open at their end."""
        places = np.flatnonzero(data == _QUOTE)
        opens = self._known[data[places[::2] - 1]].all()
        if opens and self._known[data[places[1::2] + 1]].all():
            return len(places) % 2 == 1
        return self._follow_cells(data, places)

    def _follow_cells(self, data: NDArray[np.uint8], places: NDArray[np.intp]) -> bool:
        """As `_follow`, where quotes stand within plain fields, or text after a closing quote.

        Between two ends of fields, within quotes or not, lies a cell. One that begins with a quote
        and has an odd number of them opens a field or ends one; one that begins otherwise and has
        an odd number ends one if it is open. Of quotes side by side an odd number ends a field.
        """
        heads = np.flatnonzero(np.diff(places, prepend=-1) > 1)
        starts, sizes = places[heads], np.diff(heads, append=len(places))
        ends = (data == self._delimiter) | (data == _NEWLINE) | (data == _RETURN)
        cells = np.searchsorted(np.flatnonzero(ends), starts)
        first = np.diff(cells, prepend=-1) > 0
        own = np.cumsum(first) - 1
        begins = ends[starts - 1]
        odd = np.add.reduceat(sizes, np.flatnonzero(first)) % 2 == 1
        turns = np.cumsum(odd & begins[first])
        inside = (turns - np.maximum.accumulate(np.where(odd & ~begins[first], turns, 0))) % 2 == 1
        before = np.concatenate(([False], inside[:-1]))[own]
        ending = (sizes - (begins & ~before)) % 2 == 1
        stray = (before | begins[first][own]) & ending & ~ends[starts + sizes]
        self.broken |= bool(stray.any())
        return bool(inside[-1])


def are_quoted(path: str, delimiter: str) -> bool:
    """Returns whether quotes enclose fields of a file in which fields mostly have one line.

    They do if each field that begins with a quote ends with one on the same line, where those
    between are doubled; or if lines differ in their number of fields unless they do.
    """
    mark = re.escape(delimiter.encode())
    field = rb'(?:"(?:[^"\r\n]|"")*+"|(?!")[^%b\r\n]*+)' % mark
    whole = re.compile(rb"%b(?:%b%b)*+\r?\n?" % (field, mark, field))
    opened = re.compile(rb'^(?:[^\n]*%b)?"[^\n]*\n?' % mark, re.MULTILINE)
    widths, closed = set[int](), True
    with open_binary(path) as file:
        for lines in iterate_whole_lines(file, path):
            text = lines.removeprefix(BOM_UTF8)
            if closed and b'"' in text:
                closed = all(map(whole.fullmatch, opened.findall(text)))
            widths.update(row.count(delimiter.encode()) for row in text.split(b"\n") if row.strip())
    return closed or len(widths) > 1


def find_stray(row: str, delimiter: str) -> tuple[int, str] | None:
    """Returns the first field of a row with text after its closing quote, and its number from 0."""
    mark = re.escape(delimiter)
    field = re.compile(rf'"(?:[^"]++|"")*+"([^{mark}\r\n]*)|(?!")[^{mark}\r\n]*')
    start = number = 0
    while (found := field.match(row, start)) is not None:
        if found[1]:
            return number, found[0]
        if row[found.end() : found.end() + 1] != delimiter:
            return None
        start, number = found.end() + 1, number + 1
    return None
