"""The result of ranking: leaderboards that print and convert to other formats."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, groupby
from typing import Literal

import numpy as np
from msgspec import field
from msgspec.structs import asdict, replace
from numpy.typing import NDArray

from tallystick.errors import Danger, list_notes, sort_notes
from tallystick.output.results.records import (
    MAIN,
    UNKNOWN,
    Criterion,
    Difference,
    Friedman,
    Gather,
    Place,
    Refusal,
    Standing,
)
from tallystick.output.results.result import Result
from tallystick.output.results.scores import (
    BOUNDS,
    describe_intervals,
    list_signatures,
    name_metrics,
)
from tallystick.output.results.sections import (
    list_groups,
    list_matrices,
    say_method,
    tell_differences,
)
from tallystick.output.tables.cells import (
    Cell,
    Ends,
    Mark,
    PValue,
    format_change,
    format_range,
    is_fraction,
)
from tallystick.output.tables.document import (
    Deferred,
    Document,
    Grid,
    Heading,
    Row,
    Sections,
    Style,
)
from tallystick.output.tables.typeset import choose_scale, title_names

_BEST = (
    "best_share: the share of bootstrap resamples in which a system is first; among systems that "
    "are close it is higher than the chance that the system is the best."
)


def find_main(places: Sequence[Place]) -> Criterion:
    """Returns what ranks: the first metric on all examples, or on the mean over groups."""
    return next(place.criterion for place in places if place.group in MAIN)


def title_criteria(places: Sequence[Place]) -> dict[Criterion, tuple[str, ...]]:
    """Returns the track, the group and the metric of each table, as far as it has them."""
    titles: dict[Criterion, tuple[str, ...]] = {}
    for _, track in groupby(places, lambda place: place.track):
        own = list(track)
        names = name_metrics(own)
        for place in own:
            parts = (place.track, place.group, names[place.metric])
            titles[place.criterion] = tuple(part for part in parts if part)
    return titles


def pivot_board(places: Sequence[Place]) -> Grid:
    """Returns the leaderboard of a track as pages show it: all intervals, and no groups."""
    return replace(pivot_track(places, title_criteria(places), paged=True), kind="board")


def pivot_track(
    places: Sequence[Place], titles: Mapping[Criterion, Sequence[str]], *, paged: bool = False
) -> Grid:
    """Returns the systems in the order of the first metric, with its groups and other metrics."""
    main = find_main(places)
    ranked = [place for place in places if place.criterion == main]
    criteria = list(dict.fromkeys(place.criterion for place in places))
    others = [one for one in criteria if one[2] == main[2] and one[1] not in (*MAIN, "micro")]
    others += [one for one in criteria if one[:2] == main[:2] and one != main]
    found = {(place.criterion, place.system): place for place in places}
    name = titles[main][-1]
    groups = sum(criterion[2] == main[2] for criterion in others)
    compared = any(place.best_rank is not None for place in ranked)
    alone = groups == len(others)
    others = others[groups:] if paged else others
    partial = any(place.left_out for place in ranked)
    bounded = any(not math.isnan(place.all_wrong) for place in ranked)
    headings = (
        name,
        *(("ranks",) if compared else ()),
        *(("n",) if partial else ()),
        *((BOUNDS,) if bounded else ()),
        *(
            Heading(str(one[1]), "" if alone else titles[one][-1])
            if one[2] == main[2]
            else titles[one][-1]
            for one in others
        ),
    )
    cells = {
        place.system: (
            _mark(place),
            *((_range(place),) if compared else ()),
            *((f"{place.n} of {place.n + place.left_out}",) if partial else ()),
            *((_bound(place),) if bounded else ()),
            *(mark_other(found.get((one, place.system)), bounded=paged) for one in others),
        )
        for place in ranked
    }
    grid = _build(ranked, headings, cells, _caption(ranked, name, groups))
    return replace(grid, metric=name if groups and alone else "", legend=_explain(ranked))


def _bound(place: Place) -> Cell:
    """The scores if all missing outputs are wrong, and if all are right."""
    if math.isnan(place.all_wrong) or math.isnan(place.all_right):
        return None
    return Ends(place.all_wrong, place.all_right, False)


def _caption(ranked: Sequence[Place], name: str, groups: int) -> str:
    """What a table is: `track1: systems ranked by macro_f1 (800 examples)`."""
    track = ranked[0].track
    many = "1 group" if groups == 1 else f"{groups} groups"
    what = f"the mean of {name} over {many}" if groups else name
    begin = f"{track}: systems" if track else "Systems"
    n = max(place.n for place in ranked)
    return f"{begin} ranked by {what} ({n:,} {'example' if n == 1 else 'examples'})"


def pivot_details(places: Sequence[Place], titles: Mapping[Criterion, Sequence[str]]) -> Grid:
    """Returns the leaderboard by one metric on one row, with all that was computed."""
    *where, name = titles[places[0].criterion]
    headings = (name, "ranks", "letters", "best_share", "mean_rank", "n")
    cells: dict[str, Row] = {
        place.system: (
            _mark(place),
            _range(place),
            place.letters,
            None if math.isnan(place.best_share) else PValue(place.best_share),
            None if math.isnan(place.mean_rank) else f"{place.mean_rank:.2f}",
            place.n,
        )
        for place in places
    }
    caption = " · ".join((*where, f"ranked by {name}"))
    known = not all(math.isnan(place.best_share) for place in places)
    legend = (*_explain(places), *([_BEST] if known else []))
    return replace(_build(places, headings, cells, caption), legend=legend)


def _build(
    places: Sequence[Place],
    headings: Sequence[str | Heading],
    cells: Mapping[str, Row],
    caption: str,
) -> Grid:
    moved = any(place.previous_rank is not None for place in places)
    blocks: list[list[Row]] = []
    for place, line in zip(places, _draw_lines(places), strict=True):
        if line:
            blocks.append([])
        change = (format_change(place.rank, place.previous_rank),) if moved else ()
        blocks[-1].append((place.rank, *change, name_row(place), *cells[place.system]))
    lead = ("rank", "change", "system") if moved else ("rank", "system")
    return Grid("ranking", caption, (*lead, *headings), len(lead), tuple(map(tuple, blocks)))


def _explain(ranked: Sequence[Place]) -> tuple[str, ...]:
    clusters = {place.cluster for place in ranked if place.best_rank is not None}
    if not clusters:
        return ()
    alpha = 1 - ranked[0].confidence
    tests = "" if math.isnan(alpha) else f" (tests at p < {alpha:.2g}, Holm-corrected)"
    ranks = f"Ranks: the range each system could hold{tests}."
    line = "Every system above a line is significantly better than every one below it."
    return (ranks, line) if len(clusters) > 1 else (ranks,)


def _draw_lines(places: Sequence[Place]) -> list[bool]:
    """Whether a line is drawn above each place: between clusters, and before undefined values."""
    parts: list[int] = []
    for place in places:
        before = parts[-1] if parts else 1
        undefined = math.isnan(place.value)
        parts.append(0 if undefined else before if place.baseline else place.cluster or 1)
    return [not at or part != parts[at - 1] for at, part in enumerate(parts)]


def name_row(entry: Place | Standing) -> str:
    """Returns the name of a system, and whether it is a baseline."""
    return f"{entry.system} (baseline)" if entry.baseline else entry.system


def _range(place: Place) -> str | None:
    return format_range(place.best_rank, place.worst_rank) or None


def _mark(place: Place) -> Mark:
    ends = Ends(place.low, place.high, False)
    return Mark(place.value, place.best_rank == 1, place.letters, ends)


def mark_other(place: Place | None, *, bounded: bool = False) -> Cell:
    """Returns a score that does not rank, without letters."""
    if place is None:
        return math.nan
    ends = Ends(place.low, place.high, False) if bounded else None
    return Mark(place.value, place.best_rank == 1, "", ends)


RULE = (
    "WMT: a new cluster begins only where every system above significantly beats every system below"
)
Overall = Literal["mean", "mean_rank", "borda"]
"""How several metrics, groups or tracks are combined."""

Resampled = Mapping[tuple[str | None, ...], NDArray[np.float64]]
"""The scores of each track, group, metric and system on the same bootstrap resamples."""

_COLUMNS = tuple(Place.__struct_fields__)


class Ranking(Result, frozen=True, eq=False):
    """The places of all systems by every metric; prints as one table for each track.

    Attributes:
        places: By track, group and metric; within each the best system first, undefined ones last.
        standings: By several metrics, groups or tracks together; empty where nobody asked.
        rejected: The submissions that were rejected.
        notes: Sentences that the reader must know.
        sentences: What the tables say in words, such as who is better than a baseline.
        differences: The difference of every two systems, with its p-value.
        overall: What the standings are ordered by.
        details: Whether there is a table for each metric and group, with all that was computed.
        gather: Gathers what a report shows besides.
        tests: By which tests systems were compared, with their correction.
        friedman: Friedman's test of mean ranks over groups or tracks, where these are asked for.
        resampled: The scores on bootstrap resamples, from which intervals of mean ranks come.
    """

    _kind = Place
    _field = "places"
    _bounded = "places"
    _uncompared = ("gather", "resampled")

    places: tuple[Place, ...]
    standings: tuple[Standing, ...] = ()
    rejected: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    overall: Overall = "mean"
    details: bool = False
    gather: Gather | None = None
    tests: str = ""
    friedman: Friedman | None = None
    resampled: Resampled = field(default_factory=dict)

    def document(self) -> Document:
        """Returns the standings, a table for each track, what they show in words, and the notes.

        The first metric ranks, on all examples or on the mean over groups; its values of each group
        and the other metrics follow in further columns. With `details` there is a table for each
        metric and group. CSV has one row per place, and then the standings.
        """
        return Document(
            grids=self._list_grids(),
            sentences=self.sentences,
            notes=sort_notes((*self.list_refusals(), *self.notes)),
            methods=" ".join(describe_intervals(self.places)),
            signatures=list_signatures(self.places),
            content={
                "rule": RULE,
                "places": self.to_records(),
                "differences": Deferred(partial(map, asdict, self.differences)),
                "standings": [asdict(one) for one in self.standings],
                **({"overall": self.overall} if self.standings else {}),
                **({"friedman": asdict(self.friedman)} if self.friedman else {}),
                "rejected": [asdict(one) for one in self.rejected],
                "sentences": self.sentences,
                **list_notes(self.notes),
            },
            sheet=lambda: Grid("ranking", "", _COLUMNS, 0, (tuple(self._list_rows()),)),
        )

    def to_sentence(self, style: Style | None = None) -> str:
        """Returns sentences for a paper: who is best, and of whom that is not sure."""
        names = {place.name for place in self.places}
        sentences = self._tell(choose_scale(names, style or Style()))
        text = " ".join((*sentences, say_method(self.differences, self.tests)))
        return title_names(text.rstrip(), names)

    def _tell(self, style: Style) -> Iterator[str]:
        for _, own in groupby(self.places, lambda place: place.track):
            places = list(own)
            ranked = [one for one in places if one.criterion == find_main(places)]
            yield from tell_differences(ranked, self.differences, style)

    def _divide(self, document: Document, style: Style) -> Sections:
        titles = title_criteria(self.places)
        standings = (_pivot_standings(self, titles),) if self.standings else ()
        tracks = [list(own) for _, own in groupby(self.places, lambda place: place.track)]
        return Sections(
            tuple(self._tell(style)),
            (*standings, *map(pivot_board, tracks)),
            list_matrices(self.differences),
            tuple(chain.from_iterable(list_groups(own, own[0].track) for own in tracks)),
        )

    def _list_rows(self) -> Iterator[Row]:
        yield from (tuple(getattr(place, name) for name in _COLUMNS) for place in self.places)
        for name in ("mean", "borda", "mean_rank") if self.standings else ():
            for one in self.standings:
                rank = one.rank if name == "mean" else one.borda_rank
                cells: dict[str, Cell] = {"metric": name, "name": name, "rank": rank}
                cells |= {"value": getattr(one, name), "system": one.system}
                low, high = getattr(one, f"{name}_interval", UNKNOWN)
                cells |= {"baseline": one.baseline, "low": low, "high": high}
                yield tuple(cells.get(column) for column in _COLUMNS)

    def list_refusals(self) -> tuple[str, ...]:
        """Says which submissions were rejected, and why."""
        return tuple(
            Danger(
                f"{one.system} was rejected{f' in {one.track}' if one.track else ''}: {one.reason}"
            )
            for one in self.rejected
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
    ordered = ranking.standings
    if not mean:  # those without points last
        ordered = tuple(sorted(ordered, key=lambda one: one.borda_rank or math.inf))
    rows: list[Row] = [
        (
            one.rank if mean else one.borda_rank,
            name_row(one),
            *totals[one.system],
            *(mark_other(found.get((*criterion, one.system))) for criterion in one.criteria),
        )
        for one in ordered
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
