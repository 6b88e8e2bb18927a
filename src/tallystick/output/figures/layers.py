"""How all figures look, the names in them, and the layers that several share."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count
from typing import Any, TypeAlias

from tallystick.output.tables.cells import escape_controls, measure, name_column, shorten

Spec: TypeAlias = dict[str, Any]
"""A Vega-Lite specification."""

Layer: TypeAlias = dict[str, Any]
Channel: TypeAlias = dict[str, Any]
"""One channel of an encoding: which field is shown along an axis or as a colour, and how."""

Record: TypeAlias = Mapping[str, Any]
"""The fields of a frozen record by their names, or a record that was read from JSON."""

Row: TypeAlias = dict[str, Any]
"""What a figure shows of one record."""

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""The first comes with vl-convert; the others have letters of the same widths."""

WIDTHS = {False: 321, True: 643}
"""One column of a paper (85 mm) and two (170 mm), in pixels of 1/96 inch."""

_LABEL, _TITLE = 9.33, 10.67
"""7 and 8 points, in pixels."""

_COLOURS = {
    "paper": ("#ffffff", "#14171a"),
    "ink": ("#1a1a1a", "#f0f0f0"),
    "soft": ("#595959", "#b8b8b8"),
    "line": ("#8c8c8c", "#808080"),
    "grid": ("#e3e3e3", "#33383d"),
    "band": ("#f0f0f0", "#20252a"),
    "empty": ("#dedede", "#3d4349"),
    "one": ("#0072b2", "#4ba6e0"),
    "two": ("#d55e00", "#f5793a"),
    "three": ("#009e73", "#43d6a8"),
    "four": ("#56b4e9", "#cdeafc"),
    "five": ("#332288", "#8f8f8f"),
    "six": ("#e69f00", "#f7d968"),
    "seven": ("#882255", "#b0506f"),
    "eight": ("#cc79a7", "#e8b5d4"),
    "low": ("#f2f7fb", "#1c2a36"),
    "middle": ("#7fb3d5", "#2f6f9f"),
    "high": ("#0b4a7a", "#a9d6f5"),
}
"""Each colour on paper and on a dark page; those on paper are mostly of Okabe and Ito 2008.

Colour-blind readers can tell the eight colours of systems apart, the first four easily.
"""

LIGHT: Mapping[str, str] = {name: light for name, (light, _) in _COLOURS.items()}
DARK: Mapping[str, str] = {name: dark for name, (_, dark) in _COLOURS.items()}

_CATEGORY = ("one", "two", "three", "four", "five", "six", "seven", "eight")


def configure(palette: Mapping[str, str] = LIGHT) -> Spec:
    """Returns the `config` of a specification; all colours of a figure are in it."""
    ink, soft, line = palette["ink"], palette["soft"], palette["line"]
    one, two = palette["one"], palette["two"]
    return {
        "font": FONT,
        "background": palette["paper"],
        "padding": 2,
        "view": {"stroke": None},
        "axis": {
            "labelFontSize": _LABEL,
            "titleFontSize": _TITLE,
            "titleFontWeight": "normal",
            "labelColor": ink,
            "titleColor": ink,
            "domainColor": line,
            "tickColor": line,
            "gridColor": palette["grid"],
            "tickSize": 3,
            "labelPadding": 3,
            "titlePadding": 5,
            "labelFlush": False,
        },
        "legend": {
            "labelFontSize": _LABEL,
            "titleFontSize": _LABEL,
            "titleFontWeight": "normal",
            "labelColor": ink,
            "titleColor": ink,
            "symbolSize": 40,
            "rowPadding": 1,
            "offset": 5,
            "padding": 0,
        },
        "header": {"labelFontSize": _LABEL, "labelColor": ink, "titleColor": ink},
        "range": {
            "category": [palette[name] for name in _CATEGORY],
            "ramp": [palette[name] for name in ("low", "middle", "high")],
            "heatmap": [palette[name] for name in ("low", "middle", "high")],
        },
        "text": {"font": FONT, "fontSize": _LABEL, "color": ink},
        "style": {
            "score": {"color": one, "fill": one, "stroke": one, "opacity": 1},
            "open": {"color": one, "fill": palette["paper"], "stroke": one, "opacity": 1},
            "other": {"color": soft, "fill": soft, "stroke": soft, "opacity": 1},
            "bad": {"color": two, "fill": two, "stroke": two, "opacity": 1},
            "whisker": {"color": one, "stroke": one},
            "pale": {"color": soft, "stroke": soft},
            "reference": {"color": line, "stroke": line, "strokeDash": [3, 2]},
            "divider": {"color": line, "stroke": line},
            "band": {"color": palette["band"], "fill": palette["band"]},
            "empty": {"color": palette["empty"], "fill": palette["empty"]},
            "note": {"color": soft, "fill": soft},
            "label": {"color": ink, "fill": ink},
            "inverse": {"color": palette["paper"], "fill": palette["paper"]},
        },
    }


def frame(
    layers: Sequence[Layer],
    values: Sequence[Record],
    *,
    height: float,
    wide: bool = False,
    padding: Mapping[str, int] | None = None,
) -> Spec:
    """Returns a figure as wide as a column; height and padding, by default 2, are in pixels."""
    return {
        "$schema": SCHEMA,
        "width": WIDTHS[wide],
        "height": height,
        "autosize": {"type": "fit", "contains": "padding"},
        "data": {"values": [clean(one) for one in values]},
        "layer": list(layers),
        **({} if padding is None else {"padding": padding}),
        "config": configure(),
    }


def clean(record: Record) -> Row:
    """Returns a record with None in place of NaN and infinities, as JSON has it."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in record.items()
    }


AVERAGES = {"macro": "mean", "micro": "all"}
"""What rows of averages over groups are called."""

SCORE = ("system", "group", "label", "value", "low", "high", "n")
"""What figures hold of each score."""


def call_row(score: Record, field: str) -> str:
    """Returns what the row of a score is called, by its system, group or label."""
    name: str = score[field]
    return AVERAGES.get(name, name) if field == "group" else name


_LONGEST = 26
"""The most columns of a screen that a name takes up, as long as names stay different."""

_LONGEST_TITLE = 44
"""The most columns of a screen that one line of a title takes up."""


def label_names(names: Iterable[str | None], longest: int = _LONGEST) -> dict[str, str]:
    """Returns a different label for each name: one that is too long loses its middle."""
    labels: dict[str, str] = {}
    for name in dict.fromkeys(one for one in names if one is not None):
        labels[name] = _label(escape_controls(name), set(labels.values()), longest)
    return labels


def _label(name: str, taken: set[str], longest: int) -> str:
    """The shortest form of a name, from some width on, that no other name has; else all of it."""
    widths = range(longest, measure(name))
    tried = (shorten(name, width) for width in widths)
    label = next((one for one in tried if one not in taken), name)
    numbered = (f"{label} ({at})" for at in count(2))
    return next(one for one in chain([label], numbered) if one not in taken)


def title_score(
    name: str, better: str, confidence: float | None, *, of: str = ""
) -> str | list[str]:
    """Returns the title of an axis, in two lines if it is long: metric, direction, confidence."""
    facts = []
    if better == "lower":
        facts.append("lower is better")
    if confidence is not None:
        facts.append(f"{100 * confidence:g}% confidence interval")
    what = escape_controls(f"{name_column(name)}{of}")
    details = f"({', '.join(facts)})" if facts else ""
    title = f"{what} {details}".rstrip()
    return [what, details] if details and measure(title) > _LONGEST_TITLE else title


MOST_INSIDE = 6
"""A legend within the plot has room for this many names."""

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
    """Returns a figure with a line for each row; `top` and `right` are space for words."""
    axis = _AXIS + (0 if isinstance(title, str) else _LINE)
    height = max(len(rows), 2) * _STEP + axis + top
    return frame(layers, rows, height=height, wide=wide, padding=pad(top, right))


def pad(top: int = 14, right: int = 40) -> dict[str, int]:
    """Returns the space around a figure in pixels."""
    return {"left": 2, "top": top, "right": right, "bottom": 2}


def encode(field: str, kind: str = "quantitative", **parts: object) -> Channel:
    """Returns the encoding of a field of some kind, with its title, scale and axis."""
    return {"field": field, "type": kind, **parts}


def row_axis(labels: Sequence[str]) -> Channel:
    """Returns the encoding of rows, the first on top."""
    axis = {"domain": False, "ticks": False, "labelLimit": 150, "labelPadding": 4}
    return encode(
        "row",
        "nominal",
        sort=None,
        title=None,
        scale={"type": "band", "domain": list(labels)},
        axis={**axis, "labelOverlap": False},
    )


def score_axis(
    field: str, title: str | list[str], *, zero: bool = False, grid: bool = True
) -> Channel:
    """Returns the encoding of numbers of any size, perhaps from zero on."""
    lines = {"grid": True} if grid else {}
    axis = {"tickCount": 5, **lines, "domain": False}
    return encode(field, title=title, scale={"zero": zero, "nice": True}, axis=axis)


def share_axis(field: str, title: str) -> Channel:
    """Returns the encoding of proportions from 0 to 1."""
    scale = {"domain": [0, 1], "nice": False, "padding": 0}
    axis = {"values": [0, 0.2, 0.4, 0.6, 0.8, 1], "grid": True, "domain": False}
    return encode(field, title=title, scale=scale, axis=axis)


def colour_by(names: Sequence[str], *, columns: int = 2, corner: str | None = None) -> Channel:
    """Returns the encoding of a colour for each name, with a legend below or in a corner."""
    legend: Channel = {"title": None, "labelLimit": 150}
    if corner is not None and len(names) <= MOST_INSIDE:
        legend |= {"orient": corner, "offset": 4}
    else:
        legend |= {"orient": "bottom", "columns": columns}
    return encode("name", "nominal", scale={"domain": list(names)}, legend=legend)


def draw(
    kind: str,
    encoding: Mapping[str, Channel],
    *,
    test: str = "",
    values: Any = None,
    **mark: object,
) -> Layer:
    """Returns a layer of marks of a kind, such as `rule`.

    `test` is a Vega expression that selects records; `values` replace those of the figure.
    """
    return {
        **({} if values is None else {"data": {"values": values}}),
        **({"transform": [{"filter": test}]} if test else {}),
        "mark": {"type": kind, **mark},
        "encoding": encoding,
    }


def dot(x: Channel, y: Channel, *, style: str = "score", test: str = "", size: float = 36) -> Layer:
    """Returns a layer of dots."""
    mark = {"style": style, "filled": style != "open", "size": size, "strokeWidth": 1.2}
    return draw("point", {"x": x, "y": y}, test=test, **mark)


def joined_dots(x: Channel, y: Channel, names: Sequence[str]) -> list[Layer]:
    """Returns the layers of a line with dots for each name."""
    single = len(names) == 1
    line, point = ({"style": "whisker"}, {"style": "score"}) if single else ({}, {})
    encoding = {"x": x, "y": y, **({} if single else {"color": colour_by(names)})}
    return [
        draw("line", encoding, strokeWidth=1, **line),
        draw("point", encoding, filled=True, size=30, opacity=1, **point),
    ]


def whisker(
    x: Channel, y: Channel, *, style: str = "whisker", test: str = "", upright: bool = False
) -> Layer:
    """Returns a layer of lines from `low` to `high`, along the axis below or upright."""
    low, high = {"field": "low"}, {"field": "high"}
    ends = {"x": x, "y": y | low, "y2": high} if upright else {"x": x | low, "x2": high, "y": y}
    tests = " && ".join(filter(None, (test, "isValid(datum.low)")))
    return draw("rule", ends, test=tests, style=style, strokeWidth=1.2)


def text(
    field: str, x: Channel, y: Channel, style: str, *, test: str = "", **mark: object
) -> Layer:
    """Returns a layer of the words in a field; further properties of the mark place them."""
    words = {"x": x, "y": y, "text": encode(field, "nominal")}
    return draw("text", words, test=test, style=style, **mark)


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
    values = [{field: value}]
    return draw("rule", {"x": encode(field)}, values=values, style=style, strokeWidth=1)
