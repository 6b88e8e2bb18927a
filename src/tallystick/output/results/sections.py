"""Differences in words and as matrices, and what pages show of scores besides."""

import math
from collections.abc import Mapping, Sequence
from itertools import groupby

from msgspec.structs import replace

from tallystick.errors import say_count
from tallystick.output import FEW
from tallystick.output.results.records import MAIN, Difference, Place, Score
from tallystick.output.results.scores import FACTS, bound, name_metrics
from tallystick.output.tables.cells import (
    Bounded,
    Ends,
    Tinted,
    format_p,
    format_scores,
    is_between,
    list_some,
)
from tallystick.output.tables.document import Grid, Heading, Row, Style
from tallystick.output.tables.typeset import typeset_score

PLACES = {"macro": " on the mean over groups", "micro": " over all groups", None: ""}
"""What sentences call the rows of all examples."""

NO_ENDS = Ends(math.nan, math.nan, False)


def pivot_matrix(name: str, scores: Sequence[Score], differences: Sequence[Difference]) -> Grid:
    """A matrix of differences, the system of the row minus that of the column, best first."""
    values = {one.system: one.value for one in scores}
    ordered = _sort(values, differences)
    found = _pair(differences)
    rows: list[Row] = [
        (
            at,
            row,
            values[row],
            *(
                show_difference(found[row, column], NO_ENDS) if at < to else None
                for to, column in enumerate(ordered[1:], start=2)
            ),
        )
        for at, row in enumerate(ordered, start=1)
    ]
    headings = ("", "system", name, *(f"- {at}" for at in range(2, len(ordered) + 1)))
    caption = f"Differences in {name}: the system of the row - that of the column"
    return Grid("pairs", caption, headings, 2, (tuple(rows),), name, legend=explain(differences))


def list_matrices(differences: Sequence[Difference]) -> tuple[tuple[str | None, Grid], ...]:
    """Returns the matrix of differences of each track and metric that pages show, by its track."""
    parts: dict[tuple[str | None, str], list[Difference]] = {}
    for one in differences:
        if one.group in MAIN:
            parts.setdefault((one.track, one.metric), []).append(one)
    return tuple((track, _cross(own)) for (track, _), own in parts.items())


def _cross(differences: Sequence[Difference]) -> Grid:
    first, found = differences[0], _pair(differences)
    ordered = _sort({a: one.value_a for (a, _), one in found.items()}, differences)
    rows: tuple[Row, ...] = tuple(
        (row, *(_tint(found[row, to]) if (row, to) in found else None for to in ordered))
        for row in ordered
    )
    track = f"{first.track}: d" if first.track else "D"
    place = " (mean over groups)" if first.group == "macro" else ""
    caption = f"{track}ifferences in {first.name}{place} (row - column)"
    headings: tuple[str | Heading, ...] = ("", *map(Heading, ordered))
    legend = explain(differences)[:1]
    return Grid("differences", caption, headings, 1, (rows,), first.name, legend)


def _tint(one: Difference) -> Tinted:
    tone, message = "open", "no significant difference"
    if one.significant:
        tone = message = "better" if find_gain(one) > 0 else "worse"
    return Tinted(show_difference(one), tone, f"p {format_p(one.p_holm)}, {message}")


def _pair(differences: Sequence[Difference]) -> dict[tuple[str, str], Difference]:
    return {(one.a, one.b): one for one in (*map(turn, differences), *differences)}


def _sort(values: Mapping[str, float], differences: Sequence[Difference]) -> list[str]:
    sign = 1 if any(one.better == "lower" for one in differences) else -1
    return sorted(values, key=lambda name: (math.isnan(values[name]), sign * values[name], name))


def explain(differences: Sequence[Difference]) -> tuple[str, ...]:
    """Says what an asterisk means, and what equivalent."""
    first = differences[0]
    alpha = 1 - first.confidence
    star = f"Asterisk: significantly different (p < {alpha:.2g} after Holm's correction)."
    if first.equivalent_within is None:
        return (star,)
    return (
        star,
        f"Equivalent: the difference is shown to be within {first.equivalent_within:g} (two "
        f"one-sided tests, each at {first.confidence:g}).",
    )


def show_difference(one: Difference, ends: Ends | None = None) -> Bounded:
    """The cell of a difference, with its interval unless other ends are given."""
    return Bounded(one.difference, ends or Ends(one.low, one.high), True, one.significant)


def say(one: Difference, *, amount: bool = True) -> str:
    """Says which of two systems is better, and with `amount` by how much."""
    row = "" if is_between(one.name) else PLACES.get(one.group, f" in {one.group}")
    where = f"on {one.name}{row}"
    sign = -1 if one.difference < 0 else 1
    if not one.significant:
        message = f"No significant difference between {one.a} and {one.b} {where}"
        return f"{message}: {_say_amount(one, 1)}." if amount else f"{message}."
    if not amount:
        return f"{_order(one, 'significantly ')} {where}."
    return f"{_order(one)} {where} by {_say_amount(one, sign)}."


def _order(one: Difference, how: str = "") -> str:
    risen = one.difference >= 0
    first, second = (one.a, one.b) if risen == (one.better != "lower") else (one.b, one.a)
    return f"{first} is {how}{'higher' if one.better == 'neither' else 'better'} than {second}"


_MOST_GROUPS = 5
"""How many groups have their differences in a sentence."""


def say_groups(differences: Sequence[Difference]) -> tuple[str, ...]:
    """Says in which groups systems differ significantly, and by how much in the worst of them."""
    groups: dict[str, list[Difference]] = {}
    for one in differences:
        if one.group not in PLACES and one.significant:
            groups.setdefault(f"{_order(one, 'significantly ')} on {one.name}", []).append(one)
    sentences = []
    for message, own in groups.items():
        own.sort(key=lambda one: -abs(one.difference))
        parts = [
            f"{one.group} by {_say_amount(one, -1 if one.difference < 0 else 1)}"
            for one in own[:_MOST_GROUPS]
        ]
        rest = len(own) - len(parts)
        parts += [f"and in {say_count(rest, 'more group')}"] if rest else []
        sentences.append(f"{message} in {'; '.join(parts)}.")
    return tuple(sentences)


def _say_amount(one: Difference, sign: int) -> str:
    low, high = sorted((sign * one.low, sign * one.high))
    amount = "{} [{}, {}]".format(
        *format_scores(one.name, sign * one.difference, low, high, spread=high - low)
    )
    shown, corrected = map(format_p, (one.p, one.p_holm))
    text = f"p {shown}" if shown.startswith("<") else f"p = {shown}"
    return f"{amount}, {text if shown == corrected else f'{text} ({corrected} by Holm)'}"


def sum_up(differences: Sequence[Difference], baseline: str) -> str:
    """Says which systems are significantly better or worse than a baseline by one metric."""
    fates: dict[str, list[str]] = {}
    for one in sorted(differences, key=find_gain, reverse=True):
        gained = find_gain(one) > 0
        better, worse = ("higher", "lower") if one.better == "neither" else ("better", "worse")
        fate = f"significantly {better if gained else worse}"
        fates.setdefault(fate if one.significant else "not significantly different", []).append(
            one.a
        )
    message = [f"{fate}: {list_some(names)}" for fate, names in fates.items()]
    count = len(differences)
    if len(fates) == 1 and count > 1:
        every, none = f"all {count} systems", f"none of the {count} systems"
        if count == 2:
            every, none = "both systems", "neither system"
        message = [f"{every} are {fate}" for fate in fates]
        if "not significantly different" in fates:
            message = [f"{none} is significantly different"]
    return f"Compared with {baseline} on {differences[0].name}, {'; '.join(message)}."


_FATES = (
    "significantly better than",
    "significantly worse than",
    "not significantly different from",
)


def cite(differences: Sequence[Difference], style: Style) -> str:
    """Says for a paper how systems compare with the second of each pair by one metric."""
    first = differences[0]
    known: tuple[list[str], ...] = ([], [], [])
    for one in sorted(differences, key=find_gain, reverse=True):
        place = 2 if not one.significant else 0 if find_gain(one) > 0 else 1
        known[place].append(
            f"{one.a} ({typeset_score(one.value_a, one.name, style).text}, {_tell(one, style)})"
        )
    base = f"{first.b} ({typeset_score(first.value_b, first.name, style).text})"
    parts: list[str] = []
    for own, fate in zip(known, _FATES, strict=True):
        if own:
            names = " and ".join(filter(None, (", ".join(own[:-1]), own[-1])))
            verb = "is" if len(own) == 1 else "are"
            parts.append(f"{names} {verb} {fate} {'it' if parts else base}")
    return f"On {first.name}, {'; '.join(parts)}."


def say_method(differences: Sequence[Difference], tests: str) -> str:
    """Says on how many examples and by which tests systems were compared."""
    by = f"Tested by {tests} on" if tests else "Tested on"
    return f"{by} {say_count(differences[0].n, 'example')}." if differences else ""


def find_gain(one: Difference) -> float:
    """Returns how much better the first system is; minus infinity where that is unknown."""
    gain = -one.difference if one.better == "lower" else one.difference
    return -math.inf if math.isnan(gain) else gain


def turn(one: Difference) -> Difference:
    """Returns the difference with the two systems swapped."""
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


_AVERAGES = {"macro": "mean of groups", "micro": "all examples"}
_STEPS = 8
_LEGEND = (f"Darker is better. Grey: fewer than {FEW} examples, mostly noise.",)


def take_main(scores: Sequence[Score]) -> list[Score]:
    """Returns the overall scores of all examples, else the mean over groups, else of a group."""
    own = [one for one in scores if one.label is None]
    main = next((one.group for one in own if one.group in MAIN), own[0].group if own else None)
    return [one for one in own if one.group == main]


def rank_scores(scores: Sequence[Score], better: str | None) -> list[Score]:
    """Returns those by the first metric, best first if a direction is better, undefined last."""
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
    """Returns the leaderboard by the first metric, or all metrics of a single system."""
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


def tell_scores(scores: Sequence[Score], style: Style) -> tuple[str, ...]:
    """Says how good a single system is, or how far several are apart."""
    own = take_main(scores)
    if not own:
        return ()
    if len({one.system for one in own}) == 1:
        shown = [one for one in own if one.name not in FACTS] or own
        message = (f"{one.name} is {_write(one, style, bounded=True)}" for one in shown[:2])
        return (f"{own[0].system}: {', '.join(message)}, on {count_examples(own)}.",)
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
    """Says what the differences in the first metric show; a sentence replaces that on the leader.

    The systems come best first.
    """
    track = ranked[0].track if isinstance(ranked[0], Place) else None
    main = [one for one in differences if one.track == track and one.group in MAIN]
    own = [one for one in main if one.metric == main[0].metric]
    if not own:
        message = ["there is only one system, so there is nothing to compare it with."]
    elif len(own) == 1:
        message = [_tell_pair(own[0], style)]
    else:
        message = [sentence or _tell_leader(ranked, own, style), _count_pairs(own)]
    return tuple(f"{track}: {one}" if track else one for one in message)


def _tell_pair(one: Difference, style: Style) -> str:
    if one.significant and find_gain(one) < 0:
        one = turn(one)
    return f"{say(one, amount=False).removesuffix('.')} ({one.a} - {one.b}: {_tell(one, style)})."


def _tell(one: Difference, style: Style) -> str:
    """A difference, its interval, and its p-value."""
    difference = Bounded(one.difference, Ends(one.low, one.high), signed=True)
    shown = typeset_score(difference, one.name, style)
    amount = f"{shown.text} {shown.interval}".strip()
    p = format_p(one.p_holm)
    return f"{amount}, p {p if p.startswith('<') else f'= {p}'}"


def _tell_leader(
    ranked: Sequence[Score] | Sequence[Place], pairs: Sequence[Difference], style: Style
) -> str:
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
