"""Writes the examples on which systems differ, for programs."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from tallystick.errors import UsageError
from tallystick.report.grid import Grid, Row
from tallystick.report.records import write_grid, write_records
from tallystick.results import Flip

__all__ = ["render_flips"]


def render_flips(flips: Mapping[tuple[str, str], Sequence[Flip]], format: str) -> str:
    """Write the flips of pairs of systems as `csv` or `json`.

    Raises:
        UsageError: There is no such format.
    """
    if format == "json":
        return write_records(
            [
                {"a": a, "b": b, **asdict(flip)}
                for (a, b), several in flips.items()
                for flip in several
            ]
        )
    if format == "csv":
        names = tuple(Flip.__dataclass_fields__)
        rows: tuple[Row, ...] = tuple(
            (*pair, *(getattr(flip, name) for name in names))
            for pair, several in flips.items()
            for flip in several
        )
        return write_grid(Grid("pairs", "", ("a", "b", *names), 2, (rows,)))
    raise UsageError(f"Flips have no format {format!r}, expected 'csv' or 'json'.")
