"""Pivots scores and confusion matrices into grids of headings and rows."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from typing import Literal, TypeAlias

from tallystick.errors import UsageError
from tallystick.report.cells import Bounded, Cell, Ends
from tallystick.results import ConfusionMatrix, Place, Score

__all__ = [
    "Grid",
    "Lead",
    "Row",
    "bound",
    "drop_intervals",
    "list_grids",
    "name_metrics",
    "pivot_confusion",
]

Lead: TypeAlias = tuple[tuple[str, str], ...]
"""The heading of each leading column with the field of `Score` that fills it."""

Row: TypeAlias = tuple[Cell, ...]

_AVERAGES = frozenset({"macro", "micro"})


@dataclass(frozen=True, slots=True)
class Grid:
    """A table whose cells are not yet text.

    Attributes:
        kind: What the rows are: systems and groups, classes, gold labels, pairs of systems, checks,
            or ranks.
        caption: The line above the table; empty for the overview.
        headings: One per column.
        leads: How many columns, from the left, say what a row is about.
        blocks: The rows, in blocks that are set apart from each other.
    """

    kind: Literal["overview", "classes", "confusion", "pairs", "checks", "ranking"]
    caption: str
    headings: tuple[str, ...]
    leads: int
    blocks: tuple[tuple[Row, ...], ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of all blocks."""
        return tuple(chain.from_iterable(self.blocks))

    @property
    def textual(self) -> tuple[bool, ...]:
        """Whether each column holds names, which align left, and not numbers."""
        return tuple(
            column < self.leads and any(isinstance(row[column], str) for row in self.rows)
            for column in range(len(self.headings))
        )


def list_grids(
    scores: Sequence[Score],
    lead: Lead,
    confusions: Sequence[ConfusionMatrix] = (),
    *,
    intervals: bool = True,
) -> tuple[Grid, ...]:
    """List what there is to show: the overview, the scores per class, the confusion matrices.

    Without `intervals` numbers stand alone.
    """
    if not intervals:
        scores = drop_intervals(scores)
    grids = []
    overall = [score for score in scores if score.label is None]
    if overall:
        grids.append(_pivot_overview(overall, lead))
    classes = [score for score in scores if score.label is not None]
    if classes:
        grids.append(_pivot_classes(classes, lead))
    systems = {score.system for score in scores} | {matrix.system for matrix in confusions}
    matrices = (pivot_confusion(matrix, named=len(systems) > 1) for matrix in confusions)
    return (*grids, *matrices)


def _pivot_overview(scores: Sequence[Score], lead: Lead) -> Grid:
    headings, blocks = _pivot(scores, lead, lambda score: score.group in _AVERAGES)
    return Grid("overview", "", headings, len(lead), blocks)


def _pivot_classes(scores: Sequence[Score], lead: Lead) -> Grid:
    headings_by_field = {field: heading for heading, field in lead}
    shown = [("label", "label")]
    if any(score.group is not None for score in scores):
        shown.insert(0, (headings_by_field.get("group", "group"), "group"))
    if len({score.system for score in scores}) > 1:
        shown.insert(0, (headings_by_field.get("system", "system"), "system"))
    headings, blocks = _pivot(scores, tuple(shown), lambda score: (score.system, score.group))
    return Grid("classes", "Per class", headings, len(shown), blocks)


def pivot_confusion(matrix: ConfusionMatrix, *, named: bool = False) -> Grid:
    """Make a row of each gold label; `named` puts the system into the caption."""
    whose = f" of {matrix.system}" if named else ""
    return Grid(
        kind="confusion",
        caption=f"Confusion matrix{whose} (rows gold, columns predicted)",
        headings=("gold\\predicted", *matrix.labels),
        leads=1,
        blocks=(
            tuple((gold, *row) for gold, row in zip(matrix.labels, matrix.counts, strict=True)),
        ),
    )


def _pivot(
    scores: Sequence[Score], lead: Lead, part: Callable[[Score], object]
) -> tuple[tuple[str, ...], tuple[tuple[Row, ...], ...]]:
    """Return headings and blocks; consecutive rows with the same `part` make a block."""
    names = name_metrics(scores)
    values: dict[tuple[Row, str], Cell] = {}
    parts: dict[Row, object] = {}
    for score in scores:
        key = tuple(getattr(score, field) for _, field in lead)
        place = (key, names[score.metric, score.name])
        if place in values:
            raise UsageError(
                f"Two scores of {place[1]} fall into one row, {key}, expected leading columns "
                "that tell them apart."
            )
        values[place] = bound(score)
        parts.setdefault(key, part(score))
    metrics = tuple(dict.fromkeys(names.values()))
    blocks = tuple(
        tuple((*key, *(values.get((key, metric)) for metric in metrics)) for key in keys)
        for _, keys in groupby(parts, parts.__getitem__)
    )
    return (*(heading for heading, _ in lead), *metrics), blocks


def drop_intervals(scores: Sequence[Score]) -> list[Score]:
    """The scores without their intervals."""
    return [replace(score, low=math.nan, high=math.nan) for score in scores]


def bound(score: Score) -> Cell:
    """The value of a score, with its interval where it has one."""
    if math.isnan(score.low):
        return score.value
    return Bounded(score.value, Ends(score.low, score.high, isinstance(score.value, int)))


def name_metrics(scores: Sequence[Score | Place]) -> dict[tuple[str, str], str]:
    """Give each (metric, name) its heading: the name, or the repr where metrics share a name."""
    metrics = dict.fromkeys((score.metric, score.name) for score in scores)
    names = [name for _, name in metrics]
    return {(metric, name): name if names.count(name) == 1 else metric for metric, name in metrics}
