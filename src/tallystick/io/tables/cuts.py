"""Cuts the rows of a file into spans of about as many bytes each, or where another file was cut.

One pass over the file tells line ends within quotes from those between rows, by the rules by which
Arrow parses: a quote opens a field only as its first byte, two quotes within it stand for one, and
what follows the closing quote is plain. So no cut ever falls within a quoted field.
"""

import io
from bisect import bisect_left
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.frozen import dataclass, replace
from tallystick.io.files.byte_ranges import Span
from tallystick.io.files.lines import LONGEST, check_length
from tallystick.io.files.opening import is_packed, name_source, open_binary
from tallystick.io.files.pipes import is_piped
from tallystick.io.tables.formats import DELIMITERS
from tallystick.io.tables.jsonlines import holds_array, read_keys
from tallystick.io.tables.rows import Layout, check_rows, read_layout

_CHUNK = 1 << 18  # what a cache holds
_LARGEST = 1 << 23
_TAIL = 1 << 16
_NEWLINE, _RETURN, _QUOTE = b'\n\r"'

Offsets = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Some rows that follow each other.

    Attributes:
        ends: Which bytes from `start` on are the last one of a row, or of a blank line.
        blank: Which of those end a blank line that is no row; None where there is none.
    """

    start: int
    ends: Mask
    blank: Mask | None
    stop: int

    def __len__(self) -> int:
        blank = 0 if self.blank is None else np.count_nonzero(self.blank)
        return int(np.count_nonzero(self.ends) - blank)

    def find_starts(self) -> Offsets:
        """Returns the place of the first byte of each row in the file."""
        ends = np.flatnonzero(self.ends)
        starts = np.concatenate(([0], ends[:-1] + 1)) + self.start
        return starts if self.blank is None else starts[~self.blank[ends]]


Pick = Callable[[Rows, int], Sequence[int]]
"""Chooses some of the next rows, counted from 0, given how many rows precede them."""


def can_cut(path: str, kind: str) -> bool:
    """Returns whether a file can be read from its middle: no pipe, nothing gzipped, no JSON array.

    Its kind is one of `read_table`, or `texts`: lines of which blank ones at the end count too.
    """
    if kind == "parquet":
        return not is_piped(path)
    if kind not in (*DELIMITERS, "jsonl", "lines", "texts") or is_piped(path) or is_packed(path):
        return False
    return kind != "jsonl" or not holds_array(path)


def cut_by_size(path: str, kind: str, size: int) -> list[Span]:
    """Returns all rows of a file that can be cut in spans of about so many bytes.

    Parquet files are cut between groups of rows only.
    """
    if kind == "parquet":
        from tallystick.io.tables.parquet import list_groups

        return _gather_groups(list_groups(path), size)
    last = -1

    def pick(found: Rows, before: int) -> Sequence[int]:
        nonlocal last
        if (found.stop - 1) // size == last:
            return ()
        steps = found.find_starts() // size
        chosen: list[int] = np.flatnonzero(np.diff(steps, prepend=last)).tolist()
        last = max([last, *steps[-1:].tolist()])
        return chosen

    return _cut_text(path, kind, pick)


def cut_by_rows(path: str, kind: str, rows: Sequence[int]) -> list[Span]:
    """Returns all rows of a file that can be cut in spans that begin with the first row and others.

    These are counted from 0, ascending; those beyond the end are left out.
    """
    marks = sorted({0, *rows})
    if kind == "parquet":
        from tallystick.io.tables.parquet import list_groups

        total = sum(size for size, _ in list_groups(path))
        return _join([(row, 0) for row in marks if row < total], (total, 0), 0)

    def pick(found: Rows, before: int) -> Sequence[int]:
        start, stop = (bisect_left(marks, place) for place in (before, before + len(found)))
        return [mark - before for mark in marks[start:stop]]

    return _cut_text(path, kind, pick)


def _cut_text(path: str, kind: str, pick: Pick) -> list[Span]:
    """Returns the spans of a text file that begin with the rows that are picked."""
    points: list[tuple[int, int]] = []
    rows = stop = head = 0
    for found in _iterate_rows(path, kind):
        if not stop:
            head = found.start
        chosen = pick(found, rows)
        if chosen:
            starts = found.find_starts()
            points += [(rows + row, int(starts[row])) for row in chosen]
        rows, stop = rows + len(found), found.stop
    spans = _join(points, (rows, stop), head)
    if kind != "jsonl" or not spans:
        return spans
    keys = read_keys(path)
    return [replace(span, keys=keys) for span in spans]


def _iterate_rows(path: str, kind: str) -> Iterator[Rows]:
    if kind in DELIMITERS:
        yield from _iterate_below(read_layout(path, DELIMITERS[kind]))
        return
    end = None if kind == "texts" else _find_end(path, b"\r\n" if kind == "lines" else None)
    for found in _iterate_lines(path):
        if end is None or found.stop <= end:
            yield found
        elif found.start < end:
            ends = found.ends[: end - found.start].copy()
            ends[-1] = True
            yield Rows(found.start, ends, None, end)


def _find_end(path: str, blank: bytes | None) -> int:
    """Returns where a file ends but for some bytes, or white space, of blank lines."""
    with open_binary(path) as file:
        end = file.seek(0, io.SEEK_END)
        while end:
            start = max(0, end - _TAIL)
            file.seek(start)
            tail = file.read(end - start).rstrip(blank)
            if tail:
                return start + len(tail)
            end = start
    return 0


def _join(points: Sequence[tuple[int, int]], end: tuple[int, int], head: int) -> list[Span]:
    """Returns the spans between some rows, each with the place where it begins."""
    return [
        Span(row, after - row, start, stop, head)
        for (row, start), (after, stop) in pairwise([*points, end])
    ]


def _gather_groups(groups: Sequence[tuple[int, int]], size: int) -> list[Span]:
    """Returns spans of groups of rows, given the rows and the bytes of each group."""
    spans: list[Span] = []
    first = rows = taken = 0
    for count, weight in groups:
        if rows and taken + weight > size:
            spans.append(Span(first, rows, 0, taken))
            first, rows, taken = first + rows, 0, 0
        rows, taken = rows + count, taken + weight
    return [*spans, Span(first, rows, 0, taken)] if rows else spans


def _iterate_lines(path: str) -> Iterator[Rows]:
    r"""Yields the lines of a file, many at a time; only `\n` ends a line, blank ones count."""
    pending, before = b"", 0
    with open_binary(path) as file:
        while chunk := file.read(min(max(_CHUNK, len(pending)), _LARGEST)):
            pending += chunk
            ends = np.frombuffer(pending, np.uint8) == _NEWLINE
            if size := _measure(ends):
                yield Rows(before, ends[:size], None, before + size)
                pending, before = pending[size:], before + size
            check_length(len(pending), f"{name_source(path)}: a line")
    if pending:
        last = np.zeros(len(pending), bool)
        last[-1] = True
        yield Rows(before, last, None, before + len(pending))


def _iterate_below(layout: Layout) -> Iterator[Rows]:
    """Yields the rows of a CSV file below its header, many at a time.

    Blank lines are no rows, but in a single column they are empty values.

    Raises:
        InputError: A quote is never closed, or a row is too long.
    """
    headed, single = False, len(layout.header) == 1
    for found in _iterate_csv(layout):
        start, blank = 0, found.blank
        if not headed and len(found):
            headed = True
            full = found.ends if blank is None else found.ends & ~blank
            start = int(np.argmax(full)) + 1
        if headed and start < len(found.ends):
            blank = None if single or blank is None else blank[start:]
            yield Rows(found.start + start, found.ends[start:], blank, found.stop)


def _iterate_csv(layout: Layout) -> Iterator[Rows]:
    """Yields the lines of a CSV file; one that goes on within quotes is a single line."""
    pending, before = b"", 0
    with open_binary(layout.path) as file:
        if file.read(len(BOM_UTF8)) == BOM_UTF8:
            before = len(BOM_UTF8)
        file.seek(before)
        while chunk := file.read(min(max(_CHUNK, len(pending)), _LARGEST)):
            pending += chunk
            data = np.frombuffer(pending, np.uint8)
            ends = _find_ends(data, layout.delimiter)
            if size := _measure(ends):
                yield _part(data[:size], ends[:size], before)
                pending, before = pending[size:], before + size
            elif len(pending) > LONGEST:
                raise _refuse(layout)
    if pending:
        data = np.frombuffer(pending + b"\n", np.uint8)  # as Arrow is given it
        ends = _find_ends(data, layout.delimiter)
        if not ends[-1]:
            raise _refuse(layout)
        yield replace(_part(data, ends, before), stop=before + len(pending))


def _refuse(layout: Layout) -> InputError:
    """Returns the error of a file with a row that does not end, unless a row is at fault."""
    check_rows(layout)
    return InputError(f"{layout.source}: cannot be cut; is a row longer than 64 MiB?")


def _measure(ends: Mask) -> int:
    """Returns how many bytes whole lines take up."""
    return ends.tobytes().rfind(b"\1") + 1


def _part(data: NDArray[np.uint8], ends: Mask, before: int) -> Rows:
    blank = ends.copy()
    blank[1:] &= ends[:-1]
    returns = data == _RETURN
    if returns.any():
        paired = ends[1:] & returns[:-1] & (data[1:] == _NEWLINE)
        paired[1:] &= ends[:-2]
        blank[1:] |= paired
    return Rows(before, ends, blank if blank.any() else None, before + len(data))


def _find_ends(data: NDArray[np.uint8], delimiter: str) -> Mask:
    """Returns which bytes are the last one of a line, outside of quotes.

    A return at the very end is left to be seen with what follows it.
    """
    ends: Mask = data == _NEWLINE
    returns = data == _RETURN
    if returns.any():
        ends[:-1] |= returns[:-1] & ~ends[1:]
    quotes = data == _QUOTE
    if quotes.any():
        may_open = np.ones(len(data), bool)
        may_open[1:] = (ends | returns | (data == ord(delimiter)))[:-1]
        ends &= ~_find_inside(quotes, may_open)
    return ends


def _find_inside(quotes: Mask, may_open: Mask) -> Mask:
    """Returns which bytes are within quotes, given all quotes and where one opens a field.

    The first of two quotes that stand for one may look as if it closed and the second opened.
    """
    inside = _toggle(quotes)
    opens = quotes & inside & ~may_open
    opens[1:] &= ~quotes[:-1]
    if not opens.any():
        return inside
    kept = np.zeros(len(quotes), bool)
    places = np.flatnonzero(quotes)
    kept[_follow_quotes(places.tolist(), may_open[places].tolist())] = True
    return _toggle(kept)


def _toggle(marks: Mask) -> Mask:
    """Returns which bytes have an odd number of marks up to them, 64 of them at a time."""
    words = np.packbits(np.pad(marks, (0, -len(marks) % 64)), bitorder="little").view("<u8")
    for shift in (1, 2, 4, 8, 16, 32):
        words ^= words << np.uint64(shift)
    odd = np.bitwise_xor.accumulate(words >> np.uint64(63))
    words[1:] ^= np.uint64(0) - odd[:-1]
    return np.unpackbits(words.view(np.uint8), count=len(marks), bitorder="little").view(bool)


def _follow_quotes(places: Sequence[int], may_open: Sequence[bool]) -> list[int]:
    """Returns the quotes that open and close fields, where others stand in plain fields."""
    kept: list[int] = []
    inside, skipped = False, -1
    for index, place in enumerate(places):
        if not inside and may_open[index]:
            inside = True
            kept.append(place)
        elif inside and place != skipped:
            if places[index + 1 : index + 2] == [place + 1]:
                skipped = place + 1
            else:
                inside = False
                kept.append(place)
    return kept
