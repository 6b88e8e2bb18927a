"""Leaderboards of places: the table of a track, and of a metric with all that was computed."""

import math
from collections.abc import Mapping, Sequence
from itertools import groupby

from msgspec.structs import replace

from tallystick.output.results.places import MAIN, Criterion, Place, Standing
from tallystick.output.results.scores import BOUNDS, name_metrics
from tallystick.output.tables.cells import Cell, Ends, Mark, PValue, format_change, format_range
from tallystick.output.tables.document import Grid, Heading, Row

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
    """Returns the systems in the order of the first metric, with its groups and other metrics.

    A page has groups in another table, and room for every interval.
    """
    main = find_main(places)
    ranked = [place for place in places if place.criterion == main]
    others = _list_others(places, main)
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
        *(_head(one, titles[one][-1], main, alone=alone) for one in others),
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
    """The scores with all that the system lacks wrong, and right, where it lacks any."""
    if math.isnan(place.all_wrong) or math.isnan(place.all_right):
        return None
    return Ends(place.all_wrong, place.all_right, False)


def _head(one: Criterion, name: str, main: Criterion, *, alone: bool) -> str | Heading:
    """Names a further column: a group of the first metric, or another metric."""
    if one[2] != main[2]:
        return name
    return Heading(str(one[1]), "" if alone else name)


def _list_others(places: Sequence[Place], main: Criterion) -> list[Criterion]:
    """The first metric in each group, and the other metrics where it ranks."""
    criteria = list(dict.fromkeys(place.criterion for place in places))
    groups = [one for one in criteria if one[2] == main[2] and one[1] not in (*MAIN, "micro")]
    return groups + [one for one in criteria if one[:2] == main[:2] and one != main]


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
    """A row for each system with its rank, and a line between clusters."""
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
    """Says what the ranges of ranks and the lines between clusters mean, if there are any."""
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
    """The range of ranks that a system could hold by the significance tests."""
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
