"""What pages alone have of scores: the verdict, leaderboards without ranks, and shaded groups."""

import math
from collections.abc import Sequence
from itertools import groupby

from msgspec.structs import replace

from tallystick.output.figures.groups import FEW
from tallystick.output.results.places import MAIN, Place
from tallystick.output.results.records import Difference, Score
from tallystick.output.results.scores import bound, name_metrics
from tallystick.output.results.sections.differences import find_gain, say, turn
from tallystick.output.tables.cells import Bounded, Ends, Tinted, format_p
from tallystick.output.tables.document import Grid, Heading, Row, Style
from tallystick.output.tables.typeset import typeset_score

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


_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MOST_NAMES = 3
_FACTS = ("positive_rate", "reference_length", "hypothesis_length")
"""Metrics that describe the data and not how good a system is."""


def tell_scores(scores: Sequence[Score], style: Style) -> tuple[str, ...]:
    """Says how good a single system is, or how far several are apart."""
    own = take_main(scores)
    if not own:
        return ()
    if len({one.system for one in own}) == 1:
        shown = [one for one in own if one.name not in _FACTS] or own
        told = (f"{one.name} is {_write(one, style, bounded=True)}" for one in shown[:2])
        return (f"{own[0].system}: {', '.join(told)}, on {count_examples(own)}.",)
    ranked = rank_scores(own, "lower")
    known = [one for one in ranked if not math.isnan(one.value)]
    if not known:
        return (f"{ranked[0].name} is undefined for every system.",)
    lowest, highest = (f"{_write(one, style)} ({one.system})" for one in (known[0], known[-1]))
    return (
        f"{_count(len(ranked)).capitalize()} systems range in {ranked[0].name} from {lowest} to "
        f"{highest}; the differences were not tested.",
    )


def tell_differences(
    ranked: Sequence[Score] | Sequence[Place],
    differences: Sequence[Difference],
    style: Style,
    sentence: str = "",
) -> tuple[str, ...]:
    """Says what the differences in the first metric of a track show.

    The systems come best first. A sentence on a baseline stands in place of that on the leader.
    """
    track = ranked[0].track if isinstance(ranked[0], Place) else None
    main = [one for one in differences if one.track == track and one.group in MAIN]
    own = [one for one in main if one.metric == main[0].metric]
    if not own:
        told = ["there is one system alone, and nothing to compare it with."]
    elif len(own) == 1:
        told = [_tell_pair(own[0], style)]
    else:
        told = [sentence or _tell_leader(ranked, own, style), _count_pairs(own)]
    return tuple(f"{track}: {one}" if track else one for one in told)


def _tell_pair(one: Difference, style: Style) -> str:
    if one.significant and find_gain(one) < 0:
        one = turn(one)
    difference = Bounded(one.difference, Ends(one.low, one.high), signed=True)
    shown = typeset_score(difference, one.name, style)
    amount = f"{shown.text} {shown.interval}".strip()
    p = format_p(one.p_holm, style.digits or 4)
    told = f"{amount}, p {p if p.startswith('<') else f'= {p}'}"
    return f"{say(one, digits=None).removesuffix('.')} ({one.a} - {one.b}: {told})."


def _tell_leader(
    ranked: Sequence[Score] | Sequence[Place], pairs: Sequence[Difference], style: Style
) -> str:
    """Names the leading system, and those that it is not significantly better than."""
    first = next((one for one in ranked if not getattr(one, "baseline", False)), ranked[0])
    beaten = {
        one.b if one.a == first.system else one.a
        for one in pairs
        if one.significant and (one.a if find_gain(one) > 0 else one.b) == first.system
    }
    compared = {name for one in pairs for name in (one.a, one.b) if first.system in (one.a, one.b)}
    level = [one.system for one in ranked if one.system in compared - beaten - {first.system}]
    lead = f"{first.system} has the best {first.name} ({_write(first, style)})"
    if not level:
        return f"{lead} and is significantly better than every other system."
    return f"{lead}, but is not significantly better than {_list(level)}."


def _write(one: Score | Place, style: Style, *, bounded: bool = False) -> str:
    shown = typeset_score(bound(one), one.name, replace(style, intervals=bounded))
    return f"{shown.text} {shown.interval if bounded else ''}".strip()


def _count_pairs(pairs: Sequence[Difference]) -> str:
    """Says how many of the differences are significant."""
    found = sum(one.significant for one in pairs)
    all_of, name = _count(len(pairs)), pairs[0].name
    both = len(pairs) == 2
    every = f"{'Both' if both else f'All {all_of}'} pairwise differences in {name}"
    if found == len(pairs):
        return f"{every} are significant."
    if found:
        some = _count(found).capitalize()
        verb = "is" if found == 1 else "are"
        return f"{some} of {all_of} pairwise differences in {name} {verb} significant."
    if all(one.low <= 0 <= one.high for one in pairs):
        return f"{every} include zero."
    none = "Neither" if both else "None"
    return f"{none} of the {all_of} pairwise differences in {name} is significant."


def _count(number: int) -> str:
    return _WORDS[number] if number < len(_WORDS) else f"{number:,}"


def _list(names: Sequence[str]) -> str:
    if len(names) > _MOST_NAMES:
        return f"{', '.join(names[: _MOST_NAMES - 1])} and {len(names) - _MOST_NAMES + 1} others"
    return " or ".join((", ".join(names[:-1]), names[-1]) if len(names) > 1 else names)
