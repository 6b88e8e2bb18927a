"""Reads JSON Lines and arrays of objects: a column per key, kept as text where types are mixed."""

import functools
from codecs import BOM_UTF8
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from operator import attrgetter
from types import GenericAlias
from typing import Any, Literal, NoReturn

import msgspec
import pyarrow
from msgspec import Struct

from tallystick.errors import InputError
from tallystick.io.files.datasets import Asked, list_files
from tallystick.io.files.lines import iterate_bytes, iterate_texts
from tallystick.io.files.opening import name_source, open_binary
from tallystick.io.files.recognition import name_form
from tallystick.io.files.stores import Stamp
from tallystick.io.tables.formats import (
    check_width,
    expand_names,
    holds_array,
    select_names,
    split_dotted,
)
from tallystick.io.tables.json_cells import (
    FAULTS,
    KINDS,
    build_values,
    decode_cells,
    decode_object,
    explain_json,
    mark_json,
    name_kind,
)
from tallystick.io.tables.values import build_bytes, build_codes
from tallystick.limits import LIMITS

_SPARSE, _CELLS = 1 << 23, 8
"""A table may have this many cells, or this many for each byte of its file, most of them empty."""
_WIDEST = 256
"""With more keys than that, a struct would look for a key in too many places; likewise strings."""
_LEAST, _FEW = 1 << 9, 8
"""Of the first rows, this many must there be, and so often must strings recur, to become codes."""

_NULL = b"null"
_UNREAD = "unread"


_Values = Mapping[str, Iterable[Any]]
"""The values of each column, which are there once."""


class _Form(Struct, frozen=True):
    """The columns of a file, in the order of their keys.

    Attributes:
        kinds: The kind of each column's values.
        known: What messages call the first value of a column, unless that is an object.
        coded: The columns of strings that recur, and those strings.
    """

    kinds: dict[str, str]
    known: dict[str, str]
    coded: dict[str, set[str]]


def read_json(asked: Asked) -> tuple[list[str], pyarrow.Table]:
    """Returns the keys of all objects, and the columns that are kept; null where a key is missing.

    A column of one plain kind is typed: strings, numbers, booleans or lists of strings. Any other
    one stays JSON text, which `Table.column` decodes or refuses. Of a key that an object has twice,
    the last value counts.
    """
    reader = _Reader(name_source(asked.path), asked.only)
    before = 0 if asked.watch is None else asked.watch.done_bytes
    tables = list(map(reader.build, reader.read(asked)))
    while reader.changed:
        tables.clear()
        if asked.watch is not None:
            asked.watch.done_bytes = before
        tables += map(reader.build, reader.read(asked))
    if not tables:
        raise InputError(f"{reader.source}: is empty, but a JSON object on each line was expected")
    return reader.finish(tables)


def iterate_json(asked: Asked, _rows: int) -> Iterator[tuple[list[str], pyarrow.Table]]:
    """Yields what `read_json` returns in blocks; the file is read twice, as keys may come late."""
    only = None if asked.only is None else frozenset(asked.only)
    files = list_files(asked.path)  # none if it is a pipe
    find_form = _find_form if files else _find_form.__wrapped__
    form = find_form(asked.path, only, files)
    reader = _Reader(name_source(asked.path), asked.only, form)
    names = list(form.kinds)
    if names:
        select_names(reader.source, names, asked.only)
    for values in reader.read(asked):
        yield names, reader.build(values)


@functools.lru_cache(maxsize=64)
def _find_form(path: str, only: frozenset[str] | None, files: tuple[Stamp, ...]) -> _Form:
    """Returns the columns of a file, which are found once until it changes."""
    reader = _Reader(name_source(path), only)
    while True:
        for _ in reader.read(Asked(path, "jsonl", only)):
            pass
        if not reader.changed:
            return reader.form


def build_rows(
    source: str, text: bytes, only: Collection[str] | None = None, of: str = ""
) -> tuple[list[str], pyarrow.Table]:
    """Returns what `read_json` does, for the text of an array of objects."""
    reader = _Reader(source, only)
    return reader.finish([reader.build(reader.read_array(text, of))])


def read_listed(asked: Asked) -> tuple[list[str], pyarrow.Table]:
    """Returns what `read_json` does for a list in one JSON object, found by its dotted key."""
    source, key = name_source(asked.path), asked.format.partition(":")[2]
    with open_binary(asked.path, watch=asked.watch) as file:
        rows = _find_list(file.read().removeprefix(BOM_UTF8), key, source)
    return build_rows(source, rows, asked.only, f" of {key!r}")


def _read_value(asked: Asked) -> object:
    with open_binary(asked.path, watch=asked.watch) as file:
        text = file.read().removeprefix(BOM_UTF8)
    try:
        return msgspec.json.decode(text)
    except FAULTS as error:
        raise InputError(f"{name_source(asked.path)}: is not JSON: {explain_json(error)}") from None


def read_keyed(asked: Asked) -> tuple[list[str], pyarrow.Table]:
    """Returns the rows of one JSON value: by ids, or as pandas writes frames."""
    found, source = _read_value(asked), name_source(asked.path)
    try:
        rows = _ROWS_OF[name_form(found) or "keyed"](found)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InputError(
            f"{source}: its columns differ in length, or are no rows; write an object for each "
            "example, one a line"
        ) from None
    return build_rows(source, msgspec.json.encode(rows), asked.only)


def _add_index(rows: list[dict[str, object]], index: Iterable[object]) -> list[dict[str, object]]:
    """The rows with their index as id, if they have none and it is not their number."""
    names = list(map(str, index))
    if names == [*map(str, range(len(rows)))]:
        return rows
    return [{"id": name, **row} for name, row in zip(names, rows, strict=True)]


def _read_keyed(found: dict[str, object]) -> list[dict[str, object]]:
    return [
        {"id": key, **value} if isinstance(value, dict) else {"id": key, "label": value}
        for key, value in found.items()
    ]


def _read_columns(found: dict[str, dict[str, object]]) -> list[dict[str, object]]:
    index = dict.fromkeys(chain.from_iterable(found.values()))
    return _add_index([{name: own.get(at) for name, own in found.items()} for at in index], index)


def _zip_rows(names: Iterable[str], rows: Iterable[Sequence[object]]) -> list[dict[str, object]]:
    names = list(map(str, names))
    return [dict(zip(names, row, strict=True)) for row in rows]


_ROWS_OF: Mapping[str, Callable[[Any], list[dict[str, object]]]] = {
    "keyed": _read_keyed,
    "columns": _read_columns,
    "split": lambda found: _add_index(
        _zip_rows(found["columns"], found["data"]), found.get("index", range(len(found["data"])))
    ),
    "table": lambda found: _add_index(
        [{name: own for name, own in row.items() if name != "index"} for row in found["data"]],
        [row.get("index", at) for at, row in enumerate(found["data"])],
    ),
    "list": lambda found: _zip_rows(found, zip(*found.values(), strict=True)),
    "values": lambda found: _zip_rows(map(str, range(1, len(found[0]) + 1)), found),
}
"""Reads each form of `name_form`."""


class _Answer(Struct):
    text: str


class _Question(Struct):
    id: str | int
    question: str = ""
    answers: list[_Answer] | None = None
    is_impossible: bool = False


class _Paragraph(Struct):
    qas: list[_Question]


class _Article(Struct):
    paragraphs: list[_Paragraph]
    title: str = ""


class _Questions(Struct):
    data: list[_Article]


def read_squad(asked: Asked) -> tuple[list[str], pyarrow.Table]:
    """Returns a row for each question of SQuAD; without an answer, the answer is empty."""
    source = name_source(asked.path)
    try:
        articles = msgspec.convert(_read_value(asked), _Questions).data
    except msgspec.ValidationError as error:
        raise InputError(f"{source}: is no data set of SQuAD: {error}") from None
    questions = [
        (article.title, one)
        for article in articles
        for part in article.paragraphs
        for one in part.qas
    ]
    hidden = next(
        (one for _, one in questions if one.answers is None and not one.is_impossible), None
    )
    if hidden is not None:
        raise InputError(
            f"{source}: question {hidden.id!r} has no key 'answers'; give the data set with answers"
        )
    rows = [
        {
            "id": one.id,
            "title": title,
            "question": one.question,
            "is_impossible": "true" if one.is_impossible or not one.answers else "false",
            "answers": [answer.text for answer in one.answers or ()] or [""],
        }
        for title, one in questions
    ]
    return build_rows(source, msgspec.json.encode(rows), asked.only, " of its questions")


def _find_list(text: bytes, key: str, source: str) -> bytes:
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
    if not text.startswith(b"["):
        raise InputError(f"{place} is not a list of rows")
    return text


class _Reader:
    """Decodes the rows of a file, many at a time, and learns the form of its columns.

    `changed` shows that a row showed a column of the rows above to be of another kind.
    """

    def __init__(
        self, source: str, only: Collection[str] | None, form: _Form | None = None
    ) -> None:
        self.source, self.changed = source, False
        self.form = _Form({}, {}, {}) if form is None else form
        self._only, self._wanted = only, expand_names(only)
        self._rows = self._bytes = 0
        self._struct = self._make_struct()

    def read(self, asked: Asked) -> Iterator[_Values]:
        self.changed, self._rows, self._bytes = False, 0, 0
        array = holds_array(asked.path)
        texts = iterate_texts(
            asked.path, watch=asked.watch, bounded=not array, size=LIMITS.line_piece
        )
        if array:
            elements = self.read_array(b"".join(texts))
            yield from [elements] if self._rows else []
            return
        ended = False
        for text in texts:
            body = text.rstrip()
            if body:
                before = self._rows
                values = self._decode(body, lines=True)
                if values is None or ended or self._rows - before != body.count(b"\n") + 1:
                    _explain_lines(asked.path)
                yield values
            ended = ended or text.count(b"\n", len(body)) > bool(body)

    def read_array(self, text: bytes, of: str = "") -> _Values:
        """Returns the values of the objects in an array, which messages call elements `of` it."""
        values = self._decode(text, lines=False)
        if values is None:
            _explain_array(self.source, text, of)
        return values

    def build(self, values: _Values) -> pyarrow.Table:
        fields, columns = [], []
        for name, kind in self.form.kinds.items():
            if kind == _UNREAD:
                continue
            own = list(values[name])
            if kind == "json":
                fields.append(mark_json(name, self.form.known.get(name)))
                columns.append(build_bytes([_NULL if one is None else bytes(one) for one in own]))
                continue
            coded = kind == "string" and name in self.form.coded
            columns.append(build_codes(own) if coded else build_values(kind, own))
            fields.append(pyarrow.field(name, columns[-1].type))
        return pyarrow.table(columns, schema=pyarrow.schema(fields))

    def finish(self, tables: Sequence[pyarrow.Table]) -> tuple[list[str], pyarrow.Table]:
        """Returns the names of all columns, and the kept ones of all rows."""
        names = list(self.form.kinds)
        if not self._rows:
            raise InputError(f"{self.source}: contains no examples")
        return names, pyarrow.concat_tables(tables).select(
            select_names(self.source, names, self._only)
        )

    def _decode(self, text: bytes, *, lines: bool) -> _Values | None:
        def decode(kind: Any) -> list[Any]:
            if lines:
                return msgspec.json.Decoder(kind).decode_lines(text)
            return msgspec.json.Decoder(GenericAlias(list, (kind,))).decode(text)  # type: ignore[no-any-return]

        if self._struct is not None:
            with suppress(*FAULTS):
                rows = decode(self._struct)
                self._count(len(rows), text)
                getters = map(attrgetter, self._struct.__struct_fields__)
                columns = [map(getter, rows) for getter in getters]
                return dict(zip(self.form.kinds, columns, strict=True))
        try:
            found = decode(dict[str, msgspec.Raw])
        except FAULTS:
            return None
        values = self._learn(found, text)
        self._struct = self._make_struct()
        return values

    def _learn(self, rows: list[dict[str, msgspec.Raw]], text: bytes) -> _Values:
        form, values = self.form, dict[str, list[Any]]()
        first = not self._rows
        for name in dict.fromkeys(chain.from_iterable(rows)):
            if name not in form.kinds:
                wanted = self._wanted is None or name in self._wanted
                form.kinds[name] = "null" if wanted else _UNREAD
                self.changed |= not first
        self._count(len(rows), text)
        for name, kind in form.kinds.items():
            cells = [] if kind == _UNREAD else [row.get(name, _NULL) for row in rows]
            if not cells:
                continue
            form.kinds[name], values[name] = decode_cells(cells, kind)
            self.changed |= not first and form.kinds[name] != kind
            if kind == "null":
                seen = next(filter(None, (name_kind(bytes(cell)) for cell in cells)), "an object")
                form.known.update({} if seen == "an object" else {name: seen})
            if form.kinds[name] == "string" and (first or name in form.coded):
                held = form.coded.get(name, set[str]()).union(values[name]) - {None}
                if not first or len(rows) >= max(_LEAST, _FEW * len(held)):
                    form.coded[name] = held
        return values

    def _count(self, rows: int, text: bytes) -> None:
        """Raises an error if the cells would fill the memory from a small file."""
        self._rows, self._bytes = self._rows + rows, self._bytes + len(text)
        check_width(self.source, len(self.form.kinds))
        if self._rows * len(self.form.kinds) > max(_SPARSE, _CELLS * self._bytes):
            raise InputError(f"{self.source}: its objects share too few keys to be one table")

    def _make_struct(self) -> type[msgspec.Struct] | None:
        kinds = self.form.kinds
        if not kinds or len(kinds) > _WIDEST:
            return None
        literal: Any = Literal  # which makes no string that it knows again
        fields = []
        for place, (name, kind) in enumerate(kinds.items()):
            held = KINDS.get(kind, msgspec.Raw)
            if kind == "string" and 0 < len(self.form.coded.get(name, ())) <= _WIDEST:
                held = literal[tuple(self.form.coded[name])] | None
            fields.append((f"f{place}", held, msgspec.field(name=name, default=None)))
        with suppress(ValueError):  # about a key with a quote, a backslash or a control character
            return msgspec.defstruct("Row", fields, forbid_unknown_fields=True, gc=False)
        return None


def _explain_lines(path: str) -> NoReturn:
    """Raises the error about the first line that is not an object; blank lines may end a file."""
    blank = 0
    for number, line in enumerate(iterate_bytes(path), start=1):
        if not line.strip():
            blank = blank or number
            continue
        if blank:
            raise InputError(f"{name_source(path)}: line {blank} is blank; delete it")
        try:
            decode_object(line)
        except ValueError as error:
            raise InputError(f"{name_source(path)}: line {number} {error}") from error
    raise InputError(f"{name_source(path)}: is not JSON with an object on each line")


def _explain_array(source: str, text: bytes, of: str) -> NoReturn:
    try:
        elements = msgspec.json.decode(text, type=list[msgspec.Raw])
    except FAULTS as error:
        raise InputError(f"{source}: is not JSON: {explain_json(error)}") from error
    for number, element in enumerate(elements, start=1):
        try:
            decode_object(bytes(element))
        except ValueError as error:
            raise InputError(f"{source}: element {number}{of} {error}") from error
    raise InputError(f"{source}: is not a list of JSON objects")
