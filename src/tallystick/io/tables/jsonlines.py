"""Reads JSON Lines and arrays of objects: a column per key, kept as text where types are mixed."""

import functools
from codecs import BOM_UTF8
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import islice

import msgspec
import pyarrow

from tallystick.errors import InputError
from tallystick.frozen import dataclass, field
from tallystick.io.files.datasets import list_files
from tallystick.io.files.lines import iterate_bytes, iterate_texts
from tallystick.io.files.opening import name_source, open_binary, sniff
from tallystick.io.files.pieces import Asked
from tallystick.io.files.stores import Stamp
from tallystick.io.tables.building import build_bytes, regroup
from tallystick.io.tables.columns import check_width, expand_names, select_names, split_dotted
from tallystick.io.tables.json_cells import (
    decode_object,
    explain_json,
    find_kind,
    mark_json,
    type_cells,
)
from tallystick.io.tables.plain_json import PlainRows, read_form

_CHUNK = 1 << 16
_LARGE = 1 << 22
_SPARSE = 1 << 23  # cells of 8 bytes or more each, were they all empty

Row = Mapping[str, bytes | msgspec.Raw]
"""The JSON text of each value, by key."""
_NULL = b"null"


def read_json(asked: Asked) -> tuple[list[str], pyarrow.Table]:
    """Returns the keys of all objects, and the columns that are kept; null where a key is missing.

    A column of one plain kind is typed: strings, numbers, booleans or lists of strings. Any other
    one stays JSON text, which `Table.column` decodes or refuses.

    Raises:
        InputError: The file cannot be opened, a line or an element of its array is not an object,
            or an object has a key twice.
    """
    plain = _read_plain(asked)
    if plain is not None:
        return plain
    reader = _Reader(name_source(asked.path), asked.only)
    columns = reader.build(_iterate_rows(asked, reader.keys))
    if columns is None:
        raise InputError(f"{reader.source}: is empty, but a JSON object on each line was expected")
    return list(reader.keys), columns


def iterate_json(asked: Asked, rows: int) -> Iterator[tuple[list[str], pyarrow.Table]]:
    """Yields what `read_json` returns, so many rows at a time; each block has all columns.

    The file is read twice, as a key may turn up only in its last line.
    """
    path, only = asked.path, None if asked.only is None else frozenset(asked.only)
    form = next((_find_form(file, only) for file in list_files(path)), None)
    reader = _Reader(name_source(path), asked.only)
    if form is not None:
        names = list(form.types)
        kept = select_names(reader.source, names, asked.only)
        texts = iterate_texts(path, watch=asked.watch)
        blocks = ((names, form.read(text, kept)) for text in texts)
        yield from ((names, reader.settle(names, own)) for _, own in regroup(blocks, rows))
        return
    reader.keys |= dict.fromkeys(_read_keys(path))
    read = _iterate_rows(asked, reader.keys)
    while (columns := reader.build(islice(read, rows))) is not None:
        yield list(reader.keys), columns


def _read_keys(path: str) -> Collection[str]:
    """Returns all keys of a file, for which all of it is decoded: once, until the file changes."""
    known = next(map(_read_keys_once, list_files(path)), None)
    return _list_keys(path) if known is None else known


@functools.lru_cache(maxsize=64)
def _read_keys_once(file: Stamp) -> Collection[str]:
    form = _find_form(file, frozenset())
    return _list_keys(file.path) if form is None else tuple(form.types)


@functools.lru_cache(maxsize=64)
def _find_form(file: Stamp, only: frozenset[str] | None) -> PlainRows | None:
    """Returns the form in which all lines of a file are decoded at once; None without one."""
    for loose in (False, True):
        form: PlainRows | None = None
        with suppress(InputError):
            for form, kept, text in _iterate_forms(Asked(file.path, "jsonl", only), loose=loose):
                form.check(text, kept)
            return form
    return None


def _list_keys(path: str) -> Collection[str]:
    keys: dict[str, None] = {}
    for _ in _iterate_rows(Asked(path, "jsonl", ()), keys):
        pass
    return tuple(keys)


def _read_plain(asked: Asked) -> tuple[list[str], pyarrow.Table] | None:
    """Returns what `read_json` does of a file whose lines are decoded at once; None of others."""
    if not list_files(asked.path):
        return None  # a pipe
    watch = asked.watch
    before = 0 if watch is None else watch.done_bytes
    for loose in (False, True):
        with suppress(InputError):
            forms = _iterate_forms(asked, loose=loose)
            blocks = [(list(form.types), form.read(text, kept)) for form, kept, text in forms]
            if not blocks:
                return None
            names = blocks[0][0]
            columns = pyarrow.concat_tables(columns for _, columns in blocks)
            del blocks
            return names, _Reader(name_source(asked.path), asked.only).settle(names, columns)
        if watch is not None:
            watch.done_bytes = before
    return None


def _iterate_forms(asked: Asked, *, loose: bool) -> Iterator[tuple[PlainRows, list[str], bytes]]:
    """Yields many lines at a time with their form by the first one, and the keys to keep.

    A loose form takes all values for JSON text, and another one those of the first line as plain.
    """
    form: PlainRows | None = None
    kept: list[str] = []
    for text in iterate_texts(asked.path, watch=asked.watch):
        if form is None:
            form = read_form(text)
            check_width(asked.path, len(form.types))
            if asked.only is None or asked.only:
                kept = select_names(name_source(asked.path), list(form.types), asked.only)
            form = form.loosen() if loose else form.find_coded(text, kept)
        yield form, kept, text


def build_rows(
    source: str, rows: Iterable[Row], *, only: Collection[str] | None = None
) -> tuple[list[str], pyarrow.Table]:
    """Returns what `read_json` does, of rows that are there: the JSON text of each value by key."""
    reader, wanted = _Reader(source, only), expand_names(only)
    columns = reader.build(_keep(row, wanted, reader.keys) for row in rows)
    if columns is None:
        raise InputError(f"{source}: contains no examples")
    check_width(source, len(reader.keys))
    return list(reader.keys), columns


def read_listed(asked: Asked, key: str) -> tuple[list[str], pyarrow.Table]:
    """Returns what `read_json` returns, of the objects in a list of one JSON object.

    A dotted key, such as `run.outputs`, reaches into objects.
    """
    source = name_source(asked.path)
    with open_binary(asked.path, watch=asked.watch) as file:
        rows = _find_list(file.read().removeprefix(BOM_UTF8), key, source)
    found = []
    for number, row in enumerate(rows, start=1):
        try:
            found.append(decode_object(bytes(row)))
        except ValueError as error:
            raise InputError(f"{source}: element {number} of {key!r} {error}") from error
    return build_rows(source, found, only=asked.only)


def _find_list(text: bytes, key: str, source: str) -> list[msgspec.Raw]:
    """Returns the elements of a list, by its key or by keys between dots."""
    place = source
    while key:
        try:
            values = decode_object(text)
        except ValueError as error:
            raise InputError(f"{place}: {error}") from error
        names = ((head, rest) for head, rest in split_dotted(key) if head in values)
        part, key = next(names, (key.partition(".")[0], ""))
        if part not in values:
            raise InputError(f"{place}: has no key {part!r}, only {', '.join(values) or 'none'}")
        text, place = bytes(values[part]), f"{place}: {part!r}"
    try:
        return msgspec.json.decode(text, type=list[msgspec.Raw])
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InputError(f"{place} is not a list of rows") from error


def holds_array(path: str) -> bool:
    """Returns whether a JSON file holds one array and not an object on each line."""
    return sniff(path).removeprefix(BOM_UTF8).lstrip().startswith(b"[")


@dataclass(slots=True)
class _Reader:
    """The keys that rows have had so far, in order, and the kind of the values of each."""

    source: str
    only: Collection[str] | None
    keys: dict[str, None] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)

    def build(self, rows: Iterator[Row]) -> pyarrow.Table | None:
        """Returns the kept columns of some rows; None if there are no rows."""
        table = self._stack(rows)
        return None if table is None else self.settle(list(self.keys), table)

    def settle(self, names: Sequence[str], table: pyarrow.Table) -> pyarrow.Table:
        """Returns the kept ones of some columns, of which those of JSON text are typed."""
        count, cells = table.num_rows, dict(zip(table.column_names, table.columns, strict=True))
        del table  # so that the text of a column is let go once it is typed
        settled = [
            self._settle(name, cells.pop(name, None), count)
            for name in select_names(self.source, names, self.only)
        ]
        return pyarrow.table(
            [column for _, column in settled], schema=pyarrow.schema([kept for kept, _ in settled])
        )

    def _stack(self, rows: Iterator[Row]) -> pyarrow.Table | None:
        chunks: list[pyarrow.Table] = []
        names: set[str] = set()
        count = filled = 0
        for chunk in _cut(rows):
            names.update(*chunk)
            count, filled = count + len(chunk), filled + sum(map(len, chunk))
            if count * len(names) > max(_SPARSE, 100 * filled):
                raise InputError(f"{self.source}: its objects share too few keys to be one table")
            chunks.append(_stack(chunk))
        return pyarrow.concat_tables(chunks, promote_options="default") if chunks else None

    def _settle(
        self, name: str, cells: pyarrow.ChunkedArray | None, count: int
    ) -> tuple[pyarrow.Field, pyarrow.Array | pyarrow.ChunkedArray]:
        """Returns a column as typed, or as JSON text where it cannot be."""
        if cells is None:
            return pyarrow.field(name, pyarrow.null()), pyarrow.nulls(count)
        if not pyarrow.types.is_large_binary(cells.type):
            return pyarrow.field(name, cells.type), cells
        known = self.kinds.get(name)
        try:
            typed = _type_chunks(cells, known)
        except InputError:
            return mark_json(name, known), cells
        if known is None and (kind := find_kind(typed.type)) is not None:
            self.kinds[name] = kind
        return pyarrow.field(name, typed.type), typed


def _cut(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """Yields rows in lists that are short, and of few bytes."""
    held: list[Row] = []
    size = 0
    for row in rows:
        held.append(row)
        size += sum(memoryview(value).nbytes for value in row.values())
        if len(held) == _CHUNK or size > _LARGE:
            yield held
            held, size = [], 0
    if held:
        yield held


def _type_chunks(cells: pyarrow.ChunkedArray, known: str | None) -> pyarrow.ChunkedArray:
    """Returns a column as typed, one part after the other where all are of one type."""
    typed: list[pyarrow.Array] = []
    for chunk in cells.chunks:
        own = type_cells(chunk.to_pylist(), str, known=known)
        typed += own.chunks
        known = known or find_kind(own.type)
    types = {one.type for one in typed if one.null_count < len(one)}
    if len(types) == 1:
        (kept,) = types
        return pyarrow.chunked_array([one if one.type == kept else one.cast(kept) for one in typed])
    return type_cells(cells.to_pylist(), str, known=known)


def _stack(rows: Sequence[Row]) -> pyarrow.Table:
    columns = {
        name: build_bytes([bytes(row.get(name, _NULL)) for row in rows])
        for name in set[str]().union(*rows)
    }
    # The nulls count the rows where no column is kept; they are dropped at the end.
    return pyarrow.table({"": pyarrow.nulls(len(rows))} | columns)


def _iterate_rows(asked: Asked, keys: dict[str, None]) -> Iterator[Row]:
    """Yields the kept values of each object by key, as they were written, noting all keys."""
    source, wanted = name_source(asked.path), expand_names(asked.only)
    array = holds_array(asked.path)
    unit = "element" if array else "line"
    texts = _iterate_elements(asked) if array else _iterate_lines(asked)
    with closing(texts):
        for number, text in enumerate(texts, start=1):
            try:
                row = decode_object(text)
            except ValueError as error:
                raise InputError(f"{source}: {unit} {number} {error}") from error
            yield _keep(row, wanted, keys)
            check_width(source, len(keys))


def _keep(row: Row, wanted: Collection[str] | None, keys: dict[str, None]) -> Row:
    if not row.keys() <= keys.keys():
        keys.update(dict.fromkeys(row))
    return row if wanted is None else {name: row[name] for name in row if name in wanted}


def _iterate_lines(asked: Asked) -> Generator[bytes, None, None]:
    """Yields the lines; blank lines may only stand at the end."""
    blank = 0
    with closing(iterate_bytes(asked.path, watch=asked.watch)) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                blank = blank or number
            elif blank:
                raise InputError(f"{name_source(asked.path)}: line {blank} is blank; delete it")
            else:
                yield line


def _iterate_elements(asked: Asked) -> Generator[bytes, None, None]:
    text = b"".join(iterate_texts(asked.path, watch=asked.watch, bounded=False))
    try:
        for raw in msgspec.json.decode(text, type=list[msgspec.Raw]):
            yield bytes(raw)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InputError(
            f"{name_source(asked.path)}: is not JSON: {explain_json(error)}"
        ) from error
