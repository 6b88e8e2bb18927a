"""Columns as Arrow arrays, NumPy arrays or lists, and Arrow arrays built from Python values.

The latter are built from buffers: `pyarrow.array` imports pandas, where it is installed, to find
out that a list has nothing of it, which takes longer than many a run.
"""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence, Sized
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np
import pyarrow
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.errors import InputError

SEED = int.from_bytes(os.urandom(8))
"""What spreads texts over the kernels' tables; who chooses the texts may not know it."""
_MOST = (1 << 31) - 1
"""The most bytes or items that 32-bit offsets can address."""


def build_bytes(values: Sequence[bytes]) -> pyarrow.Array:
    """Returns large_binary of values, none of which is null."""
    buffers = [None, _measure(values, np.int64), pyarrow.py_buffer(b"".join(values))]
    return pyarrow.Array.from_buffers(pyarrow.large_binary(), len(values), buffers)


def build_strings(values: Sequence[str | None]) -> pyarrow.Array:
    """Returns strings, or large_strings where 2 GiB do not hold them; None is null."""
    texts: Sequence[str] = [value or "" for value in values] if None in values else values  # type: ignore[assignment]
    joined = "".join(texts)
    data = joined.encode()
    items = texts if len(data) == len(joined) else [text.encode() for text in texts]
    large = len(data) > _MOST
    kind, width = (pyarrow.large_string(), np.int64) if large else (pyarrow.string(), np.int32)
    buffers = [_mark(values), _measure(items, width), pyarrow.py_buffer(data)]
    return pyarrow.Array.from_buffers(kind, len(values), buffers)


def build_codes(values: Sequence[str | None]) -> pyarrow.Array:
    """Returns strings as codes into the different ones, in the order in which these appear."""
    if None in values:
        return build_strings(values).dictionary_encode()
    codes = _Codes()
    found = np.fromiter(map(codes.__getitem__, values), np.int32, len(values))
    buffers = [None, pyarrow.py_buffer(found)]
    places = pyarrow.Array.from_buffers(pyarrow.int32(), len(found), buffers)
    return pyarrow.DictionaryArray.from_arrays(places, build_strings(list(codes)))


class _Codes(dict[str | None, int]):
    """Numbers keys in the order in which they are looked up."""

    def __missing__(self, key: str | None) -> int:
        return self.setdefault(key, len(self))


def build_split(data: NDArray[np.uint8], offsets: NDArray[np.int32 | np.int64]) -> pyarrow.Array:
    """Returns UTF-8 as strings, or large_strings: item i is data[offsets[i] : offsets[i + 1]]."""
    large = len(data) > _MOST
    kind, width = (pyarrow.large_string(), np.int64) if large else (pyarrow.string(), np.int32)
    buffers = [None, pyarrow.py_buffer(offsets.astype(width, copy=False)), pyarrow.py_buffer(data)]
    return pyarrow.Array.from_buffers(kind, len(offsets) - 1, buffers)


def build_booleans(values: Sequence[bool | None]) -> pyarrow.Array:
    """Returns booleans; None is null."""
    bits = _pack([value is True for value in values])
    return pyarrow.Array.from_buffers(pyarrow.bool_(), len(values), [_mark(values), bits])


def build_lists(values: Sequence[Sequence[str | None] | None]) -> pyarrow.Array:
    """Returns lists of strings; None is null, as a list and as an item."""
    lists: list[Sequence[str | None]] = [() if value is None else value for value in values]
    items = build_strings(list(chain.from_iterable(lists))).cast(pyarrow.large_string())
    array = pyarrow.Array.from_buffers(
        pyarrow.large_list(pyarrow.large_string()),
        len(values),
        [_mark(values), _measure(lists, np.int64)],
        children=[items],
    )
    small = len(items) <= _MOST and items.nbytes <= _MOST
    return array.cast(pyarrow.list_(pyarrow.string())) if small else array


def build_places(places: NDArray[np.int32 | np.int64]) -> pyarrow.Array:
    """Returns int64 of places in a column; one below 0 is null."""
    known = places >= 0
    marks = None if known.all() else pyarrow.py_buffer(np.packbits(known, bitorder="little"))
    data = pyarrow.py_buffer(np.ascontiguousarray(places, np.int64))
    return pyarrow.Array.from_buffers(pyarrow.int64(), len(places), [marks, data])


def fill_nulls(values: pyarrow.ChunkedArray, value: int | str) -> pyarrow.ChunkedArray:
    """Returns a column with a value in place of each null, like `pyarrow.compute.fill_null`."""
    import pyarrow.compute

    one = build_strings([value]) if isinstance(value, str) else build_numbers([value])
    return pyarrow.compute.fill_null(values, one.cast(values.type)[0])


def build_numbers(values: Sequence[int | float | None]) -> pyarrow.Array:
    """Returns int64 of whole numbers, or float64 where there is a fraction; None is null."""
    kinds = set(map(type, values)) - {type(None)}
    if not kinds:
        return pyarrow.nulls(len(values))
    if kinds not in ({int}, {float}):
        return pyarrow.array(values)
    known, kind = (np.int64, pyarrow.int64()) if kinds == {int} else (np.float64, pyarrow.float64())
    numbers = np.array([0 if value is None else value for value in values], known)
    buffers = [_mark(values), pyarrow.py_buffer(numbers)]
    return pyarrow.Array.from_buffers(kind, len(values), buffers)


def _measure(values: Sequence[Sized], width: type[np.int32 | np.int64]) -> pyarrow.Buffer:
    offsets = np.zeros(len(values) + 1, width)
    np.cumsum(np.fromiter(map(len, values), width, len(values)), out=offsets[1:])
    return pyarrow.py_buffer(offsets)


def _mark(values: Sequence[object]) -> pyarrow.Buffer | None:
    """The validity bitmap: a bit for each value that is not null; None if no value is null."""
    return _pack([value is not None for value in values]) if None in values else None


def _pack(bits: Sequence[bool]) -> pyarrow.Buffer:
    return pyarrow.py_buffer(np.packbits(np.array(bits, bool), bitorder="little"))


_DIGITS = 15
"""So many digits a float holds for certain."""


def as_column(values: object) -> Any:
    """Returns a column as an Arrow array, a NumPy array or a list, with decimals as floats."""
    # NumPy loads its masked arrays when they are first named: nothing that came in is one before.
    if "numpy.ma" in sys.modules and isinstance(values, np.ma.MaskedArray):
        if values.ndim > 1 and np.ma.is_masked(values):
            raise InputError("a matrix contains masked values, and none may be missing")
        values = pa.array(values) if values.ndim == 1 else values.data
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return write_numbers(plain(values))
    if isinstance(values, np.ndarray):
        return _as_vector(values)
    if isinstance(values, list | tuple):
        return _write_floats(values)
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        try:
            stream = hasattr(values, "__arrow_c_stream__")
            return as_column(pa.chunked_array(values) if stream else pa.array(values))
        except Exception as error:  # whatever the library that made it raises
            if not hasattr(values, "__array__"):  # as a sparse column of pandas has
                raise InputError(f"a column cannot be taken as Arrow values: {error}") from error
    if hasattr(values, "__array__"):
        try:
            array = np.asarray(values)
        except Exception as error:
            raise InputError(f"a column cannot be taken as NumPy values: {error}") from error
        return as_column(array)
    if isinstance(values, set | frozenset):
        raise InputError(
            f"a {type(values).__name__} has no order, so it cannot be a column; pass a list"
        )
    if isinstance(values, Iterable) and not isinstance(values, str | bytes | bytearray | Mapping):
        return _write_floats(list(values))
    raise InputError(f"a column of values was expected, not {type(values).__name__}")


def find_index(values: object) -> Any:
    """Returns the index of a pandas Series or DataFrame; None of any other column or table."""
    return getattr(values, "index", None) if hasattr(values, "iloc") else None


def follow_index(values: Any, index: Any, sources: tuple[str, str]) -> Any:
    """Returns the rows of a pandas object in the order of another object's index."""
    own = find_index(values)
    if own is None or index is None or own.equals(index) or len(own) != len(index):
        return values
    if own.is_unique and index.is_unique:
        places = own.get_indexer(index)
        if (places >= 0).all():
            return values.iloc[places]
    raise InputError(
        f"{sources[1]}: its pandas index differs from that of {sources[0]}, so rows cannot be "
        "paired by it; pass .to_numpy(), or reset_index(drop=True), to pair them by position"
    )


def list_values(values: object, name: str) -> list[Any]:
    """Returns a column as a list of values, as Python has them."""
    column = as_column(values)
    if isinstance(column, np.ndarray):
        listed: list[Any] = column.tolist()
        return listed
    return list(column) if isinstance(column, list | tuple) else as_list(column, name)


def as_list(column: pa.Array | pa.ChunkedArray, where: str) -> list[Any]:
    """Returns the values of a column as Python has them; `where` names it in messages."""
    try:
        found: list[Any] = column.to_pylist()
    except (pa.ArrowException, ArithmeticError, TypeError, ValueError) as error:
        raise InputError(
            f"{where} contains a {column.type} that cannot be read: {error}"
        ) from error
    return found


def parse_number(text: str) -> float | None:
    """Returns the number that a text is; None where it is none."""
    try:
        return float(text)
    except ValueError:
        return None


def plain(array: Any) -> Any:
    """An Arrow array with dictionaries, runs and views of text written out for all kernels."""
    if isinstance(array, pa.ChunkedArray):
        chunks = [plain(chunk) for chunk in array.chunks]
        return pa.chunked_array(chunks) if chunks else array
    if pa.types.is_dictionary(array.type):
        return plain(array.dictionary).take(array.indices)
    if pa.types.is_run_end_encoded(array.type):
        import pyarrow.compute as pc

        try:
            return plain(pc.run_end_decode(array))
        except pa.ArrowNotImplementedError as error:
            raise InputError(f"a column of type {array.type} cannot be read: {error}") from error
    for view, whole in (
        (pa.string_view(), pa.large_string()),
        (pa.binary_view(), pa.large_binary()),
    ):
        if array.type == view:
            return array.cast(whole)
    lists = pa.types.is_list(array.type) or pa.types.is_large_list(array.type)
    if lists and pa.types.is_string_view(array.type.value_type):
        return array.cast(pa.large_list(pa.large_string()))
    return array


def write_numbers(array: Any) -> Any:
    """An Arrow array with decimals as floats; whole ones of more digits as integers or texts."""
    if not pa.types.is_decimal(array.type):
        return array
    if array.type.scale > 0 or array.type.precision <= _DIGITS:
        return array.cast(pa.float64())
    try:
        return array.cast(pa.int64())
    except pa.ArrowInvalid:
        return array.cast(pa.large_string())


def as_numpy(array: Any) -> NDArray[Any]:
    """Returns an Arrow array as NumPy array, without importing pandas as Arrow would."""
    numbers = pa.types.is_integer(array.type) or pa.types.is_floating(array.type)
    if not numbers or not len(array):
        return np.asarray(array)
    chunks = array.chunks if hasattr(array, "chunks") else [array]
    parts = [np.from_dlpack(chunk) for chunk in chunks]
    return np.concatenate(parts) if len(parts) > 1 else parts[0]


def _as_vector(values: NDArray[Any]) -> Any:
    array = np.asarray(values)  # what is cut out of np.matrix would have two dimensions
    if not array.ndim:
        raise InputError("a column of values was expected, not a single value")
    array = array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array
    return _write_floats(array.tolist()) if array.dtype == object and array.ndim == 1 else array


def _write_floats(values: Sequence[Any]) -> Sequence[Any]:
    exact = [kind for kind in set(map(type, values)) if kind.__module__ in ("decimal", "fractions")]
    if not exact:
        return values
    try:
        return [float(value) if type(value) in exact else value for value in values]
    except (OverflowError, ValueError) as error:
        raise InputError(f"a column contains a number that is not a float: {error}") from error


def write_out(columns: pa.Table) -> pa.Table:
    """The columns with views of text written out, of which no rows can be taken."""
    for place, field in enumerate(columns.schema):
        kind = _write_type(field.type)
        if kind != field.type:
            column = plain(columns.column(place)).cast(kind)
            columns = columns.set_column(place, field.with_type(kind), column)
    return columns


def _write_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_dictionary(kind) and pa.types.is_string_view(kind.value_type):
        return pa.large_string()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.large_list(_write_type(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_write_type(field.type)) for field in kind.fields])
    return kind


def as_keys(values: Any, source: str) -> Any:
    """Returns the values that identify rows, as text; whole numbers are the same in any type."""
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


def join_keys(columns: Sequence[Any], source: str) -> pa.ChunkedArray:
    """Returns ids of several columns as text such as `("a", "b")`; null where one of them is."""
    import pyarrow.compute as pc

    pieces: list[Any] = []
    for column in columns:
        text = as_keys(column, source)
        for mark in ("\\", '"'):  # so that other values give other ids
            if pc.any(pc.match_substring(text, mark)).as_py():
                text = pc.replace_substring(text, mark, f"\\{mark}")
        blank = pc.equal(text, "")
        text = pc.if_else(blank, None, text) if pc.any(blank).as_py() else text
        pieces += ['", "' if pieces else '("', text]
    texts = [pa.scalar(one, pa.large_string()) if isinstance(one, str) else one for one in pieces]
    ends = [pa.scalar(one, pa.large_string()) for one in ('")', "")]
    return pa.chunked_array(pc.binary_join_element_wise(*texts, *ends))
