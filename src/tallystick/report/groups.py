"""The scores of systems by group, as tables shaded by score."""

from collections.abc import Iterable, Sequence

from tallystick.figures.groups import FEW
from tallystick.frozen import dataclass
from tallystick.report.content import Content, Record
from tallystick.report.numbers import Number, Numbers

_AVERAGES = ("macro", "micro")
_STEPS = 8


@dataclass(frozen=True, slots=True)
class GroupCell:
    """The score of a system on a group; its shade is 0 to 8, -1 where examples are too few."""

    score: Number
    interval: str
    shade: int


@dataclass(frozen=True, slots=True)
class GroupTable:
    """Scores by group, a row for each; a group with fewer examples than `few` is grey.

    The columns are the systems, or the metrics of a single system.
    """

    title: str
    columns: tuple[str, ...]
    groups: tuple[str, ...]
    sizes: tuple[int, ...]
    rows: tuple[tuple[GroupCell | None, ...], ...]
    few: int = FEW


def list_groups(content: Content) -> tuple[GroupTable, ...]:
    """A table of each metric for several systems, or one of all metrics; none without groups."""
    records = [
        one
        for one in content.list("places") or content.list("scores")
        if one["group"] is not None and one.get("label") is None
    ]
    numbers = Numbers(content.style)
    if len({one["system"] for one in records}) == 1:
        title = f"{records[0]['system']} by group"
        columns = _part(records, "metric")
        return (_build(title, columns, [[one] for one in columns], "name", numbers),)
    parts: dict[tuple[str | None, str], list[Record]] = {}
    for one in records:
        parts.setdefault((one.get("track"), one["metric"]), []).append(one)
    return tuple(_build_metric(own, numbers) for own in parts.values() if any(map(_is_group, own)))


def _build_metric(records: Sequence[Record], numbers: Numbers) -> GroupTable:
    first = records[0]
    track = f"{first['track']}: " if first.get("track") else ""
    columns = _part(records, "system")
    return _build(f"{track}{first['name']} by group", columns, [columns], "system", numbers)


def _part(records: Iterable[Record], field: str) -> list[list[Record]]:
    """The records of each value of a field."""
    parts: dict[str, list[Record]] = {}
    for one in records:
        parts.setdefault(one[field], []).append(one)
    return list(parts.values())


def _build(
    title: str,
    columns: Sequence[Sequence[Record]],
    scales: Sequence[Sequence[Sequence[Record]]],
    heading: str,
    numbers: Numbers,
) -> GroupTable:
    """A table; the columns of one scale share their shades."""
    records = [one for own in columns for one in own]
    sizes = {one["group"]: one["n"] for one in records}
    groups = sorted(sizes, key=lambda group: group in _AVERAGES)
    cells: dict[tuple[str, int], GroupCell] = {}
    place = 0
    for scale in scales:
        ends = _find_ends(one for own in scale for one in own)
        for own in scale:
            cells |= {(one["group"], place): _write(one, ends, numbers) for one in own}
            place += 1
    return GroupTable(
        title,
        tuple(own[0][heading] for own in columns),
        tuple(groups),
        tuple(sizes[group] for group in groups),
        tuple(tuple(cells.get((group, at)) for at in range(len(columns))) for group in groups),
    )


def _is_group(one: Record) -> bool:
    return one["group"] not in _AVERAGES


def _is_shaded(one: Record) -> bool:
    """Whether a score is shaded: it has a better direction and enough examples."""
    known = one["value"] is not None and one.get("better") in ("higher", "lower")
    return known and one["n"] >= FEW and _is_group(one)


def _find_ends(records: Iterable[Record]) -> tuple[float, float]:
    values = [one["value"] for one in records if _is_shaded(one)]
    return min(values, default=0.0), max(values, default=0.0)


def _write(one: Record, ends: tuple[float, float], numbers: Numbers) -> GroupCell:
    value, name = one["value"], one["name"]
    interval = "" if isinstance(value, int) else numbers.interval(one["low"], one["high"], name)
    return GroupCell(numbers.score(value, name), interval, _shade(one, ends))


def _shade(one: Record, ends: tuple[float, float]) -> int:
    if not _is_shaded(one) or ends[0] == ends[1]:
        return 0 if one["n"] >= FEW else -1
    share = (one["value"] - ends[0]) / (ends[1] - ends[0])
    shaded: float = (1 - share if one["better"] == "lower" else share) * _STEPS
    return round(shaded)
