"""The result of ranking: leaderboards that print and convert to other formats."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, groupby
from typing import ClassVar, Literal, final

import numpy as np
from msgspec import field
from msgspec.structs import asdict, replace
from numpy.typing import NDArray

from tallystick.output.results.evidence import Gather
from tallystick.output.results.methods import describe_intervals
from tallystick.output.results.places import MAIN, UNKNOWN, Criterion, Friedman, Place, Standing
from tallystick.output.results.records import Difference, Refusal
from tallystick.output.results.result import Result
from tallystick.output.results.scores import list_signatures
from tallystick.output.results.sections.differences import list_matrices
from tallystick.output.results.sections.leaderboards import (
    find_main,
    mark_other,
    name_row,
    pivot_board,
    pivot_details,
    pivot_track,
    title_criteria,
)
from tallystick.output.tables.cells import Cell, Ends, Mark
from tallystick.output.tables.document import (
    Deferred,
    Document,
    Grid,
    Heading,
    Row,
    Sections,
    Style,
)
from tallystick.output.tables.names import is_fraction
from tallystick.output.tables.notes import Danger, list_cautions, sort_notes

RULE = (
    "WMT: a new cluster begins only where every system above significantly beats every system below"
)
Overall = Literal["mean", "mean_rank", "borda"]
"""How several metrics, groups or tracks are combined."""

Resampled = Mapping[tuple[str | None, ...], NDArray[np.float64]]
"""The scores of each track, group, metric and system on the same bootstrap resamples."""

_COLUMNS = tuple(Place.__struct_fields__)


@final
class Ranking(Result, frozen=True, eq=False):
    """The places of all systems by every metric; prints as one table for each track.

    Attributes:
        places: By track, group and metric; within each the best system first, undefined ones last.
        standings: By several metrics, groups or tracks together; empty where nobody asked.
        refused: The submissions that were refused.
        notes: Sentences that the reader must know.
        sentences: What the tables say in words, such as who is better than a baseline.
        differences: The difference of every two systems, with its p-value.
        overall: What the standings are ordered by.
        details: Whether there is a table for each metric and group, with all that was computed.
        gather: Gathers what a report shows besides.
        friedman: Friedman's test of mean ranks over groups or tracks, where these are asked for.
        resampled: The scores on bootstrap resamples, from which intervals of mean ranks come.
    """

    _kind: ClassVar[type] = Place
    _field: ClassVar[str] = "places"
    _bounded: ClassVar[str] = "places"
    _uncompared: ClassVar[tuple[str, ...]] = ("gather", "resampled")

    places: tuple[Place, ...]
    standings: tuple[Standing, ...] = ()
    refused: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    overall: Overall = "mean"
    details: bool = False
    gather: Gather | None = None
    friedman: Friedman | None = None
    resampled: Resampled = field(default_factory=dict)

    def document(self) -> Document:
        """Returns the standings, a table for each track, what they say in words, and the notes.

        The first metric ranks, on all examples or on the mean over groups; its values of each group
        and the other metrics follow in further columns. With `details` there is a table for each
        metric and group. Bold is what no system significantly beats, and scores that share a letter
        are not significantly different. JSON is an object: the rule of the clusters, places,
        differences, standings, refused, sentences, notes. CSV has one row per place; the standings
        follow as rows of their own.
        """
        return Document(
            grids=self._list_grids(),
            sentences=self.sentences,
            notes=sort_notes((*self.list_refusals(), *self.notes)),
            methods=" ".join(describe_intervals(self.places)),
            signatures=list_signatures(self.places),
            parts={
                "rule": RULE,
                "places": self.to_records(),
                "differences": Deferred(partial(map, asdict, self.differences)),
                "standings": [asdict(one) for one in self.standings],
                **({"overall": self.overall} if self.standings else {}),
                **({"friedman": asdict(self.friedman)} if self.friedman else {}),
                "refused": [asdict(one) for one in self.refused],
                "sentences": self.sentences,
                "notes": self.notes,
                **list_cautions(self.notes),
            },
            sheet=lambda: Grid("ranking", "", _COLUMNS, 0, (tuple(_list_rows(self)),)),
        )

    def _divide(self, document: Document, style: Style) -> Sections:
        from tallystick.output.results.sections.score_tables import list_groups, tell_differences

        titles = title_criteria(self.places)
        standings = (_pivot_standings(self, titles),) if self.standings else ()
        tracks = [list(own) for _, own in groupby(self.places, lambda place: place.track)]
        firsts = ([one for one in own if one.criterion == find_main(own)] for own in tracks)
        told = (tell_differences(ranked, self.differences, style) for ranked in firsts)
        return Sections(
            tuple(chain.from_iterable(told)),
            (
                *standings,
                *map(pivot_board, tracks),
            ),
            list_matrices(self.differences),
            tuple(chain.from_iterable(list_groups(own, own[0].track) for own in tracks)),
        )

    def list_refusals(self) -> tuple[str, ...]:
        """Says which submissions were refused, and why."""
        return tuple(
            Danger(
                f"{one.system} was refused{f' in {one.track}' if one.track else ''}: {one.reason}"
            )
            for one in self.refused
        )

    def _list_grids(self) -> tuple[Grid, ...]:
        titles = title_criteria(self.places)
        standings = (_pivot_standings(self, titles),) if self.standings else ()
        if self.details:
            boards = (list(own) for _, own in groupby(self.places, lambda place: place.criterion))
            return (*standings, *(pivot_details(own, titles) for own in boards))
        tracks = (list(own) for _, own in groupby(self.places, lambda place: place.track))
        return (*standings, *(pivot_track(own, titles) for own in tracks))


def _pivot_standings(ranking: Ranking, titles: Mapping[Criterion, Sequence[str]]) -> Grid:
    """All systems in the order of their mean, their mean rank, or their points by Borda's count."""
    mean = ranking.overall == "mean"
    teams = {(*place.criterion, place.system.partition("/")[0]): place for place in ranking.places}
    found = teams | {(*place.criterion, place.system): place for place in ranking.places}
    criteria = ranking.standings[0].criteria
    metrics = [titles[criterion][-1] for criterion in criteria]
    totals, headings = _list_totals(ranking, metrics)
    rows: list[Row] = [
        (
            one.rank if mean else one.borda_rank,
            name_row(one),
            *totals[one.system],
            *(mark_other(found.get((*criterion, one.system))) for criterion in one.criteria),
        )
        for one in sorted(ranking.standings, key=lambda one: _sort_key(one, mean=mean))
    ]
    caption = f"Overall order by {_TOTALS[ranking.overall]} {len(criteria)} scores"
    names = map(_name_criterion, criteria, metrics)
    grid = Grid("ranking", caption, ("rank", "system", *headings, *names), 2, (tuple(rows),))
    rule = "Mean rank: 1 is the best; equal scores share the mean of their ranks."
    return replace(grid, legend=(rule,) if ranking.overall == "mean_rank" else ())


_TOTALS = {"mean": "the mean of", "mean_rank": "mean rank over", "borda": "Borda's count of"}
"""What the caption says that standings are ordered by."""


def _list_totals(
    ranking: Ranking, metrics: Sequence[str]
) -> tuple[dict[str, Row], tuple[str | Heading, ...]]:
    """What standings are ordered by, of each system, with its intervals; and the headings."""
    standings = ranking.standings
    if ranking.overall == "mean":
        unit = metrics[0] if len({*metrics}) == 1 or all(map(is_fraction, metrics)) else ""
        cells: dict[str, Row] = {one.system: (one.mean,) for one in standings}
        return cells, (Heading("mean", unit, data=False),)
    points = {one.system: None if math.isnan(one.borda) else f"{one.borda:g}" for one in standings}
    ranks = _mark_mean_ranks(ranking) if ranking.overall == "mean_rank" else {}
    names = (f"{ranking.overall}_interval", f"{ranking.overall}_interval_over_groups")
    bounds = {one.system: [Ends(*getattr(one, name)) for name in names] for one in standings}
    known = [at for at in (0, 1) if not all(math.isnan(own[at].low) for own in bounds.values())]
    cells = {
        name: (
            *((ranks[name],) if ranks else (own,)),
            *(bounds[name][at] for at in known),
            *((own,) if ranks else ()),
        )
        for name, own in points.items()
    }
    of_units = f"over {ranking.friedman.over if ranking.friedman else 'groups'}"
    between = [("over examples", of_units)[at] for at in known]
    return cells, ("mean rank", *between, "points") if ranks else ("points", *between)


def _mark_mean_ranks(ranking: Ranking) -> dict[str, Cell]:
    tested = ranking.friedman
    letters = dict(zip(tested.systems, tested.letters, strict=True)) if tested else {}
    beaten = {b for _, b in tested.separated} if tested else {*()}
    return {
        one.system: Mark(
            one.mean_rank,
            one.system in letters and one.system not in beaten,
            letters.get(one.system, ""),
        )
        for one in ranking.standings
    }


def _name_criterion(criterion: Criterion, name: str) -> str | Heading:
    """What is put together: `track1 · macro_f1`; the mean over groups is told by the caption."""
    track, group, _ = criterion
    place = " · ".join(filter(None, (track, None if group in MAIN else group)))
    return Heading(place, name) if place else name


def _sort_key(one: Standing, *, mean: bool) -> float:
    """Standings come best mean first; points are put in order, those without any last."""
    return 0 if mean else math.inf if one.borda_rank is None else one.borda_rank


def _list_rows(ranking: Ranking) -> Iterator[Row]:
    """The places, and then the standings by mean, by Borda's count and by mean rank."""
    yield from (tuple(getattr(place, name) for name in _COLUMNS) for place in ranking.places)
    for name in ("mean", "borda", "mean_rank") if ranking.standings else ():
        for one in ranking.standings:
            rank = one.rank if name == "mean" else one.borda_rank
            cells: dict[str, Cell] = {"metric": name, "name": name, "rank": rank}
            cells |= {"value": getattr(one, name), "system": one.system, "baseline": one.baseline}
            low, high = getattr(one, f"{name}_interval", UNKNOWN)
            cells |= {"low": low, "high": high}
            yield tuple(cells.get(column) for column in _COLUMNS)
