"""Reads large CSV files that are plain; columns whose values recur, such as labels, as codes."""

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow

from tallystick._native import _ext
from tallystick.io.files.byte_ranges import Asked
from tallystick.io.files.opening import open_binary
from tallystick.io.tables.building import MOST_CODED, SEED, build_cells
from tallystick.io.tables.rows import Layout

_BLOCK, _LEAST = 1 << 22, 1 << 20
"""So many bytes are read at once; smaller files than the other are left to Arrow."""


class CodedCells:
    """The rows of a file, as far as it is plain: without quotes in fields, and as it begins.

    Attributes:
        rows: How many rows have been read, the header among them.
        finished: Whether these are all rows of the file.
        coded: The columns that are codes, as the first block shows it.
    """

    def __init__(self, layout: Layout, kept: list[str]) -> None:
        """Takes the layout of the file, and the names of the columns to read."""
        self.rows, self.finished, self.coded = 0, False, tuple(kept)
        self._layout, self._kept = layout, kept
        self._places = np.array([layout.header.index(name) for name in kept], np.int64)

    def read(self, asked: Asked) -> Iterator[pyarrow.Table]:
        """Yields the rows, or a span of them, up to the first block that is not plain."""
        watch = asked.watch
        before = 0 if watch is None else watch.done_bytes
        if len(self._layout.header) > 1:
            yield from self._read(asked)
        if watch is not None and not self.finished:  # all is read once more
            watch.done_bytes = before

    def _read(self, asked: Asked) -> Iterator[pyarrow.Table]:
        with open_binary(asked.path, watch=asked.watch, span=asked.span) as file:
            chunk = file.read(_BLOCK)
            if len(chunk) < _LEAST:
                return
            text = chunk.removeprefix(BOM_UTF8)
            while text:
                end = text.rfind(b"\n") + 1
                if not chunk:
                    end, text = len(text) + 1, text + b"\n"
                columns = self._code(text[:end]) if end else None
                if columns is None:
                    return
                fresh = columns.slice(max(0, self._layout.start - self.rows))
                self.rows += columns.num_rows
                if fresh.num_rows:
                    yield fresh
                chunk = file.read(_BLOCK)
                text = text[end:] + chunk
            self.finished = True

    def _code(self, text: bytes) -> pyarrow.Table | None:
        """The columns of some lines; None where they are not plain."""
        layout, data = self._layout, np.frombuffer(text, np.uint8)
        spelled = np.array([name not in self.coded for name in self._kept], np.uint8)
        width = len(layout.header)
        found = _ext.code_cells(
            data, layout.delimiter, width, self._places, spelled, MOST_CODED, SEED
        )
        if found is None:
            return None
        columns = dict(zip(self._kept, found, strict=True))
        # A column without rows is of no other kind than before.
        few = tuple(
            name for name in self.coded if len(columns[name][0]) or len(columns[name][2]) == 1
        )
        if few != self.coded:
            if self.rows:
                return None
            self.coded = few
        built = {name: build_cells(*column) for name, column in columns.items()}
        return pyarrow.table(built) if text.isascii() or _are_texts(built.values()) else None


def _are_texts(columns: Iterable[pyarrow.Array]) -> bool:
    try:
        for column in columns:
            texts = column.dictionary if isinstance(column, pyarrow.DictionaryArray) else column
            texts.validate(full=True)
    except pyarrow.ArrowInvalid:
        return False
    return True
