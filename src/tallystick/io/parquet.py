"""Reads Parquet files column by column, whole or in blocks of rows."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager

import pyarrow
import pyarrow.parquet

from tallystick.errors import InputError
from tallystick.io.columns import select_names
from tallystick.io.files import name_source, open_binary
from tallystick.io.progress import Progress

__all__ = ["iterate_parquet", "read_parquet"]


def read_parquet(
    path: str, *, only: Collection[str] | None, watch: Progress | None = None
) -> tuple[list[str], pyarrow.Table]:
    """Returns the names of all columns, and the columns that are kept.

    Raises:
        InputError: The file cannot be opened, or is not sound Parquet.
    """
    source = name_source(path)
    with open_binary(path, watch=watch) as file, _explain_faults(source):
        stored = pyarrow.parquet.ParquetFile(file)
        names = stored.schema_arrow.names
        columns = stored.read(columns=select_names(source, names, only))
        columns.validate(full=True)
    return names, columns


def iterate_parquet(
    path: str, *, only: Collection[str] | None, rows: int, watch: Progress | None = None
) -> Iterator[tuple[list[str], pyarrow.Table]]:
    """Yields what `read_parquet` returns, at most so many rows at a time.

    Raises:
        InputError: As in `read_parquet`, once the faulty block is reached.
    """
    source = name_source(path)
    with open_binary(path, watch=watch) as file, _explain_faults(source):
        # What is fetched ahead would be kept until the end.
        stored = pyarrow.parquet.ParquetFile(file, pre_buffer=False)
        names = stored.schema_arrow.names
        for batch in stored.iter_batches(rows, columns=select_names(source, names, only)):
            columns = pyarrow.Table.from_batches([batch])
            columns.validate(full=True)
            yield names, columns


@contextmanager
def _explain_faults(source: str) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        reason = str(error).partition("\n")[0].partition(". ")[0]
        raise InputError(f"{source}: is not a valid Parquet file: {reason}") from error
