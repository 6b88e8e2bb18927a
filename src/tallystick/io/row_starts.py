"""Finds where the rows of a text file begin, so that it can be cut between two of them.

One pass over the file tells line ends within quotes from those between rows, by the rules by which
Arrow parses: a quote opens a field only as its first byte, two quotes within it stand for one, and
what follows the closing quote is plain. So no cut ever lies within a quoted field.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.io.files import open_binary
from tallystick.io.rows import Layout, check_rows

__all__ = ["Starts", "iterate_line_starts", "iterate_row_starts"]

_CHUNK = 1 << 22
_LONGEST = 1 << 30
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Offsets = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Starts:
    """Where some rows begin that follow each other.

    Attributes:
        offsets: The place of the first byte of each row in the file.
        stop: Where the last of them ends.
    """

    offsets: Offsets
    stop: int


def iterate_line_starts(path: str) -> Iterator[Starts]:
    r"""Yields where lines begin, many at a time; only `\n` ends a line, blank ones count."""
    with open_binary(path) as file:
        before, within = 0, False
        while chunk := file.read(_CHUNK):
            stop = before + len(chunk)
            ends = _find(np.frombuffer(chunk, np.uint8), b"\n") + (before + 1)
            starts = ends if within else np.concatenate(([before], ends))
            within = not chunk.endswith(b"\n")
            yield Starts(starts if within else starts[:-1], stop)
            before = stop


def iterate_row_starts(layout: Layout) -> Iterator[Starts]:
    """Yields where the rows of a CSV file begin, many at a time; first comes its header alone.

    Blank lines are no rows, but in a single column they are empty values.

    Raises:
        InputError: A quote is never closed, or a row is longer than 1 GiB.
    """
    headed = False
    for lines in _iterate_lines(layout):
        full = np.flatnonzero(~lines.blank)
        first = 0
        if not headed:
            if not len(full):
                continue
            headed, first = True, int(full[0]) + 1
            yield Starts(lines.starts[first - 1 : first], int(lines.nexts[first - 1]))
        rows = full[full >= first] if len(layout.header) > 1 else np.arange(first, len(lines.nexts))
        if len(rows):
            yield Starts(lines.starts[rows], int(lines.nexts[rows[-1]]))


@dataclass(frozen=True, slots=True, eq=False)
class _Lines:
    """Where some lines begin, where the next ones do, and which of them are blank."""

    starts: Offsets
    nexts: Offsets
    blank: NDArray[np.bool_]


def _iterate_lines(layout: Layout) -> Iterator[_Lines]:
    """Yields the lines of a CSV file; one that goes on within quotes is a single line."""
    pending, before = b"", 0
    with open_binary(layout.path) as file:
        if file.read(len(_BYTE_ORDER_MARK)) == _BYTE_ORDER_MARK:
            before = len(_BYTE_ORDER_MARK)
        file.seek(before)
        while chunk := file.read(max(_CHUNK, len(pending))):
            pending += chunk
            ends = _find_ends(pending, layout.delimiter)
            if len(ends):
                yield _split(pending, ends, before)
                pending, before = pending[ends[-1] + 1 :], before + int(ends[-1]) + 1
            elif len(pending) > _LONGEST:
                break
    if pending:
        closed = pending + b"\n"  # as Arrow is given it
        ends = _find_ends(closed, layout.delimiter)
        if not len(ends) or ends[-1] + 1 < len(closed):
            check_rows(layout)
            raise InputError(f"{layout.source}: cannot be cut; is a row longer than 1 GiB?")
        lines = _split(closed, ends, before)
        yield _Lines(lines.starts, np.minimum(lines.nexts, before + len(pending)), lines.blank)


def _split(text: bytes, ends: Offsets, before: int) -> _Lines:
    data = np.frombuffer(text, np.uint8)
    nexts = ends + 1
    starts = np.concatenate(([0], nexts[:-1]))
    blank = (ends == starts) | ((nexts == starts + 2) & (data[starts] == ord("\r")))
    return _Lines(starts + before, nexts + before, blank)


def _find_ends(text: bytes, delimiter: str) -> Offsets:
    """Returns the places of the last byte of each line outside of quotes.

    A return at the very end is left to be seen with what follows it.
    """
    data = np.frombuffer(text, np.uint8)
    ends = _find(data, b"\n")
    if b"\r" in text:
        returns = _find(data[:-1], b"\r")
        alone = returns[data[returns + 1] != ord("\n")]
        ends = np.sort(np.concatenate((ends, alone))) if len(alone) else ends
    if b'"' in text:
        quotes = _find_quotes(data, delimiter)
        ends = ends[np.searchsorted(quotes, ends) % 2 == 0]
    return ends


def _find_quotes(data: NDArray[np.uint8], delimiter: str) -> Offsets:
    """Returns the places of the quotes that open and close fields, in turn.

    The two of a pair that stands for one quote may be among them, the first as one that closes.
    """
    quotes = _find(data, b'"')
    opens = np.isin(data[quotes - 1], np.frombuffer(f"{delimiter}\r\n".encode(), np.uint8))
    opens[quotes == 0] = True
    paired = np.diff(quotes, prepend=-2) == 1
    if (opens | paired)[::2].all():
        return quotes
    return _follow_quotes(quotes, opens)


def _follow_quotes(quotes: Offsets, opens: NDArray[np.bool_]) -> Offsets:
    """Returns what `_find_quotes` does where a quote stands in the middle of a plain field."""
    kept: list[int] = []
    places, may_open = quotes.tolist(), opens.tolist()
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
    return np.array(kept, np.int64)


def _find(data: NDArray[np.uint8], byte: bytes) -> Offsets:
    return np.flatnonzero(data == byte[0]).astype(np.int64, copy=False)
