"""Reads tables that are lines of text: columns parted by blanks, scores, and a label a line."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow

from tallystick.errors import InputError, say_count
from tallystick.io.files.datasets import Asked
from tallystick.io.files.lines import iterate_lines, iterate_texts, split_lines
from tallystick.io.files.opening import name_source
from tallystick.io.tables.formats import SCORES, is_headless, name_columns, select_names
from tallystick.io.tables.values import build_numbers, build_split, build_strings


def read_blanks(asked: Asked) -> tuple[list[str], pyarrow.Table]:
    """Returns the names of all columns, and the columns that are kept, as strings."""
    source = name_source(asked.path)
    rows: list[Sequence[str]] = []
    above = "first row" if is_headless(asked.format) else "header"
    for number, line in enumerate(iterate_lines(asked.path, watch=asked.watch), start=1):
        fields = line.split()
        if fields and rows and len(fields) != len(rows[0]):
            raise InputError(
                f"{source}: line {number} has {say_count(len(fields), 'field')} separated by "
                f"blanks, but the {above} has {len(rows[0])}"
            )
        rows += [fields] if fields else []
    if not rows:
        raise InputError(f"{source}: is empty, but a {above} was expected")
    header, rest = (
        name_columns(source, asked.format, rows[0]),
        rows[not is_headless(asked.format) :],
    )
    columns = {
        name: build_strings([row[place] for row in rest])
        for place, name in enumerate(header)
        if name in select_names(source, header, asked.only)
    }
    return header, pyarrow.table(columns)


def read_scores(asked: Asked) -> tuple[list[str], pyarrow.Table]:
    """Returns the columns `system`, `segment` and `score` of a score file of mt-metrics-eval.

    Each line holds the name of a system and a score, as text. A system's first line is of segment
    1, its second one of segment 2, and so on; scores of whole systems are of segment 1 alone.
    """
    source = name_source(asked.path)
    counts, segments = Counter[str](), list[int]()
    rows: list[Sequence[str]] = []
    for number, line in enumerate(iterate_lines(asked.path, watch=asked.watch), start=1):
        fields = line.split()
        if len(fields) != 2:
            raise InputError(
                f"{source}: line {number} has {say_count(len(fields), 'field')} separated by "
                "blanks, but a system and its score were expected"
            )
        rows.append(fields)
        counts[fields[0]] += 1
        segments.append(counts[fields[0]])
    if not rows:
        raise InputError(f"{source}: is empty, but a system and its score were expected")
    systems, scores = zip(*rows, strict=True)
    columns = (build_strings(systems), build_numbers(segments), build_strings(scores))
    return [*SCORES], pyarrow.table(dict(zip(SCORES, columns, strict=True)))


_CHUNK, _FEW = 1 << 16, 8
"""Lines of files of so many bytes or more become codes, if the first ones recur so often."""


def iterate_labels(asked: Asked, _rows: int) -> Iterator[tuple[list[str], pyarrow.Table]]:
    """Yields the lines of a file as a column in blocks, without blank ones at the end."""
    coded, blank, total = None, list[pyarrow.Table](), 0
    for text in iterate_texts(asked.path, watch=asked.watch, size=_CHUNK):
        data, offsets = split_lines(text)
        lines = build_split(data, offsets)
        if coded is None:
            coded = len(text) >= _CHUNK and len(lines) >= _FEW * len(lines.unique())
        table = pyarrow.table({"label": lines.dictionary_encode() if coded else lines})
        filled = int(np.searchsorted(offsets, len(data)))  # up to the last line that is not blank
        if filled:
            yield from ((["label"], own) for own in (*blank, table.slice(0, filled)))
            blank, total = [], total + filled
        if filled < len(lines):
            blank.append(table.slice(filled))
    if not total:
        yield ["label"], pyarrow.table({"label": build_strings([])})
