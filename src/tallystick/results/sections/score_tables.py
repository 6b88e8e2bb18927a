"""The tables of scores that pages alone have: leaderboards without ranks, and shaded groups."""

import math
from collections.abc import Sequence
from itertools import groupby

from tallystick.figures.groups import FEW
from tallystick.render.cells import Tinted
from tallystick.render.document import Grid, Heading, Row
from tallystick.results.places import MAIN, Place
from tallystick.results.records import Score
from tallystick.results.scores import bound, name_metrics

_AVERAGES = {"macro": "mean of groups", "micro": "all examples"}
_STEPS = 8
_LEGEND = (f"Darker is better. Grey: fewer than {FEW} examples, mostly noise.",)


def take_main(scores: Sequence[Score]) -> list[Score]:
    """Returns the scores on all examples or on the mean over groups, or else of the first group.

    Scores per label are left out.
    """
    own = [one for one in scores if one.label is None]
    main = next((one.group for one in own if one.group in MAIN), own[0].group if own else None)
    return [one for one in own if one.group == main]


def rank_scores(scores: Sequence[Score], better: str | None) -> list[Score]:
    """Returns those by the first metric, best first and undefined ones last.

    They stay in their order where no direction is better.
    """
    own = take_main(scores)
    first = [one for one in own if one.metric == own[0].metric]
    if better is None:
        return first
    sign = 1 if better == "lower" else -1
    return sorted(first, key=lambda one: (math.isnan(one.value), sign * one.value))


def count_examples(scores: Sequence[Score]) -> str:
    """Says what scores are on: `mean over groups, 400 examples`."""
    n = max(one.n for one in scores)
    place = "mean over groups, " if scores[0].group == "macro" else ""
    return f"{place}{n:,} {'example' if n == 1 else 'examples'}"


def list_boards(scores: Sequence[Score], better: str | None = None) -> tuple[Grid, ...]:
    """Returns the leaderboard by the first metric, or all metrics of a single system.

    Only a comparison tells which direction is better; without one systems stay as they came.
    """
    own, ranked = take_main(scores), rank_scores(scores, better)
    if not own:
        return ()
    names, title = name_metrics(own), count_examples(own)
    if len(ranked) == 1:
        alone: tuple[Row, ...] = tuple((names[one.metric], bound(one)) for one in own)
        return (Grid("board", f"{own[0].system}: {title}", ("metric", "value"), 1, (alone,)),)
    found = {(one.system, one.metric): bound(one) for one in own}
    rows: tuple[Row, ...] = tuple(
        (first.system, *(found.get((first.system, metric), math.nan) for metric in names))
        for first in ranked
    )
    return (Grid("board", title, ("system", *names.values()), 1, (rows,)),)


def list_groups(records: Sequence[Score | Place], track: str | None = None) -> tuple[Grid, ...]:
    """Returns a table of each metric for several systems, or one of all metrics of a single one."""
    own = [one for one in records if one.group is not None and getattr(one, "label", None) is None]
    names, systems = name_metrics(own), list(dict.fromkeys(one.system for one in own))
    lead = f"{track}: " if track else ""
    if len(systems) == 1:
        return (_shade_groups(f"{lead}{systems[0]} by group", own, names),)
    parts = {metric: [one for one in own if one.metric == metric] for metric in names}
    heads = {system: Heading(system) for system in systems}
    return tuple(
        _shade_groups(f"{lead}{names[metric]} by group", part, heads, names[metric])
        for metric, part in parts.items()
        if any(not _is_average(one.group) for one in part)
    )


def _shade_groups(
    title: str,
    records: Sequence[Score | Place],
    columns: dict[str, str] | dict[str, Heading],
    metric: str = "",
) -> Grid:
    """A row for each group; the columns are the systems by one metric, or else the metrics."""
    sizes = {one.group: one.n for one in records}
    shaded: dict[str, list[float]] = {one.metric: [] for one in records}
    for one in records:
        if _is_shaded(one):
            shaded[one.metric].append(one.value)
    ends = {name: (min(own), max(own)) for name, own in shaded.items() if own}
    cells = {
        (one.group, one.system if metric else one.metric): Tinted(
            bound(one), _shade(one, ends.get(one.metric, (0, 0)))
        )
        for one in records
    }
    blocks = tuple(
        tuple(
            (
                _AVERAGES.get(str(group), group),
                sizes[group],
                *(cells.get((group, one)) for one in columns),
            )
            for group in own
        )
        for _, own in groupby(sorted(sizes, key=_is_average), _is_average)
    )
    return Grid("groups", title, ("group", "n", *columns.values()), 2, blocks, metric, _LEGEND)


def _is_average(group: str | None) -> bool:
    return group in _AVERAGES


def _is_shaded(one: Score | Place) -> bool:
    """Whether a score is shaded: it has a better direction and enough examples."""
    known = not math.isnan(one.value) and one.better != "neither"
    return known and one.n >= FEW and not _is_average(one.group)


def _shade(one: Score | Place, ends: tuple[float, float]) -> str:
    """The ground of a cell, from `shade-0` to `shade-8`, `few`, or none of an average."""
    if one.n < FEW:
        return "few"
    if _is_average(one.group):
        return ""
    low, high = ends
    if not _is_shaded(one) or low == high:
        return "shade-0"
    share = (one.value - low) / (high - low)
    return f"shade-{round((1 - share if one.better == 'lower' else share) * _STEPS)}"
