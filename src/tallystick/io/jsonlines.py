"""JSON Lines files are read line by line: an object a line, one kind of value a column."""

from collections.abc import Collection, Iterator
from itertools import islice

import msgspec
import pyarrow

from tallystick.errors import InputError
from tallystick.io.columns import select_names
from tallystick.io.files import name_source
from tallystick.io.lines import iterate_lines

__all__ = ["read_json_lines"]

_CHUNK = 1 << 16
_KINDS = {
    str: "a string",
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
}
_TYPES = {
    "a string": pyarrow.string(),
    "true or false": pyarrow.bool_(),
    "a number": None,  # inferred: whole numbers or fractions
    "a list": pyarrow.list_(pyarrow.string()),
    None: pyarrow.null(),
}


def read_json_lines(path: str, *, only: Collection[str] | None) -> tuple[list[str], pyarrow.Table]:
    """Return the keys of all objects, and the columns that are kept; null where a key is missing.

    Raises:
        InputError: The file cannot be opened; a line is not an object; or a value is an object,
            a list of anything but strings and null, or of another kind than those above it.
    """
    source = name_source(path)
    kinds: dict[str, str | None] = {}  # None until a column shows a value, or if it is not kept
    rows = _iterate_rows(path, only, kinds)
    try:
        chunks = []
        while chunk := list(islice(rows, _CHUNK)):
            chunks.append(_build_table(chunk, only, kinds))
        if not chunks:
            raise InputError(f"{source}: is empty, but a JSON object on each line was expected")
        columns = pyarrow.concat_tables(chunks, promote_options="permissive")
    except pyarrow.ArrowInvalid as error:
        # Arrow refuses to round whole numbers beyond 2^53 that share a column with fractions.
        raise InputError(f"{source}: a number cannot be kept exactly: {error}") from error
    return list(kinds), columns.select(select_names(source, list(kinds), only))


def _iterate_rows(
    path: str, only: Collection[str] | None, kinds: dict[str, str | None]
) -> Iterator[dict[str, object]]:
    """Yield the rows once their kept values have the kinds of those above, noting new ones."""
    for number, row in enumerate(_iterate_objects(path), start=1):
        for name, value in row.items():
            known = kinds.setdefault(name, None)
            if value is None or (only is not None and name not in only):
                continue
            fault = _find_fault(value, known)
            if fault is not None:
                place = f"{name_source(path)}: line {number}, column {name!r}"
                raise InputError(f"{place} {fault}")
            kinds[name] = _KINDS[type(value)]
        yield row


def _iterate_objects(path: str) -> Iterator[dict[str, object]]:
    """Yield one object a line; blank lines may only stand at the end."""
    source = name_source(path)
    decoder = msgspec.json.Decoder()
    blank = 0
    for number, line in enumerate(iterate_lines(path), start=1):
        if not line.strip():
            blank = blank or number
            continue
        if blank:
            raise InputError(f"{source}: line {blank} is blank; delete it")
        try:
            row = decoder.decode(line)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise InputError(f"{source}: line {number} is not JSON: {error}") from error
        if not isinstance(row, dict):
            kind = _KINDS.get(type(row), "null")
            raise InputError(
                f"{source}: line {number} holds {kind}, but a JSON object was expected"
            )
        yield row


def _find_fault(value: object, known: str | None) -> str | None:
    """Return what is wrong with a value below values of a known kind, if anything is."""
    kind = _KINDS[type(value)]
    if isinstance(value, dict):
        return "holds an object, which is no value for a column"
    if known not in (None, kind):
        return f"holds {kind}, but above {known} (mixed types)"
    if isinstance(value, list):
        others = [_KINDS[type(item)] for item in value if not isinstance(item, str | None)]
        return f"has {others[0]} in a list, but only strings were expected" if others else None
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return "holds a number beyond 64 bits; quote it as a string"
    return None


def _build_table(
    rows: list[dict[str, object]], only: Collection[str] | None, kinds: dict[str, str | None]
) -> pyarrow.Table:
    columns = {
        name: pyarrow.array([row.get(name) for row in rows], _TYPES[kind])
        for name, kind in kinds.items()
        if only is None or name in only
    }
    # The nulls count the rows where no column is known yet; they are dropped at the end.
    return pyarrow.table({"": pyarrow.nulls(len(rows))} | columns)
