"""The figure of a confusion matrix: counts, on colours that show each row's proportions."""

from collections.abc import Sequence

from tallystick.figures.names import label_names
from tallystick.figures.theme import Channel, Layer, Record, Row, Spec, frame
from tallystick.render.cells import measure

_MOST_SHARES = 6
_MOST_COUNTS = 12
"""With more labels the numbers of a matrix would not fit into its cells."""

_CELL, _PLOT, _LETTER = 30, 230, 5.2
"""The height of a cell, the greatest height of all cells, and the width of a letter, in pixels."""

_MOST_LARGE = 20
"""With more labels their names are smaller."""


def draw_confusion(matrix: Record, *, wide: bool = False) -> Spec:
    """Returns a confusion matrix: rows are gold labels, columns predicted ones.

    The colour is the share of the row. Small matrices have counts and shares as numbers, middling
    ones counts, and large ones neither.
    """
    names = list(label_names(matrix["labels"], 18).values())
    rows = [
        _write_cell(gold, predicted, count, sum(own), len(names))
        for gold, own in zip(names, matrix["counts"], strict=True)
        for predicted, count in zip(names, own, strict=True)
    ]
    x, y = _axis("predicted", "Predicted label", names), _axis("gold", "Gold label", names)
    layers: list[Layer] = [_draw_cells(x, y)]
    if len(names) <= _MOST_COUNTS:
        layers.append(_write(x, y, "inverse", "datum.share > 0.5"))
        layers.append(_write(x, y, "label", "!(datum.share > 0.5)"))
    height = min(_CELL * max(len(names), 2), _PLOT) + _measure_foot(names)
    return frame(layers, rows, height=height, wide=wide)


def _is_flat(names: Sequence[str]) -> bool:
    """Whether the names fit side by side below the columns."""
    return max(map(measure, names)) * len(names) * _LETTER <= _PLOT


def _measure_foot(names: Sequence[str]) -> float:
    """The height of the labels and the title below."""
    return 36 if _is_flat(names) else 26 + _LETTER * max(map(measure, names))


def _write_cell(gold: str, predicted: str, count: float, total: float, size: int) -> Row:
    share = count / total if total else None
    words = f"{count:,}" if isinstance(count, int) or count == int(count) else f"{count:,.2f}"
    if size <= _MOST_SHARES and share is not None:
        words += f"\n{share:.1%}"
    return {"gold": gold, "predicted": predicted, "count": count, "share": share, "words": words}


def _axis(field: str, title: str, names: list[str]) -> Channel:
    axis: Channel = {"domain": False, "ticks": False, "labelLimit": 110}
    if len(names) > _MOST_LARGE:
        axis["labelFontSize"] = 7
    if field == "predicted":
        axis["labelAngle"] = 0 if _is_flat(names) else -90
    return {
        "field": field,
        "type": "nominal",
        "title": title,
        "scale": {"domain": names, "paddingInner": 0.03},
        "axis": axis,
    }


def _draw_cells(x: Channel, y: Channel) -> Layer:
    return {
        "mark": {"type": "rect"},
        "encoding": {
            "x": x,
            "y": y,
            "color": {
                "field": "share",
                "type": "quantitative",
                "title": "Share of the gold label",
                "scale": {"domain": [0, 1]},
                "legend": {
                    "orient": "right",
                    "format": ".0%",
                    "gradientThickness": 7,
                    "values": [0, 0.5, 1],
                    "title": None,
                },
            },
        },
    }


def _write(x: Channel, y: Channel, style: str, test: str) -> Layer:
    return {
        "transform": [{"filter": test}],
        "mark": {
            "type": "text",
            "style": style,
            "align": "center",
            "baseline": "middle",
            "lineBreak": "\n",
            "dy": {"expr": "indexof(datum.words, '\\n') < 0 ? 0 : -5"},
            "lineHeight": 11,
        },
        "encoding": {"x": x, "y": y, "text": {"field": "words", "type": "nominal"}},
    }
