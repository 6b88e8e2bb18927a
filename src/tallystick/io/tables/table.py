"""Tables of examples, read from files whole or in blocks, or taken from Python."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.io.files.datasets import Asked, Piece, find_pieces, list_files
from tallystick.io.files.opening import Progress, measure_input, name_source, reading
from tallystick.io.tables.formats import (
    NOTE,
    Format,
    KeyName,
    check_start,
    expand_names,
    get_format,
    guess_by_ending,
    quote_names,
    select_names,
    settle_format,
)

if TYPE_CHECKING:
    import pyarrow


_LOOKED_AT = 100


class Table(Struct, frozen=True):
    """The columns of one file or Python object, which knows the place of each example.

    Attributes:
        columns: CSV and TSV as strings, everything else as typed at its source; JSON that is not
            plain values is kept as text that only `column` decodes.
        unit: What messages call an example: `row`, `line`, `element` of a JSON array, `sample`.
        first: The number of its first example: 2 below a header, else 1.
        unread: The names of the columns that were not kept.
        origins: The first example of each file, what messages call the file, and the number of that
            example in it; none if all are of one file.
        gaps: The columns of numbers in which a null is an example that was not scored.
        places: The index of each example among those that were read; None if all were kept.
    """

    source: str
    columns: pyarrow.Table
    unit: str
    first: int
    unread: tuple[str, ...] = ()
    origins: tuple[tuple[int, str, int], ...] = ()
    gaps: frozenset[str] = frozenset()
    places: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        if not self.columns.num_rows:
            raise InputError(f"{self.source}: has columns but no {self.unit}s of data")

    def __len__(self) -> int:
        return int(self.columns.num_rows)

    def names(self) -> tuple[str, ...]:
        """Returns the names of the columns that were kept."""
        return tuple(self.columns.schema.names)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on how the file was read."""
        note = (self.columns.schema.metadata or {}).get(NOTE)
        return () if note is None else (note.decode(),)

    def column(self, name: str) -> pyarrow.ChunkedArray:
        """Returns a column, what a dotted name finds inside one, or ids of several columns."""
        from tallystick.io.tables.json_cells import find_column

        if isinstance(name, KeyName):
            from tallystick.io.tables.values import join_keys

            return join_keys([find_column(self, part) for part in name.parts], self.source)
        return find_column(self, name)

    def values(self, name: str) -> list[object]:
        """Returns the values of a column as Python has them, with the objects and lists of JSON."""
        from tallystick.io.tables.json_cells import list_values

        found = self.column(name) if isinstance(name, KeyName) else None
        return list_values(self, name) if found is None else found.to_pylist()

    def locate(self, index: int) -> str:
        """Returns the place of an example, such as `row 7`, given its index from 0."""
        index = index if self.places is None else int(self.places[index])
        if self.origins:
            start, source, first = max(one for one in self.origins if one[0] <= index)
            return f"{self.unit} {first + index - start} of {source}"
        return f"{self.unit} {self.first + index}"

    def keep(self, kept: NDArray[np.bool_]) -> Table:
        """Returns some of the examples."""
        places = np.arange(len(self)) if self.places is None else self.places
        return replace(self, columns=self.columns.filter(kept), places=places[kept])

    def head(self) -> Table:
        """Returns the first rows, which show what the columns have."""
        return self.cut(0, _LOOKED_AT)

    def cut(self, start: int, rows: int) -> Table:
        """Returns some of the examples that follow each other, which know where they stood."""
        if self.places is not None:
            places = self.places[start : start + rows]
            return replace(self, columns=self.columns.slice(start, rows), places=places)
        stop, ends = start + rows, [begin for begin, _, _ in self.origins[1:]] + [len(self)]
        origins = tuple(
            (max(0, begin - start), source, first + max(0, start - begin))
            for (begin, source, first), end in zip(self.origins, ends, strict=False)
            if begin < stop and end > start
        )
        columns = self.columns.slice(start, rows)
        return replace(self, columns=columns, first=self.first + start, origins=origins)


def read_table(
    path: str,
    *,
    format: str | None = None,
    only: Collection[str] | None = None,
    watch: Progress | None = None,
) -> Table:
    """Reads the file or files of a path as one table; the format is guessed if it is None."""
    with reading(path):
        pieces, sure = find_pieces(path), format is not None
        format = settle_format(pieces, format)
        tables = list[Table]()
        for piece in pieces:
            asked = Asked(piece.path, format, only, watch)
            check_start(piece.path, format=format, sure=sure)
            held = get_format(asked)
            names, columns = held.read(asked)
            if columns.num_rows or len(pieces) == 1:
                table = _build_table(asked, held, names, columns)
                tables.append(_add_values(table, piece, only))
        if not tables:
            raise InputError(f"{path}: its {len(pieces)} files have columns but no rows of data")
        return join_tables(name_source(path), tables)


def release_memory() -> None:
    """Returns memory of deleted tables to the system, which Arrow would keep."""
    import pyarrow

    pyarrow.default_memory_pool().release_unused()


def _add_values(table: Table, piece: Piece, only: Collection[str] | None) -> Table:
    """Returns a table with the columns that its folders represent, where they are kept."""
    import pyarrow

    columns, wanted = table.columns, expand_names(only)
    for name, value in piece.values:
        if name not in table.names() and (wanted is None or name in wanted):
            one = pyarrow.scalar(value, pyarrow.string())
            columns = columns.append_column(name, pyarrow.repeat(one, len(table)))
    return replace(table, columns=columns)


def join_tables(source: str, tables: Sequence[Table]) -> Table:
    """Joins tables into one called `source`, which knows where each example stood."""
    import pyarrow

    first, *others = tables
    if not others:
        return first
    for other in others:
        if other.source != first.source:  # blocks of one file are alike
            check_alike(first, other)
    parts = [table.columns.select(first.names()) for table in tables]
    if not all(part.schema.equals(parts[0].schema) for part in parts):
        # Texts are in dictionaries only if they are in all tables.
        parts = [part.cast(pyarrow.schema(map(_find_plain, part.schema))) for part in parts]
    try:
        columns = pyarrow.concat_tables(parts, promote_options="permissive")
    except pyarrow.ArrowException as error:
        raise InputError(f"{source}: its files cannot be read as one table: {error}") from error
    if all(table.source == source and not table.origins for table in tables):  # of one file
        return replace(first, columns=columns)
    notes = [part.schema.metadata for part in parts if NOTE in (part.schema.metadata or {})]
    columns = columns.replace_schema_metadata(max(notes, key=str)) if notes else columns
    starts = accumulate(map(len, tables), initial=0)
    origins = tuple(
        (start + begin, own, number)
        for start, table in zip(starts, tables, strict=False)
        for begin, own, number in table.origins or ((0, table.source, table.first),)
    )
    return replace(first, source=source, columns=columns, origins=origins).cut(0, len(columns))


def _find_plain(held: pyarrow.Field) -> pyarrow.Field:
    from pyarrow import types

    return held.with_type(held.type.value_type) if types.is_dictionary(held.type) else held


def check_alike(first: Table, other: Table) -> None:
    """Checks that two tables can be read as one."""
    from tallystick.io.tables.json_cells import is_json

    one, two = ((*table.names(), *table.unread) for table in (first, other))
    if {*one} != {*two}:
        raise InputError(
            f"{other.source}: has the columns {quote_names(two)}, but {first.source} has "
            f"{quote_names(one)}; files that are read as one table have the same columns"
        )
    for name in first.names():
        held, own = (_find_plain(table.columns.schema.field(name)) for table in (first, other))
        kinds = {_name_type(one.type) for one in (held, own)} - {"null"}
        if len(kinds) > 1 and not (is_json(held) or is_json(own)):  # checked once it is decoded
            raise InputError(
                f"{other.source}: column {name!r} is {own.type}, but {held.type} in {first.source}"
            )


def _name_type(held: pyarrow.DataType) -> str:
    from pyarrow import types

    if types.is_dictionary(held):
        return _name_type(held.value_type)
    if types.is_integer(held) or types.is_floating(held) or types.is_decimal(held):
        return "number"
    return str(held).removeprefix("large_").partition("<")[0]


def _build_table(
    asked: Asked, held: Format, names: Sequence[str], columns: pyarrow.Table, before: int = 0
) -> Table:
    kept = set(columns.column_names)
    unread = tuple(name for name in names if name not in kept)
    return Table(name_source(asked.path), columns, held.unit, held.first + before, unread)


def from_arrow(data: object, source: str) -> Table:
    """Takes the columns of anything with the Arrow interface, such as a pandas or polars frame."""
    import pyarrow

    try:
        # Arrow would import pandas to find out that a table of its own is no data frame.
        # To start threads takes longer than most of its columns.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that names of columns which are no texts become some
            columns = data if isinstance(data, pyarrow.Table) else pyarrow.table(data, nthreads=1)
    except (pyarrow.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"{source}: cannot be taken as Arrow columns: {error}") from error
    select_names(source, columns.column_names, None)
    rows = [name for name in columns.column_names if name.startswith("__index_level_")]
    return Table(source, columns.drop_columns(rows) if rows else columns, "row", 1)


_ROWS = 1 << 18


def iterate_tables(
    path: str,
    *,
    format: str | None = None,
    only: Collection[str] | None = None,
    rows: int = _ROWS,
    watch: Progress | None = None,
    pieces: Sequence[Piece] | None = None,
) -> Iterator[Table]:
    """Yields what `read_table` returns in blocks of `rows` rows, of all files or some pieces."""
    with reading(path):
        chosen, sure = find_pieces(path) if pieces is None else pieces, format is not None
        format = settle_format(chosen, format)
        tables: Iterator[Table] = (
            _add_values(table, piece, only)
            for piece in chosen
            for table in _iterate(Asked(piece.path, format, only, watch, piece.span), rows, sure)
        )
        if len(chosen) > 1:
            tables = _number(name_source(path), tables)
        count = 0
        for table in _regroup(tables, rows):
            yield table
            count += len(table)
        if not count and pieces is None:
            read_table(path, format=format, only=only)  # says what is missing


def _iterate(asked: Asked, rows: int, sure: bool) -> Iterator[Table]:
    held = get_format(asked)
    blocks = held.iterate(asked, rows)
    if blocks is None:
        yield read_table(asked.path, format=asked.format, only=asked.only)
        return
    check_start(asked.path, format=asked.format, sure=sure)
    first = 0 if asked.span is None else asked.span.first
    for names, columns in blocks:
        if columns.num_rows:
            yield _build_table(asked, held, names, columns, first)
            first += columns.num_rows


def _number(source: str, tables: Iterator[Table]) -> Iterator[Table]:
    """Yields the tables of several files as parts of one, numbered from its beginning."""
    first, done = None, 0
    for table in tables:
        first = first or table
        check_alike(first, table)
        origins = ((0, table.source, table.first),)
        yield replace(table, source=source, first=first.first + done, origins=origins)
        done += len(table)


def _regroup(tables: Iterator[Table], rows: int) -> Iterator[Table]:
    held, count = list[Table](), 0
    for table in tables:
        held, count = [*held, table], count + len(table)
        while count >= rows:
            whole, count = join_tables(table.source, held), count - rows
            yield whole.cut(0, rows)
            held = [whole.cut(rows, count)] if count else []
    if held:
        yield join_tables(held[0].source, held)


_GZIP = 16
"""By how much gzip shrinks tables of labels, or more."""


def measure_unpacked(path: str) -> int:
    """Returns how many bytes a path's Parquet or gzip has in memory, about; 0 of other formats."""
    if path.lower().endswith(".gz"):
        return _GZIP * measure_input([path])
    if guess_by_ending(path) not in (None, "parquet"):
        return 0
    from tallystick.io.tables.parquet import measure_file

    with suppress(InputError):
        files = [one.path for one in list_files(path)]
        return sum(measure_file(own) for own in files if guess_by_ending(own) == "parquet")
    return 0
