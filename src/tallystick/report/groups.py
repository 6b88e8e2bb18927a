"""The scores of systems by group, as tables shaded by score."""

from collections.abc import Collection, Sequence

from tallystick.figures.groups import FEW
from tallystick.frozen import dataclass
from tallystick.report.content import Content, Record, group_records

_AVERAGES = ("macro", "micro")
_STEPS = 8


@dataclass(frozen=True, slots=True)
class GroupTable:
    """Scores by group, a row for each; a group with fewer examples than `few` is grey.

    The columns are the systems, or the metrics of a single system. A cell is a score and its
    shade, from 0 to 8, or -1 where examples are too few.
    """

    title: str
    columns: tuple[str, ...]
    groups: tuple[str, ...]
    sizes: tuple[int, ...]
    rows: tuple[tuple[tuple[Record, int] | None, ...], ...]
    few: int = FEW


def list_groups(content: Content) -> tuple[GroupTable, ...]:
    """A table of each metric for several systems, or one of all metrics; none without groups."""
    records = [
        one
        for one in content.list("places") or content.list("scores")
        if one["group"] is not None and one.get("label") is None
    ]
    if len({one["system"] for one in records}) == 1:
        columns = group_records(records, lambda one: one["metric"])
        return (_build(f"{records[0]['system']} by group", columns.values(), "name"),)
    parts = group_records(records, lambda one: (one.get("track"), one["metric"]))
    tables = []
    for (track, _), own in parts.items():
        if any(map(_is_group, own)):
            title = f"{f'{track}: ' if track else ''}{own[0]['name']} by group"
            columns = group_records(own, lambda one: one["system"])
            tables.append(_build(title, columns.values(), "system"))
    return tuple(tables)


def _build(title: str, columns: Collection[Sequence[Record]], heading: str) -> GroupTable:
    """A table; systems share their shades, and each metric of a single system has its own."""
    records = [one for own in columns for one in own]
    sizes = {one["group"]: one["n"] for one in records}
    groups = sorted(sizes, key=lambda group: group in _AVERAGES)
    cells: dict[tuple[str, int], tuple[Record, int]] = {}
    shared = _find_ends(records) if heading == "system" else None
    for place, own in enumerate(columns):
        ends = shared or _find_ends(own)
        cells |= {(one["group"], place): (one, _shade(one, ends)) for one in own}
    return GroupTable(
        title,
        tuple(own[0][heading] for own in columns),
        tuple(groups),
        tuple(sizes[group] for group in groups),
        tuple(tuple(cells.get((group, at)) for at in range(len(columns))) for group in groups),
    )


def _find_ends(records: Sequence[Record]) -> tuple[float, float]:
    shaded = [one["value"] for one in records if _is_shaded(one)]
    return min(shaded, default=0.0), max(shaded, default=0.0)


def _is_group(one: Record) -> bool:
    return one["group"] not in _AVERAGES


def _is_shaded(one: Record) -> bool:
    """Whether a score is shaded: it has a better direction and enough examples."""
    known = one["value"] is not None and one.get("better") in ("higher", "lower")
    return known and one["n"] >= FEW and _is_group(one)


def _shade(one: Record, ends: tuple[float, float]) -> int:
    if not _is_shaded(one) or ends[0] == ends[1]:
        return 0 if one["n"] >= FEW else -1
    share = (one["value"] - ends[0]) / (ends[1] - ends[0])
    shaded: float = (1 - share if one["better"] == "lower" else share) * _STEPS
    return round(shaded)
