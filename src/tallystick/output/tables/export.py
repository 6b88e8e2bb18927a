"""Rows of a table written as a CSV file."""

import os
from collections.abc import Mapping, Sequence
from itertools import chain

import pyarrow

from tallystick.errors import InputError
from tallystick.io.files.opening import write_text
from tallystick.output.tables.data_formats import join_rows


def make_folder(path: str) -> None:
    """Makes a folder, and those above it, where it is not there yet."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be made a folder: {error.strerror}") from error


def write_csv(path: str, columns: pyarrow.Table, added: Mapping[str, Sequence[str]]) -> None:
    """Writes a table with a header as CSV, with further columns after its own."""
    values = [_list_values(column) for column in columns.columns]
    rows = zip(*values, *added.values(), strict=True)
    write_text(path, join_rows(chain([[*columns.column_names, *added]], rows)))


def _list_values(column: pyarrow.ChunkedArray) -> list[object]:
    """Returns a column's values; JSON text that was never decoded comes as it was written."""
    values = column.to_pylist()
    return [str(value, "utf-8") if isinstance(value, bytes) else value for value in values]
