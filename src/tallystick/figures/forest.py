"""The forest plot of a comparison: differences with intervals, and the line at 0."""

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
from tallystick.figures.names import AVERAGES, label_names, title_score
from tallystick.figures.theme import Layer, Record, Row, Spec
from tallystick.render.cells import format_p

_SHOWN = ("a", "b", "group", "value_a", "value_b", "difference", "low", "high", "p", "p_holm", "n")
_DIGITS = 3
_SHORT = 16
"""The most columns of a screen that a system's name takes up in a title."""

_MINUS = "\N{MINUS SIGN}"


def draw_differences(differences: Sequence[Record], *, wide: bool = False) -> Spec:
    """Returns the differences in one metric, a row for each pair of systems and group.

    Within a single group the largest gain is on top. A filled dot is a significant difference, an
    open one is not. The p-values on the right are corrected as in the comparison. A band shows the
    equivalence margin, if there is one.
    """
    first = differences[0]
    if len({one["group"] for one in differences}) == 1:
        differences = sorted(differences, key=_sort_key)
    names, of = _name_rows(differences)
    labels = label_names(names)
    rows = [_write_row(one, labels[name]) for one, name in zip(differences, names, strict=True)]
    title = title_score(first["name"], first["better"], first["confidence"], of=of)
    x = score_axis("difference", title, zero=True)
    y = row_axis(list(labels.values()))
    band = [_shade(first["equivalent_within"])] if first.get("equivalent_within") else []
    corrected = any(one["p"] != one["p_holm"] for one in rows)
    layers: list[Layer] = [
        *band,
        rule("zero", 0),
        whisker(x, y),
        dot(x, y, test="datum.significant"),
        dot(x, y, style="open", test="!datum.significant && isValid(datum.difference)"),
        *words("p_shown", y, "p (Holm)" if corrected else "p"),
    ]
    return frame_rows(layers, rows, title, wide=wide, right=42)


def _sort_key(one: Record) -> tuple[bool, float]:
    """Orders the largest gain first, undefined differences last."""
    difference = one["difference"]
    sign = 1 if one["better"] == "lower" else -1
    return difference is None, sign * (difference or 0)


def _name_rows(differences: Sequence[Record]) -> tuple[list[str], str]:
    """The name of each row, and what the axis title says of all rows."""
    systems = label_names(name for one in differences for name in (one["a"], one["b"]))
    pairs = [(systems[one["a"]], systems[one["b"]]) for one in differences]
    groups = [AVERAGES.get(one["group"], one["group"]) for one in differences]
    short = label_names((name for pair in pairs for name in pair), _SHORT)
    a, b = (short[name] for name in pairs[0])
    several = len(set(groups)) > 1
    if several and len(set(pairs)) == 1:
        return [str(group) for group in groups], f", {a} {_MINUS} {b}"
    alike = len({other for _, other in pairs}) == 1
    names = [one if alike else f"{one} {_MINUS} {other}" for one, other in pairs]
    if several:
        names = [f"{name}, {group}" for name, group in zip(names, groups, strict=True)]
    return names, f" {_MINUS} {b}" if alike else " difference"


def _write_row(one: Record, label: str) -> Row:
    p = one["p_holm"]
    return {
        "row": label,
        **{name: one[name] for name in _SHOWN},
        "significant": is_significant(one),
        "p_shown": "" if p is None else format_p(p, _DIGITS),
    }


def is_significant(one: Record) -> bool:
    """Returns whether a difference is significant, at the confidence of its interval."""
    # 1 - 0.95 is a little more than 0.05.
    p = one["p_holm"]
    return bool(one["difference"]) and p is not None and p < round(1 - one["confidence"], 12)


def _shade(within: float) -> Layer:
    return {
        "data": {"values": [{"from": -within, "to": within}]},
        "mark": {"type": "rect", "style": "band"},
        "encoding": {"x": {"field": "from", "type": "quantitative"}, "x2": {"field": "to"}},
    }
