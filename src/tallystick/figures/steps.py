"""The figures of scores by depth, the k of a metric's name, and by length of the reference."""

import re
from collections.abc import Sequence

from tallystick.figures.layers import joined_dots, pad, score_axis, text, whisker
from tallystick.figures.names import label_names, title_score
from tallystick.figures.theme import Channel, Record, Row, Spec, frame
from tallystick.render.cells import format_range

_DEPTH = re.compile(r"(.+)[@^]([0-9]+)")


def find_depths(scores: Sequence[Record], metric: str | None) -> list[Record]:
    """Returns the scores of one metric at several depths, each with `stem` and `depth`.

    The scores are records of all examples; without a metric it takes the first that has several
    depths.
    """
    found: dict[str, list[Record]] = {}
    for one in scores:
        parts = _DEPTH.fullmatch(one["name"])
        if parts is not None:
            record = {**one, "stem": parts[1], "depth": int(parts[2])}
            found.setdefault(parts[1], []).append(record)
    several = (own for own in found.values() if len({one["depth"] for one in own}) > 1)
    asked = (
        own
        for own in several
        if metric is None or any(metric in (one["name"], one["metric"]) for one in own)
    )
    return next(asked, [])


def draw_depths(scores: Sequence[Record], *, wide: bool = False) -> Spec:
    """Returns the scores of systems by one metric at several depths, as `find_depths` finds them.

    Those of a single system have whiskers.
    """
    ordered = sorted(scores, key=lambda one: one["depth"])
    rows = [
        {name: one[name] for name in ("system", "depth", "value", "low", "high", "n")}
        for one in ordered
    ]
    title = title_score(f"{scores[0]['stem']}@k", scores[0]["better"], None)
    return _draw(rows, _step_axis(rows, "depth", "k"), title, wide=wide)


def draw_lengths(lengths: Sequence[Record], *, wide: bool = False) -> Spec:
    """Returns the scores of systems by one metric, in bins of the length of the reference.

    The numbers of examples stand above.
    """
    first = lengths[0]
    rows = [
        {
            "bin": format_range(one["shortest"], one["longest"]),
            **{name: one[name] for name in ("system", "shortest", "longest", "value", "n")},
            "count": f"{one['n']:,}",
        }
        for one in lengths
    ]
    x = _step_axis(rows, "bin", f"Length of the reference in {first['unit']}")
    title = title_score(first["name"], first["better"], None)
    return _draw(rows, x, title, wide=wide)


def _step_axis(rows: Sequence[Row], field: str, title: str) -> Channel:
    steps = list(dict.fromkeys(row[field] for row in rows))
    turned = field == "bin" and len(steps) > 5
    return {
        "field": field,
        "type": "ordinal",
        "title": title,
        "scale": {"domain": steps},
        "axis": {"labelAngle": -40 if turned else 0, "domain": False, "grid": False},
    }


def _draw(rows: Sequence[Row], x: Channel, title: str | list[str], *, wide: bool) -> Spec:
    """Dots that are joined for each system; those of a single one have whiskers or counts."""
    names = label_names(row["system"] for row in rows)
    y = score_axis("value", title, grid=False)
    single = len(names) == 1
    layers = joined_dots(x, y, list(names.values()))
    if single and x["field"] == "depth":
        layers.insert(0, whisker(x, y, upright=True))
    elif single:
        layers.append(text("count", x, {"value": 0}, "note", dy=-6, fontSize=8))
    height = 190 if single else 190 + 12 * ((len(names) + 1) // 2)
    shown = [{"name": names[row["system"]], **row} for row in rows]
    return frame(layers, shown, height=height, wide=wide, padding=pad(right=4))
