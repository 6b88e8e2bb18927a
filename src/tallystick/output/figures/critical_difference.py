"""The critical-difference diagram: mean ranks on an axis, and bars that join similar systems."""

from collections.abc import Sequence
from typing import Literal

from tallystick.output.figures.layers import measure_along, pad, text
from tallystick.output.figures.short_names import label_names
from tallystick.output.figures.theme import Channel, Layer, Record, Row, Spec, frame

_BAR, _NAME = 7, 14
"""The distances between bars and between names, in pixels."""

_SCALE, _AXIS = 18, 56
"""How far down the critical difference and the axis are, in pixels."""

_APART = 0.03
"""The smallest gap between two bars of one height, as a share of the axis."""

_LONGEST = {False: 18, True: 40}
"""The most columns of a screen that a name takes up, on one column of a paper and on two."""


def draw_critical_difference(friedman: Record, *, wide: bool = False) -> Spec:
    """Returns mean ranks of systems, with a bar over those that Nemenyi's test does not separate.

    The best systems are on the right, and the critical difference is above, as in Demsar 2006,
    JMLR 7.
    """
    labels = label_names(friedman["systems"], _LONGEST[wide])
    half = (len(labels) + 1) // 2
    rows: list[Row] = [
        {
            "system": system,
            "name": label,
            "mean_rank": rank,
            "side": "right" if at < half else "left",
        }
        for at, ((system, label), rank) in enumerate(
            zip(labels.items(), friedman["mean_ranks"], strict=True)
        )
    ]
    bars = _list_bars(friedman)
    first = max((bar["y"] for bar in bars), default=_AXIS) + _NAME
    x = _rank_axis(friedman)
    layers = [
        *_draw_stems(rows[:half], x, "right", first),
        *_draw_stems(rows[: half - 1 : -1], x, "left", first),
        _draw_bars(bars, x),
        *_draw_scale(friedman, x),
    ]
    height = first + _NAME * half
    spec = frame(layers, rows, height=height, wide=wide, padding=pad(2, 2))
    return {**spec, "resolve": {"scale": {"y": "independent"}}}


def _list_bars(friedman: Record) -> list[Row]:
    """The largest sets of systems of which no two differ, as low and high ranks and a height."""
    ranks, within = friedman["mean_ranks"], friedman["critical_difference"] - 1e-9
    gap = _APART * len(ranks)
    bars: list[Row] = []
    ends: list[float] = []
    last = 0
    for start, low in enumerate(ranks):
        end = max(at for at, rank in enumerate(ranks) if rank - low < within)
        if end > max(start, last):
            level = next((at for at, high in enumerate(ends) if high + gap < low), len(ends))
            ends[level : level + 1] = [ranks[end]]
            bars.append({"low": low, "high": ranks[end], "y": _AXIS + _BAR * (level + 1)})
            last = end
    return bars


def _rank_axis(friedman: Record) -> Channel:
    """The encoding of mean ranks along the axis above, the best on the right."""
    last = len(friedman["systems"])
    first = min(1, last - friedman["critical_difference"])
    return measure_along(
        "mean_rank",
        f"Mean rank over {friedman['count']:,} {friedman['over']}",
        scale={"domain": [first, last], "reverse": True, "nice": False, "padding": 6},
        axis={
            "orient": "top",
            "offset": -_AXIS,
            "values": list(range(1, last + 1)),
            "format": "d",
            "grid": False,
        },
    )


def _draw_stems(
    rows: Sequence[Row], x: Channel, side: Literal["left", "right"], first: float
) -> list[Layer]:
    """The lines from the axis to the names on one side, the outermost system on top."""
    names = [row["name"] for row in rows]
    y: Channel = {
        "field": "name",
        "type": "nominal",
        "scale": {
            "type": "point",
            "domain": names,
            "padding": 0,
            "range": [first, first + _NAME * (len(names) - 1)],
        },
    }
    axis = {
        "orient": side,
        "title": None,
        "domain": False,
        "ticks": False,
        "labelLimit": 250,
        "labelOverlap": False,
    }
    edge = {"value": "width" if side == "right" else 0}
    layer = {
        "transform": [{"filter": f"datum.side == '{side}'"}],
        "mark": {"type": "rule", "style": "label", "strokeCap": "square"},
    }
    return [
        {**layer, "encoding": {"x": x, "x2": edge, "y": {**y, "axis": axis}}},
        {**layer, "encoding": {"x": x, "y": {**y, "axis": None}, "y2": {"value": _AXIS}}},
    ]


def _draw_bars(bars: Sequence[Row], x: Channel) -> Layer:
    return {
        "data": {"values": bars},
        "mark": {"type": "rule", "style": "whisker", "strokeWidth": 3.5, "strokeCap": "square"},
        "encoding": {
            "x": {**x, "field": "low"},
            "x2": {"field": "high"},
            "y": {"field": "y", "type": "quantitative", "scale": None, "axis": None},
        },
    }


def _draw_scale(friedman: Record, x: Channel) -> list[Layer]:
    """The critical difference above the left end of the axis, and its number beside it."""
    end = len(friedman["systems"])
    difference = friedman["critical_difference"]
    level = f"{1 - friedman['confidence']:.2g}"
    values = [{"from": end, "to": end - difference, "text": f"CD = {difference:.2f} (p < {level})"}]
    start = x | {"field": "from"}
    y = {"value": _SCALE}
    tick = {"y": {"value": _SCALE - 4}, "y2": {"value": _SCALE + 4}}
    lines = [
        {"x": start, "x2": {"field": "to"}, "y": y},
        *({"x": x | {"field": at}, **tick} for at in ("from", "to")),
    ]
    mark = {"type": "rule", "style": "label", "strokeWidth": 1.2}
    data = {"data": {"values": values}}
    return [
        *({**data, "mark": mark, "encoding": line} for line in lines),
        {**data, **text("text", start, y, "label", align="left", dy=-10)},
    ]
