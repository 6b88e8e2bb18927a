"""Writes documents in full precision for programs, as JSON, CSV, Arrow and pandas tables."""

import csv
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from types import SimpleNamespace
from typing import TYPE_CHECKING, get_args, get_type_hints

from tallystick.errors import UsageError
from tallystick.render.cells import Bounded, Cell, Mark, PValue, Toned, Worded
from tallystick.render.controls import escape_controls
from tallystick.render.document import Deferred, Document, Grid, Record

if TYPE_CHECKING:
    import pandas
    import pyarrow

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_NUMBER = re.compile(r"[+-]\d+(\.\d+)?")
_SCORES = ("overview", "classes")


def build_arrow(kind: type, records: Sequence[Record]) -> "pyarrow.Table":
    """Makes a table with one row per record, and the fields of its type as columns."""
    import pyarrow as pa

    types = {bool: pa.bool_(), int: pa.int64(), float: pa.float64()}
    fields = []
    for name, hint in get_type_hints(kind).items():
        allowed = get_args(hint) or (hint,)
        found = [types[one] for one in allowed if one in types]
        fields.append((name, found[0] if found else pa.string()))
    return pa.Table.from_pylist([*map(dict, records)], schema=pa.schema(fields))


def build_pandas(kind: type, records: Sequence[Record]) -> "pandas.DataFrame":
    """Makes a data frame with one row per record, and the fields of its type as columns."""
    try:
        import pandas as pd
    except ModuleNotFoundError as error:
        raise UsageError(
            "pandas is not installed, install it or take the scores by to_arrow() or to_records()."
        ) from error
    return pd.DataFrame(records, columns=list(get_type_hints(kind)))


_PLAIN = frozenset({str, int, bool, type(None)})
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def write_json(document: Document) -> str:
    """Writes a JSON list with one record per line, or an object; what is not finite is null.

    The parts of an object with several lists have a line each.
    """
    return "".join(_list_pieces(document))


def _list_pieces(document: Document) -> Iterator[str]:
    """The pieces of an object or a list, which may have very many."""
    if document.parts is None:
        yield from (*_write_list(document.records), "\n")
        return
    parts = document.parts
    several = sum(isinstance(part, Deferred | list) for part in parts.values()) != 1
    start, between, end = ("{\n", ",\n", "\n}\n") if several else ("{", ", ", "}\n")
    for name, part in parts.items():
        yield f"{start}{_encode(name)}: "
        yield from _write_list(part) if isinstance(part, Deferred | list) else (_write(part),)
        start = between
    yield end


def _write_list(items: Iterable[object]) -> Iterator[str]:
    """Writes a list with one item per line."""
    start = "[\n"
    for item in items:
        yield start
        yield _write(item)
        start = ",\n"
    yield "\n]" if start == ",\n" else "[\n\n]"


def _write(part: object) -> str:
    return _encode(_drop_infinite(part))


def _drop_infinite(part: object) -> object:
    match part:
        case float():
            return part if math.isfinite(part) else None
        case dict():
            return {
                name: value if type(value) in _PLAIN else _drop_infinite(value)
                for name, value in part.items()
            }
        case tuple() | list():
            return [*map(_drop_infinite, part)]
    return part


def write_csv(document: Document, *, intervals: bool) -> str:
    """Writes one table as CSV (RFC 4180) in full precision.

    Counts are integers, scores the shortest decimals that read back as the same number, and
    undefined scores empty cells. Control characters in names are escaped, and a name that a
    spreadsheet would take for a formula has an apostrophe before it. With `intervals` two columns
    follow each score: its low and high end.
    """
    sheets = (document.sheet() if document.sheet else None, *document.grids)
    grid = next((sheet for sheet in sheets if sheet is not None), None)
    if grid is None:
        return ""
    if intervals and grid.kind in _SCORES:
        grid = _spread(grid)
    return join_rows(map(_write_cell, row) for row in (map(str, grid.headings), *grid.rows))


def join_rows(rows: Iterable[Iterable[object]], delimiter: str = ",") -> str:
    """Returns rows as CSV, in which every reader finds each cell as it was."""
    lines: list[str] = []
    # Before Python 3.13 the writer quotes an end of a line only if its own ends of lines have it.
    writer = csv.writer(SimpleNamespace(write=lines.append), delimiter=delimiter)
    writer.writerows(rows)
    return "".join(line.removesuffix("\r\n") + "\n" for line in lines)


def _spread(grid: Grid) -> Grid:
    """Puts the ends of intervals into columns of their own."""
    leads = grid.leads
    ends = ("", "_low", "_high")
    names = (f"{name}{end}" for name in grid.headings[leads:] for end in ends)
    spread = grid.change_rows(
        lambda row: (*row[:leads], *chain.from_iterable(map(_part, row[leads:])))
    )
    return replace(spread, headings=(*grid.headings[:leads], *names))


def _part(cell: Cell) -> tuple[Cell, Cell, Cell]:
    if isinstance(cell, Bounded | Mark) and cell.ends is not None:
        return cell.value, cell.ends.low, cell.ends.high
    return cell, None, None


def _write_cell(cell: Cell) -> str:
    match cell:
        case Bounded() | Mark() | PValue() | Worded():
            return _write_cell(cell.value)
        case Toned(text):
            return _quote_formula(text)
        case bool():
            return str(cell).lower()
        case float():
            return "" if math.isnan(cell) else repr(float(cell))
        case str():
            return _quote_formula(cell)
    return "" if cell is None else str(cell)


def _quote_formula(text: str) -> str:
    """Escapes controls, and marks a name that a spreadsheet would run; a number or `-` is none."""
    text = escape_controls(text)
    if text != "-" and text.startswith(_FORMULA) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text
