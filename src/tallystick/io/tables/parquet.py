"""Reads Parquet files column by column, whole or in blocks of rows."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import BinaryIO

import numpy as np
import pyarrow
import pyarrow.parquet

from tallystick.errors import InputError
from tallystick.io.files.byte_ranges import Span
from tallystick.io.files.opening import name_source, open_random
from tallystick.io.files.progress import Progress
from tallystick.io.tables.columns import select_names

_CELL = 8
_CODE, _DICTIONARY = 4, 1 << 16
"""So many bytes at most a value takes as a code into a dictionary, and that itself."""


def read_parquet(
    path: str, *, only: Collection[str] | None, watch: Progress | None = None
) -> tuple[list[str], pyarrow.Table]:
    """Returns the names of all columns, and the columns that are kept."""
    source = name_source(path)
    with open_random(path, watch=watch) as file, _explain_faults(source):
        stored = _open(file)
        names = stored.schema_arrow.names
        columns = stored.read(columns=select_names(source, names, only))
        columns.validate(full=True)
    return names, columns


def iterate_parquet(
    path: str,
    *,
    only: Collection[str] | None,
    rows: int,
    watch: Progress | None = None,
    span: Span | None = None,
) -> Iterator[tuple[list[str], pyarrow.Table]]:
    """Yields what `read_parquet` returns, or a span of its rows, at most so many at a time.

    Only the groups of rows that hold some of them are read.
    """
    source = name_source(path)
    with open_random(path, watch=watch) as file, _explain_faults(source):
        stored = _open(file)
        names = stored.schema_arrow.names
        kept = select_names(source, names, only)
        groups, skipped, left = _choose_groups(stored.metadata, span)
        for batch in stored.iter_batches(rows, row_groups=groups, columns=kept):
            columns = pyarrow.Table.from_batches([batch]).slice(skipped, left)
            skipped = max(0, skipped - batch.num_rows)
            if columns.num_rows:
                left -= columns.num_rows
                columns.validate(full=True)
                yield names, columns


def _open(file: BinaryIO) -> pyarrow.parquet.ParquetFile:
    """Opens a file, of which texts that recur come as codes into a dictionary, as they are stored.

    What is fetched ahead would be kept until the end.
    """
    metadata = pyarrow.parquet.read_metadata(file)
    return pyarrow.parquet.ParquetFile(
        file, metadata=metadata, pre_buffer=False, read_dictionary=_list_recurring(metadata)
    )


def _list_recurring(metadata: pyarrow.parquet.FileMetaData) -> list[str]:
    """Returns the columns that take so few bytes that most of their values must be codes."""
    groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
    columns = map(metadata.schema.column, range(metadata.num_columns))
    return [
        column.path
        for at, column in enumerate(columns)
        if column.path == column.name
        and not column.max_repetition_level
        and column.logical_type.type == "STRING"
        and all(_recurs(group.column(at)) for group in groups)
    ]


def _recurs(chunk: pyarrow.parquet.ColumnChunkMetaData) -> bool:
    size = chunk.total_uncompressed_size
    return bool(chunk.has_dictionary_page and size < _CODE * chunk.num_values + _DICTIONARY)


def _choose_groups(
    metadata: pyarrow.parquet.FileMetaData, span: Span | None
) -> tuple[list[int], int, int]:
    """Returns the groups that hold a span of rows, how many stand before it there, and its size."""
    sizes = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    ends = np.cumsum(sizes, dtype=np.int64)
    first, rows = (0, metadata.num_rows) if span is None else (span.first, span.rows)
    chosen = [
        group
        for group, (end, size) in enumerate(zip(ends.tolist(), sizes, strict=True))
        if end > first and end - size < first + rows
    ]
    before = int(ends[chosen[0]]) - sizes[chosen[0]] if chosen else first
    return chosen, first - before, rows


def measure_file(path: str) -> int:
    """Returns the uncompressed bytes of a file, or those of one number in each cell if more."""
    with open_random(path) as file, _explain_faults(name_source(path)):
        stored = pyarrow.parquet.read_metadata(file)
        groups = map(stored.row_group, range(stored.num_row_groups))
        unpacked = sum(group.total_byte_size for group in groups)
        return max(int(unpacked), _CELL * int(stored.num_rows) * int(stored.num_columns))


def list_groups(path: str) -> list[tuple[int, int]]:
    """Returns how many rows each group of a file has, and how many bytes they take up in it."""
    with open_random(path) as file, _explain_faults(name_source(path)):
        metadata = pyarrow.parquet.read_metadata(file)
        groups = [metadata.row_group(place) for place in range(metadata.num_row_groups)]
        return [
            (
                group.num_rows,
                sum(group.column(at).total_compressed_size for at in range(group.num_columns)),
            )
            for group in groups
        ]


@contextmanager
def _explain_faults(source: str) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        reason = str(error).partition("\n")[0].partition(". ")[0]
        raise InputError(f"{source}: is not a valid Parquet file: {reason}") from error
