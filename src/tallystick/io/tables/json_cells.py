"""Columns of JSON text: a cell is kept as written until its column is requested."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pyarrow

from tallystick.errors import InputError
from tallystick.io.tables.building import build_booleans, build_lists, build_numbers, build_strings
from tallystick.io.tables.columns import is_index, split_dotted

Locate = Callable[[int], str]

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
_TYPES: dict[str, tuple[object, Callable[[Any], pyarrow.Array]]] = {
    "a string": (list[str | None], build_strings),
    "true or false": (list[bool | None], build_booleans),
    "a list": (list[list[str | None] | None], build_lists),
    "a number": (list[Any], build_numbers),
}

_objects = msgspec.json.Decoder(dict[str, msgspec.Raw])
_lists = msgspec.json.Decoder(list[msgspec.Raw])


def mark_json(name: str, known: str | None) -> pyarrow.Field:
    """Returns the field of a column of JSON text, below values of a known kind if there are any."""
    metadata = {_FORMAT: b"json"} | ({_KNOWN: known.encode()} if known else {})
    return pyarrow.field(name, pyarrow.large_binary(), metadata=metadata)


def is_json(field: pyarrow.Field) -> bool:
    """Returns whether a column holds JSON text that is yet to be decoded."""
    return field.metadata is not None and field.metadata.get(_FORMAT) == b"json"


def find_known(field: pyarrow.Field) -> str | None:
    """Returns the kind of the values above a column of JSON text, if there are any."""
    known = field.metadata.get(_KNOWN)
    return None if known is None else str(known, "utf-8")


def find_kind(held: pyarrow.DataType) -> str | None:
    """Returns what messages call the values of a typed column; None if they are all null."""
    if pyarrow.types.is_null(held):
        return None
    if pyarrow.types.is_boolean(held):
        return "true or false"
    if pyarrow.types.is_nested(held):
        return "a list"
    text = pyarrow.types.is_string(held) or pyarrow.types.is_large_string(held)
    return "a string" if text else "a number"


def decode_object(text: bytes) -> dict[str, msgspec.Raw]:
    """Returns the values of a JSON object as they were written, by key.

    Raises:
        ValueError: The text is not JSON or no object, or a key occurs twice.
    """
    try:
        row = _objects.decode(text)
    except msgspec.ValidationError as error:
        kind = name_kind(text.lstrip()) or "null"
        raise ValueError(f"holds {kind}, but a JSON object was expected") from error
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(f"is not JSON: {explain_json(error)}") from error
    # A pair that was dropped for a later one of its key still has its colon.
    colons = text.count(b'":') - len(row)
    if colons:
        colons -= sum(bytes(value).count(b'":') for value in row.values())
    if colons or _may_be_spaced(text):
        _check_keys(text, len(row))
    return row


def has_keys_once(text: bytes, found: object) -> bool:
    """Returns whether no object in a text, of which this was read, can have had a key twice.

    A pair that was dropped for a later one still has its colon; other spellings may seem to, too.
    """
    if _may_be_spaced(text) or b"\\u0022" in text:
        return False
    try:
        return text.count(b'":') == msgspec.json.encode(found).count(b'":')
    except OverflowError:
        return False


def _may_be_spaced(text: bytes) -> bool:
    """Returns whether white space may stand before a colon; as a loop this takes much longer."""
    return b" :" in text or b"\t:" in text or b"\r:" in text or b"\n:" in text


def explain_json(error: Exception) -> str:
    """Returns why a text is not JSON."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return str(error)


def list_keys(cell: bytes) -> list[str]:
    """Returns the keys of a JSON object; none if the text is another value."""
    return list(_objects.decode(cell)) if cell.startswith(b"{") else []


def reach(cell: bytes | None, name: str) -> bytes | None:
    """Returns what a dotted name finds within a JSON value; None where it finds nothing.

    A key that itself holds a dot comes before what its parts would find.

    Raises:
        ValueError: An object on the way has a key twice.
    """
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


def load_cells(cells: Sequence[bytes | None], locate: Locate) -> list[object]:
    """Returns what cells of JSON hold, whatever that is."""
    return _decode(cells, Any, locate)


def type_cells(
    cells: Sequence[bytes | None], locate: Locate, *, known: str | None = None
) -> pyarrow.ChunkedArray:
    """Returns cells of JSON as a column of strings, numbers, booleans or lists of strings.

    None and the text `null` are both null. All cells are of one kind, that of the values above them
    where it is known.
    """
    kind = _agree(cells, locate, known)
    if kind is None:
        return pyarrow.chunked_array([pyarrow.nulls(len(cells))])
    decoded, build = _TYPES[kind]
    values = _decode(cells, decoded, locate)
    del cells  # which may be all of a file
    try:
        return pyarrow.chunked_array([build(values)])
    except (pyarrow.ArrowInvalid, OverflowError):
        _check_numbers(values, locate)
        raise


def _agree(cells: Sequence[bytes | None], locate: Locate, known: str | None) -> str | None:
    """Returns the one kind of all cells; None if they are all null."""
    starts = {cell[:1] for cell in cells if cell is not None}
    kinds = {kind for kind in map(name_kind, starts) if kind is not None}
    one = len(kinds) == 1 and "an object" not in kinds
    if not kinds or kinds == {known} or (one and known is None):
        return next(iter(kinds), None)
    for index, cell in enumerate(cells):
        kind = None if cell is None else name_kind(cell)
        if cell is not None and kind == "an object":
            reason = f"holds an object, which cannot be the value of a column{_hint(cell)}"
            raise InputError(f"{locate(index)} {reason}")
        if kind is not None and known not in (None, kind):
            raise InputError(f"{locate(index)} holds {kind}, but above {known} (mixed types)")
        known = kind or known
    return known


def name_kind(text: bytes) -> str | None:
    """Returns what messages call a JSON value by how it begins; None for null."""
    return _STARTS.get(text[:1], "a number")


def _hint(cell: bytes) -> str:
    """Returns how to name what is inside an object."""
    keys = ", ".join(repr(f".{key}") for key in list_keys(cell)[:5])
    return f"; append the key of a value to the column's name: {keys}" if keys else ""


def _decode(cells: Sequence[bytes | None], kind: object, locate: Locate) -> list[object]:
    decoded: list[object] = []
    try:
        for start in range(0, len(cells), _AT_ONCE):
            decoded += msgspec.json.decode(_join(cells[start : start + _AT_ONCE]), type=kind)
    except (msgspec.MsgspecError, RecursionError):
        for index, cell in enumerate(cells):
            fault = _find_fault(cell, kind)
            if fault is not None:
                raise InputError(f"{locate(index)} {fault}") from None
        raise
    return decoded


def _join(cells: Sequence[bytes | None]) -> bytes:
    return b"[%b]" % b",".join([b"null" if cell is None else cell for cell in cells])


def _find_fault(cell: bytes | None, kind: object) -> str | None:
    try:
        msgspec.json.decode(_join([cell]), type=kind)
    except msgspec.ValidationError as error:
        if "out of range" in str(error):
            return "holds a number that is too large; quote it as a string"
        kinds = [name_kind(bytes(item)) for item in _lists.decode(cell or b"[]")]
        other = next(kind for kind in kinds if kind not in (None, "a string"))
        return f"has {other} in a list, but only strings were expected"
    except (msgspec.MsgspecError, RecursionError) as error:
        return f"is not JSON: {explain_json(error)}"
    return None


def _check_numbers(values: Sequence[object], locate: Locate) -> None:
    """Raises an error about a whole number that is too large to be kept exactly."""
    fractions = any(type(value) is float for value in values)
    for index, value in enumerate(values):
        if type(value) is not int or abs(value) <= _EXACT:
            continue
        if not -(2**63) <= value < 2**63:
            raise InputError(f"{locate(index)} holds a number beyond 64 bits; quote it as a string")
        if fractions:
            raise InputError(
                f"{locate(index)} holds {value}, which cannot be kept exactly beside fractions; "
                "quote it as a string"
            )


def _check_keys(text: bytes, count: int) -> None:
    """Raises an error if the outermost object, which has so many keys, holds one of them twice."""
    keys: list[str] = []

    def note(pairs: list[tuple[str, object]]) -> None:
        keys[:] = [key for key, _ in pairs]  # the outermost object comes last

    json.loads(text, object_pairs_hook=note)
    if len(keys) != count:
        twice = next(key for key, found in Counter(keys).items() if found > 1)
        raise ValueError(f"has the key {twice!r} twice")
