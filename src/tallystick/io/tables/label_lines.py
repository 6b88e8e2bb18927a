"""Reads text files of one label a line, without touching a line in Python."""

from collections.abc import Iterator

import numpy as np
import pyarrow

from tallystick.io.files.lines import iterate_texts, split_lines
from tallystick.io.files.pieces import Asked
from tallystick.io.tables.building import build_split, build_strings

_CHUNK, _FEW = 1 << 16, 8
"""Lines of files of so many bytes or more become codes, if the first ones recur so often."""


def read_labels(asked: Asked) -> tuple[list[str], pyarrow.Table]:
    """Returns the lines of a file as a column, without blank ones at the end."""
    blocks = [columns for _, columns in iterate_labels(asked)]
    empty = pyarrow.table({"label": build_strings([])})
    return ["label"], pyarrow.concat_tables(blocks) if blocks else empty


def iterate_labels(asked: Asked, _rows: int = 0) -> Iterator[tuple[list[str], pyarrow.Table]]:
    """Yields what `read_labels` returns in blocks."""
    coded, blank = None, list[pyarrow.Table]()
    for text in iterate_texts(asked.path, watch=asked.watch, size=_CHUNK):
        data, offsets = split_lines(text)
        lines = build_split(data, offsets)
        if coded is None:
            coded = len(text) >= _CHUNK and len(lines) >= _FEW * len(lines.unique())
        table = pyarrow.table({"label": lines.dictionary_encode() if coded else lines})
        filled = int(np.searchsorted(offsets, len(data)))  # up to the last line that is not blank
        if filled:
            yield from ((["label"], own) for own in (*blank, table.slice(0, filled)))
            blank = []
        if filled < len(lines):
            blank.append(table.slice(filled))
