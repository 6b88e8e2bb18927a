"""Columns by dotted names, which reach into JSON text and into Arrow's structs, maps and lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tallystick.errors import InputError
from tallystick.io.tables.columns import explain_missing, is_index, split_dotted

if TYPE_CHECKING:
    import pyarrow

    from tallystick.io.tables.table import Table


def find_column(table: Table, name: str) -> pyarrow.ChunkedArray:
    """Returns a column, or what a dotted name finds inside of one.

    A column of just that name comes first, then the longest beginning of it that is a column.
    """
    for head, rest in split_dotted(name):
        if _holds(table, head):
            return _find_inside(table, head, rest)
    raise InputError(explain_missing(table.source, name, (*table.names(), *table.unread)))


def list_values(table: Table, name: str) -> list[object]:
    """Returns the values of a column as Python has them, with the objects and lists of JSON."""
    head, rest = next((pair for pair in split_dotted(name) if _holds(table, pair[0])), (name, ""))
    if _holds(table, head) and table.columns.schema.field(head).metadata:
        from tallystick.io.tables.json_cells import is_json, load_cells, reach

        if is_json(table.columns.schema.field(head)):
            cells = table.columns.column(head).to_pylist()
            inner = [reach(cell, rest) for cell in cells]
            return load_cells(inner, lambda index: f"{table.source}: {table.locate(index)}")
    return as_list(find_column(table, name), f"{table.source}: column {name!r}")


def as_list(column: pyarrow.Array | pyarrow.ChunkedArray, where: str) -> list[Any]:
    """Returns the values of a column as Python has them; `where` names it in messages."""
    import pyarrow

    try:
        found: list[Any] = column.to_pylist()
    except (pyarrow.ArrowException, ArithmeticError, TypeError, ValueError) as error:
        raise InputError(f"{where} holds a {column.type} that cannot be read: {error}") from error
    return found


def _holds(table: Table, name: str) -> bool:
    """Whether there is such a column, without a list of all names."""
    return bool(table.columns.schema.get_field_index(name) >= 0)


def _find_inside(table: Table, name: str, inner: str) -> pyarrow.ChunkedArray:
    column = table.columns.column(name)
    if table.columns.schema.field(name).metadata:
        from tallystick.io.tables.json_cells import is_json

        if is_json(table.columns.schema.field(name)):
            return _decode(table, name, inner)
    if not inner:
        return column
    found = _reach(column, inner)
    if found is None:
        raise _miss(table, f"{name}.{inner}", _list_keys(column))
    return found


def _decode(table: Table, name: str, inner: str) -> pyarrow.ChunkedArray:
    """Returns a column of JSON text as typed, or what is inside of it."""
    from tallystick.io.tables.json_cells import find_known, list_keys, reach, type_cells

    whole = f"{name}.{inner}" if inner else name

    def locate(index: int) -> str:
        return f"{table.source}: {table.locate(index)}, column {whole!r}"

    cells = table.columns.column(name).to_pylist()
    if not inner:
        known = find_known(table.columns.schema.field(name))
        return type_cells(cells, locate, known=known)
    found = [reach(cell, inner) for cell in cells]
    if not any(found):
        raise _miss(table, whole, list_keys(next(filter(None, cells), b"")))
    return type_cells(found, locate)


def _miss(table: Table, name: str, keys: Iterable[str]) -> InputError:
    head = name.partition(".")[0]
    names = (*table.names(), *table.unread, *(f"{head}.{key}" for key in keys))
    return InputError(explain_missing(table.source, name, names))


def _list_keys(column: pyarrow.ChunkedArray) -> list[str]:
    import pyarrow

    held = column.type
    return [one.name for one in held.fields] if pyarrow.types.is_struct(held) else []


def _reach(column: pyarrow.ChunkedArray, name: str) -> pyarrow.ChunkedArray | None:
    """Returns what a dotted name finds within an Arrow column; None if it cannot be there."""
    import pyarrow
    import pyarrow.compute

    held = column.type
    if not name:
        return column
    if pyarrow.types.is_struct(held):
        for head, rest in split_dotted(name):
            at = held.get_field_index(head)
            if at >= 0:
                return _reach(pyarrow.compute.struct_field(column, [at]), rest)
        return None
    head, _, rest = name.partition(".")
    if pyarrow.types.is_map(held) and pyarrow.types.is_string(held.key_type):
        found = pyarrow.compute.map_lookup(column, query_key=head, occurrence="first")
        return _reach(found, rest)
    if (pyarrow.types.is_list(held) or pyarrow.types.is_large_list(held)) and is_index(head):
        at = int(head)
        one = pyarrow.compute.list_slice(column, at, at + 1, return_fixed_size_list=True)
        return _reach(pyarrow.compute.list_element(one, 0), rest)
    return None
