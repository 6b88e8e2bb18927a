"""The channels and layers that several figures share: axes, dots, whiskers, words and rules."""

from collections.abc import Sequence

from tallystick.output.figures.theme import Channel, Layer, Record, Spec, frame

MOST_INSIDE = 6
"""A legend within the plot has room for so many names."""

_STEP = 15
"""The height of a row in pixels."""

_AXIS, _LINE = 40, 13
"""The height of the axis below, with its title, and that of a further line of it."""


def frame_rows(
    layers: Sequence[Layer],
    rows: Sequence[Record],
    title: str | list[str],
    *,
    wide: bool,
    top: int = 14,
    right: int = 40,
) -> Spec:
    """Returns a figure with a line for each row, layers drawn from the lowest on.

    `top` is the space in pixels for the heading of the words, `right` that for the words.
    """
    axis = _AXIS + (0 if isinstance(title, str) else _LINE)
    height = max(len(rows), 2) * _STEP + axis + top
    return frame(layers, rows, height=height, wide=wide, padding=pad(top, right))


def pad(top: int = 14, right: int = 40) -> dict[str, int]:
    """Returns the space around a figure in pixels."""
    return {"left": 2, "top": top, "right": right, "bottom": 2}


def row_axis(labels: Sequence[str]) -> Channel:
    """Returns the encoding of rows, the first on top."""
    return {
        "field": "row",
        "type": "nominal",
        "sort": None,
        "title": None,
        "scale": {"type": "band", "domain": list(labels)},
        "axis": {
            "domain": False,
            "ticks": False,
            "labelLimit": 150,
            "labelPadding": 4,
            "labelOverlap": False,
        },
    }


def measure_along(field: str, title: str | list[str], *, scale: Channel, axis: Channel) -> Channel:
    """Returns the encoding of numbers along an axis."""
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": axis}


def score_axis(
    field: str, title: str | list[str], *, zero: bool = False, grid: bool = True
) -> Channel:
    """Returns the encoding of numbers of any size, perhaps from zero on."""
    lines = {"grid": True} if grid else {}
    axis = {"tickCount": 5, **lines, "domain": False}
    return measure_along(field, title, scale={"zero": zero, "nice": True}, axis=axis)


def share_axis(field: str, title: str) -> Channel:
    """Returns the encoding of proportions from 0 to 1."""
    scale = {"domain": [0, 1], "nice": False, "padding": 0}
    axis = {"values": [0, 0.2, 0.4, 0.6, 0.8, 1], "grid": True, "domain": False}
    return measure_along(field, title, scale=scale, axis=axis)


def colour_by(names: Sequence[str], *, columns: int = 2, corner: str | None = None) -> Channel:
    """Returns the encoding of a colour for each name, with a legend below or in a corner."""
    legend: Channel = {"title": None, "labelLimit": 150}
    if corner is not None and len(names) <= MOST_INSIDE:
        legend |= {"orient": corner, "offset": 4}
    else:
        legend |= {"orient": "bottom", "columns": columns}
    return {"field": "name", "type": "nominal", "scale": {"domain": list(names)}, "legend": legend}


def dot(x: Channel, y: Channel, *, style: str = "score", test: str = "", size: float = 36) -> Layer:
    """Returns a layer of dots; `test` is a Vega expression that selects records."""
    filled = style != "open"
    mark = {"type": "point", "style": style, "filled": filled, "size": size, "strokeWidth": 1.2}
    return _filter({"mark": mark, "encoding": {"x": x, "y": y}}, test)


def joined_dots(x: Channel, y: Channel, names: Sequence[str]) -> list[Layer]:
    """Returns the layers of a line with dots for each name."""
    single = len(names) == 1
    line, point = ({"style": "whisker"}, {"style": "score"}) if single else ({}, {})
    encoding = {"x": x, "y": y, **({} if single else {"color": colour_by(names)})}
    mark = {"type": "point", "filled": True, "size": 30, "opacity": 1, **point}
    return [
        {"mark": {"type": "line", "strokeWidth": 1, **line}, "encoding": encoding},
        {"mark": mark, "encoding": encoding},
    ]


def whisker(
    x: Channel, y: Channel, *, style: str = "whisker", test: str = "", upright: bool = False
) -> Layer:
    """Returns a layer of lines from `low` to `high`, along the axis below or upright."""
    low, high = {"field": "low"}, {"field": "high"}
    ends = {"x": x, "y": y | low, "y2": high} if upright else {"x": x | low, "x2": high, "y": y}
    mark = {"type": "rule", "style": style, "strokeWidth": 1.2}
    tests = filter(None, (test, "isValid(datum.low)"))
    return _filter({"mark": mark, "encoding": ends}, " && ".join(tests))


def text(
    field: str, x: Channel, y: Channel, style: str, *, test: str = "", **mark: object
) -> Layer:
    """Returns a layer of the words in a field; further properties of the mark place them."""
    words = {"field": field, "type": "nominal"}
    layer = {
        "mark": {"type": "text", "style": style, **mark},
        "encoding": {"x": x, "y": y, "text": words},
    }
    return _filter(layer, test)


def words(field: str, y: Channel, heading: str) -> list[Layer]:
    """Returns the layers of a column of words to the right of the plot, and its heading."""
    edge, top = {"value": "width"}, {"value": 0}
    return [
        text(field, edge, y, "label", align="left", dx=8, baseline="middle"),
        {
            "data": {"values": [{"text": heading}]},
            **text("text", edge, top, "note", align="left", dx=8, dy=-6),
        },
    ]


def rule(field: str, value: float, *, style: str = "divider") -> Layer:
    """Returns a line across the whole plot at one value of the axis below."""
    return {
        "data": {"values": [{field: value}]},
        "mark": {"type": "rule", "style": style, "strokeWidth": 1},
        "encoding": {"x": {"field": field, "type": "quantitative"}},
    }


def _filter(layer: Layer, test: str) -> Layer:
    return {"transform": [{"filter": test}], **layer} if test else layer
