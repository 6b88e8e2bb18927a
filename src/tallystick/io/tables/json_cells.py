"""Columns by dotted names, which reach into JSON text (decoded late), structs, maps and lists."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from types import GenericAlias
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import pyarrow

from tallystick.errors import InputError, NestedValueError
from tallystick.io.tables.formats import explain_missing, is_index, split_dotted
from tallystick.io.tables.values import (
    as_list,
    build_booleans,
    build_lists,
    build_numbers,
    build_strings,
)

if TYPE_CHECKING:
    from tallystick.io.tables.table import Table

Locate = Callable[[int], str]
Cell = bytes | msgspec.Raw

_FORMAT, _KNOWN = b"tallystick.format", b"tallystick.known"
_AT_ONCE = 1 << 12  # cells that are decoded together, so that all are never joined
_EXACT = 2**53  # up to here a float holds every whole number
_STARTS: dict[bytes, str | None] = {
    b'"': "a string",
    b"t": "true or false",
    b"f": "true or false",
    b"[": "a list",
    b"{": "an object",
    b"n": None,
}
KINDS: Mapping[str, Any] = {
    "null": None,
    "string": str | None,
    "boolean": bool | None,
    "list": list[str | None] | None,
    "integer": Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)] | None,
    "number": Annotated[int, msgspec.Meta(ge=-_EXACT, le=_EXACT)] | float | None,
    "json": msgspec.Raw,
}
"""The types of the values of a column, by kind; what is of no other kind stays JSON text."""
_LISTS = {kind: GenericAlias(list, (held,)) for kind, held in KINDS.items()}
_WIDER = {
    "null": tuple(KINDS),
    "integer": ("integer", "number", "json"),
}
"""The kinds that further values can make of a column; all others stay as they are or are JSON."""
_ARRAYS: Mapping[str, Callable[[Any], pyarrow.Array]] = {
    "null": lambda values: pyarrow.nulls(len(values)),
    "string": build_strings,
    "boolean": build_booleans,
    "list": build_lists,
    "integer": lambda values: _build_typed(values, pyarrow.int64()),
    "number": lambda values: _build_typed(
        [None if value is None else float(value) for value in values], pyarrow.float64()
    ),
}
FAULTS = (msgspec.MsgspecError, RecursionError)
"""What msgspec raises where a text is not JSON, or of another type."""

_objects = msgspec.json.Decoder(dict[str, msgspec.Raw])
_lists = msgspec.json.Decoder(list[msgspec.Raw])


def decode_cells(cells: Sequence[Cell], kind: str = "null") -> tuple[str, list[Any]]:
    """Returns the narrowest kind of cells below values of another kind, and the values."""
    text = b"[%b]" % b",".join(cells)
    for wider in _WIDER.get(kind, (kind,)):
        with suppress(*FAULTS):
            return wider, msgspec.json.decode(text, type=_LISTS[wider])
    return "json", _lists.decode(text)


def _build_typed(values: Sequence[Any], kind: pyarrow.DataType) -> pyarrow.Array:
    array = build_numbers(values)
    return array if array.type == kind else pyarrow.nulls(len(array), kind)


def build_values(kind: str, values: Sequence[Any]) -> pyarrow.Array:
    """Returns values of a kind other than JSON as an Arrow array."""
    return _ARRAYS[kind](values)


def mark_json(name: str, known: str | None) -> pyarrow.Field:
    """Returns the field of a column of JSON text, below values of a known kind if there are any."""
    metadata = {_FORMAT: b"json"} | ({_KNOWN: known.encode()} if known else {})
    return pyarrow.field(name, pyarrow.large_binary(), metadata=metadata)


def is_json(field: pyarrow.Field) -> bool:
    """Returns whether a column contains JSON text that is yet to be decoded."""
    return field.metadata is not None and field.metadata.get(_FORMAT) == b"json"


def find_known(field: pyarrow.Field) -> str | None:
    """Returns the kind of the values above a column of JSON text, if there are any."""
    known = field.metadata.get(_KNOWN)
    return None if known is None else str(known, "utf-8")


def decode_object(text: bytes) -> dict[str, msgspec.Raw]:
    """Returns the values of a JSON object as they were written, by key."""
    try:
        return _objects.decode(text)
    except msgspec.ValidationError as error:
        kind = name_kind(text.lstrip()) or "null"
        raise ValueError(f"contains {kind}, but a JSON object was expected") from error
    except FAULTS as error:
        raise ValueError(f"is not JSON: {explain_json(error)}") from error


def explain_json(error: Exception) -> str:
    """Returns why a text is not JSON."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return str(error)


def list_keys(cell: bytes) -> list[str]:
    """Returns the keys of a JSON object; none if the text is another value."""
    return list(_objects.decode(cell)) if cell.startswith(b"{") else []


def reach(cell: bytes | None, name: str) -> bytes | None:
    """Returns what a dotted name finds in a JSON value, or None; whole keys come before parts."""
    if cell is None or not name:
        return cell
    if cell.startswith(b"{"):
        row = decode_object(cell)
        found = next((pair for pair in split_dotted(name) if pair[0] in row), None)
        return None if found is None else reach(bytes(row[found[0]]), found[1])
    head, _, rest = name.partition(".")
    if not cell.startswith(b"[") or not is_index(head):
        return None
    items = _lists.decode(cell)
    return reach(bytes(items[int(head)]), rest) if int(head) < len(items) else None


def type_cells(
    cells: Sequence[bytes | None], locate: Locate, *, known: str | None = None
) -> pyarrow.ChunkedArray:
    """Returns cells of JSON, all of one kind, as a column of plain values or lists of strings."""
    kind, values = "null", list[Any]()
    named = {name_kind(cell[:1]) for cell in cells if cell is not None} - {None}
    if len(named | {known or next(iter(named), None)}) < 2:
        for start in range(0, len(cells), _AT_ONCE):
            held = [b"null" if cell is None else cell for cell in cells[start : start + _AT_ONCE]]
            kind, found = decode_cells(held, kind)
            values += found
        large = kind == "number" and any(type(own) is int and abs(own) > _EXACT for own in values)
        if kind != "json" and not large:
            return pyarrow.chunked_array([build_values(kind, values)])
    _explain_mixture(cells, locate, known)
    _explain_faults(cells, KINDS["list"] if "a list" in named else Any, locate)
    _explain_numbers(cells, locate)
    raise InputError(f"{locate(0)} cannot be read")


def _explain_mixture(cells: Sequence[bytes | None], locate: Locate, known: str | None) -> None:
    for index, cell in enumerate(cells):
        kind = None if cell is None else name_kind(cell)
        if cell is not None and kind == "an object":
            keys = ", ".join(repr(f".{key}") for key in list_keys(cell)[:5])
            hint = f"; append the key of a value to the column's name: {keys}" if keys else ""
            reason = f"contains an object, which cannot be the value of a column{hint}"
            raise NestedValueError(f"{locate(index)} {reason}")
        if kind is not None and known not in (None, kind):
            raise InputError(f"{locate(index)} contains {kind}, but above {known} (mixed types)")
        known = kind or known


def name_kind(text: bytes) -> str | None:
    """Returns what messages call a JSON value by how it begins; None for null."""
    return _STARTS.get(text[:1], "a number")


def _explain_faults(cells: Sequence[bytes | None], kind: object, locate: Locate) -> None:
    for index, cell in enumerate(cells):
        try:
            msgspec.json.decode(cell or b"null", type=kind)
        except msgspec.ValidationError as error:
            if "out of range" in str(error):
                reason = "contains a number that is too large; quote it as a string"
                raise InputError(f"{locate(index)} {reason}") from None
            kinds = [name_kind(bytes(item)) for item in _lists.decode(cell or b"[]")]
            other = next(own for own in kinds if own not in (None, "a string"))
            reason = f"has {other} in a list, but only strings were expected"
            raise NestedValueError(f"{locate(index)} {reason}") from None
        except FAULTS as error:
            raise InputError(f"{locate(index)} is not JSON: {explain_json(error)}") from None


def _explain_numbers(cells: Sequence[bytes | None], locate: Locate) -> None:
    values = [msgspec.json.decode(cell or b"null") for cell in cells]
    fractions = any(type(value) is float for value in values)
    for index, value in enumerate(values):
        if type(value) is not int or abs(value) <= _EXACT:
            continue
        if not -(2**63) <= value < 2**63:
            raise InputError(
                f"{locate(index)} contains a number beyond 64 bits; quote it as a string"
            )
        if fractions:
            raise InputError(
                f"{locate(index)} contains {value}, which cannot be kept exactly in a column with "
                "fractions; quote it as a string"
            )


_TOKEN = re.compile(
    r"""\s*(?:
    (?P<value>'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | None | True | False
        | [-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)
    | (?P<opens>(?:(?:np\.|numpy\.)?[A-Za-z_]\w*)?\( | [\[{])
    | (?P<closes>(?:,\s*dtype=[^)]*)?\) | [\]}])
    | (?P<mark>[,:]))\s*""",
    re.VERBOSE | re.DOTALL,
)


def read_literal(text: str) -> Any:
    """Returns the value of text in JSON, or as Python or NumPy print it, with lists for sets."""
    try:
        return json.loads(text)
    except ValueError:
        if not text.lstrip().startswith(("[", "(", "{", "array(", "list(")):
            raise
    try:
        return json.loads(json.dumps(ast.literal_eval(_add_commas(text)), default=sorted))
    except (SyntaxError, TypeError, MemoryError) as error:
        raise ValueError(str(error)) from None


def _add_commas(text: str) -> str:
    """The text with commas between all values, and without the names of types around them."""
    parts, place, depth, ended = list[str](), 0, 0, False
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None or (parts and not depth):
            raise ValueError(f"{text[place : place + 9]!r} is not part of a literal")
        place = found.end()
        if ended and (found["value"] or found["opens"]):
            parts.append(",")
        ended = bool(found["value"] or found["closes"])
        depth += bool(found["opens"]) - bool(found["closes"])
        parts.append(found["value"] or (found["opens"] or found["closes"] or found["mark"])[-1])
    return "".join(parts)


def find_column(table: Table, name: str) -> pyarrow.ChunkedArray:
    """Returns a column, or what a dotted name finds inside the longest prefix that is one."""
    for head, rest in split_dotted(name):
        if _holds(table, head):
            return _find_inside(table, head, rest)
    raise InputError(explain_missing(table.source, name, (*table.names(), *table.unread)))


def list_values(table: Table, name: str) -> list[object]:
    """Returns the values of a column as Python has them, with the objects and lists of JSON."""
    head, rest = next((pair for pair in split_dotted(name) if _holds(table, pair[0])), (name, ""))
    if _holds(table, head) and is_json(table.columns.schema.field(head)):
        cells = [reach(cell, rest) for cell in table.columns.column(head).to_pylist()]
        try:
            return [None if cell is None else msgspec.json.decode(cell) for cell in cells]
        except FAULTS:
            _explain_faults(cells, Any, lambda index: f"{table.source}: {table.locate(index)}")
            raise
    return as_list(find_column(table, name), f"{table.source}: column {name!r}")


def _holds(table: Table, name: str) -> bool:
    """Whether there is such a column, without a list of all names."""
    return bool(table.columns.schema.get_field_index(name) >= 0)


def _find_inside(table: Table, name: str, inner: str) -> pyarrow.ChunkedArray:
    column = table.columns.column(name)
    if is_json(table.columns.schema.field(name)):
        return _decode(table, name, inner)
    if not inner:
        return column
    found = _reach(column, inner)
    if found is None:
        held = column.type
        keys = [one.name for one in held.fields] if pyarrow.types.is_struct(held) else []
        raise _miss(table, f"{name}.{inner}", keys)
    return found


def _decode(table: Table, name: str, inner: str) -> pyarrow.ChunkedArray:
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


def _reach(column: pyarrow.ChunkedArray, name: str) -> pyarrow.ChunkedArray | None:
    """Returns what a dotted name finds within an Arrow column; None if it cannot be there."""
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
