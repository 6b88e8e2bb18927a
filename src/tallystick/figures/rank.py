"""The figure of a ranking: scores with whiskers, lines between clusters, and ranges of ranks."""

from collections.abc import Sequence
from typing import Any

from tallystick.figures.dots import dot, head, measure_height, row_axis, score_axis, whisker, words
from tallystick.figures.names import label_names, title_score
from tallystick.figures.theme import Layer, Record, Spec, frame
from tallystick.render.cells import DASH, UNDEFINED

_SHOWN = (
    *("system", "baseline", "rank", "value", "low", "high", "best_rank", "worst_rank", "cluster"),
    *("letters", "n"),
)


def draw_ranking(places: Sequence[Record], *, wide: bool = False) -> Spec:
    """Returns the places of all systems by one metric on one group, the best on top.

    A line separates clusters of the rule of WMT. The ranks to the right are those that the
    significance tests leave open. Baselines are grey.
    """
    first = places[0]
    labels = label_names(_name(one) for one in places)
    rows = _list_rows(places, labels)
    confidence = first["confidence"] if any(one["low"] is not None for one in rows) else None
    title = title_score(first["name"], first["better"], confidence)
    x = score_axis("value", title)
    y = row_axis(list(labels.values()))
    layers: list[Layer] = [
        _divide(y),
        whisker(x, y, test="!datum.baseline"),
        whisker(x, y, style="pale", test="datum.baseline"),
        dot(x, y, test="!datum.baseline && isValid(datum.value)"),
        dot(x, y, style="other", test="datum.baseline && isValid(datum.value)"),
    ]
    ranked = any(one["ranks"] for one in rows)
    if ranked:
        layers += [words("ranks", y), head("ranks")]
    right = 34 if ranked else 6
    padding = {"left": 2, "top": 14 if ranked else 4, "right": right, "bottom": 2}
    height = measure_height(len(rows), title) + padding["top"]
    return frame(layers, rows, height=height, wide=wide, padding=padding)


def _list_rows(places: Sequence[Record], labels: dict[str, str]) -> list[dict[str, Any]]:
    rows = []
    cluster = None
    for place in places:
        own = {name: place[name] for name in _SHOWN}
        new = cluster is not None and place["cluster"] not in (None, cluster)
        cluster = place["cluster"] if place["cluster"] is not None else cluster
        rows.append(
            {
                "row": labels[_name(place)],
                **own,
                "ranks": _range(place),
                "divided": new and not place["baseline"],
            }
        )
    return rows


def _name(place: Record) -> str:
    return f"{place['system']} (baseline)" if place["baseline"] else str(place["system"])


def _range(place: Record) -> str:
    value = place["value"]
    if value is None:
        return UNDEFINED
    if place["best_rank"] is None:
        return ""
    if place["best_rank"] == place["worst_rank"]:
        return str(place["best_rank"])
    return f"{place['best_rank']}{DASH}{place['worst_rank']}"


def _divide(y: Any) -> Layer:
    """The lines between clusters, each above the first row of one."""
    return {
        "transform": [{"filter": "datum.divided"}],
        "mark": {"type": "rule", "style": "divider"},
        "encoding": {"y": {**y, "bandPosition": 0}},
    }
