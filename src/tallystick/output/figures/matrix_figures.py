"""The figures of matrices and groups: counts, wins, and scores of systems by groups."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from tallystick.output import FEW
from tallystick.output.figures.layers import (
    AVERAGES,
    Channel,
    Layer,
    Record,
    Spec,
    colour_by,
    dot,
    frame,
    frame_rows,
    label_names,
    pad,
    row_axis,
    score_axis,
    text,
    title_score,
    whisker,
    words,
)
from tallystick.output.tables.cells import UNDEFINED, is_fraction, measure

Counts: TypeAlias = Sequence[Sequence[float]]

_MOST_SHARES = 6
_MOST_COUNTS = 12
"""With more labels the numbers of a matrix would not fit into its cells."""

_CELL, _PLOT, _LETTER = 30, 230, 5.2
"""The height of a cell, the greatest height of all cells, and the width of a letter, in pixels."""

_MOST_LARGE = 20
"""With more labels their names are smaller."""

_CENTRED_LINES = {
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
        layers.append(text("words", x, y, "inverse", test="datum.share > 0.5", **_CENTRED_LINES))
        layers.append(text("words", x, y, "label", test="!(datum.share > 0.5)", **_CENTRED_LINES))
    foot = 36 if _is_flat(names) else 26 + _LETTER * max(map(measure, names))
    height = min(_CELL * max(len(names), 2), _PLOT) + foot
    return frame(layers, rows, height=height, wide=wide)


def _is_flat(names: Sequence[str]) -> bool:
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


MOST_SYSTEMS = 8
"""The palette has no more colours that readers can tell apart."""

MOST_ROWS = 100
"""More groups or labels fill more than a page."""

_SHOWN = ("system", "group", "label", "value", "low", "high", "n")
_MOST_DIGITS, _MOST_NUMBERS = 8, 12
"""With more groups the numbers in a heatmap lose a digit; with still more there are none."""

_MOST_FLAT = 7
"""With more groups their names are written upwards."""

_CENTRED = {"align": "center", "baseline": "middle"}


def draw_scores(scores: Sequence[Record], field: str, *, wide: bool = False) -> Spec:
    """Returns the scores by one metric of each system, or in each group or label, with n.

    The field is `system`, `group` or `label`. Several systems have a row each in every group or
    label, in colours of their own. With a single system, groups with few examples are grey.
    """
    systems = list(dict.fromkeys(one["system"] for one in scores))
    if field == "system" or len(systems) == 1:
        return _draw_rows(scores, field, wide=wide)
    return _draw_bands(scores, systems, field, wide=wide)


def _draw_rows(scores: Sequence[Record], field: str, *, wide: bool) -> Spec:
    labels = label_names(_call(one, field) for one in scores)
    rows = [
        {
            "row": labels[_call(one, field)],
            **{name: one[name] for name in _SHOWN},
            "few": one["n"] < FEW,
            "average": field == "group" and one["group"] in AVERAGES,
            "count": f"{one['n']:,}",
        }
        for one in scores
    ]
    title = _title(scores)
    x = score_axis("value", title)
    y = row_axis(list(labels.values()))
    defined = "isValid(datum.value)"
    layers: list[Layer] = [
        whisker(x, y, test="!datum.few"),
        whisker(x, y, style="pale", test="datum.few"),
        dot(x, y, test=f"!datum.few && !datum.average && {defined}"),
        dot(x, y, style="open", test=f"!datum.few && datum.average && {defined}"),
        dot(x, y, style="other", test=f"datum.few && {defined}"),
        *words("count", y, "n"),
    ]
    return frame_rows(layers, rows, title, wide=wide)


def _call(score: Record, field: str) -> str:
    name: str = score[field]
    return AVERAGES.get(name, name) if field == "group" else name


def _title(scores: Sequence[Record]) -> str | list[str]:
    confidence = next((one["confidence"] for one in scores if one["confidence"]), None)
    return title_score(scores[0]["name"], scores[0]["better"], confidence)


def _draw_bands(
    scores: Sequence[Record], systems: Sequence[str], field: str, *, wide: bool
) -> Spec:
    groups = label_names(_call(one, field) for one in scores)
    names = label_names(systems)
    rows = [
        {
            "row": groups[_call(one, field)],
            "name": names[one["system"]],
            **{name: one[name] for name in _SHOWN},
            "count": f"{one['n']:,}" if one["system"] == systems[0] else "",
        }
        for one in scores
    ]
    x = score_axis("value", _title(scores))
    y = row_axis(list(groups.values()))
    y["scale"] |= {"paddingInner": 0.25, "paddingOuter": 0.1}
    beside = {
        "yOffset": {"field": "name", "type": "nominal", "sort": None},
        "color": colour_by(list(names.values()), columns=3),
    }
    layers: list[Layer] = []
    for layer in (whisker(x, y), dot(x, y, size=26, test="isValid(datum.value)")):
        layer["mark"] = {**layer["mark"], "opacity": 1}
        del layer["mark"]["style"]
        layer["encoding"] |= beside
        layers.append(layer)
    layers += words("count", y, "n")
    step = max(15, 8 * len(systems) + 6)
    height = len(groups) * step + 70 + 12 * len(systems) / 2
    return frame(layers, rows, height=height, wide=wide, padding=pad())


def draw_heatmap(scores: Sequence[Record], *, wide: bool = False) -> Spec:
    """Returns the scores of systems by groups as numbers on colours.

    The numbers of examples stand below the groups; groups with few of them are grey.
    """
    better, fraction = scores[0]["better"], is_fraction(scores[0]["name"])
    groups = label_names((_call(one, "group") for one in scores), 12)
    systems = label_names((one["system"] for one in scores), 20)
    rows = [
        {
            "row": systems[one["system"]],
            "column": groups[_call(one, "group")],
            **{name: one[name] for name in _SHOWN},
            "few": one["n"] < FEW and one["group"] not in AVERAGES,
            "words": _write_value(one["value"], fraction=fraction, columns=len(groups)),
            "first": one["system"] == scores[0]["system"],
            "count": f"{one['n']:,}",
        }
        for one in scores
    ]
    good = [one["value"] for one in rows if one["value"] is not None and not one["few"]]
    middle = (min(good) + max(good)) / 2 if good else 0
    columns = list(dict.fromkeys(one["column"] for one in rows))
    flat = len(columns) <= _MOST_FLAT
    x = {
        "field": "column",
        "type": "nominal",
        "title": title_score(scores[0]["name"], better, None),
        "scale": {"domain": columns},
        "axis": {
            "orient": "top",
            "labelAngle": 0 if flat else -90,
            "domain": False,
            "ticks": False,
        },
    }
    y = row_axis([*systems.values(), "n"])
    colour = {
        "field": "value",
        "type": "quantitative",
        "scale": {"zero": False, "reverse": better == "lower"},
        "legend": None,
    }
    deep = f"datum.value {'<' if better == 'lower' else '>'} {middle!r}"
    defined = "!datum.few && isValid(datum.value)"
    pale = f"!isValid(datum.value) || datum.few || !({deep})"
    layers: list[Layer] = [
        {
            "transform": [{"filter": defined}],
            "mark": {"type": "rect"},
            "encoding": {"x": x, "y": y, "color": colour},
        },
        {
            "transform": [{"filter": "datum.few || !isValid(datum.value)"}],
            "mark": {"type": "rect", "style": "empty"},
            "encoding": {"x": x, "y": y},
        },
        *(
            text("words", x, y, style, test=test, **_CENTRED)
            for style, test in (("inverse", f"{defined} && {deep}"), ("label", pale))
        ),
        {
            "transform": [{"filter": "datum.first"}],
            "mark": {"type": "text", "style": "note", **_CENTRED},
            "encoding": {"x": x, "y": {"datum": "n"}, "text": {"field": "count"}},
        },
    ]
    height = (len(systems) + 1) * 18 + (36 if flat else 90)
    return frame(layers, rows, height=height, wide=wide)


def _write_value(value: float | None, *, fraction: bool, columns: int) -> str:
    """A score with as many digits as fit into a cell, without the zero before the point."""
    if columns > _MOST_NUMBERS:
        return ""
    if value is None:
        return UNDEFINED
    if not fraction:
        return f"{value:.1f}"
    return f"{value:.{3 if columns <= _MOST_DIGITS else 2}f}".replace("0.", ".", 1)
