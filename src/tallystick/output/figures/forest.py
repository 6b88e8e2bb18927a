"""Rows with whiskers: differences, checks, ranks, scores; and the critical-difference diagram."""

from collections.abc import Iterator, Sequence
from typing import Literal

from tallystick.output import FEW
from tallystick.output.figures.layers import (
    AVERAGES,
    SCORE,
    Channel,
    Layer,
    Record,
    Row,
    Spec,
    call_row,
    colour_by,
    dot,
    draw,
    encode,
    frame,
    frame_rows,
    label_names,
    pad,
    row_axis,
    rule,
    score_axis,
    text,
    title_score,
    whisker,
    words,
)
from tallystick.output.tables.cells import UNDEFINED, format_p, format_range, measure, name_column

_BAR, _NAME = 7, 14
"""The distances between bars and between names, in pixels."""

_SCALE, _AXIS = 18, 56
"""How far down the critical difference and the axis are, in pixels."""

_APART = 0.03
"""The smallest gap between two bars of one height, as a share of the axis."""

_LONGEST = {False: 18, True: 40}
"""The most columns of a screen that a name takes up, on one column of a paper and on two."""


def draw_critical_difference(friedman: Record, *, wide: bool = False) -> Spec:
    """Returns mean ranks, with bars over those that Nemenyi's test does not separate.

    The best systems are on the right, as in Demsar 2006, JMLR 7.
    """
    labels = label_names(friedman["systems"], _LONGEST[wide])
    half = (len(labels) + 1) // 2
    rows: list[Row] = [
        {
            "system": system,
            "name": label,
            "mean_rank": rank,
            "side": "right" if at < half else "left",
        }
        for at, ((system, label), rank) in enumerate(
            zip(labels.items(), friedman["mean_ranks"], strict=True)
        )
    ]
    bars = _list_bars(friedman)
    first = max((bar["y"] for bar in bars), default=_AXIS) + _NAME
    x = _rank_axis(friedman)
    layers = [
        *_draw_stems(rows[:half], x, "right", first),
        *_draw_stems(rows[: half - 1 : -1], x, "left", first),
        draw(
            "rule",
            {
                "x": {**x, "field": "low"},
                "x2": {"field": "high"},
                "y": encode("y", scale=None, axis=None),
            },
            values=bars,
            style="whisker",
            strokeWidth=3.5,
            strokeCap="square",
        ),
        *_draw_scale(friedman, x),
    ]
    height = first + _NAME * half
    spec = frame(layers, rows, height=height, wide=wide, padding=pad(2, 2))
    return {**spec, "resolve": {"scale": {"y": "independent"}}}


def _list_bars(friedman: Record) -> list[Row]:
    """The largest sets of systems of which no two differ, as low and high ranks and a height."""
    ranks, within = friedman["mean_ranks"], friedman["critical_difference"] - 1e-9
    gap = _APART * len(ranks)
    bars: list[Row] = []
    ends: list[float] = []
    last = 0
    for start, low in enumerate(ranks):
        end = max(at for at, rank in enumerate(ranks) if rank - low < within)
        if end > max(start, last):
            level = next((at for at, high in enumerate(ends) if high + gap < low), len(ends))
            ends[level : level + 1] = [ranks[end]]
            bars.append({"low": low, "high": ranks[end], "y": _AXIS + _BAR * (level + 1)})
            last = end
    return bars


def _rank_axis(friedman: Record) -> Channel:
    last = len(friedman["systems"])
    first = min(1, last - friedman["critical_difference"])
    return encode(
        "mean_rank",
        title=f"Mean rank over {friedman['count']:,} {friedman['over']}",
        scale={"domain": [first, last], "reverse": True, "nice": False, "padding": 6},
        axis={
            "orient": "top",
            "offset": -_AXIS,
            "values": list(range(1, last + 1)),
            "format": "d",
            "grid": False,
        },
    )


def _draw_stems(
    rows: Sequence[Row], x: Channel, side: Literal["left", "right"], first: float
) -> list[Layer]:
    names = [row["name"] for row in rows]
    ends = [first, first + _NAME * (len(names) - 1)]
    scale = {"type": "point", "domain": names, "padding": 0, "range": ends}
    y = encode("name", "nominal", scale=scale)
    axis = {
        "orient": side,
        "title": None,
        "domain": False,
        "ticks": False,
        "labelLimit": 250,
        "labelOverlap": False,
    }
    edge = {"value": "width" if side == "right" else 0}
    return [
        draw("rule", lines, test=f"datum.side == '{side}'", style="label", strokeCap="square")
        for lines in (
            {"x": x, "x2": edge, "y": {**y, "axis": axis}},
            {"x": x, "y": {**y, "axis": None}, "y2": {"value": _AXIS}},
        )
    ]


def _draw_scale(friedman: Record, x: Channel) -> list[Layer]:
    end = len(friedman["systems"])
    difference = friedman["critical_difference"]
    level = f"{1 - friedman['confidence']:.2g}"
    values = [{"from": end, "to": end - difference, "text": f"CD = {difference:.2f} (p < {level})"}]
    start, y = x | {"field": "from"}, {"value": _SCALE}
    tick = {"y": {"value": _SCALE - 4}, "y2": {"value": _SCALE + 4}}
    lines = [
        {"x": start, "x2": {"field": "to"}, "y": y},
        *({"x": x | {"field": at}, **tick} for at in ("from", "to")),
    ]
    return [
        *(draw("rule", line, values=values, style="label", strokeWidth=1.2) for line in lines),
        {"data": {"values": values}, **text("text", start, y, "label", align="left", dy=-10)},
    ]


_DIFFERENCE = (
    "a",
    "b",
    "group",
    "value_a",
    "value_b",
    "difference",
    "low",
    "high",
    "p",
    "p_holm",
    "n",
)
_SHORT = 16
"""The most columns of a screen that a system's name takes up in a title."""

_MINUS = "\N{MINUS SIGN}"
_VERDICTS = {"pass": "score", "fail": "bad", "inconclusive": "other"}
_CHECK = ("kind", "group", "name", "value", "old", "difference", "limit", "confidence", "verdict")
_AT_LEAST, _AT_MOST = "\N{GREATER-THAN OR EQUAL TO}", "\N{LESS-THAN OR EQUAL TO}"
_OF_PLACES = (
    *("system", "baseline", "rank", "value", "low", "high", "best_rank", "worst_rank", "cluster"),
    *("letters", "n"),
)


def draw_differences(differences: Sequence[Record], *, wide: bool = False) -> Spec:
    """Returns the differences in one metric, a row for each pair of systems and group.

    Within a single group the largest gain is on top. Dots of significant differences are filled.
    A band shows the equivalence margin, if there is one.
    """
    first = differences[0]
    if len({one["group"] for one in differences}) == 1:
        sign = 1 if first["better"] == "lower" else -1
        differences = sorted(
            differences,
            key=lambda one: (one["difference"] is None, sign * (one["difference"] or 0)),
        )
    names, of = _name_rows(differences)
    labels = label_names(names)
    rows = [_write_row(one, labels[name]) for one, name in zip(differences, names, strict=True)]
    title = title_score(first["name"], first["better"], first["confidence"], of=of)
    x = score_axis("difference", title, zero=True)
    y = row_axis(list(labels.values()))
    band = []
    if within := first.get("equivalent_within"):
        ends = {"x": encode("from"), "x2": {"field": "to"}}
        band = [draw("rect", ends, values=[{"from": -within, "to": within}], style="band")]
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


def _name_rows(differences: Sequence[Record]) -> tuple[list[str], str]:
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
        **{name: one[name] for name in _DIFFERENCE},
        "significant": _is_significant(one),
        "p_shown": "" if p is None else format_p(p),
    }


def _is_significant(one: Record) -> bool:
    # 1 - 0.95 is a little more than 0.05.
    p = one["p_holm"]
    return bool(one["difference"]) and p is not None and p < round(1 - one["confidence"], 12)


def draw_checks(checks: Sequence[Record], *, wide: bool = False) -> Spec:
    """Returns a row for each check, with its distance from the limit.

    The limit is at 0. The whisker joins the two one-sided bounds: a check passes where all of it
    is to the right of the limit, and fails where all of it is to the left.
    """
    names, common = _name_checks(checks)
    labels = label_names(names, max(map(measure, names)))
    rows = [
        {"row": labels[name], **_measure_check(one)}
        for name, one in zip(names, checks, strict=True)
    ]
    title = f"{common} distance from the limit (right of 0 passes)".lstrip()
    x = score_axis("distance", title[0].upper() + title[1:] if not common else title, zero=True)
    y = row_axis(list(labels.values()))
    y["axis"] |= {"labelLimit": 0}
    layers: list[Layer] = [rule("limit", 0)]
    for verdict, style in _VERDICTS.items():
        test = f"datum.verdict == '{verdict}'"
        layers += [whisker(x, y, style=style, test=test), dot(x, y, style=style, test=test)]
    layers += words("verdict", y, "verdict")
    return frame_rows(layers, rows, title, wide=wide, right=60)


def _name_checks(checks: Sequence[Record]) -> tuple[list[str], str]:
    """The names of checks by what differs between them, and what all of them have in common."""
    parts = [_list_parts(one) for one in checks]
    varies = [len({own[at] for own in parts}) > 1 for at in range(3)]
    if not any(varies):
        return [f"{' '.join(own[:2])}{own[2] and f', {own[2]}'}" for own in parts], ""
    names = [
        ", ".join(part for part, own in zip(one, varies, strict=True) if own and part) or "all"
        for one in parts
    ]
    common = " ".join(part for part, own in zip(parts[0], varies, strict=True) if not own and part)
    return names, f"{common}:" if common else ""


def _list_parts(check: Record) -> tuple[str, str, str]:
    """The metric, the limit and the group of a check, such as `F1`, `drop ≤ 0.02` and `es`."""
    higher = check["better"] == "higher"
    limit = f"{check['limit']:g}"
    asked = {
        "drop": f"{'drop' if higher else 'rise'} {_AT_MOST} {limit}",
        "floor": f"{_AT_LEAST if higher else _AT_MOST} {limit}",
        "equivalent": f"\N{PLUS-MINUS SIGN} {limit}",
    }
    return name_column(check["name"]), asked[check["kind"]], check["group"] or ""


def _measure_check(check: Record) -> Row:
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
    else:
        distance, *bounds = (
            limit + sign * one if check["kind"] == "drop" else sign * (one - limit)
            for one in (found, low, high)
        )
        ends = tuple(sorted(bounds))
    own = {name: check[name] for name in _CHECK}
    return {**own, "distance": distance, "low": ends[0], "high": ends[1]}


def draw_ranking(places: Sequence[Record], *, wide: bool = False) -> Spec:
    """Returns the places of all systems by one metric on one group, the best on top.

    A line separates clusters by the WMT rule. On the right is each system's range of ranks.
    Baselines are grey.
    """
    first = places[0]
    labels = label_names(_name(one) for one in places)
    rows = [*_list_rows(places, labels)]
    confidence = first["confidence"] if any(one["low"] is not None for one in rows) else None
    title = title_score(first["name"], first["better"], confidence)
    x = score_axis("value", title)
    y = row_axis(list(labels.values()))
    layers: list[Layer] = [
        draw("rule", {"y": {**y, "bandPosition": 0}}, test="datum.divided", style="divider"),
        whisker(x, y, test="!datum.baseline"),
        whisker(x, y, style="pale", test="datum.baseline"),
        dot(x, y, test="!datum.baseline && isValid(datum.value)"),
        dot(x, y, style="other", test="datum.baseline && isValid(datum.value)"),
    ]
    ranked = any(one["ranks"] for one in rows)
    if ranked:
        layers += words("ranks", y, "ranks")
    top, right = (14, 34) if ranked else (4, 6)
    return frame_rows(layers, rows, title, wide=wide, top=top, right=right)


def _list_rows(places: Sequence[Record], labels: dict[str, str]) -> Iterator[Row]:
    cluster = None
    for place in places:
        new = cluster is not None and place["cluster"] not in (None, cluster)
        cluster = place["cluster"] if place["cluster"] is not None else cluster
        yield {
            "row": labels[_name(place)],
            **{name: place[name] for name in _OF_PLACES},
            "ranks": UNDEFINED
            if place["value"] is None
            else format_range(place["best_rank"], place["worst_rank"]),
            "divided": new and not place["baseline"],
        }


def _name(place: Record) -> str:
    return f"{place['system']} (baseline)" if place["baseline"] else str(place["system"])


def draw_scores(scores: Sequence[Record], field: str, *, wide: bool = False) -> Spec:
    """Returns the scores by one metric of each system, or in each group or label, with n.

    The field is `system`, `group` or `label`. Several systems have a row each in every group or
    label, in colours of their own. With a single system, groups with few examples are grey.
    """
    systems = list(dict.fromkeys(one["system"] for one in scores))
    if field == "system" or len(systems) == 1:
        labels = label_names(call_row(one, field) for one in scores)
        rows = [
            {
                "row": labels[call_row(one, field)],
                **{name: one[name] for name in SCORE},
                "few": one["n"] < FEW,
                "average": field == "group" and one["group"] in AVERAGES,
                "count": f"{one['n']:,}",
            }
            for one in scores
        ]
        title = _title_scores(scores)
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
    return _draw_bands(scores, systems, field, wide=wide)


def _title_scores(scores: Sequence[Record]) -> str | list[str]:
    confidence = next((one["confidence"] for one in scores if one["confidence"]), None)
    return title_score(scores[0]["name"], scores[0]["better"], confidence)


def _draw_bands(
    scores: Sequence[Record], systems: Sequence[str], field: str, *, wide: bool
) -> Spec:
    groups = label_names(call_row(one, field) for one in scores)
    names = label_names(systems)
    rows = [
        {
            "row": groups[call_row(one, field)],
            "name": names[one["system"]],
            **{name: one[name] for name in SCORE},
            "count": f"{one['n']:,}" if one["system"] == systems[0] else "",
        }
        for one in scores
    ]
    x = score_axis("value", _title_scores(scores))
    y = row_axis(list(groups.values()))
    y["scale"] |= {"paddingInner": 0.25, "paddingOuter": 0.1}
    beside = {
        "yOffset": encode("name", "nominal", sort=None),
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
