"""What a comparison hands to its caller: differences that print, with a sentence for each."""

import math
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from tallystick.errors import UsageError
from tallystick.report.cells import Cell, escape_controls
from tallystick.report.grid import Grid
from tallystick.report.html import write_html
from tallystick.report.latex import write_latex
from tallystick.report.markdown import write_markdown
from tallystick.report.records import build_frame, write_grid, write_records
from tallystick.report.sentences import format_p, say
from tallystick.report.text import write_text
from tallystick.results import Difference, Flip

if TYPE_CHECKING:
    import pandas

__all__ = ["Comparison", "pivot_differences", "render_comparison"]

_DIGITS = 4
_WIDTH = 100
_WRITERS = {"table": write_text, "markdown": write_markdown, "latex": write_latex}
_FORMATS = (*_WRITERS, "csv", "json")
_OVERALL = (None, "macro", "micro")


@dataclass(frozen=True, slots=True)
class Comparison:
    """All the differences of one call; prints as a table, with what it says in words.

    Attributes:
        differences: The differences, row by row.
        notes: Sentences that the reader must know.
        finder: Finds the examples on which two systems differ, by their names.
    """

    differences: tuple[Difference, ...]
    notes: tuple[str, ...] = ()
    finder: Callable[[str, str], tuple[Flip, ...]] | None = None

    def __str__(self) -> str:
        """Write the plain text table, and what it says in words."""
        return render_comparison(self, "table").removesuffix("\n")

    def __repr__(self) -> str:
        """Count what there is, on one line."""
        systems = {name for one in self.differences for name in (one.a, one.b)}
        metrics = {one.metric for one in self.differences}
        return (
            f"Comparison(differences={len(self.differences)}, metrics={len(metrics)}, "
            f"systems={len(systems)})"
        )

    def _repr_html_(self) -> str:
        """Write the table that a notebook shows."""
        return write_html(
            [pivot_differences(self, _DIGITS)], (*self.sentences(), *self.notes), digits=_DIGITS
        )

    def find(self, a: str, b: str, metric: str, group: str | None = None) -> Difference:
        """Return the difference of two systems, in this order, on a metric.

        Raises:
            UsageError: There is none.
        """
        for one in self.differences:
            if metric in (one.name, one.metric) and one.group == group:
                if (one.a, one.b) == (a, b):
                    return one
                if (one.a, one.b) == (b, a):
                    return _turn(one)
        where = "" if group is None else f" in {group!r}"
        raise UsageError(f"there is no difference of {a!r} and {b!r} on {metric!r}{where}")

    def flips(self, a: str, b: str) -> tuple[Flip, ...]:
        """Return the examples on which two systems differ, those with the largest gap first.

        For labels these are all examples that one system got right and the other one wrong; for
        texts the 100 with the largest difference in the first metric's score of the example.

        Raises:
            UsageError: There is no such system.
        """
        known = dict.fromkeys(name for one in self.differences for name in (one.a, one.b))
        for name in (a, b):
            if name not in known:
                raise UsageError(f"there is no system {name!r}, only {', '.join(known)}")
        return self.finder(a, b) if self.finder else ()

    def sentences(self) -> tuple[str, ...]:
        """Say in words what each difference over all examples means."""
        return tuple(
            say(one) for one in self.differences if one.group in _OVERALL and not math.isnan(one.p)
        )

    def to_records(self) -> list[dict[str, object]]:
        """Return one dictionary per difference, with the fields of `Difference` as keys."""
        return [asdict(one) for one in self.differences]

    def to_json(self) -> str:
        """Return a JSON list with one record per line; an undefined value is null."""
        return render_comparison(self, "json")

    def to_csv(self) -> str:
        """Return the table as CSV in full precision; an undefined value is an empty cell."""
        return render_comparison(self, "csv")

    def to_markdown(self) -> str:
        """Return the table in GitHub Markdown."""
        return render_comparison(self, "markdown")

    def to_latex(self) -> str:
        """Return a LaTeX tabular, which needs the package booktabs."""
        return render_comparison(self, "latex")

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a data frame with one row per difference.

        Raises:
            UsageError: pandas is not installed.
        """
        return build_frame(self.to_records(), list(Difference.__dataclass_fields__))


def render_comparison(comparison: Comparison, format: str, *, digits: int = _DIGITS) -> str:
    """Write a comparison as `table`, `markdown`, `latex`, `csv` or `json`.

    Raises:
        UsageError: There is no such format, or digits is negative.
    """
    if digits < 0:
        raise UsageError(f"The number of digits is {digits}, expected 0 or more.")
    if format == "csv":
        return write_grid(pivot_differences(comparison, None))
    if format == "json":
        return write_records(comparison.to_records())
    if format not in _WRITERS:
        listing = ", ".join(map(repr, _FORMATS))
        raise UsageError(f"There is no format {format!r}, expected one of {listing}.")
    grid = pivot_differences(comparison, digits)
    if format == "table":
        parts = [write_text([grid], (), digits=digits), _fold(comparison.sentences())]
        if comparison.notes:
            parts.append(write_text([], comparison.notes, digits=digits).lstrip("\n"))
        return "\n".join(part for part in parts if part)
    return _WRITERS[format]([grid], (*comparison.sentences(), *comparison.notes), digits=digits)


def pivot_differences(comparison: Comparison, digits: int | None) -> Grid:
    """Make a row of each difference; without digits p-values stay numbers."""
    grouped = any(one.group is not None for one in comparison.differences)
    single = all(one.p == one.p_holm or math.isnan(one.p) for one in comparison.differences)
    lead = ("group", "metric", "a", "b") if grouped else ("metric", "a", "b")
    numbers = ("value_a", "value_b", "difference", "low", "high")
    tests = ("p",) if single and digits is not None else ("p", "p_holm")
    headings = (*lead, *numbers, *tests)
    names = _name_metrics(comparison.differences)

    def write(one: Difference, field: str) -> Cell:
        if field == "metric":
            return names[one.metric]
        value: Cell = getattr(one, field)
        if field in tests and digits is not None and isinstance(value, float):
            return format_p(value, digits)
        return value

    blocks = tuple(
        tuple(tuple(write(one, field) for field in headings) for one in own)
        for _, own in groupby(comparison.differences, lambda one: one.group)
    )
    return Grid("pairs", "", headings, len(lead), blocks)


def _name_metrics(differences: Sequence[Difference]) -> dict[str, str]:
    """The short name of each metric, or its repr where several metrics share one."""
    names = {one.metric: one.name for one in differences}
    shared = list(names.values())
    return {metric: name if shared.count(name) == 1 else metric for metric, name in names.items()}


def _fold(sentences: Sequence[str]) -> str:
    lines = (
        textwrap.fill(escape_controls(one), _WIDTH, break_long_words=False, break_on_hyphens=False)
        for one in sentences
    )
    return "".join(f"{line}\n" for line in lines)


def _turn(one: Difference) -> Difference:
    """The same difference seen from the other side."""
    return replace(
        one,
        a=one.b,
        b=one.a,
        value_a=one.value_b,
        value_b=one.value_a,
        difference=-one.difference,
        low=-one.high,
        high=-one.low,
    )
