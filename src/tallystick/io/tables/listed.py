"""Reads the rows that a JSON object holds in a list."""

from collections.abc import Collection

import msgspec
import pyarrow

from tallystick.errors import InputError
from tallystick.io.files.opening import name_source, open_binary
from tallystick.io.files.progress import Progress
from tallystick.io.tables.json_cells import decode_object
from tallystick.io.tables.jsonlines import build_rows


def read_listed(
    path: str, key: str, *, only: Collection[str] | None, watch: Progress | None = None
) -> tuple[list[str], pyarrow.Table]:
    """Returns what `read_json` returns, of the objects in a list.

    Args:
        path: A file that holds one JSON object.
        key: The key of the list; a dotted one, such as `run.outputs`, reaches into objects.
        only: The columns to keep where present; all if None.
        watch: What counts the bytes as they are read.

    Raises:
        InputError: There is no such object, list or row.
    """
    source = name_source(path)
    with open_binary(path, watch=watch) as file:
        rows = _find_list(file.read().removeprefix(b"\xef\xbb\xbf"), key, source)
    found = []
    for number, row in enumerate(rows, start=1):
        try:
            found.append(decode_object(bytes(row)))
        except ValueError as error:
            raise InputError(f"{source}: element {number} of {key!r} {error}") from error
    return build_rows(source, found, only=only)


def _find_list(text: bytes, key: str, source: str) -> list[msgspec.Raw]:
    """Returns the elements of a list, by its key or by keys between dots."""
    place = source
    for part in key.split("."):
        try:
            values = decode_object(text)
        except ValueError as error:
            raise InputError(f"{place}: {error}") from error
        if part not in values:
            raise InputError(f"{place}: has no key {part!r}, only {', '.join(values) or 'none'}")
        text, place = bytes(values[part]), f"{place}: {part!r}"
    try:
        return msgspec.json.decode(text, type=list[msgspec.Raw])
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InputError(f"{place} is no list of rows") from error
