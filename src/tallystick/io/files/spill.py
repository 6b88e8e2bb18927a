"""Keeps rows in a file by the part that they belong to, so that any process can read a part."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from tempfile import NamedTemporaryFile
from typing import Self

import pyarrow

from tallystick.errors import InputError
from tallystick.frozen import dataclass

_BUFFER = 1 << 26
"""The bytes held in memory before they are written, so that the pieces of a part are large."""


@dataclass(frozen=True, slots=True)
class Spilled:
    """The rows of one part in a file that any process can read.

    Attributes:
        places: Where each Arrow IPC message begins, and its size in bytes.
    """

    path: str
    places: tuple[tuple[int, int], ...]

    def read(self, schema: pyarrow.Schema) -> list[pyarrow.RecordBatch]:
        """Returns the rows, which have these columns.

        Raises:
            InputError: The file cannot be read.
        """
        with _explain(self.path), open(self.path, "rb") as file:
            found = []
            for start, size in self.places:
                file.seek(start)
                data = pyarrow.py_buffer(file.read(size))
                found.append(pyarrow.ipc.read_record_batch(data, schema))
            return found


class Spill:
    """Rows of several parts, each of which can be read by itself, in a new file in a folder.

    Attributes:
        schema: The columns of all rows; none while there are no rows.
    """

    def __init__(self, folder: str) -> None:
        """Opens the file."""
        self._folder = folder
        self._places: dict[int, list[tuple[int, int]]] = {}
        self._held: dict[int, list[pyarrow.Table]] = {}
        self._size = self._end = 0
        self.schema = pyarrow.schema([])
        with _explain(folder):
            self._file = NamedTemporaryFile(dir=folder, delete=False)  # noqa: SIM115

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add_all(self, parts: Sequence[pyarrow.Table]) -> None:
        """Adds rows to all parts, of which each may be empty.

        Raises:
            InputError: A column has other values than in earlier rows; or there is no room.
        """
        self.schema = self.schema if len(self.schema) else parts[0].schema
        if not self.schema.equals(parts[0].schema, check_metadata=True):
            raise InputError("a column has values of several types")
        for part, rows in enumerate(parts):
            if len(rows):
                self._held.setdefault(part, []).append(rows)
                self._size += rows.nbytes
        if self._size >= _BUFFER:
            self._flush()

    def _flush(self) -> None:
        with _explain(self._folder):
            for part, tables in self._held.items():
                for batch in pyarrow.concat_tables(tables).combine_chunks().to_batches():
                    message = batch.serialize()
                    self._file.write(message)
                    self._places.setdefault(part, []).append((self._end, message.size))
                    self._end += message.size
            self._file.flush()
        self._held.clear()
        self._size = 0

    def share(self) -> dict[int, Spilled]:
        """Returns where other processes find the rows of each part that has some."""
        self._flush()
        return {
            part: Spilled(self._file.name, tuple(places)) for part, places in self._places.items()
        }


@contextmanager
def _explain(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{path}: rows that are joined by id cannot be kept there: {error.strerror or error}; "
            "name a folder with room for them with TMPDIR"
        ) from error
