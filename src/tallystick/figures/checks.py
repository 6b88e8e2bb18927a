"""The figure of a gate: how far each check's bounds are from its limit."""

from collections.abc import Sequence

from tallystick.figures.dots import (
    dot,
    frame_rows,
    row_axis,
    rule,
    score_axis,
    whisker,
    words,
)
from tallystick.figures.names import label_names
from tallystick.figures.theme import Layer, Record, Row, Spec
from tallystick.render.names import name_column

_STYLES = {"pass": "score", "fail": "bad", "inconclusive": "other"}
_SHOWN = ("kind", "group", "name", "value", "old", "difference", "limit", "confidence", "verdict")
_AT_LEAST, _AT_MOST = "\N{GREATER-THAN OR EQUAL TO}", "\N{LESS-THAN OR EQUAL TO}"


def draw_checks(checks: Sequence[Record], *, wide: bool = False) -> Spec:
    """Returns a row for each check, with its distance from the limit.

    The limit is at 0. The whisker joins the two one-sided bounds: a check passes where all of it
    is to the right of the limit, and fails where all of it is to the left.
    """
    labels = label_names((_name(one) for one in checks), 34)
    rows = [{"row": labels[_name(one)], **_measure(one)} for one in checks]
    title = "Distance from the limit (right of 0 passes)"
    x = score_axis("distance", title, zero=True)
    y = row_axis(list(labels.values()))
    layers: list[Layer] = [rule("limit", 0)]
    for verdict, style in _STYLES.items():
        test = f"datum.verdict == '{verdict}'"
        layers += [whisker(x, y, style=style, test=test), dot(x, y, style=style, test=test)]
    layers += words("verdict", y, "verdict")
    return frame_rows(layers, rows, title, wide=wide, right=60)


def _name(check: Record) -> str:
    """What a check asks for, such as `F1 \N{GREATER-THAN OR EQUAL TO} 0.6, es`."""
    higher = check["better"] == "higher"
    limit = f"{check['limit']:g}"
    asked = {
        "drop": f"{'drop' if higher else 'rise'} {_AT_MOST} {limit}",
        "floor": f"{_AT_LEAST if higher else _AT_MOST} {limit}",
        "equivalent": f"\N{PLUS-MINUS SIGN} {limit}",
    }
    group = "" if check["group"] is None else f", {check['group']}"
    return f"{name_column(check['name'])} {asked[check['kind']]}{group}"


def _measure(check: Record) -> Row:
    """A check with its distance from the limit and the bounds of that distance."""
    sign = 1 if check["better"] == "higher" else -1
    low, high, limit = check["low"], check["high"], check["limit"]
    found = check["value" if check["kind"] == "floor" else "difference"]
    if None in (found, low, high):  # an undefined score
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
