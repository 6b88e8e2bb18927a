"""Writes documents in every format, those for programs here and in full precision.

Programs take JSON, CSV, Arrow and pandas tables; further modules write text, Markdown and LaTeX.
"""

import csv
import importlib
import json
import math
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import SimpleNamespace
from typing import TYPE_CHECKING, get_args, get_type_hints

from msgspec.structs import replace

from tallystick.errors import InputError, UsageError
from tallystick.io.files.opening import write_text
from tallystick.output.tables.cells import (
    Bounded,
    Cell,
    Mark,
    PValue,
    Toned,
    Worded,
    escape_controls,
)
from tallystick.output.tables.document import Deferred, Document, Grid, Record, Style
from tallystick.output.tables.typeset import choose_columns, clean
from tallystick.version import __version__

if TYPE_CHECKING:
    import pandas
    import pyarrow


_WRITERS = {
    "table": ("text", "write_text"),
    "markdown": ("markup", "write_markdown"),
    "latex": ("markup", "write_latex"),
    "notebook": ("markup", "write_html"),
}
"""The module and the function that write each format, which are loaded when it is asked for."""

FORMATS = ("table", "csv", "json", "markdown", "latex", "lines")
"""What `render` can write for a file; only some documents have `lines`."""


def check_style(style: Style, format: str) -> None:
    """Raises a UsageError where a style does not belong to a format for programs."""
    chosen = style.percent or style.decimals or (style.columns and format != "csv")
    if (chosen or style.rename) and format in ("csv", "json", "eee", "lines"):
        raise UsageError(
            f"{format} always shows full precision; percent, decimals, columns and other names "
            "only apply to tables"
        )
    if (style.caption is not None or style.label is not None) and format != "latex":
        raise UsageError("a caption and a label are for LaTeX: --format latex, or -o NAME.tex")


def render(document: Document, format: str, style: Style | None = None) -> str:
    """Writes a document in one of `FORMATS`, as text that ends with a newline.

    `notebook` and, for scores of one system, `eee` are further formats.

    `csv` and `json` are exact. All but `csv` and `lines` hold the intervals that there are; these
    two only where the style asks for them.

    Raises:
        UsageError: The document has no such format or column, or the style does not belong to it.
    """
    style = style or Style()
    check_style(style, format)
    if format in _WRITERS:
        module, writer = _WRITERS[format]
        write = getattr(importlib.import_module(f"tallystick.output.tables.{module}"), writer)
        return str(write(clean(choose_columns(document, style)), style))

    match format:
        case "csv":
            return write_document_csv(choose_columns(document, style), intervals=style.intervals)
        case "json":
            return write_json(document)
        case "eee":
            return write_every(document)
        case "lines" if document.write_lines is not None:
            return document.write_lines(style)
    known = FORMATS if document.write_lines is not None else FORMATS[:-1]
    raise UsageError(
        f"There is no format {format!r}, expected one of {', '.join(map(repr, known))}."
    )


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_NUMBER = re.compile(r"[+-]\d+(\.\d+)?")
_SCORES = ("overview", "classes")


def build_arrow(kind: type, records: Sequence[Record]) -> "pyarrow.Table":
    """Makes a table with one row per record, and the fields of its type as columns."""
    import pyarrow as pa

    types = {float: pa.float64(), bool: pa.bool_(), int: pa.int64()}
    fields = []
    for name, hint in get_type_hints(kind).items():
        allowed = get_args(hint) or (hint,)
        fields.append((name, next((types[one] for one in types if one in allowed), pa.string())))
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
    parts = document.content
    if not isinstance(parts, Mapping):
        yield from (*_write_list(parts), "\n")
        return
    several = sum(isinstance(part, Deferred | list) for part in parts.values()) != 1
    start, between, end = ("{\n", ",\n", "\n}\n") if several else ("{", ", ", "}\n")
    for name, part in parts.items():
        yield f"{start}{_encode(name)}: "
        yield from _write_list(part) if isinstance(part, Deferred | list) else (_write(part),)
        start = between
    yield end


def _write_list(items: Iterable[object]) -> Iterator[str]:
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


def write_document_csv(document: Document, *, intervals: bool) -> str:
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


_SCHEMA = "0.3.0"
_UNKNOWN = "unknown"


def write_every(document: Document) -> str:
    """Writes the scores of one system, with their intervals and the numbers of examples.

    What the schema asks for and no score tells, such as who runs the model, is `unknown`. The
    time is that of the environment variable SOURCE_DATE_EPOCH where it is set, else the present
    one.
    """
    parts = document.content if isinstance(document.content, Mapping) else {}
    found = parts.get("scores")
    scores: list[Record] = list(found) if isinstance(found, Deferred) else []
    systems = list(dict.fromkeys(str(one["system"]) for one in scores))
    if len(systems) != 1:
        message = f"there are {len(systems)}: {', '.join(systems)}" if systems else "there is none"
        raise UsageError(
            f"a record of Every Eval Ever contains the scores of one system; {message}"
        )
    task, (system,) = str(parts.get("title") or _UNKNOWN), systems
    stamp = os.environ.get("SOURCE_DATE_EPOCH") or str(int(time.time()))
    record = {
        "schema_version": _SCHEMA,
        "evaluation_id": f"{task}/{system}/{stamp}",
        "retrieved_timestamp": stamp,
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": _UNKNOWN,
            "evaluator_relationship": "other",
        },
        "model_info": {
            "name": system,
            "id": system,
            "additional_details": {
                "deployment_type": _UNKNOWN,
                "model_availability": _UNKNOWN,
            },
        },
        "eval_library": {"name": "tallystick", "version": __version__},
        "evaluation_results": list(_list_results(scores, task)),
    }
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def _list_results(scores: Iterable[Record], task: str) -> Iterable[dict[str, object]]:
    for score in scores:
        value = score["value"]
        if not isinstance(value, int | float) or not math.isfinite(value):
            continue
        place = [str(score[name]) for name in ("group", "label") if score[name] is not None]
        name = "/".join([task, *place])
        message: dict[str, object] = {"num_samples": score["n"]}
        if score["confidence"] is not None:
            message["confidence_interval"] = {
                "lower": score["low"],
                "upper": score["high"],
                "confidence_level": score["confidence"],
                "method": score["method"],
            }
        yield {
            "evaluation_result_id": f"{name}/{score['name']}",
            "evaluation_name": name,
            "source_data": {"dataset_name": task, "source_type": "other"},
            "metric_config": {
                "metric_id": score["metric"],
                "metric_name": score["name"],
                "lower_is_better": score["better"] == "lower",
                "additional_details": {"signature": score["signature"]},
            },
            "score_details": {"score": value, "uncertainty": message},
        }


def make_folder(path: str) -> None:
    """Makes a folder, and those above it, where it is not there yet."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be made a folder: {error.strerror}") from error


def write_csv(path: str, columns: "pyarrow.Table", added: Mapping[str, Sequence[str]]) -> None:
    """Writes a table with a header as CSV, with further columns after its own."""
    # JSON text that was never decoded is bytes, and is written as it came.
    values = (
        [str(one, "utf-8") if isinstance(one, bytes) else one for one in column.to_pylist()]
        for column in columns.columns
    )
    rows = zip(*values, *added.values(), strict=True)
    write_text(path, join_rows(chain([[*columns.column_names, *added]], rows)))
