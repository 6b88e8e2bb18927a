"""Named arrays and a header in one Arrow IPC file, which any Arrow tool can read.

Each array is a column of one row, a list of its numbers; its shape stands in the metadata of the
column, and the header, as JSON, in that of the schema, beside a digest of all.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow
import pyarrow.ipc
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.io.files import name_source, open_binary, write_bytes
from tallystick.io.progress import Progress

__all__ = ["pack_arrays", "read_arrays", "unpack_arrays", "write_arrays"]

_HEADER = b"tallystick"
_DIGEST = b"sha256"
_SHAPE = b"shape"
_TYPES = ("uint8", "uint16", "uint32", "int64", "float32", "float64")


def write_arrays(path: str, header: bytes, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Writes arrays and a header; equal ones give equal bytes.

    Args:
        path: The file, which is replaced whole.
        header: JSON.
        arrays: Arrays of whole or real numbers, by name.

    Raises:
        InputError: The file cannot be written.
    """
    write_bytes(path, pack_arrays(header, arrays))


def pack_arrays(header: bytes, arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Returns the bytes that `write_arrays` writes."""
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


def read_arrays(
    path: str, *, watch: Progress | None = None
) -> tuple[bytes, dict[str, NDArray[Any]]]:
    """Returns the header and the arrays of a file.

    Raises:
        InputError: The file cannot be opened, or is not what `write_arrays` writes.
    """
    with open_binary(path, watch=watch) as file:
        return unpack_arrays(file.read(), name_source(path))


def unpack_arrays(content: bytes, source: str) -> tuple[bytes, dict[str, NDArray[Any]]]:
    """Returns the header and the arrays of the bytes of a file, which messages call `source`.

    Raises:
        InputError: They are not what `pack_arrays` gives.
    """
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


def _digest(header: bytes, arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The SHA-256 of a header and arrays, in hexadecimal digits."""
    found = hashlib.sha256(header)
    for name, array in arrays.items():
        found.update(f"{name} {array.dtype.name} {array.shape}".encode())
        found.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return found.hexdigest().encode()


def _to_column(array: NDArray[Any]) -> pyarrow.LargeListArray:
    values = pyarrow.array(np.ascontiguousarray(array).reshape(-1))
    offsets = pyarrow.array([0, len(values)], pyarrow.int64())
    return pyarrow.LargeListArray.from_arrays(offsets, values)


def _to_array(column: pyarrow.LargeListArray, shape: bytes) -> NDArray[Any]:
    values: NDArray[Any] = column.flatten().to_numpy(zero_copy_only=False)
    if values.dtype.name not in _TYPES or len(column) != 1:
        raise ValueError("not an array of numbers")
    return values.reshape([int(size) for size in json.loads(shape)])
