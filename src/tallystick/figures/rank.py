"""The figure of a ranking: scores with whiskers, lines between clusters, and ranges of ranks."""

from collections.abc import Sequence

from tallystick.figures.layers import dot, frame_rows, row_axis, score_axis, whisker, words
from tallystick.figures.names import label_names, title_score
from tallystick.figures.theme import Channel, Layer, Record, Row, Spec
from tallystick.render.cells import UNDEFINED, format_range

_SHOWN = (
    *("system", "baseline", "rank", "value", "low", "high", "best_rank", "worst_rank", "cluster"),
    *("letters", "n"),
)


def draw_ranking(places: Sequence[Record], *, wide: bool = False) -> Spec:
    """Returns the places of all systems by one metric on one group, the best on top.

    A line separates clusters by the WMT rule. On the right is the range of ranks that each system
    could hold by the significance tests. Baselines are grey.
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
        layers += words("ranks", y, "ranks")
    top, right = (14, 34) if ranked else (4, 6)
    return frame_rows(layers, rows, title, wide=wide, top=top, right=right)


def _list_rows(places: Sequence[Record], labels: dict[str, str]) -> list[Row]:
    rows = []
    cluster = None
    for place in places:
        new = cluster is not None and place["cluster"] not in (None, cluster)
        cluster = place["cluster"] if place["cluster"] is not None else cluster
        rows.append(
            {
                "row": labels[_name(place)],
                **{name: place[name] for name in _SHOWN},
                "ranks": UNDEFINED
                if place["value"] is None
                else format_range(place["best_rank"], place["worst_rank"]),
                "divided": new and not place["baseline"],
            }
        )
    return rows


def _name(place: Record) -> str:
    return f"{place['system']} (baseline)" if place["baseline"] else str(place["system"])


def _divide(y: Channel) -> Layer:
    """The lines between clusters, each above the first row of one."""
    return {
        "transform": [{"filter": "datum.divided"}],
        "mark": {"type": "rule", "style": "divider"},
        "encoding": {"y": {**y, "bandPosition": 0}},
    }
