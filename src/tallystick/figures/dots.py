"""What figures of rows share: a row for each name, with a dot, a whisker, and a column of words."""

from collections.abc import Sequence
from typing import Any

from tallystick.figures.theme import Layer

STEP = 15
"""The height of a row in pixels."""

_AXIS, _LINE = 40, 13
"""The height of the axis below, with its title, and that of a further line of it."""


def measure_height(rows: int, title: str | list[str]) -> float:
    """Returns the height of a figure of so many rows in pixels, with the title of its axis."""
    return max(rows, 2) * STEP + _AXIS + (0 if isinstance(title, str) else _LINE)


def row_axis(labels: Sequence[str], *, field: str = "row", limit: int = 150) -> dict[str, Any]:
    """Returns the encoding of rows, the first on top."""
    return {
        "field": field,
        "type": "nominal",
        "sort": None,
        "title": None,
        "scale": {"type": "band", "domain": list(labels)},
        "axis": {
            "domain": False,
            "ticks": False,
            "labelLimit": limit,
            "labelPadding": 4,
            "labelOverlap": False,
        },
    }


def score_axis(
    field: str, title: str | list[str], *, zero: bool = False, domain: Sequence[float] = ()
) -> dict[str, Any]:
    """Returns the encoding of numbers along the axis below."""
    scale: dict[str, Any] = {"zero": zero, "nice": True}
    if domain:
        scale["domain"] = list(domain)
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": scale,
        "axis": {"tickCount": 5, "grid": True, "domain": False},
    }


def dot(x: Any, y: Any, *, style: str = "score", test: str = "", size: float = 36) -> Layer:
    """Returns a layer of dots; `test` tells in Vega's language of which records."""
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


def whisker(x: Any, y: Any, *, style: str = "whisker", test: str = "") -> Layer:
    """Returns a layer of lines from `low` to `high`."""
    layer: Layer = {
        "mark": {"type": "rule", "style": style, "strokeWidth": 1.2},
        "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": y},
    }
    return _filter(layer, " && ".join(filter(None, (test, "isValid(datum.low)"))))


def words(field: str, y: Any, *, at: float = 8, style: str = "label", align: str = "left") -> Layer:
    """Returns a layer of words to the right of the plot."""
    return {
        "mark": {"type": "text", "style": style, "align": align, "dx": at, "baseline": "middle"},
        "encoding": {"x": {"value": "width"}, "y": y, "text": {"field": field, "type": "nominal"}},
    }


def _filter(layer: Layer, test: str) -> Layer:
    return {"transform": [{"filter": test}], **layer} if test else layer


def head(text: str) -> Layer:
    """Returns the heading of the words to the right."""
    return {
        "data": {"values": [{"text": text}]},
        "mark": {"type": "text", "style": "note", "align": "left", "dx": 8, "dy": -6},
        "encoding": {
            "x": {"value": "width"},
            "y": {"value": 0},
            "text": {"field": "text", "type": "nominal"},
        },
    }
