"""Reads Parquet files column by column, whole or in blocks of rows."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from itertools import accumulate
from typing import BinaryIO

import pyarrow
import pyarrow.compute as pc
import pyarrow.parquet

from tallystick.errors import InputError
from tallystick.io.files.datasets import Asked, Span
from tallystick.io.files.lines import check_length
from tallystick.io.files.opening import check_size, name_source, open_random
from tallystick.io.tables.formats import select_names

_CELL = 8
_ROWS = 1 << 17
"""The rows of a block."""
_BUFFER = 1 << 16
_LARGE = 1 << 28
"""So many bytes of a column may a block take once decoded, however small it is in the file."""
_CODE, _DICTIONARY = 4, 1 << 16
"""So many bytes at most a value takes as a code into a dictionary, and that itself."""


def read_parquet(asked: Asked) -> tuple[list[str], pyarrow.Table]:
    """Returns the names of all columns, and the columns that are kept."""
    source = name_source(asked.path)
    with open_random(asked.path, watch=asked.watch) as file, _explain_faults(source):
        stored = _open(file)
        names = stored.schema_arrow.names
        kept = select_names(source, names, asked.only)
        _check_values(asked.path, stored.metadata, kept, range(stored.num_row_groups))
        columns = stored.read(columns=kept)
        columns.validate(full=True)
    return names, columns


def iterate_parquet(asked: Asked, rows: int) -> Iterator[tuple[list[str], pyarrow.Table]]:
    """Yields what `read_parquet` returns, or a span of its rows, at most this many at a time."""
    source = name_source(asked.path)
    with open_random(asked.path, watch=asked.watch) as file, _explain_faults(source):
        stored = _open(file)
        names = stored.schema_arrow.names
        kept = select_names(source, names, asked.only)
        groups = _choose_groups(stored.metadata, asked.span)
        _check_values(asked.path, stored.metadata, kept, groups)
        for batch in stored.iter_batches(rows, row_groups=groups, columns=kept):
            columns = pyarrow.Table.from_batches([batch])
            columns.validate(full=True)
            yield names, columns


def _open(file: BinaryIO) -> pyarrow.parquet.ParquetFile:
    """Opens a file so that recurring texts are dictionary codes and nothing is fetched ahead."""
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
        and all(
            one.has_dictionary_page
            and one.total_uncompressed_size < _CODE * one.num_values + _DICTIONARY
            for one in (group.column(at) for group in groups)
        )
    ]


def _check_values(
    path: str,
    metadata: pyarrow.parquet.FileMetaData,
    kept: Collection[str],
    groups: Iterable[int],
) -> None:
    """Raises an error if long values, or a few that recur, would fill memory once decoded."""
    for at in range(metadata.num_columns):
        column = metadata.schema.column(at)
        if column.path.partition(".")[0] not in kept or "BYTE_ARRAY" not in column.physical_type:
            continue
        place = f"{name_source(path)}, column {column.path!r}"
        for group in groups:
            chunk = metadata.row_group(group).column(at)
            size, count = chunk.total_uncompressed_size, max(1, chunk.num_values)
            check_length(max(size // count, column.length), f"{place}: a value")
            rows = min(count, _ROWS)
            unpacked = rows * max(size // count, column.length)
            if chunk.has_dictionary_page and not column.length and rows * size > _LARGE:
                unpacked = _measure_recurring(path, metadata, column.path, group)
            if unpacked > _LARGE:
                check_size(place, chunk.total_compressed_size, unpacked)


def _measure_recurring(
    path: str, metadata: pyarrow.parquet.FileMetaData, column: str, group: int
) -> int:
    """Returns how many bytes the values of the largest block of a group take, each written out."""
    largest = 0
    with open_random(path) as file:
        stored = pyarrow.parquet.ParquetFile(
            file,
            metadata=metadata,
            buffer_size=_BUFFER,
            pre_buffer=False,
            read_dictionary=[column],
        )
        for batch in stored.iter_batches(_ROWS, row_groups=[group], columns=[column]):
            values = batch.column(0)
            while isinstance(values, pyarrow.ListArray):
                values = values.flatten()
            if not isinstance(values, pyarrow.DictionaryArray):
                break
            sizes = pc.binary_length(values.dictionary)
            if (pc.max(sizes).as_py() or 0) * len(values) <= _LARGE:
                break
            unpacked = pc.sum(sizes.take(values.indices).cast("int64")).as_py()
            largest = max(largest, int(unpacked or 0))
    return largest


def _choose_groups(metadata: pyarrow.parquet.FileMetaData, span: Span | None) -> list[int]:
    groups = range(metadata.num_row_groups)
    if span is None:
        return [*groups]
    starts = accumulate((metadata.row_group(group).num_rows for group in groups), initial=0)
    stop = span.first + span.rows
    return [
        group for group, start in zip(groups, starts, strict=False) if span.first <= start < stop
    ]


def measure_file(path: str) -> int:
    """Returns the uncompressed bytes of a file, or the least that its cells take, if more."""
    with open_random(path) as file, _explain_faults(name_source(path)):
        stored = pyarrow.parquet.read_metadata(file)
        groups = map(stored.row_group, range(stored.num_row_groups))
        unpacked = sum(group.total_byte_size for group in groups)
        columns = map(stored.schema.column, range(stored.num_columns))
        width = sum(max(_CELL, int(column.length)) for column in columns)
        return max(int(unpacked), width * int(stored.num_rows))


def cut_groups(path: str, size: int) -> list[Span]:
    """Returns all rows of a file in spans of whole groups, of about this many bytes each."""
    with open_random(path) as file, _explain_faults(name_source(path)):
        metadata = pyarrow.parquet.read_metadata(file)
    spans: list[Span] = []
    first = rows = taken = 0
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        own = sum(group.column(at).total_compressed_size for at in range(group.num_columns))
        if rows and taken + own > size:
            spans.append(Span(first, rows, taken))
            first, rows, taken = first + rows, 0, 0
        rows, taken = rows + group.num_rows, taken + own
    return [*spans, Span(first, rows, taken)] if rows or not spans else spans


@contextmanager
def _explain_faults(source: str) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        reason = str(error).partition("\n")[0].partition(". ")[0]
        raise InputError(f"{source}: is not a valid Parquet file: {reason}") from error
