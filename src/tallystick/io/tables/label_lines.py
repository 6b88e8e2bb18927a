"""Reads text files of one label a line, without touching a line in Python."""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow

from tallystick.errors import InputError
from tallystick.io.files.byte_ranges import Span
from tallystick.io.files.lines import Block, iterate_buffers
from tallystick.io.files.opening import name_source
from tallystick.io.files.progress import Progress
from tallystick.io.tables.building import build_split, build_strings

_NAMES = ["label"]


def read_labels(path: str, *, watch: Progress | None = None) -> tuple[list[str], pyarrow.Table]:
    """Returns the lines of a file as a column, without blank ones at the end."""
    blocks = list(iterate_buffers(path, watch=watch))
    if not blocks:
        raise InputError(f"{name_source(path)}: is empty, but one example a line was expected")
    labels = [build_split(*block) for block in _drop_last_blanks(blocks)]
    return _NAMES, pyarrow.table({"label": pyarrow.chunked_array(labels or [build_strings([])])})


def iterate_labels(
    path: str, *, watch: Progress | None = None, span: Span | None = None
) -> Iterator[tuple[list[str], pyarrow.Table]]:
    """Yields what `read_labels` returns in blocks; blank lines at the end of a span are kept."""
    blocks = iterate_buffers(path, watch=watch, span=span)
    for block in _drop_last_blanks(blocks) if span is None else blocks:
        yield _NAMES, pyarrow.table({"label": build_split(*block)})


def _drop_last_blanks(blocks: Iterable[Block]) -> Iterator[Block]:
    blank = 0
    for data, offsets in blocks:
        filled = int(np.searchsorted(offsets, len(data)))
        if filled:
            kept = np.concatenate([np.zeros(blank, np.int64), offsets[: filled + 1]])
            yield data, kept
            blank = 0
        blank += len(offsets) - 1 - filled
