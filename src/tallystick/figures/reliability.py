"""The reliability diagram: observed proportions of a label against predicted probabilities."""

from collections.abc import Sequence

from tallystick.figures.curves import draw_line, name_curves, share_axis
from tallystick.figures.groups import colour_by
from tallystick.figures.theme import Channel, Layer, Record, Spec, frame

_FLOOR, _TALLEST = -0.2, 0.12
"""Where bars stand below the axis of proportions, and the height of the fullest bin's bar."""


def draw_reliability(curves: Sequence[Record], *, wide: bool = False) -> Spec:
    """Returns the proportion of examples with the label, by the mean probability of their bin.

    A single curve has intervals, and bars below with the number of examples in each bin.
    """
    names = name_curves(curves)
    most = max((own["n"] for one in curves for own in one["bins"]), default=1)
    rows = [
        {
            "name": name,
            **own,
            "bar": _FLOOR + _TALLEST * own["n"] / most,
            "count": _shorten(own["n"]),
        }
        for curve, name in zip(curves, names, strict=True)
        for own in curve["bins"]
    ]
    x = share_axis("mean", "Mean predicted probability")
    y = share_axis("share", "Share of examples with the label")
    layers: list[Layer] = [draw_line([(0, 0), (1, 1)])]
    if len(curves) == 1:
        y["scale"] = {**y["scale"], "domain": [_FLOOR, 1]}
        layers += [*_draw_bars(x, y), draw_whiskers(x, y)]
    layers += draw_dots(x, y, names)
    below = 12 * ((len(names) + 1) // 2)
    height = 262 + (44 if len(curves) == 1 else below)
    return frame(layers, rows, height=height, wide=wide)


def _draw_bars(x: Channel, y: Channel) -> list[Layer]:
    """How many examples each bin has."""
    bar = {"x": x, "y": {**y, "field": "bar"}}
    return [
        {
            "mark": {"type": "bar", "style": "empty", "width": 10},
            "encoding": {**bar, "y2": {"datum": _FLOOR}},
        },
        {
            "mark": {"type": "text", "style": "note", "dy": -5, "fontSize": 8},
            "encoding": {**bar, "text": {"field": "count", "type": "nominal"}},
        },
    ]


def draw_whiskers(x: Channel, y: Channel) -> Layer:
    """Returns the intervals from `low` to `high`, where there are some."""
    return {
        "transform": [{"filter": "isValid(datum.low)"}],
        "mark": {"type": "rule", "style": "whisker", "strokeWidth": 1.2},
        "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
    }


def draw_dots(x: Channel, y: Channel, names: Sequence[str]) -> list[Layer]:
    """Returns a line with dots for each name."""
    single = len(names) == 1
    line, point = ({"style": "whisker"}, {"style": "score"}) if single else ({}, {})
    encoding = {"x": x, "y": y, **({} if single else {"color": colour_by(names)})}
    return [
        {"mark": {"type": "line", "strokeWidth": 1, **line}, "encoding": encoding},
        {
            "mark": {"type": "point", "filled": True, "size": 30, "opacity": 1, **point},
            "encoding": encoding,
        },
    ]


def _shorten(n: float) -> str:
    """A number of examples in few digits, such as 950, 12k or 3.4M."""
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if n >= 10 * size or (unit == "M" and n >= size):
            return f"{n / size:.3g}{unit}"
    return f"{n:,.0f}" if n >= 10 or n == int(n) else f"{n:.1f}"
