"""The figure of scores by depth: how a metric changes with the k of its name."""

import re
from collections.abc import Sequence

from tallystick.figures.dots import pad
from tallystick.figures.names import label_names, title_score
from tallystick.figures.reliability import draw_dots, draw_whiskers
from tallystick.figures.theme import Record, Spec, frame

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
    asked = (own for own in several if _is_asked(own, metric))
    return next(asked, [])


def _is_asked(scores: Sequence[Record], metric: str | None) -> bool:
    return metric is None or any(metric in (one["name"], one["metric"]) for one in scores)


def draw_depths(scores: Sequence[Record], *, wide: bool = False) -> Spec:
    """Returns the scores of systems by one metric at several depths, as `find_depths` finds them.

    Those of a single system have whiskers.
    """
    first = scores[0]
    names = label_names(one["system"] for one in scores)
    rows = [
        {
            "name": names[one["system"]],
            **{name: one[name] for name in ("system", "depth", "value", "low", "high", "n")},
        }
        for one in sorted(scores, key=lambda one: one["depth"])
    ]
    depths = list(dict.fromkeys(row["depth"] for row in rows))
    x = {
        "field": "depth",
        "type": "ordinal",
        "title": "k",
        "scale": {"domain": depths},
        "axis": {"labelAngle": 0, "domain": False, "grid": False},
    }
    y = {
        "field": "value",
        "type": "quantitative",
        "title": title_score(f"{first['stem']}@k", first["better"], None),
        "scale": {"zero": False, "nice": True},
        "axis": {"tickCount": 5, "domain": False},
    }
    single = len(names) == 1
    layers = [*([draw_whiskers(x, y)] if single else []), *draw_dots(x, y, list(names.values()))]
    height = 190 if single else 190 + 12 * ((len(names) + 1) // 2)
    return frame(layers, rows, height=height, wide=wide, padding=pad(right=4))
