"""Spills rows that do not fit into memory to a temporary file, part by part."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Self

import pyarrow

from tallystick.errors import InputError, MixedTypesError, NoRoomError
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
        try:
            with open(self.path, "rb") as file:
                return [_read(file, *place, schema) for place in self.places]
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read: {error.strerror or error}") from error


class Spill:
    """Rows of several parts, each of which can be read by itself.

    They lie in the folder for temporary files, which `TMPDIR` names, as Arrow IPC messages. The
    file has no name there, so that nothing is left of it however the process ends; in a folder of
    the caller's it has one, so that other processes can read it. A NoRoomError tells wherever that
    folder is missing, may not be written to, or is full.

    Attributes:
        schema: The columns of all rows; none while there are no rows.
    """

    def __init__(self, folder: str | None = None) -> None:
        """Opens the file."""
        self._folder = folder or os.environ.get("TMPDIR") or tempfile.gettempdir()
        self._pieces: dict[int, list[tuple[int, int, pyarrow.Schema]]] = {}
        self._held: dict[int, list[pyarrow.Table]] = {}
        self._size = self._end = 0
        self.schema = pyarrow.schema([])
        with self._explain():
            self._file: IO[bytes] = (
                tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - it is closed
                if folder is None
                else tempfile.NamedTemporaryFile(dir=folder, delete=False)  # noqa: SIM115
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives the room on the disk back."""
        with suppress(OSError):  # what could not be written is of no use any more
            self._file.close()

    def add_all(self, parts: Sequence[pyarrow.Table], first: int = 0) -> None:
        """Adds rows to parts that follow each other.

        Raises:
            MixedTypesError: A column cannot hold these values and those of earlier rows.
        """
        schema = parts[0].schema
        if not self.schema.equals(schema, check_metadata=True):
            self.schema = _unify(self.schema, schema) if len(self.schema) else schema
        for part, rows in enumerate(parts, start=first):
            if len(rows):
                self._held.setdefault(part, []).append(rows)
        largest = max(parts, key=len)
        self._size += sum(map(len, parts)) * largest.nbytes // max(1, len(largest))
        if self._size >= _BUFFER:
            self.flush()

    def flush(self) -> None:
        """Writes the rows that are still in memory."""
        with self._explain():
            for part, tables in self._held.items():
                for batch in self._join(tables).to_batches():
                    message = batch.serialize()
                    self._file.write(message)
                    self._pieces.setdefault(part, []).append(
                        (self._end, message.size, batch.schema)
                    )
                    self._end += message.size
        self._held.clear()
        self._size = 0

    def share(self) -> dict[int, Spilled]:
        """Returns where other processes find the rows of each part.

        Raises:
            MixedTypesError: A column has changed its type on the way.
        """
        self.flush()
        with self._explain():
            self._file.flush()
        found = {}
        for part, pieces in self._pieces.items():
            for _, _, schema in pieces:
                if not schema.equals(self.schema, check_metadata=True):
                    raise MixedTypesError(self._file.name)
            found[part] = Spilled(self._file.name, tuple(piece[:2] for piece in pieces))
        return found

    def read(self, part: int) -> pyarrow.Table:
        """Returns the rows of a part, in the order in which they were added."""
        self.flush()
        with self._explain():
            tables = [
                pyarrow.Table.from_batches([_read(self._file, *piece)])
                for piece in self._pieces.get(part, [])
            ]
            self._file.seek(0, os.SEEK_END)
        return self._join(tables) if tables else self.schema.empty_table()

    def _join(self, tables: Sequence[pyarrow.Table]) -> pyarrow.Table:
        if not all(table.schema.equals(self.schema) for table in tables):
            tables = [table.cast(self.schema) for table in tables]
        return pyarrow.concat_tables(tables).combine_chunks()

    @contextmanager
    def _explain(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise NoRoomError(
                f"{self._folder}: rows that are joined by id cannot be kept there: "
                f"{error.strerror or error}; name a folder with room for them with TMPDIR"
            ) from error


def _read(file: IO[bytes], start: int, size: int, schema: pyarrow.Schema) -> pyarrow.RecordBatch:
    file.seek(start)
    return pyarrow.ipc.read_record_batch(pyarrow.py_buffer(file.read(size)), schema)


def _unify(known: pyarrow.Schema, further: pyarrow.Schema) -> pyarrow.Schema:
    for one, other in zip(known, further, strict=True):
        plain = pyarrow.types.is_null(one.type) or pyarrow.types.is_null(other.type)
        if one.metadata != other.metadata or not (plain or _are_close(one.type, other.type)):
            raise MixedTypesError(one.name)
    return pyarrow.unify_schemas([known, further], promote_options="permissive")


def _are_close(one: pyarrow.DataType, other: pyarrow.DataType) -> bool:
    numeric = (pyarrow.types.is_integer, pyarrow.types.is_floating)
    return one == other or all(any(test(kind) for test in numeric) for kind in (one, other))
