"""Cuts the rows of a file into spans of about as many bytes each, or where another file was cut."""

import io
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from tallystick.io.files.byte_ranges import Span
from tallystick.io.files.opening import is_packed, open_binary
from tallystick.io.files.pipes import is_piped
from tallystick.io.parts.row_starts import Rows, iterate_line_starts, iterate_row_starts
from tallystick.io.tables.formats import DELIMITERS
from tallystick.io.tables.jsonlines import holds_array, read_keys
from tallystick.io.tables.rows import read_layout

_TAIL = 1 << 16

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
        yield from iterate_row_starts(read_layout(path, DELIMITERS[kind]))
        return
    end = None if kind == "texts" else _find_end(path, b"\r\n" if kind == "lines" else None)
    for found in iterate_line_starts(path):
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
