"""Tables of examples, read from CSV, TSV, JSON Lines and Parquet files or taken from Python."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tallystick.errors import InputError, UsageError
from tallystick.io.columns import select_names
from tallystick.io.files import name_source, open_binary
from tallystick.io.lines import read_lines
from tallystick.io.nested import find_column
from tallystick.io.signatures import check_start

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Table", "from_arrow", "guess_kind", "read_table"]

_ENDINGS = {
    ".txt": "lines",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
}
_JSON = re.compile(rb"\s*(\[\s*)?\{")
_DELIMITERS = {"csv": ",", "tsv": "\t"}
_KINDS = ("lines", "csv", "tsv", "jsonl", "parquet")


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of one file or Python object, which knows where each example stood.

    Attributes:
        source: What messages call it.
        columns: CSV and TSV as strings throughout, everything else as typed at its source. What
            JSON holds beside plain values is kept as text that only `column` decodes.
        unit: What messages call an example: `row`, `line`, or `element` of a JSON array.
        first: The number of its first example in messages: 2 below a header, else 1.
        unread: The names of the columns that were not kept.
    """

    source: str
    columns: pyarrow.Table
    unit: str
    first: int
    unread: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Reject a table without examples."""
        if not self.columns.num_rows:
            raise InputError(f"{self.source}: has columns but not a single {self.unit} of data")

    def __len__(self) -> int:
        """Return the number of examples."""
        return int(self.columns.num_rows)

    def names(self) -> tuple[str, ...]:
        """Return the names of the columns that were kept."""
        return tuple(self.columns.column_names)

    def column(self, name: str) -> pyarrow.ChunkedArray:
        """Return a column; null where a JSON object lacks its key.

        A dotted name such as `metadata.lang` or `answers.0` reaches into objects and lists, but
        for a column that is called just so.

        Raises:
            InputError: There is no such column, or its values are of several kinds.
        """
        return find_column(self, name)

    def locate(self, index: int) -> str:
        """Return where an example stands, such as `row 7`, given its index from 0.

        Blank rows of a CSV file are not counted.
        """
        return f"{self.unit} {self.first + index}"


def read_table(path: str, *, kind: str | None = None, only: Collection[str] | None = None) -> Table:
    """Read a table; its kind is guessed if it is None.

    Args:
        path: A file, plain or gzipped; `-` is standard input.
        kind: `csv` or `tsv`, whose header tells the separator; `jsonl`, an object on each line or
            an array of objects; `parquet`; or `lines`: one label a line, which becomes the column
            `label`; blank lines at the end are no labels.
        only: The columns to keep where present; all if None. Others are not even validated.

    Raises:
        InputError: The file cannot be read as a table with examples.
        UsageError: There is no such kind.
    """
    source = name_source(path)
    kind = guess_kind(path) if kind is None else kind
    if kind not in _KINDS:
        raise UsageError(f"unknown kind of table {kind!r}: expected {_list_kinds()}")
    if kind == "lines":
        return _read_labels(path)
    check_start(path, kind=kind)
    header, columns = _read_columns(path, kind, only)
    kept = set(columns.column_names)
    unread = tuple(name for name in header if name not in kept)
    return Table(source, columns, _name_unit(path, kind), 2 if kind in _DELIMITERS else 1, unread)


def _name_unit(path: str, kind: str) -> str:
    if kind != "jsonl":
        return "row"
    from tallystick.io.jsonlines import holds_array

    return "element" if holds_array(path) else "line"


def _read_labels(path: str) -> Table:
    import pyarrow

    lines = read_lines(path)
    while lines and not lines[-1]:
        lines.pop()
    columns = pyarrow.table({"label": pyarrow.array(lines, pyarrow.string())})
    return Table(name_source(path), columns, "line", 1)


def from_arrow(data: object, source: str) -> Table:
    """Take the columns of anything with the Arrow interface, such as a pandas or polars frame.

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
    """Return `lines`, `csv`, `tsv`, `jsonl` or `parquet`, by a file's ending or its first bytes.

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


def _list_kinds() -> str:
    return f"{', '.join(_KINDS[:-1])} or {_KINDS[-1]}"


def _read_columns(
    path: str, kind: str, only: Collection[str] | None
) -> tuple[list[str], pyarrow.Table]:
    if kind in _DELIMITERS:
        from tallystick.io.delimited import read_delimited

        return read_delimited(path, delimiter=_DELIMITERS[kind], only=only)
    if kind == "jsonl":
        from tallystick.io.jsonlines import read_json

        return read_json(path, only=only)
    from tallystick.io.parquet import read_parquet

    return read_parquet(path, only=only)
