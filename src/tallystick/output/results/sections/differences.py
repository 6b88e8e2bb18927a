"""Differences of systems in words, and as matrices of every two systems."""

import math
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from tallystick.output.results.places import MAIN
from tallystick.output.results.records import Difference, Score
from tallystick.output.tables.cells import Bounded, Ends, Tinted, format_p
from tallystick.output.tables.document import Grid, Heading, Row
from tallystick.output.tables.names import format_scores, is_between, list_some

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
    """Returns the matrix of each track and metric that pages show, with its track.

    It is of all examples or of the mean over groups.
    """
    parts: dict[tuple[str | None, str], list[Difference]] = {}
    for one in differences:
        if one.group in MAIN:
            parts.setdefault((one.track, one.metric), []).append(one)
    return tuple((track, _cross(own)) for (track, _), own in parts.items())


def _cross(differences: Sequence[Difference]) -> Grid:
    """A matrix with both differences of every two systems, tinted where one is better."""
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
    tone, told = "open", "no significant difference"
    if one.significant:
        tone = told = "better" if find_gain(one) > 0 else "worse"
    return Tinted(show_difference(one), tone, f"p {format_p(one.p_holm, 4)}, {told}")


def _pair(differences: Sequence[Difference]) -> dict[tuple[str, str], Difference]:
    """The differences by the names of the systems, in either order."""
    return {(one.a, one.b): one for one in (*map(turn, differences), *differences)}


def _sort(values: Mapping[str, float], differences: Sequence[Difference]) -> list[str]:
    """Systems with the best first, and undefined ones last."""
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


def say(one: Difference, *, digits: int | None = 4) -> str:
    """Says which of two systems is better, by how much and at which p-value, or that none is.

    Numbers have so many digits after the point; None leaves them out.
    """
    row = "" if is_between(one.name) else PLACES.get(one.group, f" in {one.group}")
    where = f"on {one.name}{row}"
    sign = -1 if one.difference < 0 else 1
    if not one.significant:
        told = f"No significant difference between {one.a} and {one.b} {where}"
        return f"{told}." if digits is None else f"{told}: {_say_amount(one, 1, digits)}."
    if digits is None:
        return f"{_order(one, 'significantly ')} {where}."
    return f"{_order(one)} {where} by {_say_amount(one, sign, digits)}."


def _order(one: Difference, how: str = "") -> str:
    """Says which of two systems is better."""
    risen = one.difference >= 0
    first, second = (one.a, one.b) if risen == (one.better != "lower") else (one.b, one.a)
    return f"{first} is {how}{'higher' if one.better == 'neither' else 'better'} than {second}"


def say_groups(differences: Sequence[Difference]) -> tuple[str, ...]:
    """Says in which groups systems differ significantly."""
    groups: dict[str, list[str]] = {}
    for one in differences:
        if one.group not in PLACES and one.significant:
            told = f"{_order(one, 'significantly ')} on {one.name}"
            groups.setdefault(told, []).append(str(one.group))
    return tuple(f"{told} in {list_some(names)}." for told, names in groups.items())


def _say_amount(one: Difference, sign: int, digits: int) -> str:
    low, high = sorted((sign * one.low, sign * one.high))
    amount = "{} [{}, {}]".format(
        *format_scores(one.name, sign * one.difference, low, high, digits=digits)
    )
    shown, corrected = (format_p(p, digits) for p in (one.p, one.p_holm))
    text = f"p {shown}" if shown.startswith("<") else f"p = {shown}"
    return f"{amount}, {text if shown == corrected else f'{text} ({corrected} by Holm)'}"


def sum_up(differences: Sequence[Difference], baseline: str) -> str:
    """Says which systems are significantly better or worse than a baseline by one metric.

    The differences are between systems and the baseline, in this order.
    """
    fates: dict[str, list[str]] = {}
    for one in sorted(differences, key=find_gain, reverse=True):
        gained = find_gain(one) > 0
        better, worse = ("higher", "lower") if one.better == "neither" else ("better", "worse")
        fate = f"significantly {better if gained else worse}"
        fates.setdefault(fate if one.significant else "not significantly different", []).append(
            one.a
        )
    told = [f"{fate}: {list_some(names)}" for fate, names in fates.items()]
    count = len(differences)
    if len(fates) == 1 and count > 1:
        every, none = f"all {count} systems", f"none of the {count} systems"
        if count == 2:
            every, none = "both systems", "neither system"
        told = [f"{every} are {fate}" for fate in fates]
        if "not significantly different" in fates:
            told = [f"{none} is significantly different"]
    return f"Compared with {baseline} on {differences[0].name}, {'; '.join(told)}."


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
