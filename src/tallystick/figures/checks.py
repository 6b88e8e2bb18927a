"""The figure of a gate: how far the bounds of each check are from its limit."""

from collections.abc import Sequence
from typing import Any

from tallystick.figures.dots import dot, head, measure_height, row_axis, score_axis, whisker, words
from tallystick.figures.names import label_names
from tallystick.figures.theme import Layer, Record, Spec, frame
from tallystick.render.names import name_column

_STYLES = {"pass": "score", "fail": "bad", "inconclusive": "other"}
_SHOWN = ("kind", "group", "name", "value", "old", "difference", "limit", "confidence", "verdict")


def draw_checks(checks: Sequence[Record], *, wide: bool = False) -> Spec:
    """Returns a row for each check, with its distance from the limit, which is at 0.

    To the right of the limit the check holds. The whisker goes from one one-sided bound to the
    other: a check passes where all of it is to the right, and fails where all is to the left.
    """
    labels = label_names((_name(one) for one in checks), 34)
    rows = [{"row": labels[_name(one)], **_measure(one)} for one in checks]
    title = "Distance from the limit (right of 0 passes)"
    x = score_axis("distance", title, zero=True)
    y = row_axis(list(labels.values()))
    layers: list[Layer] = [_draw_limit()]
    for verdict, style in _STYLES.items():
        test = f"datum.verdict == '{verdict}'"
        layers += [whisker(x, y, style=style, test=test), dot(x, y, style=style, test=test)]
    layers += [words("verdict", y), head("verdict")]
    padding = {"left": 2, "top": 14, "right": 60, "bottom": 2}
    height = measure_height(len(rows), title) + padding["top"]
    return frame(layers, rows, height=height, wide=wide, padding=padding)


def _name(check: Record) -> str:
    """What a check asks for, such as `F1 \N{GREATER-THAN OR EQUAL TO} 0.6, es`."""
    higher = check["better"] == "higher"
    limit = f"{check['limit']:g}"
    asked = {
        "drop": f"{'drop' if higher else 'rise'} \N{LESS-THAN OR EQUAL TO} {limit}",
        "floor": f"\N{GREATER-THAN OR EQUAL TO} {limit}"
        if higher
        else f"\N{LESS-THAN OR EQUAL TO} {limit}",
        "equivalent": f"\N{PLUS-MINUS SIGN} {limit}",
    }
    group = "" if check["group"] is None else f", {check['group']}"
    return f"{name_column(check['name'])} {asked[check['kind']]}{group}"


def _measure(check: Record) -> dict[str, Any]:
    """A check with its distance from the limit, and the bounds of that."""
    sign = 1 if check["better"] == "higher" else -1
    low, high, limit = check["low"], check["high"], check["limit"]
    found = check["value" if check["kind"] == "floor" else "difference"]
    if None in (found, low, high):  # it is undefined
        distance, ends = None, (None, None)
    elif check["kind"] == "equivalent":
        worst = max(abs(low), abs(high))
        best = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
        ends = (limit - worst, limit - best)
        distance = limit - abs(found)
    elif check["kind"] == "drop":
        ends = tuple(sorted((limit + sign * low, limit + sign * high)))
        distance = limit + sign * found
    else:
        ends = tuple(sorted((sign * (low - limit), sign * (high - limit))))
        distance = sign * (found - limit)
    own = {name: check[name] for name in _SHOWN}
    return {**own, "distance": distance, "low": ends[0], "high": ends[1]}


def _draw_limit() -> Layer:
    return {
        "data": {"values": [{"limit": 0}]},
        "mark": {"type": "rule", "style": "divider", "strokeWidth": 1},
        "encoding": {"x": {"field": "limit", "type": "quantitative"}},
    }
