"""Named arrays and a header in one Arrow IPC file, which any Arrow tool can read.

Each array is a column of one row, with its shape and a digest of all in the metadata.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import pyarrow
import pyarrow.ipc
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.io.files.opening import Progress, name_source, open_binary

Arrays: TypeAlias = dict[str, NDArray[Any]]
"""Arrays of numbers of any of the types below, by name."""

_HEADER = b"tallystick"
_DIGEST = b"sha256"
_SHAPE = b"shape"
_KINDS = {
    str(pyarrow.from_numpy_dtype(kind)): np.dtype(kind)
    for kind in (np.uint8, np.uint16, np.uint32, np.int64, np.float32, np.float64)
}
"""The types of numbers in arrays, by Arrow's names."""


def pack_arrays(header: bytes, arrays: Mapping[str, NDArray[np.generic]]) -> bytes:
    """Returns arrays of numbers and a header as bytes; equal arrays give equal bytes."""
    columns = [_to_column(array) for array in arrays.values()]
    fields = [
        pyarrow.field(name, column.type, metadata={_SHAPE: json.dumps(array.shape)})
        for (name, array), column in zip(arrays.items(), columns, strict=True)
    ]
    digest = _digest(header, arrays)
    schema = pyarrow.schema(fields, metadata={_HEADER: header, _DIGEST: digest})
    sink = pyarrow.BufferOutputStream()
    options = pyarrow.ipc.IpcWriteOptions(compression="zstd")
    with pyarrow.ipc.new_file(sink, schema, options=options) as writer:
        writer.write_batch(pyarrow.record_batch(columns, schema=schema))
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def read_arrays(path: str, *, watch: Progress | None = None) -> tuple[bytes, Arrays]:
    """Returns the header and the arrays of a file."""
    with open_binary(path, watch=watch) as file:
        return unpack_arrays(file.read(), name_source(path))


def unpack_arrays(content: bytes, source: str) -> tuple[bytes, Arrays]:
    """Returns the header and the arrays of the bytes of a file, which messages call `source`."""
    try:
        reader = pyarrow.ipc.open_file(pyarrow.py_buffer(content))
        known = reader.schema.metadata or {}
        header, digest = known[_HEADER], known[_DIGEST]
        batch = reader.get_batch(0)
        batch.validate(full=True)
        arrays = {
            field.name: _to_array(batch.column(place), field.metadata[_SHAPE])
            for place, field in enumerate(reader.schema)
        }
        if digest != _digest(header, arrays):
            raise ValueError("the digest is of another content")
    except (pyarrow.ArrowException, OSError, LookupError, TypeError, ValueError) as error:
        raise InputError(
            f"{source}: is not a whole file of saved tallies, as `tallystick count` writes them"
        ) from error
    return header, arrays


def _digest(header: bytes, arrays: Mapping[str, NDArray[np.generic]]) -> bytes:
    found = hashlib.sha256(header)
    for name, array in arrays.items():
        found.update(f"{name} {array.dtype.name} {array.shape}".encode())
        found.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return found.hexdigest().encode()


def _to_column(array: NDArray[np.generic]) -> pyarrow.LargeListArray:
    # What takes NumPy arrays by itself would import pandas where that is installed.
    flat = np.ascontiguousarray(array).reshape(-1)
    kind = pyarrow.type_for_alias(array.dtype.name)
    values = pyarrow.Array.from_buffers(kind, len(flat), [None, pyarrow.py_buffer(flat)])
    offsets = pyarrow.py_buffer(np.array([0, len(flat)], np.int64))
    return pyarrow.LargeListArray.from_buffers(
        pyarrow.large_list(kind), 1, [None, offsets], children=[values]
    )


def _to_array(column: pyarrow.LargeListArray, shape: bytes) -> NDArray[np.generic]:
    values = column.flatten()
    if str(values.type) not in _KINDS or len(column) != 1 or values.null_count:
        raise ValueError("not an array of numbers")
    kind = _KINDS[str(values.type)]
    content = values.buffers()[1] or b""
    array = np.frombuffer(content, kind, len(values), values.offset * kind.itemsize)
    return array.reshape([int(size) for size in json.loads(shape)])
