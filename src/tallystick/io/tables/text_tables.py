"""Reads tables that are lines of text: CoNLL, columns separated by blanks, scores, and labels.

Every sentence of CoNLL becomes a row, and every column of the file a column of lists.
"""

import os
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import BinaryIO

import msgspec
import numpy as np
import pyarrow
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.errors import InputError, say_count
from tallystick.io.files.datasets import Asked, cut_ending
from tallystick.io.files.lines import iterate_lines, iterate_texts, split_lines
from tallystick.io.files.opening import name_source, open_binary
from tallystick.io.tables.formats import LINE, NOTE, SCORES, is_headless, name_columns, select_names
from tallystick.io.tables.json_cells import mark_json
from tallystick.io.tables.values import build_bytes, build_numbers, build_split, build_strings
from tallystick.limits import LIMITS

_DOCUMENT = "document"
"""The column with the number of each sentence's document; -DOCSTART- lines separate documents."""

_TAG = "O|[BIELMSUW]-.+"
"""The form of tags."""

_START = b"-DOCSTART-"
_SPACE, _TAB = b" \t"
_INSIDE = {
    _SPACE: ~np.isin(np.arange(256), list(b" \t\r\n")),
    _TAB: ~np.isin(np.arange(256), list(b"\t\r\n")),
}
"""Which bytes belong to a field, by what separates fields."""

Places = NDArray[np.int64]
Numbers = NDArray[np.int32]


def iterate_conll(asked: Asked, _rows: int) -> Iterator[tuple[list[str], pyarrow.Table]]:
    """Yields the columns of some sentences at a time: `1` has the tokens, the last usually tags."""
    reader = _Reader(name_source(asked.path))
    with open_binary(asked.path, watch=asked.watch) as file:
        for chunk in _cut(file):
            table = reader.read(chunk)
            if table is not None:
                yield table.column_names, table
    if not reader.width:
        raise InputError(f"{reader.source}: has no line with a token and its tag")


def _cut(file: BinaryIO) -> Iterator[bytes]:
    rest = file.read(LIMITS.text_piece).removeprefix(BOM_UTF8)
    while chunk := file.read(LIMITS.text_piece):
        rest += chunk
        end = max(rest.rfind(b"\n\n") + 2, rest.rfind(b"\n\r\n") + 3)
        if end > 2:
            yield rest[:end]
            rest = rest[end:]
    yield rest


class _Reader(Struct):
    """What is known of a file while its pieces are read; None where no `mark` parts columns yet."""

    source: str
    mark: int | None = None
    width: int = 0
    lines: int = 0
    documents: int = 0

    def read(self, text: bytes) -> pyarrow.Table | None:
        """Returns the sentences of a piece; None where it has none."""
        self._check_text(text)
        if self.mark is None:
            self.mark = _TAB if b"\t" in text else _SPACE
        fields, lines = _find_fields(text, self.mark)
        if b"#" in text:
            fields = _drop_comments(fields)
        sizes = np.bincount(fields.lines, minlength=lines)
        begins = np.zeros(len(sizes), bool)
        if _START in text:
            documents = _start_with(fields.strings, fields.heads, _START.decode())
            begins[fields.lines[fields.heads[documents]]] = True
        table = self._build(fields, sizes, begins)
        self.lines += lines
        self.documents += int(begins.sum())
        return table

    def _check_text(self, text: bytes) -> None:
        if text.isascii():
            return
        try:
            text.decode()
        except UnicodeDecodeError as error:
            number = self.lines + text.count(b"\n", 0, error.start) + 1
            raise InputError(
                f"{self.source}: line {number} is not UTF-8 (0x{text[error.start]:02x})"
            ) from error

    def _build(
        self, fields: "_Fields", sizes: Places, begins: NDArray[np.bool_]
    ) -> pyarrow.Table | None:
        held = (sizes > 0) & ~begins
        lines = np.flatnonzero(held)
        if not len(lines):
            return None
        self._check_width(sizes, lines)
        strings = fields.strings
        if begins.any():
            strings = strings.filter(pyarrow.array(~begins[fields.lines]))
        parted = np.cumsum(~held)[lines]
        first = np.flatnonzero(np.diff(parted, prepend=-1))
        columns = [
            strings.take(pyarrow.array(np.arange(place, len(strings), self.width)))
            for place in range(self.width)
        ]
        documents = self.documents + np.cumsum(begins)[lines[first]]
        starts = np.append(first, len(lines))
        return _stack(columns, starts, lines[first] + self.lines, documents)

    def _check_width(self, sizes: Places, lines: Places) -> None:
        self.width = self.width or int(sizes[lines[0]])
        if self.width < 2:
            raise InputError(
                f"{self.source}: line {self.lines + lines[0] + 1} has one column, but a token and "
                "its tag were expected, with a space or a tab between them"
            )
        wrong = lines[sizes[lines] != self.width]
        if len(wrong):
            mark = "tabs" if self.mark == _TAB else "spaces"
            raise InputError(
                f"{self.source}: line {self.lines + wrong[0] + 1} has {sizes[wrong[0]]} "
                f"columns separated by {mark}, but the lines above have {self.width}; "
                "sentences are separated by blank lines"
            )


def _stack(
    columns: Sequence[pyarrow.Array], starts: Places, lines: Places, documents: Places
) -> pyarrow.Table:
    """Returns the table of sentences; `starts` are the first tokens, followed by their number."""
    offsets = pyarrow.array(starts, pyarrow.int32())
    *others, tags = columns
    coded = tags.dictionary_encode()  # as in all pieces of a file
    named = {
        str(place): pyarrow.ListArray.from_arrays(offsets, column)
        for place, column in enumerate([*others, coded], start=1)
    }
    named[LINE] = pyarrow.array(lines + 1)
    named[_DOCUMENT] = pyarrow.array(documents).cast(pyarrow.string())
    return pyarrow.table(named)


class _Fields(Struct, frozen=True, eq=False):
    """The fields of some lines, and the line of each, counted from 0."""

    strings: pyarrow.StringArray
    lines: Numbers

    def take(self, kept: NDArray[np.bool_]) -> "_Fields":
        return _Fields(self.strings.filter(pyarrow.array(kept)), self.lines[kept])

    @property
    def heads(self) -> Places:
        return np.flatnonzero(np.diff(self.lines, prepend=-1))


def _find_fields(text: bytes, mark: int) -> tuple[_Fields, int]:
    data = np.frombuffer(text, np.uint8)
    inside = _INSIDE[mark][data]
    starts, ends = np.flatnonzero(np.diff(inside, prepend=False, append=False)).reshape(-1, 2).T
    breaks = np.flatnonzero(data == ord("\n"))
    sizes = np.diff(np.searchsorted(starts, breaks), prepend=0, append=len(starts))
    lines = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    offsets = np.concatenate([[0], np.cumsum(ends - starts)])
    return _Fields(build_split(data[inside], offsets), lines), len(breaks)


def _drop_comments(fields: _Fields) -> _Fields:
    """The fields without those of lines such as `# id = 7`, which do not end in a tag."""
    import pyarrow.compute as pc

    heads = fields.heads
    tails = np.append(heads[1:], len(fields.lines)) - 1
    marked = _start_with(fields.strings, heads, "#")
    tags = fields.strings.take(pyarrow.array(tails))
    tagged = np.asarray(pc.match_substring_regex(tags, f"^({_TAG})$"))
    return fields.take(~np.isin(fields.lines, fields.lines[heads[marked & ~tagged]]))


def _start_with(strings: pyarrow.StringArray, places: Places, start: str) -> NDArray[np.bool_]:
    import pyarrow.compute as pc

    found = pc.starts_with(strings.take(pyarrow.array(places)), start)
    return np.asarray(found)


def read_blanks(asked: Asked) -> tuple[list[str], pyarrow.Table]:
    """Returns the names of all columns, and the columns that are kept, as strings."""
    source = name_source(asked.path)
    rows: list[Sequence[str]] = []
    above = "first row" if is_headless(asked.format) else "header"
    for number, line in enumerate(iterate_lines(asked.path, watch=asked.watch), start=1):
        fields = line.split()
        if fields and rows and len(fields) != len(rows[0]):
            raise InputError(
                f"{source}: line {number} has {say_count(len(fields), 'field')} separated by "
                f"blanks, but the {above} has {len(rows[0])}"
            )
        rows += [fields] if fields else []
    if not rows:
        raise InputError(f"{source}: is empty, but a {above} was expected")
    header = name_columns(source, asked.format, rows[0])
    rest = rows[not is_headless(asked.format) :]
    kept = select_names(source, header, asked.only)
    places = {name: header.index(name) for name in kept}
    columns = {name: [row[place] for row in rest] for name, place in places.items()}
    return header, pyarrow.table({name: build_strings(own) for name, own in columns.items()})


def read_scores(asked: Asked) -> tuple[list[str], pyarrow.Table]:
    """Returns the columns of an mt-metrics-eval file; a system's nth line is of segment n."""
    source = name_source(asked.path)
    counts, segments = Counter[str](), list[int]()
    rows: list[Sequence[str]] = []
    for number, line in enumerate(iterate_lines(asked.path, watch=asked.watch), start=1):
        fields = line.split()
        if len(fields) != 2:
            raise InputError(
                f"{source}: line {number} has {say_count(len(fields), 'field')} separated by "
                "blanks, but a system and its score were expected"
            )
        rows.append(fields)
        counts[fields[0]] += 1
        segments.append(counts[fields[0]])
    if not rows:
        raise InputError(f"{source}: is empty, but a system and its score were expected")
    systems, scores = zip(*rows, strict=True)
    columns = (build_strings(systems), build_numbers(segments), build_strings(scores))
    return [*SCORES], pyarrow.table(dict(zip(SCORES, columns, strict=True)))


_BRAT = re.compile(r"T\S*\t(\S+) (\d+ \d+(?:;\d+ \d+)*)(?:\t.*)?")
_UNSCORED = b"only the spans (T) of brat are scored, not relations, events, attributes and notes."


def read_brat(asked: Asked) -> tuple[list[str], pyarrow.Table]:
    """Returns the spans of a document, and the text of the file next to it that ends in .txt."""
    source, path = name_source(asked.path), cut_ending(asked.path) + ".txt"
    spans, notes = [], None
    for number, line in enumerate(iterate_lines(asked.path, watch=asked.watch), start=1):
        found = _BRAT.fullmatch(line.rstrip("\r\n"))
        if found is not None:
            pieces = [[*map(int, piece.split())] for piece in found[2].split(";")]
            spans.append({"label": found[1], "fragments": pieces})
        elif line[:1] in "REAMN#*" and "\t" in line:
            notes = {NOTE: _UNSCORED}
        elif line.strip():
            raise InputError(
                f"{source}: line {number} is no annotation of brat, such as T1, a tab, PER 0 4, a "
                "tab, Anna"
            )
    text = None
    if os.path.isfile(path):
        with open_binary(path) as file:
            text = file.read().decode(errors="replace")
    fields = [mark_json("spans", None), pyarrow.field("text", pyarrow.string())]
    columns = [build_bytes([msgspec.json.encode(spans)]), pyarrow.array([text], pyarrow.string())]
    return ["spans", "text"], pyarrow.table(columns, schema=pyarrow.schema(fields, notes))


def iterate_labels(asked: Asked, _rows: int) -> Iterator[tuple[list[str], pyarrow.Table]]:
    """Yields the lines of a file as a column in blocks, without blank ones at the end."""
    coded, blank, total = None, list[pyarrow.Table](), 0
    for text in iterate_texts(asked.path, watch=asked.watch, size=LIMITS.line_piece):
        data, offsets = split_lines(text)
        lines = build_split(data, offsets)
        if coded is None:
            coded = len(text) >= LIMITS.line_piece and len(lines) >= LIMITS.coded_lines * len(
                lines.unique()
            )
        table = pyarrow.table({"label": lines.dictionary_encode() if coded else lines})
        filled = int(np.searchsorted(offsets, len(data)))  # up to the last line that is not blank
        if filled:
            yield from ((["label"], own) for own in (*blank, table.slice(0, filled)))
            blank, total = [], total + filled
        if filled < len(lines):
            blank.append(table.slice(filled))
    if not total:
        yield ["label"], pyarrow.table({"label": build_strings([])})
