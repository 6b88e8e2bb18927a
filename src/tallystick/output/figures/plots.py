"""Lines, such as ROC curves and scores at several depths, and matrices, such as confusions."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from tallystick.output import FEW
from tallystick.output.figures.layers import (
    AVERAGES,
    MOST_INSIDE,
    SCORE,
    Channel,
    Layer,
    Record,
    Row,
    Spec,
    call_row,
    colour_by,
    draw,
    encode,
    frame,
    joined_dots,
    label_names,
    pad,
    row_axis,
    rule,
    score_axis,
    share_axis,
    text,
    title_score,
    whisker,
)
from tallystick.output.tables.cells import (
    UNDEFINED,
    choose_decimals,
    drop_zero,
    format_range,
    measure,
)

_SIDE = 262
"""The height in pixels at which the plot of one column is about square."""

_DASHES = ([1, 0], [5, 2], [2, 1.5], [6, 2, 1, 2], [8, 2], [1, 1], [4, 1, 1, 1, 1, 1], [3, 3])
"""Lines differ in their dashes too, so that they differ without colours."""

_DASHED = 300
"""The size of a line in a legend at which its dashes show."""

_FLOOR, _TALLEST = -0.2, 0.12
"""Where bars are below the axis of proportions, and the height of the fullest bin's bar."""

Areas = Mapping[str, float]
"""The area under the curve of each system that has one."""


def draw_roc(curves: Sequence[Record], areas: Areas, *, wide: bool = False) -> Spec:
    """Returns an ROC curve for each system or label, with the areas under them, and chance."""
    names = _name(curves, areas, "AUC")
    rows: list[Row] = []
    for curve, name in zip(curves, names, strict=True):
        points = zip(curve["false_positives"], curve["true_positives"], strict=True)
        for false, true in [(0, 0), *points]:
            fpr, tpr = _divide(false, curve["negatives"]), _divide(true, curve["positives"])
            rows.append({"name": name, "fpr": fpr, "tpr": tpr, "order": len(rows)})
    x = share_axis("fpr", "False positive rate")
    y = share_axis("tpr", "True positive rate (recall)")
    layers = [_draw_line([(0, 0), (1, 1)]), _draw_curves(x, y, names, "bottom-right")]
    return frame(layers, rows, height=_measure(names), wide=wide)


def draw_precision_recall(curves: Sequence[Record], areas: Areas, *, wide: bool = False) -> Spec:
    """Returns precision-recall curves, with the precision of chance as a line.

    Steps have the precision of the threshold that reaches their recall, as average precision has.
    """
    names = _name(curves, areas, "AP")
    rows: list[Row] = []
    for curve, name in zip(curves, names, strict=True):
        points = [*zip(curve["true_positives"], curve["false_positives"], strict=True)]
        start = [(0, _divide(points[0][0], sum(points[0])))] if points else []
        line = [(true, _divide(true, true + false)) for true, false in points]
        for true, precision in [*start, *line]:
            recall = _divide(true, curve["positives"])
            rows.append(
                {"name": name, "recall": recall, "precision": precision, "order": len(rows)}
            )
    x, y = share_axis("recall", "Recall"), share_axis("precision", "Precision")
    exact = all(curve["exact"] for curve in curves)
    chances = {_divide(one["positives"], one["positives"] + one["negatives"]) for one in curves}
    chance = [_draw_line([(0, one), (1, one)]) for one in chances if one is not None]
    layers = [
        *(chance if len(chances) == 1 else []),
        _draw_curves(x, y, names, "bottom-left", step=exact),
    ]
    return frame(layers, rows, height=_measure(names), wide=wide)


def draw_risks(risks: Sequence[Record], areas: Areas, *, wide: bool = False) -> Spec:
    """Returns risk-coverage curves: the share of errors among the examples that are surest."""
    names = _name(risks, areas, "AURC")
    rows: list[Row] = [
        {"name": name, "coverage": coverage, "risk": risk, "order": order}
        for curve, name in zip(risks, names, strict=True)
        for order, (coverage, risk) in enumerate(
            zip(curve["coverages"], curve["risks"], strict=True)
        )
    ]
    x = share_axis("coverage", "Coverage: share of examples answered, the surest first")
    y = score_axis("risk", "Risk: share of errors among them", zero=True, grid=False)
    layers = [_draw_curves(x, y, names, "top-left")]
    return frame(layers, rows, height=_measure(names), wide=wide)


def draw_thresholds(curve: Record, *, wide: bool = False) -> Spec:
    """Returns precision, recall and F1 at each threshold, and the threshold that was used."""
    names = ["Precision", "Recall", "F1"]
    rows: list[Row] = []
    points = zip(
        curve["thresholds"], curve["true_positives"], curve["false_positives"], strict=True
    )
    for threshold, true, false in points:
        values = (
            _divide(true, true + false),
            _divide(true, curve["positives"]),
            _divide(2 * true, true + false + curve["positives"]),
        )
        rows += [
            {"name": name, "threshold": threshold, "value": value, "order": len(rows)}
            for name, value in zip(names, values, strict=True)
        ]
    label = label_names([curve["label"]], 16)[curve["label"]]
    x = share_axis("threshold", f"Threshold of the probability of {label}")
    if not curve["bins"]:  # scores of another scale
        x = score_axis("threshold", f"Threshold of the score of {label}")
    y = share_axis("value", "Score")
    layers = []
    if curve["threshold"] is not None:
        layers.append(rule("threshold", curve["threshold"], style="reference"))
    layers.append(_draw_curves(x, y, names))
    return frame(layers, rows, height=200, wide=wide)


def draw_reliability(curves: Sequence[Record], *, wide: bool = False) -> Spec:
    """Returns the proportion of examples with the label, by the mean probability of their bin.

    A single curve has intervals, and bars below with the number of examples in each bin.
    """
    names = _name_curves(curves)
    most = max((own["n"] for one in curves for own in one["bins"]), default=1)
    rows = [
        {
            "name": name,
            **own,
            "bar": _FLOOR + _TALLEST * own["n"] / most,
            "count": _shorten(own["n"]),
        }
        for curve, name in zip(curves, names, strict=True)
        for own in curve["bins"]
    ]
    x = share_axis("mean", "Mean predicted probability")
    y = share_axis("share", "Share of examples with the label")
    layers: list[Layer] = [_draw_line([(0, 0), (1, 1)])]
    if len(curves) == 1:
        y["scale"] = {**y["scale"], "domain": [_FLOOR, 1]}
        tops = y | {"field": "bar"}
        bars = {"x": x, "y": tops, "y2": {"datum": _FLOOR}}
        layers += [
            draw("bar", bars, style="empty", width=10),
            text("count", x, tops, "note", dy=-5, fontSize=8),
            whisker(x, y, upright=True),
        ]
    layers += joined_dots(x, y, names)
    below = 12 * ((len(names) + 1) // 2)
    height = 262 + (44 if len(curves) == 1 else below)
    return frame(layers, rows, height=height, wide=wide)


def _shorten(n: float) -> str:
    """A number of examples in few digits, such as 950, 12k or 3.4M."""
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if n >= 10 * size or (unit == "M" and n >= size):
            return f"{n / size:.3g}{unit}"
    return f"{n:,.0f}" if n >= 10 or n == int(n) else f"{n:.1f}"


def _name(curves: Sequence[Record], areas: Areas, area: str) -> list[str]:
    names = _name_curves(curves)
    if len(curves) > len({one["system"] for one in curves}):
        return names
    values = [areas.get(curve["system"]) for curve in curves]
    return [
        name if value is None else f"{name} ({area} {value:.3f})"
        for name, value in zip(names, values, strict=True)
    ]


def _name_curves(curves: Sequence[Record]) -> list[str]:
    single = len({one["system"] for one in curves}) == 1 < len(curves)
    return list(label_names(one["label" if single else "system"] for one in curves).values())


def _draw_curves(
    x: Channel, y: Channel, names: Sequence[str], corner: str | None = None, *, step: bool = False
) -> Layer:
    colour = colour_by(names, columns=3 if corner is None else 2, corner=corner)
    if len(names) == 1 and "(" not in names[0]:
        colour["legend"] = None
    else:
        colour["legend"]["symbolSize"] = _DASHED
    encoding = {
        "x": x,
        "y": y,
        "color": colour,
        "strokeDash": {**colour, "scale": {"domain": list(names), "range": list(_DASHES)}},
        "order": encode("order"),
    }
    return draw("line", encoding, strokeWidth=1.5, interpolate="step-before" if step else "linear")


def _draw_line(ends: Sequence[tuple[float, float]]) -> Layer:
    values = [{"x": x, "y": y} for x, y in ends]
    axes = {"x": encode("x"), "y": encode("y")}
    return draw("line", axes, values=values, style="reference", strokeWidth=1)


def _measure(names: Sequence[str]) -> float:
    return _SIDE if len(names) <= MOST_INSIDE else _SIDE + 12 * ((len(names) + 1) // 2)


def _divide(part: float, whole: float) -> float | None:
    return part / whole if whole else None


_DEPTH = re.compile(r"(.+)[@^]([0-9]+)")


def find_depths(scores: Sequence[Record], metric: str | None) -> list[Record]:
    """Returns the scores of a metric, or the first, that has several depths, with `depth`."""
    found: dict[str, list[Record]] = {}
    for one in scores:
        parts = _DEPTH.fullmatch(one["name"])
        if parts is not None:
            record = {**one, "stem": parts[1], "depth": int(parts[2])}
            found.setdefault(parts[1], []).append(record)
    several = (own for own in found.values() if len({one["depth"] for one in own}) > 1)
    asked = (
        own
        for own in several
        if metric is None or any(metric in (one["name"], one["metric"]) for one in own)
    )
    return next(asked, [])


def draw_depths(scores: Sequence[Record], *, wide: bool = False) -> Spec:
    """Returns the scores of systems by one metric at several depths, as `find_depths` does."""
    ordered = sorted(scores, key=lambda one: one["depth"])
    rows = [
        {name: one[name] for name in ("system", "depth", "value", "low", "high", "n")}
        for one in ordered
    ]
    title = title_score(f"{scores[0]['stem']}@k", scores[0]["better"], None)
    return _draw(rows, _step_axis(rows, "depth", "k"), title, wide=wide)


def draw_lengths(lengths: Sequence[Record], *, wide: bool = False) -> Spec:
    """Returns the scores of systems by one metric, in bins of the length of the reference."""
    first = lengths[0]
    rows = [
        {
            "bin": format_range(one["shortest"], one["longest"]),
            **{name: one[name] for name in ("system", "shortest", "longest", "value", "n")},
            "count": f"{one['n']:,}",
        }
        for one in lengths
    ]
    x = _step_axis(rows, "bin", f"Length of the reference in {first['unit']}")
    title = title_score(first["name"], first["better"], None)
    return _draw(rows, x, title, wide=wide)


def _step_axis(rows: Sequence[Row], field: str, title: str) -> Channel:
    steps = list(dict.fromkeys(row[field] for row in rows))
    turned = field == "bin" and len(steps) > 5
    axis = {"labelAngle": -40 if turned else 0, "domain": False, "grid": False}
    return encode(field, "ordinal", title=title, scale={"domain": steps}, axis=axis)


def _draw(rows: Sequence[Row], x: Channel, title: str | list[str], *, wide: bool) -> Spec:
    """Dots that are joined for each system; those of a single one have whiskers or counts."""
    names = label_names(row["system"] for row in rows)
    y = score_axis("value", title, grid=False)
    single = len(names) == 1
    layers = joined_dots(x, y, list(names.values()))
    if single and x["field"] == "depth":
        layers.insert(0, whisker(x, y, upright=True))
    elif single:
        layers.append(text("count", x, {"value": 0}, "note", dy=-6, fontSize=8))
    height = 190 if single else 190 + 12 * ((len(names) + 1) // 2)
    shown = [{"name": names[row["system"]], **row} for row in rows]
    return frame(layers, shown, height=height, wide=wide, padding=pad(right=4))


_MOST_DIGITS, _MOST_NUMBERS = 8, 12
"""With more groups the numbers in a heatmap lose a digit; with still more there are none."""

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
"""How the one or two lines of a cell are in its middle."""


def draw_confusion(matrix: Record, *, wide: bool = False) -> Spec:
    """Returns a confusion matrix, in the colours of shares of rows, with numbers unless large."""
    counts = matrix["counts"]
    totals = [[sum(row)] * len(row) for row in counts]
    titles = ("Gold label", "Predicted label")
    return _draw_matrix(matrix["labels"], (counts, totals), titles, _write_counts, wide=wide)


def draw_wins(matrix: Record, *, wide: bool = False) -> Spec:
    """Returns who won how many games of whom, ties as half; those that won most come first."""
    wins = np.array(matrix["counts"])
    games = wins + wins.T
    order = np.argsort(-wins.sum(1) / np.maximum(games.sum(1), 1), kind="stable")
    names = [matrix["labels"][at] for at in order]
    sides = wins[np.ix_(order, order)].tolist(), games[np.ix_(order, order)].tolist()
    return _draw_matrix(names, sides, ("Winner", "Loser"), _write_shares, wide=wide)


def _draw_matrix(
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
    legend = {
        "orient": "right",
        "format": ".0%",
        "gradientThickness": 7,
        "values": [0, 0.5, 1],
        "title": None,
    }
    colour = encode("share", title=None, scale={"domain": [0, 1]}, legend=legend)
    layers: list[Layer] = [draw("rect", {"x": x, "y": y, "color": colour})]
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
    scale = {"domain": names, "paddingInner": 0.03}
    return encode(field, "nominal", title=title, scale=scale, axis=axis)


_MOST_FLAT = 7
"""With more groups their names are written upwards."""

_CENTRED = {"align": "center", "baseline": "middle"}


def draw_heatmap(scores: Sequence[Record], *, wide: bool = False) -> Spec:
    """Returns the scores of systems by groups as numbers on colours; small groups are grey."""
    better = scores[0]["better"]
    values = [abs(one["value"]) for one in scores if one["value"] is not None]
    digits = choose_decimals(scores[0]["name"], max(values, default=0))
    groups = label_names((call_row(one, "group") for one in scores), 12)
    systems = label_names((one["system"] for one in scores), 20)
    rows = [
        {
            "row": systems[one["system"]],
            "column": groups[call_row(one, "group")],
            **{name: one[name] for name in SCORE},
            "few": one["n"] < FEW and one["group"] not in AVERAGES,
            "words": _write_value(one, digits, columns=len(groups)),
            "first": one["system"] == scores[0]["system"],
            "count": f"{one['n']:,}",
        }
        for one in scores
    ]
    good = [one["value"] for one in rows if one["value"] is not None and not one["few"]]
    middle = (min(good) + max(good)) / 2 if good else 0
    columns = list(dict.fromkeys(one["column"] for one in rows))
    flat = len(columns) <= _MOST_FLAT
    x = encode(
        "column",
        "nominal",
        title=title_score(scores[0]["name"], better, None),
        scale={"domain": columns},
        axis={
            "orient": "top",
            "labelAngle": 0 if flat else -90,
            "domain": False,
            "ticks": False,
        },
    )
    y = row_axis([*systems.values(), "n"])
    scale = {"zero": False, "reverse": better == "lower"}
    colour = encode("value", scale=scale, legend=None)
    deep = f"datum.value {'<' if better == 'lower' else '>'} {middle!r}"
    defined = "!datum.few && isValid(datum.value)"
    empty = "datum.few || !isValid(datum.value)"
    pale = f"!isValid(datum.value) || datum.few || !({deep})"
    counts = {"x": x, "y": {"datum": "n"}, "text": {"field": "count"}}
    layers: list[Layer] = [
        draw("rect", {"x": x, "y": y, "color": colour}, test=defined),
        draw("rect", {"x": x, "y": y}, test=empty, style="empty"),
        text("words", x, y, "inverse", test=f"{defined} && {deep}", **_CENTRED),
        text("words", x, y, "label", test=pale, **_CENTRED),
        draw("text", counts, test="datum.first", style="note", **_CENTRED),
    ]
    height = (len(systems) + 1) * 18 + (36 if flat else 90)
    return frame(layers, rows, height=height, wide=wide)


def _write_value(score: Record, digits: int, *, columns: int) -> str:
    """A score without the zero before the point, and with two decimals where cells are small."""
    value = score["value"]
    if columns > _MOST_NUMBERS:
        return ""
    if value is None:
        return UNDEFINED
    digits = min(digits, 2) if columns > _MOST_DIGITS else digits
    return drop_zero(f"{value:.{digits}f}")
