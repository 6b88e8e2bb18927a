"""What ranking hands to its caller: places that print, and go to other formats."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from tallystick.errors import UsageError
from tallystick.report.cells import Mark
from tallystick.report.grid import Grid, Row, name_metrics
from tallystick.report.html import write_html
from tallystick.report.latex import write_latex
from tallystick.report.markdown import write_markdown
from tallystick.report.records import build_frame, write_grid, write_records
from tallystick.report.text import write_text
from tallystick.results import Criterion, Place, Refusal, Standing

if TYPE_CHECKING:
    import pandas

__all__ = [
    "RANKING_FORMATS",
    "RULE",
    "Ranking",
    "list_ranking_grids",
    "list_ranking_notes",
    "list_refusals",
    "render_ranking",
    "title_criteria",
]

RANKING_FORMATS = ("table", "csv", "json", "markdown", "latex")
"""What `render_ranking` can write."""

RULE = (
    "WMT: a new cluster begins only where every system above significantly beats every system below"
)

_DIGITS = 4
_WRITERS = {"table": write_text, "markdown": write_markdown, "latex": write_latex}
_HEADINGS = ("low", "high", "ranks", "cluster", "p_best", "mean_rank")
_COLUMNS = tuple(Place.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The places of all systems by every metric; prints as tables.

    Attributes:
        places: By track, group and metric; within each the best system first, undefined ones last.
        standings: By several metrics, groups or tracks together; empty where there is only one.
        refused: The submissions that could not be scored.
        notes: Sentences that the reader must know, such as where the winner changes.
    """

    places: tuple[Place, ...]
    standings: tuple[Standing, ...] = ()
    refused: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Write the plain text tables."""
        return render_ranking(self, "table").removesuffix("\n")

    def __repr__(self) -> str:
        """Count what there is, on one line."""
        systems = {place.system for place in self.places}
        return (
            f"Ranking(places={len(self.places)}, systems={len(systems)}, "
            f"refused={len(self.refused)})"
        )

    def _repr_html_(self) -> str:
        """Write the tables that a notebook shows."""
        return write_html(list_ranking_grids(self), list_ranking_notes(self), digits=_DIGITS)

    def to_records(self) -> list[dict[str, object]]:
        """Return one dictionary per place, with the fields of `Place` as keys."""
        return [asdict(place) for place in self.places]

    def to_json(self) -> str:
        """Return a JSON object: the rule of the clusters, places, standings, refused, notes."""
        return render_ranking(self, "json")

    def to_csv(self) -> str:
        """Return one row per place in full precision; the standings follow as rows of their own."""
        return render_ranking(self, "csv")

    def to_markdown(self) -> str:
        """Return tables in GitHub Markdown."""
        return render_ranking(self, "markdown")

    def to_latex(self) -> str:
        """Return LaTeX tabulars, which need the package booktabs.

        Bold is what no system significantly beats; scores that share a letter are not told apart.
        """
        return render_ranking(self, "latex")

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a data frame with one row per place.

        Raises:
            UsageError: pandas is not installed.
        """
        return build_frame(self.to_records(), list(_COLUMNS))


def render_ranking(ranking: Ranking, format: str, *, digits: int = _DIGITS) -> str:
    """Write a ranking in one of `RANKING_FORMATS`, as text that ends with a newline.

    Raises:
        UsageError: There is no such format, or digits is negative.
    """
    if digits < 0:
        raise UsageError(f"The number of digits is {digits}, expected 0 or more.")
    if format in _WRITERS:
        return _WRITERS[format](
            list_ranking_grids(ranking), list_ranking_notes(ranking), digits=digits
        )
    if format == "csv":
        return write_grid(Grid("ranking", "", _COLUMNS, 0, (tuple(_list_rows(ranking)),)))
    if format == "json":
        return _write_json(ranking)
    raise UsageError(
        f"A ranking has no format {format!r}, expected one of "
        f"{', '.join(map(repr, RANKING_FORMATS))}."
    )


def list_ranking_grids(ranking: Ranking) -> tuple[Grid, ...]:
    """List what there is to show: the standings, then a table for each metric on each row."""
    titles = title_criteria(ranking.places)
    contests = [tuple(own) for _, own in groupby(ranking.places, lambda place: place.criterion)]
    named = len(contests) > 1 or bool(ranking.standings)
    grids = [_pivot_places(places, titles[places[0].criterion], named) for places in contests]
    return (_pivot_standings(ranking, titles), *grids) if ranking.standings else tuple(grids)


def title_criteria(places: Sequence[Place]) -> dict[Criterion, tuple[str, ...]]:
    """The track, the group and the name of what each table is about, as far as it has them."""
    names = name_metrics(places)
    return {
        place.criterion: tuple(
            part for part in (place.track, place.group, names[place.metric, place.name]) if part
        )
        for place in places
    }


def _pivot_places(places: Sequence[Place], title: Sequence[str], named: bool) -> Grid:
    blocks: list[list[Row]] = []
    for place, line in zip(places, _draw_lines(places), strict=True):
        if line:
            blocks.append([])
        blocks[-1].append(_list_cells(place))
    return Grid(
        "ranking",
        " · ".join(title) if named else "",
        ("rank", "system", "n", title[-1], *_HEADINGS),
        2,
        tuple(map(tuple, blocks)),
    )


def _draw_lines(places: Sequence[Place]) -> list[bool]:
    """Whether a line is drawn above each place: between clusters, and before undefined values."""
    parts: list[int] = []
    for place in places:
        before = parts[-1] if parts else 1
        undefined = math.isnan(place.value)
        parts.append(0 if undefined else before if place.baseline else place.cluster or 1)
    return [not at or part != parts[at - 1] for at, part in enumerate(parts)]


def _list_cells(place: Place) -> Row:
    ranks = None if place.best_rank is None else f"{place.best_rank}-{place.worst_rank}"
    return (
        place.rank,
        _name(place),
        place.n,
        _mark(place),
        place.low,
        place.high,
        ranks,
        place.cluster,
        *((None, None) if place.best_rank is None else (place.p_best, place.mean_rank)),
    )


def _name(entry: Place | Standing) -> str:
    return f"{entry.system} (baseline)" if entry.baseline else entry.system


def _mark(place: Place) -> Mark:
    return Mark(place.value, bold=place.best_rank == 1, letters=place.letters)


def _pivot_standings(ranking: Ranking, titles: Mapping[Criterion, Sequence[str]]) -> Grid:
    standings = ranking.standings
    marks = {(*place.criterion, place.system): _mark(place) for place in ranking.places}
    gaps = any(one.covered < len(one.criteria) for one in standings)
    criteria = [" · ".join(titles[criterion]) for criterion in standings[0].criteria]
    rows: list[Row] = [
        (
            one.rank,
            _name(one),
            *(marks.get((*criterion, one.system), math.nan) for criterion in one.criteria),
            one.mean,
            None if math.isnan(one.borda) else f"{one.borda:g}",
            one.borda_rank,
            *((one.covered,) if gaps else ()),
        )
        for one in standings
    ]
    headings = ("rank", "system", *criteria, "mean", "borda", "borda_rank")
    headings = (*headings, "covered") if gaps else headings
    return Grid("ranking", "Overall", headings, 2, (tuple(rows),))


def list_ranking_notes(ranking: Ranking) -> tuple[str, ...]:
    """The notes, and before them what a table has no room for."""
    return (*list_refusals(ranking), *ranking.notes)


def list_refusals(ranking: Ranking) -> tuple[str, ...]:
    """Tell which submissions could not be scored, and why."""
    return tuple(
        f"{one.system} was not scored{f' in {one.track}' if one.track else ''}: {one.reason}"
        for one in ranking.refused
    )


def _list_rows(ranking: Ranking) -> list[Row]:
    """The places, and then the standings by mean and by Borda's count."""
    rows = [_list_fields(asdict(place)) for place in ranking.places]
    for name in ("mean", "borda"):
        for one in ranking.standings:
            value, rank = (one.mean, one.rank) if name == "mean" else (one.borda, one.borda_rank)
            found = {"metric": name, "name": name, "value": value, "rank": rank}
            rows.append(_list_fields({"system": one.system, "baseline": one.baseline, **found}))
    return rows


def _list_fields(record: Mapping[str, Any]) -> Row:
    cells = (record.get(name) for name in _COLUMNS)
    return tuple(str(cell).lower() if isinstance(cell, bool) else cell for cell in cells)


def _write_json(ranking: Ranking) -> str:
    standings = [asdict(one) | {"values": _drop_undefined(one.values)} for one in ranking.standings]
    parts = {
        "rule": json.dumps(RULE),
        "places": write_records([asdict(place) for place in ranking.places]),
        "standings": write_records(standings),
        "refused": write_records([asdict(one) for one in ranking.refused]),
        "notes": json.dumps(ranking.notes, ensure_ascii=False),
    }
    lines = (f'"{name}": {text.rstrip()}' for name, text in parts.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _drop_undefined(values: Sequence[float]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values]
