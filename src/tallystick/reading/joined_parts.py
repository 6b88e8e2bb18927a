"""Joins rows by id in parts, which any process can do.

The rows of each part of each file are split by a hash of their ids into a file of their own. The
rows of one partition of all these files are joined in memory, and are a part of the examples.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from tempfile import NamedTemporaryFile
from typing import Self

import numpy as np
import pyarrow
import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import InputError, UsageError
from tallystick.io.files.datasets import find_pieces
from tallystick.io.files.opening import measure_input, name_source
from tallystick.io.tables.formats import settle_format
from tallystick.io.tables.json_cells import find_known, is_json, name_kind
from tallystick.io.tables.table import Table, iterate_tables
from tallystick.io.tables.values import build_places, plain
from tallystick.limits import LIMITS
from tallystick.model.columns import IDS, PROBLEMS, find
from tallystick.model.ids import find_keys, hash_keys, need_keys, view_keys
from tallystick.model.reading import Reading
from tallystick.model.sides import Side
from tallystick.model.systems import Systems
from tallystick.reading.layouts import Long, Tries, are_lines, split_long
from tallystick.reading.speech import find_speech
from tallystick.reading.table_files import (
    Part,
    Survey,
    have_blocks,
    plan_parts,
    read_block,
    settle_by,
)
from tallystick.reading.tables import Block, Outputs, find_ids, find_kinds

_BUFFER = 1 << 26
"""The bytes held in memory before they are written, so that the pieces of a part are large."""


class Spilled(Struct, frozen=True):
    """The rows of one part in a file; `places` are the offset and size of each IPC message."""

    path: str
    places: tuple[tuple[int, int], ...]

    def read(self, schema: pyarrow.Schema) -> list[pyarrow.RecordBatch]:
        """Returns the rows, which have these columns."""
        with _explain(self.path), open(self.path, "rb") as file:
            found = []
            for start, size in self.places:
                file.seek(start)
                data = pyarrow.py_buffer(file.read(size))
                found.append(pyarrow.ipc.read_record_batch(data, schema))
            return found


class Spill:
    """Rows of several parts, each of which can be read by itself, in a new file in a folder."""

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
        """Adds rows to all parts, of which each may be empty."""
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


_PIECES = 64

_PARTITION = 1 << 23
"""A partition contains the rows of about this many bytes of all files."""


Split = tuple[pa.Schema, Mapping[int, Spilled], Survey | None, set[tuple[str, str]]]
"""The columns of rows, where those of each partition that has some are, what was seen of the gold,
and the kinds of values in columns of JSON."""


class Piece(Struct, frozen=True, eq=False):
    """A part of a file, whose rows are split by their ids.

    Attributes:
        file: The key of the file; None is the gold.
        named: Whether the ids are needed once rows have been joined.
    """

    part: Part
    file: str | None
    id: str
    named: bool
    partitions: int

    def split(self, reading: Reading, survey: Survey | None, folder: str) -> Split:
        """Splits the rows into a file in a folder, and looks at the gold's labels on the way."""
        kinds = set[tuple[str, str]]()
        with Spill(folder) as spill:
            for block in self.part.iterate(reading):
                if survey is not None:
                    survey.take(block)
                only = [name for name in block.names() if self.named or name != self.id]
                spill.add_all(split_rows(block, self.id, self.partitions, only))
                kinds |= _find_kinds(block)
            return spill.schema, spill.share(), survey, kinds


def split_rows(table: Table, ids: str, partitions: int, only: Sequence[str]) -> list[pa.Table]:
    """Returns the rows by partition of their ids: the ids as text, and some of the columns."""
    keys = need_keys(table.column(ids), table.source)
    high = hash_keys(keys) >> np.uint64(32)
    places = ((high * np.uint64(partitions)) >> np.uint64(32)).astype(np.uint16)
    fields, columns = [pa.field("key", keys.type)], [keys]
    for name in only:
        columns.append(plain(table.columns.column(name)))
        fields.append(table.columns.schema.field(name).with_type(columns[-1].type))
    order = build_places(np.argsort(places, kind="stable"))
    rows = pa.table(columns, schema=pa.schema(fields)).take(order)
    sizes = np.bincount(places, minlength=partitions)
    starts = (np.cumsum(sizes) - sizes).tolist()
    return [rows.slice(*one) for one in zip(starts, sizes.tolist(), strict=True)]


class File(Struct, frozen=True):
    """A file that has ids, or several that are one table; its first row, and its column of ids."""

    path: str
    first: Table
    id: str


class Rows(Struct, frozen=True, eq=False):
    """The rows of a partition of a file, in their order."""

    file: File
    schema: pa.Schema
    spilled: tuple[Spilled, ...]

    def read(self) -> tuple[pa.Array, Table]:
        """Reads the ids as text and the rows; the column of ids is empty if it was left out."""
        batches = [batch for one in self.spilled for batch in one.read(self.schema)]
        rows = pa.Table.from_batches(batches, self.schema).combine_chunks()
        columns = rows.select(range(1, rows.num_columns))
        names, ids = self.file.first.names(), self.file.id
        if ids in names and ids not in columns.column_names:
            columns = columns.add_column(names.index(ids), ids, pa.nulls(len(columns)))
        keys = rows.column(0).combine_chunks()
        return keys, replace(self.file.first, columns=columns)


class JoinedPart(Struct, frozen=True, eq=False):
    """Examples whose ids share a partition; `names` are the systems that all parts have."""

    name: str
    size: int
    files: Mapping[str | None, Rows]
    form: Long | Tries | None
    names: tuple[str, ...] | None = None

    def read(self, reading: Reading) -> Iterator[Systems]:
        """The examples in one block; none where there are none."""
        if any(rows.spilled for rows in self.files.values()):
            try:
                found = self._join(reading)
            except UsageError as error:  # such as a system that has outputs elsewhere alone
                raise InputError(str(error)) from error
            if self.names not in (None, found.names):
                raise InputError(f"{self.name}: some systems have no outputs")
            yield found

    def _join(self, reading: Reading) -> Systems:
        if self.form is not None:
            return self.form.join([rows.read()[1] for rows in self.files.values()], reading)
        (keys, gold), entries = self.files[None].read(), dict[str, Outputs]()
        for name, rows in self.files.items():
            if name is not None:
                own, table = rows.read()
                places = find_keys(own, keys)
                if not len(own) == len(keys) == len(np.unique(places)) or (places < 0).any():
                    raise InputError("ids are not as they should be")
                entries[name] = Side(table, places)
        return read_block(gold, entries, reading, 0)


Run = Callable[[Iterable[tuple[str, Callable[[], Split]]]], list[Split]]
"""Has jobs done, each of which has a name for messages, wherever and in whatever order."""


class Join(Struct, frozen=True, eq=False):
    """Files that are joined by id in parts; `survey` collects the labels of all the gold."""

    files: Mapping[str | None, File]
    pieces: tuple[Piece, ...]
    partitions: int
    form: Long | Tries | None
    survey: Survey | None
    reading: Reading

    def prepare(self, run: Run, folder: str) -> tuple[tuple[JoinedPart, ...], Reading]:
        """Splits all files into a folder; returns the parts and how the first says to read them."""
        parts, reading = self._split(run, folder), self.reading
        if self.survey is not None:
            reading = replace(reading, golden=self.survey.finish())
        first = next(block for part in parts for block in part.read(reading))
        settled = reading if self.survey is None else settle_by(reading, first)
        return tuple(replace(part, names=first.names) for part in parts), settled

    def _split(self, run: Run, folder: str) -> list[JoinedPart]:
        """Splits the rows into files in a folder, and adds what the survey finds of the gold."""
        survey = self.survey
        splits = run(
            (
                one.part.name,
                partial(one.split, self.reading, None if one.file else survey, folder),
            )
            for one in self.pieces
        )
        paths = [file.path for file in self.files.values()]
        pairs = [*zip(self.pieces, splits, strict=True)]
        schemas: dict[str | None, pa.Schema] = {}
        known: dict[tuple[str | None, str], str] = {}
        for piece, (schema, _, seen, kinds) in pairs:
            alike = schemas.setdefault(piece.file, schema).equals(schema, check_metadata=True)
            if not alike or any(
                known.setdefault((piece.file, name), kind) != kind for name, kind in kinds
            ):
                raise InputError(f"{piece.part.name}: has columns of several types")
            if survey is not None and seen is not None:
                survey.add(seen)
        size = measure_input(paths[:1]) // self.partitions
        found = list[JoinedPart]()
        for place in range(self.partitions):
            rows: dict[str | None, Rows] = {}
            for key, file in self.files.items():
                own = (spilled.get(place) for piece, (_, spilled, *_) in pairs if piece.file == key)
                rows[key] = Rows(file, schemas[key], tuple(filter(None, own)))
            name = f"{paths[0]}, partition {place + 1} of {self.partitions} by id"
            found.append(JoinedPart(name, size, rows, self.form))
        return found


def plan_join(part: Part, reading: Reading) -> Join | None:
    """Returns how files are joined in parts; None if one process must read all rows."""
    named: list[tuple[str | None, str]] = [(None, part.gold), *part.files.items()]
    files = None if part.single else _open_files(named, reading)
    if files is None:
        return None
    first = next(part.iterate(reading))
    return _plan(files, None, reading, (first, part.enter(dict.fromkeys(part.systems, first))))


def plan_long(path: str, form: Long, reading: Reading) -> Join | None:
    """Returns how a file with several systems is joined in parts; None as `plan_join` does."""
    files = _open_files([(None, path)], reading)
    if files is None:
        return None
    first = next(Part(path).iterate(reading))
    return _plan(files, form, reading, split_long(first, form.column, reading))


def plan_tries(paths: Sequence[str], form: Tries, reading: Reading) -> Join | None:
    """Returns how files of tries are joined in parts; None as `plan_join` does."""
    files = _open_files([(str(place), path) for place, path in enumerate(paths)], reading, PROBLEMS)
    return None if files is None else _plan(files, form, reading, None)


def _open_files(
    named: Sequence[tuple[str | None, str]], reading: Reading, usual: Sequence[str] = IDS
) -> dict[str | None, File] | None:
    paths = [path for _, path in named]
    strict = reading.columns.missing == "error" and not reading.tolerant
    whole = are_lines(paths[0], reading) or find_speech(paths[0], reading) is not None
    if not strict or whole or not have_blocks(paths, reading):
        return None
    files: dict[str | None, File] = {}
    golden: tuple[str, ...] = ()
    for key, path in named:
        kind = settle_format(find_pieces(path), reading.input_format)
        first = next(iterate_tables(path, format=kind, rows=1))
        columns = reading.columns
        named_id = columns.id if key is None else columns.system_id or columns.id
        names = (*first.names(), *first.unread)
        ids, golden = find(names, usual, named_id), golden or names
        if ids is None:
            return None
        if None in files and (files[None].id, ids) != find_ids(golden, names, columns):
            return None  # which is told by one process
        row = first.columns.take(build_places(np.zeros(1, np.int64)))  # and nothing behind it
        files[key] = File(path, replace(first, source=name_source(path), columns=row), ids)
    return files


def _plan(
    files: Mapping[str | None, File],
    form: Long | Tries | None,
    reading: Reading,
    first: Block | None,
) -> Join:
    size = measure_input([one.path for one in files.values()])
    least, most = LIMITS.join_partitions
    partitions = min(max(least, size // _PARTITION), most)
    pieces = tuple(
        Piece(part, key, one.id, first is None or key is None, partitions)
        for key, one in files.items()
        for part in plan_parts(Part(one.path), reading, size=_measure(one.path))
    )
    if first is None:
        return Join(files, pieces, partitions, form, None, reading)
    known = replace(reading, kinds=find_kinds(*first, reading))
    return Join(files, pieces, partitions, form, Survey(*first, reading), known)


def _find_kinds(block: Table) -> set[tuple[str, str]]:
    """The columns of JSON text, each with the kinds of its values: a partition may have one."""
    found = set[tuple[str, str]]()
    for field in filter(is_json, block.columns.schema):
        data, offsets = view_keys(block.columns.column(field.name).combine_chunks())
        starts = np.unique(data[offsets[:-1][np.diff(offsets) > 0]])
        kinds = {find_known(field), *(name_kind(bytes([start])) for start in starts.tolist())}
        found |= {(field.name, kind) for kind in kinds if kind is not None}
    return found


def _measure(path: str) -> int:
    least, most = LIMITS.join_pieces
    return min(max(measure_input([path]) // _PIECES, least), most)
