"""How all figures look: palettes, fonts, sizes, and the frame that every specification has."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Spec: TypeAlias = dict[str, Any]
"""A Vega-Lite specification."""

Layer: TypeAlias = dict[str, Any]
"""One layer of a specification."""

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
    """Returns a specification of one view whose whole width, with axes, is a column's.

    Layers are drawn from the lowest on, of the values unless they have their own. The height
    and the padding, by default 2 on each side, are in pixels.
    """
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
