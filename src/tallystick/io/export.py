"""Rows of a table written as a CSV file."""

import csv
import io
import os
from collections.abc import Mapping, Sequence

import pyarrow

from tallystick.errors import InputError
from tallystick.io.files.opening import write_text


def make_folder(path: str) -> None:
    """Makes a folder, and those above it, where it is not there yet."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be made a folder: {error.strerror}") from error


def write_csv(path: str, columns: pyarrow.Table, added: Mapping[str, Sequence[str]]) -> None:
    """Writes a table with a header as CSV, with further columns after its own."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*columns.column_names, *added])
    values = [_list_values(column) for column in columns.columns]
    writer.writerows(zip(*values, *added.values(), strict=True))
    write_text(path, text.getvalue())


def _list_values(column: pyarrow.ChunkedArray) -> list[object]:
    """Returns a column's values; JSON text that was never decoded comes as it was written."""
    values = column.to_pylist()
    return [str(value, "utf-8") if isinstance(value, bytes) else value for value in values]
