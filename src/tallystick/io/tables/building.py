"""Builds Arrow arrays of plain Python values from their buffers.

`pyarrow.array` imports pandas, where it is installed, to find out that a list holds nothing of it:
that takes longer than many a run.
"""

import os
from collections.abc import Sequence, Sized
from itertools import chain

import numpy as np
import pyarrow
from numpy.typing import NDArray

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
    """The offsets: where each value begins, and where the last one ends."""
    offsets = np.zeros(len(values) + 1, width)
    np.cumsum(np.fromiter(map(len, values), width, len(values)), out=offsets[1:])
    return pyarrow.py_buffer(offsets)


def _mark(values: Sequence[object]) -> pyarrow.Buffer | None:
    """The validity bitmap: a bit for each value that is not null; None if no value is null."""
    return _pack([value is not None for value in values]) if None in values else None


def _pack(bits: Sequence[bool]) -> pyarrow.Buffer:
    return pyarrow.py_buffer(np.packbits(np.array(bits, bool), bitorder="little"))
