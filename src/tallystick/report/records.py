"""Writes scores in full precision for programs: records, JSON, CSV, Arrow and pandas tables."""

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from tallystick.errors import UsageError
from tallystick.report.cells import Bounded, Cell
from tallystick.report.grid import Grid, Lead, list_grids, pivot_confusion
from tallystick.results import ConfusionMatrix, Score

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = [
    "build_arrow",
    "build_frame",
    "build_pandas",
    "build_records",
    "render_confusion",
    "write_csv",
    "write_grid",
    "write_json",
    "write_records",
]


_MEASURED = ("value", "low", "high")


def build_records(scores: Sequence[Score]) -> list[dict[str, object]]:
    """Make a dictionary of each score, with the fields of `Score` as keys."""
    return [asdict(score) for score in scores]


def build_arrow(scores: Sequence[Score]) -> "pyarrow.Table":
    """Make a table with one row per score and the fields of `Score` as columns."""
    import pyarrow as pa

    numbers = ("value", "low", "high", "level")
    types = {"n": pa.int64(), **dict.fromkeys(numbers, pa.float64())}
    names = Score.__dataclass_fields__
    schema = pa.schema([(name, types.get(name, pa.string())) for name in names])
    return pa.Table.from_pylist(build_records(scores), schema=schema)


def build_pandas(scores: Sequence[Score]) -> "pandas.DataFrame":
    """Make a data frame with one row per score and the fields of `Score` as columns."""
    return build_frame(build_records(scores), list(Score.__dataclass_fields__))


def build_frame(
    records: Sequence[Mapping[str, object]], columns: Sequence[str]
) -> "pandas.DataFrame":
    """Make a data frame with one row per record.

    Raises:
        UsageError: pandas is not installed.
    """
    try:
        import pandas as pd
    except ModuleNotFoundError as error:
        raise UsageError(
            "pandas is not installed, install it or take the scores by to_arrow() or to_records()."
        ) from error
    return pd.DataFrame(records, columns=list(columns))


def write_json(scores: Sequence[Score]) -> str:
    """Write a JSON list with one record per line; a value that is not finite is null."""
    records = (
        asdict(score) | {name: _drop_infinite(getattr(score, name)) for name in _MEASURED}
        for score in scores
    )
    return _write_list(records) + "\n"


def _write_list(items: Iterable[object]) -> str:
    lines = ",\n".join(json.dumps(item, ensure_ascii=False, allow_nan=False) for item in items)
    return f"[\n{lines}\n]"


def _drop_infinite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def write_csv(scores: Sequence[Score], lead: Lead, *, intervals: bool) -> str:
    """Write the overview, or the scores per class if there is nothing else, as CSV (RFC 4180).

    Counts are integers, scores the shortest decimals that read back as the same number, and
    undefined scores empty cells. With `intervals` two columns follow each score: its low and high
    end.
    """
    grids = list_grids(scores, lead, intervals=intervals)
    if not grids:
        return ""
    return write_grid(_spread(grids[0]) if intervals else grids[0])


def _spread(grid: Grid) -> Grid:
    """The grid with the ends of intervals in columns of their own."""
    leads = grid.leads
    headings = (
        *grid.headings[:leads],
        *(f"{name}{end}" for name in grid.headings[leads:] for end in ("", "_low", "_high")),
    )
    blocks = tuple(
        tuple(
            (*row[:leads], *(part for cell in row[leads:] for part in _part(cell))) for row in block
        )
        for block in grid.blocks
    )
    return replace(grid, headings=headings, blocks=blocks)


def _part(cell: Cell) -> tuple[Cell, Cell, Cell]:
    if isinstance(cell, Bounded):
        return cell.value, cell.ends.low, cell.ends.high
    return cell, None, None


def render_confusion(matrix: ConfusionMatrix, format: str, *, normalise: bool = False) -> str:
    """Write a confusion matrix as `csv` or `json`.

    With `normalise` each row is divided by its sum; a row of zeros is undefined then, which is an
    empty cell or null.

    Raises:
        UsageError: There is no such format.
    """
    if normalise:
        matrix = replace(matrix, counts=tuple(map(_normalise_row, matrix.counts)))
    if format == "csv":
        return write_grid(pivot_confusion(matrix))
    if format == "json":
        return _write_matrix(matrix, "rates" if normalise else "counts")
    raise UsageError(f"A confusion matrix has no format {format!r}, expected 'csv' or 'json'.")


def _normalise_row(row: Sequence[float]) -> tuple[float, ...]:
    total = sum(row)
    return tuple(count / total if total else math.nan for count in row)


def _write_matrix(matrix: ConfusionMatrix, key: str) -> str:
    system = json.dumps(matrix.system, ensure_ascii=False)
    labels = json.dumps(matrix.labels, ensure_ascii=False)
    rows = _write_list([_drop_infinite(value) for value in row] for row in matrix.counts)
    return f'{{"system": {system}, "labels": {labels}, "{key}": {rows}}}\n'


def write_records(records: Sequence[Mapping[str, object]]) -> str:
    """Write a JSON list with one record per line; a number that is not finite is null."""
    finite = (
        {
            name: _drop_infinite(value) if isinstance(value, float) else value
            for name, value in record.items()
        }
        for record in records
    )
    return _write_list(finite) + "\n"


def write_grid(grid: Grid) -> str:
    """Write a grid as CSV in full precision."""
    return "".join(_write_row(row) for row in (grid.headings, *grid.rows))


def _write_row(row: Sequence[Cell]) -> str:
    # Before Python 3.13 the writer quotes a carriage return only if its own line ends have one.
    line = io.StringIO(newline="")
    csv.writer(line, lineterminator="\r\n").writerow(map(_write_cell, row))
    return line.getvalue().removesuffix("\r\n") + "\n"


def _write_cell(cell: Cell) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    return repr(float(cell)) if isinstance(cell, float) else str(cell)
