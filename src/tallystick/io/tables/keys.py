"""Ids of one column, or of several columns together, as text."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tallystick.errors import InputError
from tallystick.io.tables.values import plain

if TYPE_CHECKING:
    import pyarrow


def as_keys(values: Any, source: str) -> Any:
    """Returns the values that identify rows, as text; whole numbers are the same in any type."""
    import pyarrow as pa

    column = plain(values)
    if pa.types.is_floating(column.type):
        with suppress(pa.ArrowInvalid):  # of ids such as 1.5
            column = column.cast(pa.int64())
    try:
        return column.cast(pa.large_string())
    except pa.ArrowException:
        raise InputError(
            f"{source}: the ids are {values.type} values, but text or whole numbers were expected"
        ) from None


def join_keys(columns: Sequence[Any], source: str) -> pyarrow.ChunkedArray:
    """Returns ids of several columns as text such as `("a", "b")`; null where one of them is."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = []
    for column in columns:
        text = as_keys(column, source)
        for mark in ("\\", '"'):  # so that other values give other ids
            text = pc.replace_substring(text, mark, f"\\{mark}")
        texts.append(pc.if_else(pc.equal(text, ""), None, text))
    joined = pc.binary_join_element_wise(*texts, pa.scalar('", "', pa.large_string()))
    around = [pa.scalar(mark, pa.large_string()) for mark in ('("', '")', "")]
    return pa.chunked_array(pc.binary_join_element_wise(around[0], joined, *around[1:]))
