"""The figures of matrices: counts, on colours that show their shares."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from tallystick.output.figures.layers import text
from tallystick.output.figures.short_names import label_names
from tallystick.output.figures.theme import Channel, Layer, Record, Spec, frame
from tallystick.output.tables.cells import measure

Counts: TypeAlias = Sequence[Sequence[float]]

_MOST_SHARES = 6
_MOST_COUNTS = 12
"""With more labels the numbers of a matrix would not fit into its cells."""

_CELL, _PLOT, _LETTER = 30, 230, 5.2
"""The height of a cell, the greatest height of all cells, and the width of a letter, in pixels."""

_MOST_LARGE = 20
"""With more labels their names are smaller."""

_CENTRED = {
    "align": "center",
    "baseline": "middle",
    "lineBreak": "\n",
    "dy": {"expr": "indexof(datum.words, '\\n') < 0 ? 0 : -5"},
    "lineHeight": 11,
}
"""How the one or two lines of a cell stand in its middle."""


def draw_confusion(matrix: Record, *, wide: bool = False) -> Spec:
    """Returns a confusion matrix: rows are gold labels, columns predicted ones.

    The colour is the share of the row. Small matrices have counts and shares as numbers, middling
    ones counts, and large ones neither.
    """
    counts = matrix["counts"]
    totals = [[sum(row)] * len(row) for row in counts]
    titles = ("Gold label", "Predicted label")
    return _draw(matrix["labels"], (counts, totals), titles, _write_counts, wide=wide)


def draw_wins(matrix: Record, *, wide: bool = False) -> Spec:
    """Returns who won how many games of whom, ties as half: rows won, columns lost.

    The colour is the share of the games of both systems. Those that won most come first.
    """
    wins = np.array(matrix["counts"])
    games = wins + wins.T
    order = np.argsort(-wins.sum(1) / np.maximum(games.sum(1), 1), kind="stable")
    names = [matrix["labels"][at] for at in order]
    sides = wins[np.ix_(order, order)].tolist(), games[np.ix_(order, order)].tolist()
    return _draw(names, sides, ("Winner", "Loser"), _write_shares, wide=wide)


def _draw(
    labels: Sequence[str],
    sides: tuple[Counts, Counts],
    titles: tuple[str, str],
    write: Callable[[float, float, bool], str],
    *,
    wide: bool,
) -> Spec:
    """A matrix of counts, on colours that show their shares of the totals."""
    names = list(label_names(labels, 18).values())
    rows = [
        {
            "gold": gold,
            "predicted": predicted,
            "count": count,
            "share": count / total if total else None,
            "words": write(count, total, len(names) <= _MOST_SHARES),
        }
        for gold, *own in zip(names, *sides, strict=True)
        for predicted, count, total in zip(names, *own, strict=True)
    ]
    x, y = _axis("predicted", titles[1], names), _axis("gold", titles[0], names)
    layers: list[Layer] = [_draw_cells(x, y)]
    if len(names) <= _MOST_COUNTS:
        layers.append(text("words", x, y, "inverse", test="datum.share > 0.5", **_CENTRED))
        layers.append(text("words", x, y, "label", test="!(datum.share > 0.5)", **_CENTRED))
    foot = 36 if _is_flat(names) else 26 + _LETTER * max(map(measure, names))
    height = min(_CELL * max(len(names), 2), _PLOT) + foot
    return frame(layers, rows, height=height, wide=wide)


def _is_flat(names: Sequence[str]) -> bool:
    """Whether the names fit side by side below the columns."""
    return max(map(measure, names)) * len(names) * _LETTER <= _PLOT


def _write_counts(count: float, total: float, roomy: bool) -> str:
    words = f"{count:,}" if isinstance(count, int) or count == int(count) else f"{count:,.2f}"
    return f"{words}\n{count / total:.1%}" if roomy and total else words


def _write_shares(count: float, total: float, roomy: bool) -> str:
    if not total:
        return ""
    return f"{count / total:.0%}\n{count:g} of {total:g}" if roomy else f"{count / total:.0%}"


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
                "title": None,
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
