"""Parquet files are read column by column."""

from collections.abc import Collection

import pyarrow
import pyarrow.parquet

from tallystick.errors import InputError
from tallystick.io.columns import select_names
from tallystick.io.files import name_source, open_binary

__all__ = ["read_parquet"]


def read_parquet(path: str, *, only: Collection[str] | None) -> tuple[list[str], pyarrow.Table]:
    """Return the names of all columns, and the columns that are kept.

    Raises:
        InputError: The file cannot be opened, or is not sound Parquet.
    """
    source = name_source(path)
    with open_binary(path) as file:
        try:
            stored = pyarrow.parquet.ParquetFile(file)
            names = stored.schema_arrow.names
            columns = stored.read(columns=select_names(source, names, only))
            columns.validate(full=True)
        except InputError:
            raise
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            reason = str(error).partition("\n")[0].partition(". ")[0]
            raise InputError(f"{source}: is not a sound Parquet file: {reason}") from error
    return names, columns
