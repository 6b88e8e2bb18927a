"""Tables of examples, read from CSV, TSV, JSON Lines and Parquet files or taken from Python."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tallystick.errors import InputError, UsageError
from tallystick.io.columns import select_names
from tallystick.io.files import name_source, open_binary
from tallystick.io.lines import read_lines
from tallystick.io.nested import find_column
from tallystick.io.pipes import reading
from tallystick.io.progress import Progress
from tallystick.io.signatures import check_start
from tallystick.io.spans import Span

if TYPE_CHECKING:
    import pyarrow

__all__ = [
    "DELIMITERS",
    "Asked",
    "Table",
    "build_table",
    "check_kind",
    "from_arrow",
    "guess_kind",
    "read_table",
]

_ENDINGS = {
    ".txt": "lines",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".eval": "inspect",
}
_JSON = re.compile(rb"\s*(\[\s*)?\{")
DELIMITERS = {"csv": ",", "tsv": "\t"}
"""What usually separates the fields of a kind of table."""
_KINDS = ("lines", "csv", "tsv", "jsonl", "parquet", "lm-eval", "inspect", "eee")
_UNITS = {"lines": "line", "lm-eval": "line", "eee": "line", "inspect": "sample"}


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of one file or Python object, which knows where each example stood.

    Attributes:
        source: What messages call it.
        columns: CSV and TSV as strings throughout, everything else as typed at its source. What
            JSON holds beside plain values is kept as text that only `column` decodes.
        unit: What messages call an example: `row`, `line`, `element` of a JSON array, `sample`.
        first: The number of its first example in messages: 2 below a header, else 1.
        unread: The names of the columns that were not kept.
    """

    source: str
    columns: pyarrow.Table
    unit: str
    first: int
    unread: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Rejects a table without examples."""
        if not self.columns.num_rows:
            raise InputError(f"{self.source}: has columns but no {self.unit}s of data")

    def __len__(self) -> int:
        """Returns the number of examples."""
        return int(self.columns.num_rows)

    def names(self) -> tuple[str, ...]:
        """Returns the names of the columns that were kept."""
        return tuple(self.columns.column_names)

    def column(self, name: str) -> pyarrow.ChunkedArray:
        """Returns a column; null where a JSON object lacks its key.

        A dotted name such as `metadata.lang` or `answers.0` reaches into objects and lists, but
        for a column that is called just so.

        Raises:
            InputError: There is no such column, or its values are of several kinds.
        """
        return find_column(self, name)

    def locate(self, index: int) -> str:
        """Returns where an example stands, such as `row 7`, given its index from 0.

        Blank rows of a CSV file are not counted.
        """
        return f"{self.unit} {self.first + index}"


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be read.

    Attributes:
        path: The file.
        kind: Its kind, which is known.
        only: The columns to keep where present; all if None.
        watch: What counts the bytes as they are read.
        span: The rows to read; all if None.
    """

    path: str
    kind: str
    only: Collection[str] | None = None
    watch: Progress | None = None
    span: Span | None = None


def read_table(
    path: str,
    *,
    kind: str | None = None,
    only: Collection[str] | None = None,
    watch: Progress | None = None,
) -> Table:
    """Reads a table; its kind is guessed if it is None.

    Args:
        path: A file, plain or gzipped; `-` is standard input.
        kind: `csv` or `tsv`, whose header tells the separator; `jsonl`, an object on each line or
            an array of objects; `parquet`; or `lines`: one label a line, which becomes the column
            `label`; blank lines at the end are no labels. The logs of evaluations are `lm-eval`,
            `inspect` and `eee`, as `read_log` says.
        only: The columns to keep where present; all if None. Others are not even validated. For a
            dotted name, what it reaches into is kept.
        watch: What counts the bytes as they are read.

    Raises:
        InputError: The file cannot be read as a table with examples.
        UsageError: There is no such kind.
    """
    with reading(path):
        asked = Asked(path, check_kind(guess_kind(path) if kind is None else kind), only, watch)
        check_start(path, kind=asked.kind)
        names, columns = _read_columns(asked)
        return build_table(asked, names, columns, 0)


def check_kind(kind: str) -> str:
    """Returns a kind of table.

    Raises:
        UsageError: There is no such kind.
    """
    if kind not in _KINDS:
        raise UsageError(
            f"unknown kind of table {kind!r}: expected {', '.join(_KINDS[:-1])} or {_KINDS[-1]}"
        )
    return kind


def build_table(asked: Asked, names: Sequence[str], columns: pyarrow.Table, before: int) -> Table:
    """Returns a table of what was read, below so many examples of the same file."""
    kept = set(columns.column_names)
    unread = tuple(name for name in names if name not in kept)
    first = (2 if asked.kind in DELIMITERS else 1) + before
    return Table(name_source(asked.path), columns, _name_unit(asked), first, unread)


def _name_unit(asked: Asked) -> str:
    if asked.kind != "jsonl":
        return _UNITS.get(asked.kind, "row")
    from tallystick.io.jsonlines import holds_array

    return "element" if holds_array(asked.path) else "line"


def _read_columns(asked: Asked) -> tuple[list[str], pyarrow.Table]:
    path, only, watch = asked.path, asked.only, asked.watch
    if asked.kind in DELIMITERS:
        from tallystick.io.delimited import read_delimited

        return read_delimited(path, delimiter=DELIMITERS[asked.kind], only=only, watch=watch)
    if asked.kind == "jsonl":
        from tallystick.io.jsonlines import read_json

        return read_json(path, only=only, watch=watch)
    if asked.kind == "parquet":
        from tallystick.io.parquet import read_parquet

        return read_parquet(path, only=only, watch=watch)
    if asked.kind == "lines":
        return _read_labels(path, watch)
    from tallystick.io.logs import read_log

    return read_log(path, asked.kind, only=only, watch=watch)


def _read_labels(path: str, watch: Progress | None) -> tuple[list[str], pyarrow.Table]:
    import pyarrow

    lines = read_lines(path, watch=watch)
    while lines and not lines[-1]:
        lines.pop()
    return ["label"], pyarrow.table({"label": pyarrow.array(lines, pyarrow.string())})


def from_arrow(data: object, source: str) -> Table:
    """Takes the columns of anything with the Arrow interface, such as a pandas or polars frame.

    Raises:
        InputError: It has no such interface, no rows, or values that Arrow cannot hold.
    """
    import pyarrow

    try:
        # Arrow would import pandas to find out that a table of its own is no data frame.
        columns = data if isinstance(data, pyarrow.Table) else pyarrow.table(data)
    except (pyarrow.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"{source}: cannot be taken as Arrow columns: {error}") from error
    select_names(source, columns.column_names, None)
    return Table(source, columns, "row", 1)


def guess_kind(path: str) -> str:
    """Returns a kind of table by a file's ending or its first bytes.

    Logs are known by their ending `.eval` alone; others must be named.

    Raises:
        InputError: The ending tells nothing and the file cannot be opened.
    """
    name = path.lower().removesuffix(".gz")
    for ending, kind in _ENDINGS.items():
        if name.endswith(ending):
            return kind
    with open_binary(path) as file:
        return _guess_content(file.read(1 << 16))


def _guess_content(start: bytes) -> str:
    if start.startswith(b"PAR1"):
        return "parquet"
    text = start.removeprefix(b"\xef\xbb\xbf")
    if _JSON.match(text):
        return "jsonl"
    line = text.lstrip(b"\r\n").partition(b"\n")[0]
    return "tsv" if b"\t" in line else "csv" if b"," in line else "lines"
