"""What ranking hands to its caller: places that print, and go to other formats."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any, ClassVar, final

from tallystick.render.cells import Mark
from tallystick.render.document import Document, Grid, Row
from tallystick.results.records import Criterion, Place, Refusal, Standing
from tallystick.results.result import Result
from tallystick.results.scores import name_metrics

__all__ = ["RULE", "Ranking", "title_criteria"]

RULE = (
    "WMT: a new cluster begins only where every system above significantly beats every system below"
)

_HEADINGS = ("low", "high", "ranks", "cluster", "p_best", "mean_rank")
_COLUMNS = tuple(Place.__dataclass_fields__)


@final
@dataclass(frozen=True, slots=True)
class Ranking(Result):
    """The places of all systems by every metric; prints as tables.

    Attributes:
        places: By track, group and metric; within each the best system first, undefined ones last.
        standings: By several metrics, groups or tracks together; empty where there is only one.
        refused: The submissions that could not be scored.
        notes: Sentences that the reader must know, such as where the winner changes.
    """

    _kind: ClassVar[type] = Place

    places: tuple[Place, ...]
    standings: tuple[Standing, ...] = ()
    refused: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Count what there is, on one line."""
        systems = {place.system for place in self.places}
        return (
            f"Ranking(places={len(self.places)}, systems={len(systems)}, "
            f"refused={len(self.refused)})"
        )

    @property
    def _records(self) -> tuple[Place, ...]:
        return self.places

    def document(self) -> Document:
        """Return the standings, a table for each metric on each row, refusals and notes.

        In LaTeX, bold is what no system significantly beats, and scores that share a letter are not
        significantly different. JSON is an object: the rule of the clusters, places, standings,
        refused, notes. CSV has one row per place; the standings follow as rows of their own.
        """
        return Document(
            grids=self._list_grids(),
            notes=(*self.list_refusals(), *self.notes),
            parts={
                "rule": RULE,
                "places": self.to_records(),
                "standings": [asdict(one) for one in self.standings],
                "refused": [asdict(one) for one in self.refused],
                "notes": self.notes,
            },
            sheet=Grid("ranking", "", _COLUMNS, 0, (tuple(_list_rows(self)),)),
        )

    def list_refusals(self) -> tuple[str, ...]:
        """Tell which submissions could not be scored, and why."""
        return tuple(
            f"{one.system} was not scored{f' in {one.track}' if one.track else ''}: {one.reason}"
            for one in self.refused
        )

    def _list_grids(self) -> tuple[Grid, ...]:
        titles = title_criteria(self.places)
        contests = [tuple(own) for _, own in groupby(self.places, lambda place: place.criterion)]
        named = len(contests) > 1 or bool(self.standings)
        grids = [_pivot_places(places, titles[places[0].criterion], named) for places in contests]
        return (_pivot_standings(self, titles), *grids) if self.standings else tuple(grids)


def title_criteria(places: Sequence[Place]) -> dict[Criterion, tuple[str, ...]]:
    """The track, the group and the name of what each table is about, as far as it has them."""
    names = name_metrics(places)
    return {
        place.criterion: tuple(
            part for part in (place.track, place.group, names[place.metric]) if part
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


def _list_rows(ranking: Ranking) -> list[Row]:
    """The places, and then the standings by mean and by Borda's count."""
    rows = [_list_fields(record) for record in ranking.to_records()]
    for name in ("mean", "borda"):
        for one in ranking.standings:
            value, rank = (one.mean, one.rank) if name == "mean" else (one.borda, one.borda_rank)
            found = {"metric": name, "name": name, "value": value, "rank": rank}
            rows.append(_list_fields({"system": one.system, "baseline": one.baseline, **found}))
    return rows


def _list_fields(record: Mapping[str, Any]) -> Row:
    return tuple(record.get(name) for name in _COLUMNS)
