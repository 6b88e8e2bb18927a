"""Leaderboards: systems ordered by the first metric, with intervals, ranks and other metrics."""

import math
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TypeAlias

from tallystick.frozen import dataclass, replace
from tallystick.render.cells import format_change, format_range
from tallystick.report.content import Content, Record
from tallystick.report.numbers import Number, Numbers
from tallystick.report.tables import Column

_Scale: TypeAlias = tuple[float, float]
"""The numbers at the two ends of the whiskers of a board."""

_MAIN = (None, "macro")
_WIDTH, _MARGIN = 160.0, 6.0
_NOTHING: Record = {"name": "", "value": None, "low": None, "high": None}


@dataclass(frozen=True, slots=True)
class Whisker:
    """A score and its interval on the scale of a board, as distances from the left."""

    at: float
    low: float
    high: float
    words: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of a board: a system, or a metric where a single system was scored.

    A baseline has no rank. It could hold the `ranks` by the significance tests, and `change` is
    how many ranks it has gained or lost since the previous report. Systems that share a letter
    are not significantly different, and no system is significantly better than a `best` one. A
    cluster begins at the `first` of its systems. `others` are the scores by the other metrics,
    each with its interval, and `about` is told by the board's columns; words have no full number.
    """

    name: str
    baseline: bool
    rank: str
    ranks: str
    change: str
    score: Number
    interval: str
    whisker: Whisker | None
    letters: str
    best: bool
    first: bool
    others: tuple[tuple[Number, str], ...]
    about: tuple[Number, ...] = ()


@dataclass(frozen=True, slots=True)
class Board:
    """A leaderboard, whose rows are ordered by the first metric.

    The metric is empty where the rows are metrics. The ends of the whiskers' scale are empty where
    there are none. Columns have what else is told of the systems: scores of other origin, words.
    """

    title: str
    track: str | None
    metric: str
    metrics: tuple[str, ...]
    entries: tuple[Entry, ...]
    ends: tuple[str, ...]
    ranked: bool
    moved: bool
    columns: tuple[Column, ...] = ()


def list_boards(content: Content) -> tuple[Board, ...]:
    """The leaderboard of each track, or of the only one; none where nothing was scored."""
    numbers = Numbers(content.style)
    records = content.list("places")
    if not records:
        return _list_scored(content, numbers)
    tracks = (list(own) for _, own in groupby(records, lambda one: one["track"]))
    return tuple(_build(own, numbers) for own in tracks)


def _list_scored(content: Content, numbers: Numbers) -> tuple[Board, ...]:
    """Orders systems by the metric that compares them; without a comparison, as they came.

    Only a comparison tells which direction of a metric is better.
    """
    scores = [one for one in content.list("scores") if one.get("label") is None]
    if not scores:
        return ()
    if len({one["system"] for one in scores}) == 1:
        return (_build_alone(scores, numbers),)
    differences = content.list("differences")
    return (_build(_sort(scores, differences[0]["better"]) if differences else scores, numbers),)


def _sort(scores: list[Record], better: str) -> list[Record]:
    """Scores with the best systems by the first metric first, undefined ones last."""
    main = _find_main(scores)
    sign = 1 if better == "lower" else -1
    keys = {
        one["system"]: (one["value"] is None, sign * (one["value"] or 0))
        for one in scores
        if _is_of(one, main)
    }
    return sorted(scores, key=lambda one: keys.get(one["system"], (True, 0)))


def _find_main(records: Sequence[Record]) -> tuple[str | None, str]:
    """The group and the metric that come first, on all examples or on the mean over groups."""
    found = next((one for one in records if one["group"] in _MAIN), None)
    return (None, "") if found is None else (found["group"], found["metric"])


def _is_of(one: Record, criterion: tuple[str | None, str]) -> bool:
    return (one["group"], one["metric"]) == criterion


def _build(records: Sequence[Record], numbers: Numbers) -> Board:
    """A board whose rows are systems."""
    main = _find_main(records)
    ranked = [one for one in records if _is_of(one, main)]
    metrics = list(dict.fromkeys(one["metric"] for one in records if one["group"] == main[0]))
    found = {(one["system"], one["metric"]): one for one in records if one["group"] == main[0]}
    found_ends = [one[end] for one in ranked for end in ("low", "high") if one[end] is not None]
    scale = None
    if found_ends and math.isfinite(max(found_ends)):
        scale = min(found_ends), max(found_ends)
    name = ranked[0]["name"]
    entries = tuple(
        _enter(
            one,
            numbers,
            scale,
            first=_begins(ranked[:at], one),
            others=[found.get((one["system"], metric)) for metric in metrics[1:]],
        )
        for at, one in enumerate(ranked)
    )
    names = {one["metric"]: one["name"] for one in records}
    return Board(
        _title(ranked, main[0]),
        ranked[0].get("track"),
        name,
        tuple(names[metric] for metric in metrics[1:]),
        entries,
        _name_ends(scale, numbers, name),
        any(one.get("best_rank") is not None for one in ranked),
        any(one.get("previous_rank") is not None for one in ranked),
    )


def _build_alone(records: Sequence[Record], numbers: Numbers) -> Board:
    """A board of a single system, whose rows are metrics."""
    main = _find_main(records)
    own = [one for one in records if one["group"] == main[0]]
    unit = [one for one in own if _fits_unit(one)]
    scale = (0.0, 1.0) if unit else None
    entries = tuple(
        replace(
            _enter(one, numbers, scale if _fits_unit(one) else None, first=False, others=[]),
            name=one["name"],
        )
        for one in own
    )
    title = f"{records[0]['system']}: {_title(own, main[0])}"
    ends = _name_ends(scale, numbers, next((one["name"] for one in unit), ""))
    return Board(title, None, "", (), entries, ends, False, False)


def _fits_unit(one: Record) -> bool:
    """Whether a score and its interval lie between 0 and 1."""
    values = (one["low"], one["value"], one["high"])
    return all(value is not None and 0 <= value <= 1 for value in values)


def _enter(
    one: Record,
    numbers: Numbers,
    scale: _Scale | None,
    *,
    first: bool,
    others: Iterable[Record | None],
) -> Entry:
    score, interval = _write(one, numbers)
    whisker = None
    if scale is not None and interval and one["value"] is not None:
        at, start, end = (_place(one[name], scale) for name in ("value", "low", "high"))
        whisker = Whisker(at, start, end, f"{score.text} {interval}")
    return Entry(
        one["system"],
        bool(one.get("baseline")),
        "" if one.get("rank") is None else str(one["rank"]),
        format_range(one.get("best_rank"), one.get("worst_rank")),
        format_change(one.get("rank"), one.get("previous_rank")),
        score,
        interval,
        whisker,
        one.get("letters") or "",
        one.get("best_rank") == 1,
        first,
        tuple(_write(other or _NOTHING, numbers) for other in others),
    )


def _place(value: float, scale: _Scale) -> float:
    """How far to the right a number stands."""
    low, high = scale
    share = (value - low) / (high - low or 1)
    return round(_MARGIN + share * (_WIDTH - 2 * _MARGIN), 1)


def _write(one: Record, numbers: Numbers) -> tuple[Number, str]:
    """The score and the interval of a record."""
    name = one["name"]
    return numbers.score(one["value"], name), numbers.interval(one["low"], one["high"], name)


def _begins(before: Sequence[Record], one: Record) -> bool:
    """Whether a cluster begins with a row; baselines stand among the others and begin none."""
    clusters = [former.get("cluster") for former in before]
    known = [cluster for cluster in clusters if cluster is not None]
    return bool(known) and one.get("cluster") not in (None, known[-1])


def _title(ranked: Sequence[Record], group: str | None) -> str:
    n = max(one["n"] for one in ranked)
    of = f"{n:,} example" if n == 1 else f"{n:,} examples"
    place = "mean over groups, " if group == "macro" else ""
    track = ranked[0].get("track")
    return f"{track}: {place}{of}" if track else f"{place}{of}"


def _name_ends(scale: _Scale | None, numbers: Numbers, name: str) -> tuple[str, ...]:
    return tuple(numbers.score(float(end), name).text for end in scale or ())
