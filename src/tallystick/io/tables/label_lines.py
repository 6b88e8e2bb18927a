"""Reads text files of one label a line, without touching a line in Python."""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow

from tallystick import _native
from tallystick.errors import InputError
from tallystick.io.files.lines import iterate_texts, split_lines
from tallystick.io.files.opening import name_source
from tallystick.io.files.pieces import Asked
from tallystick.io.tables.building import MOST_CODED, SEED, build_cells, build_split, build_strings

_NAMES = ["label"]
_LEAST = 1 << 17
"""Lines become codes where at least so many bytes come first."""

Lines = tuple[pyarrow.Array, int]
"""Some lines as strings or codes of them, and how many they are without blank ones at the end."""


def read_labels(asked: Asked) -> tuple[list[str], pyarrow.Table]:
    """Returns the lines of a file as a column, without blank ones at the end."""
    blocks = [_split(text) for text in iterate_texts(asked.path, watch=asked.watch)]
    if not blocks:
        raise InputError(
            f"{name_source(asked.path)}: is empty, but one example a line was expected"
        )
    labels = list(_drop_last_blanks(blocks))
    return _NAMES, pyarrow.table({"label": pyarrow.chunked_array(labels or [build_strings([])])})


def iterate_labels(asked: Asked, _rows: int = 0) -> Iterator[tuple[list[str], pyarrow.Table]]:
    """Yields what `read_labels` returns in blocks."""
    for column in _drop_last_blanks(_code(iterate_texts(asked.path, watch=asked.watch))):
        yield _NAMES, pyarrow.table({"label": column})


def _split(text: bytes) -> Lines:
    data, offsets = split_lines(text)
    return build_split(data, offsets), int(np.searchsorted(offsets, len(data)))


def _code(texts: Iterable[bytes]) -> Iterator[Lines]:
    """The lines of all texts as codes, if those of the first one are few of many."""
    are_coded: bool | None = None  # nothing is known before the first text
    for text in texts:
        found, tried = None, len(text) >= _LEAST if are_coded is None else are_coded
        if tried:
            found = _native.code_lines(np.frombuffer(text, np.uint8), MOST_CODED, SEED)
        if found is None:
            lines, filled = _split(text)
            yield lines.dictionary_encode() if are_coded else lines, filled
        else:
            codes, _, offsets = found
            shown = np.flatnonzero(np.diff(offsets)[codes])
            yield build_cells(*found), int(shown[-1]) + 1 if len(shown) else 0
        are_coded = found is not None if are_coded is None else are_coded


def _drop_last_blanks(blocks: Iterable[Lines]) -> Iterator[pyarrow.Array]:
    blank: list[pyarrow.Array] = []
    for lines, filled in blocks:
        if filled:
            yield from blank
            yield lines[:filled]
            blank = []
        if filled < len(lines):
            blank.append(lines[filled:])
