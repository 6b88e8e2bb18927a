"""The figures of scores: a dot for each system or group, and a heatmap of systems by groups."""

from collections.abc import Sequence

from tallystick.output import FEW
from tallystick.output.figures.layers import (
    colour_by,
    dot,
    frame_rows,
    pad,
    row_axis,
    score_axis,
    text,
    whisker,
    words,
)
from tallystick.output.figures.short_names import AVERAGES, label_names, title_score
from tallystick.output.figures.theme import Layer, Record, Spec, frame
from tallystick.output.tables.cells import UNDEFINED
from tallystick.output.tables.names import is_fraction

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
    """The name of a system, a group or a label; averages over groups are in words."""
    name: str = score[field]
    return AVERAGES.get(name, name) if field == "group" else name


def _title(scores: Sequence[Record]) -> str | list[str]:
    confidence = next((one["confidence"] for one in scores if one["confidence"]), None)
    return title_score(scores[0]["name"], scores[0]["better"], confidence)


def _draw_bands(
    scores: Sequence[Record], systems: Sequence[str], field: str, *, wide: bool
) -> Spec:
    """A band for each group or label, and in it a row for each system."""
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
