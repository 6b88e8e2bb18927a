"""The scores of systems by groups, as a table whose shades show which are low."""

from dataclasses import dataclass
from typing import Any

from tallystick.figures.groups import FEW
from tallystick.report.content import Content
from tallystick.report.numbers import Number, Numbers

__all__ = ["GroupCell", "GroupTable", "list_groups"]

_AVERAGES = ("macro", "micro")
_STEPS = 8

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class GroupCell:
    """The score of a system on a group.

    Attributes:
        score: The score.
        interval: Its interval; empty where there is none.
        shade: From 0 to 8, the best of the table darkest; -1 where few examples make it noise.
    """

    score: Number
    interval: str
    shade: int


@dataclass(frozen=True, slots=True)
class GroupTable:
    """The scores by one metric, a row for each group and a column for each system.

    Attributes:
        title: The line above it.
        systems: The systems of the columns.
        groups: The groups of the rows.
        sizes: How many examples each group has.
        rows: A cell for each system; None where it has no score.
        few: With fewer examples than this a group is grey.
    """

    title: str
    systems: tuple[str, ...]
    groups: tuple[str, ...]
    sizes: tuple[int, ...]
    rows: tuple[tuple[GroupCell | None, ...], ...]
    few: int = FEW


def list_groups(content: Content) -> tuple[GroupTable, ...]:
    """A table for each track and metric; none where nothing is grouped."""
    records = content.list("places") or content.list("scores")
    parts: dict[tuple[str | None, str], list[Record]] = {}
    for one in records:
        if one["group"] is not None and one.get("label") is None:
            parts.setdefault((one.get("track"), one["metric"]), []).append(one)
    numbers = Numbers(content.style)
    grouped = (own for own in parts.values() if any(_is_group(one) for one in own))
    return tuple(_build(own, numbers) for own in grouped)


def _is_group(one: Record) -> bool:
    return one["group"] not in _AVERAGES


def _build(records: list[Record], numbers: Numbers) -> GroupTable:
    systems = tuple(dict.fromkeys(one["system"] for one in records))
    sizes = {one["group"]: one["n"] for one in records}
    groups = sorted(sizes, key=lambda group: group in _AVERAGES)
    found = {(one["group"], one["system"]): one for one in records}
    trusted = [one["value"] for one in records if _is_trusted(one)]
    ends = (min(trusted, default=0.0), max(trusted, default=0.0))
    sign = -1 if records[0].get("better") == "lower" else 1
    first = records[0]
    track = f"{first['track']}: " if first.get("track") else ""
    return GroupTable(
        f"{track}{first['name']} by group",
        systems,
        tuple(groups),
        tuple(sizes[group] for group in groups),
        tuple(
            tuple(_write(found.get((group, name)), numbers, ends, sign) for name in systems)
            for group in groups
        ),
    )


def _is_trusted(one: Record) -> bool:
    return one["value"] is not None and one["n"] >= FEW and _is_group(one)


def _write(
    one: Record | None, numbers: Numbers, ends: tuple[float, float], sign: int
) -> GroupCell | None:
    if one is None:
        return None
    name = one["name"]
    interval = numbers.interval(one["low"], one["high"], name)
    return GroupCell(numbers.score(one["value"], name), interval, _shade(one, ends, sign))


def _shade(one: Record, ends: tuple[float, float], sign: int) -> int:
    if not _is_trusted(one) or ends[0] == ends[1]:
        return 0 if one["n"] >= FEW else -1
    share = (one["value"] - ends[0]) / (ends[1] - ends[0])
    shaded: float = (share if sign > 0 else 1 - share) * _STEPS
    return round(shaded)
