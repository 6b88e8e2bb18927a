"""Layers that several figures share: rows of dots with whiskers, a column of words, and rules."""

from collections.abc import Sequence

from tallystick.figures.theme import Channel, Layer, Record, Spec, frame

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


def score_axis(field: str, title: str | list[str], *, zero: bool = False) -> Channel:
    """Returns the encoding of numbers along the axis below."""
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"zero": zero, "nice": True},
        "axis": {"tickCount": 5, "grid": True, "domain": False},
    }


def dot(x: Channel, y: Channel, *, style: str = "score", test: str = "", size: float = 36) -> Layer:
    """Returns a layer of dots; `test` is a Vega expression that selects records."""
    layer: Layer = {
        "mark": {
            "type": "point",
            "style": style,
            "filled": style != "open",
            "size": size,
            "strokeWidth": 1.2,
        },
        "encoding": {"x": x, "y": y},
    }
    return _filter(layer, test)


def whisker(x: Channel, y: Channel, *, style: str = "whisker", test: str = "") -> Layer:
    """Returns a layer of lines from `low` to `high`."""
    layer: Layer = {
        "mark": {"type": "rule", "style": style, "strokeWidth": 1.2},
        "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": y},
    }
    return _filter(layer, " && ".join(filter(None, (test, "isValid(datum.low)"))))


def words(field: str, y: Channel, heading: str) -> list[Layer]:
    """Returns the layers of a column of words to the right of the plot, and its heading."""
    text = {"field": field, "type": "nominal"}
    return [
        {
            "mark": {
                "type": "text",
                "style": "label",
                "align": "left",
                "dx": 8,
                "baseline": "middle",
            },
            "encoding": {"x": {"value": "width"}, "y": y, "text": text},
        },
        {
            "data": {"values": [{"text": heading}]},
            "mark": {"type": "text", "style": "note", "align": "left", "dx": 8, "dy": -6},
            "encoding": {
                "x": {"value": "width"},
                "y": {"value": 0},
                "text": {"field": "text", "type": "nominal"},
            },
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
