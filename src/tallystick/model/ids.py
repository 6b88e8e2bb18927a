"""Gold and predictions joined by id: every example once on both sides, or an error."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick._native import _ext
from tallystick.errors import InputError, say_count
from tallystick.io.tables.table import Table
from tallystick.io.tables.values import SEED, as_keys, as_numpy, build_places, fill_nulls, plain
from tallystick.model.codes import FEW

_NUMBER = 8
_SHOWN = 5


def tell_blank(count: int, source: str) -> None:
    """Raises an InputError where examples have no id."""
    if count:
        verb = "has" if count == 1 else "have"
        raise InputError(f"{source}: {say_count(count, 'example')} {verb} no id")


def tell_twice(found: str, source: str, cure: Callable[[], str] = str) -> None:
    """Raises an InputError where ids are there more than once; `cure` says what to do about it."""
    if found:
        raise InputError(f"{source} contains {found} more than once{cure()}")


_CURE = (
    "; with `missing='wrong'` examples without one count as wrong, with exclude they are left out "
    "of that system's scores, and with common only examples are scored that all systems have"
)


def find_twice(ids: Any, source: str) -> str:
    """Returns the ids that occur more than once, in words; an InputError where one is missing."""
    if len(ids) <= FEW:  # whose values are faster to look at than Arrow's functions to load
        texts = {str(one) for one in ids.to_pylist() if isinstance(one, str | int) and one != ""}
        if len(texts) == len(ids):
            return ""
    keys = need_keys(ids, source)
    return _list(keys, find_repeats(keys))


def join_ids(
    gold: object,
    predicted: object,
    sources: tuple[str, str],
    *,
    missing: bool = False,
    cure: str = _CURE,
) -> tuple[NDArray[np.int64] | None, str]:
    """Returns the place of each gold example (None: same order), and a note on matching 7.0."""
    left, right = need_keys(gold, sources[0]), need_keys(predicted, sources[1])
    if left.equals(right):
        return None, ""
    places, note = find_keys(right, left), ""
    if len(left) and (places < 0).all():
        for keys, sought, source in (
            (right, write_whole(left), sources[0]),
            (write_whole(right), left, sources[1]),
        ):
            if ((found := find_keys(keys, sought)) >= 0).any():
                places, note = found, f"ids of {source} such as 7.0 are read as 7."
    used = np.zeros(len(right), bool)
    used[places[places >= 0]] = True
    if not used.all():
        tell_twice(_list(right, find_repeats(right)), sources[1])
    lacking = "" if missing else _list(left, np.flatnonzero(places < 0))
    if lacking:
        raise InputError(f"{sources[1]} has no prediction for {lacking} of {sources[0]}{cure}")
    if unknown := _list(right, np.flatnonzero(~used)):
        raise InputError(f"{sources[1]} contains {unknown} that {sources[0]} does not have")
    return places, note


def write_whole(keys: object) -> Any:
    """Returns ids without the `.0` of whole numbers, where all of them have one."""
    import pyarrow.compute as pc

    whole = pc.replace_substring_regex(keys, r'(^|")(-?[0-9]+)\.0($|")', r"\1\2\3")
    return keys if pc.any(pc.equal(whole, keys)).as_py() else whole


def find_torn(values: Any, firsts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the rows of an Arrow column whose value is not that of another row each."""
    if pa.types.is_nested(values.type):
        values = pa.array(map(str, values.to_pylist()), pa.large_string())
    codes = number_values(values)
    return np.flatnonzero(codes != codes[firsts])


def number_values(values: Any) -> NDArray[np.int32]:
    """Returns the number of each row's value, as they come first in an Arrow column."""
    values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    return as_numpy(values.dictionary_encode(null_encoding="encode").indices)


def find_keys(keys: object, sought: object) -> NDArray[np.int64]:
    """Returns where each sought key first occurs among others of the same type, else -1."""
    return _ext.find_texts(*view_keys(keys), *view_keys(sought), SEED)


def hash_keys(keys: object) -> NDArray[np.uint64]:
    """Returns a hash of each key, the same in every process."""
    return _ext.hash_texts(*view_keys(keys))


def find_repeats(keys: object) -> NDArray[np.int64]:
    """Returns the first row of each key that stands more than once, in ascending order."""
    hashes = np.sort(hash_keys(keys))
    if (hashes[1:] != hashes[:-1]).all():  # which is faster than to compare the keys
        return np.zeros(0, np.int64)
    firsts = find_keys(keys, keys)
    return np.unique(firsts[firsts != np.arange(len(firsts))])


def view_keys(keys: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Returns the bytes of keys, and where each key begins in them, and the last one ends."""
    if pa.types.is_integer(keys.type):
        return as_numpy(keys).view(np.uint8), np.arange(len(keys) + 1) * _NUMBER
    _, starts, data = keys.buffers()
    offsets = np.frombuffer(starts, np.int64, len(keys) + 1, keys.offset * _NUMBER)
    return np.frombuffer(data or b"", np.uint8), offsets


def join_groups(ids: object, groups: Sequence[object], source: str) -> Any:
    """Returns ids with the groups of their examples; the ids alone where one of them is empty."""
    import pyarrow.compute as pc

    if not groups:
        return ids
    texts = [_quote(fill_nulls(as_keys(column, source), "")) for column in (ids, *groups)]
    if (as_numpy(pc.binary_length(texts[0])) == 0).any():
        return ids
    return pc.binary_join_element_wise(*texts, pa.scalar(" in ", pa.large_string()))


def _quote(texts: Any) -> Any:
    import pyarrow.compute as pc

    unclear = pc.match_substring_regex(texts, r'^"|(^| )in( |$)')
    if not pc.any(unclear).as_py():
        return texts
    return pc.if_else(unclear, pa.array(map(json.dumps, texts.to_pylist()), texts.type), texts)


def need_keys(ids: object, source: str) -> Any:
    """Returns ids as text in one array; an InputError where one is missing or blank."""
    text = as_keys(ids, source)
    text = text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text
    filled = fill_nulls(text, "") if text.null_count else text
    tell_blank(int((np.diff(view_keys(filled)[1]) == 0).sum()), source)
    return filled


def show_ids(ids: Any) -> str:
    """Returns ids as messages show them: the first ones, and how many they are."""
    message = ", ".join(ids[:_SHOWN].to_pylist())
    if len(ids) < 2:
        return f"the id {message}" if len(ids) else ""
    return f"{len(ids)} ids ({message}{', ...' if len(ids) > _SHOWN else ''})"


def _list(ids: Any, rows: NDArray[np.int64]) -> str:
    return show_ids(ids.take(build_places(rows)))


def name_systems(table: Table, column: str) -> Any:
    """Returns the system of each row, an Arrow array of text."""
    import pyarrow.compute as pc

    named = plain(table.column(column))
    if pa.types.is_nested(named.type):
        raise InputError(f"{table.source}: column {column!r} contains lists, not names")
    if named.null_count:
        index = pc.index(pc.is_null(named), True).as_py()
        where = f"{table.source}, {table.locate(index)}, column {column!r}"
        raise InputError(f"{where}: names no system")
    names = as_keys(named, f"{table.source}, column {column!r}")
    return names.combine_chunks() if isinstance(names, pa.ChunkedArray) else names
