"""Which figures a result has, by what its JSON holds."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from tallystick.errors import UsageError
from tallystick.figures.checks import draw_checks
from tallystick.figures.confusion import draw_confusion
from tallystick.figures.forest import draw_differences
from tallystick.figures.groups import draw_groups, draw_heatmap, draw_scores
from tallystick.figures.rank import draw_ranking
from tallystick.figures.theme import Record, Spec

__all__ = ["Drawers", "list_figures"]

Drawers: TypeAlias = dict[str, Callable[..., Spec]]
"""What makes the specification of each kind of figure; all take `wide`."""

Records: TypeAlias = Sequence[Record]

_MAIN = (None, "macro", "micro")
_AVERAGES = ("macro", "micro")


def list_figures(result: Any, *, metric: str | None = None, system: str | None = None) -> Drawers:
    """Returns what makes each figure of a result, the usual one first.

    Args:
        result: What `-o result.json` writes, read again.
        metric: The short name or the repr of the metric to draw; None takes the first.
        system: The system to draw, where a figure is of one; None takes all or the only one.

    Raises:
        UsageError: There is no such metric or system.
    """
    parts: Mapping[str, Any] = {"scores": result} if isinstance(result, list) else result
    if "places" in parts:
        return _list_ranking(_keep(parts["places"], metric))
    if "checks" in parts:
        return _list_checks(parts["checks"], metric)
    if "differences" in parts:
        return _list_comparison(_keep(parts["differences"], metric))
    return _list_scores(parts, metric, system)


def _list_ranking(places: Records) -> Drawers:
    """The ranking by all examples, and that of each further track and group."""
    drawers: Drawers = {}
    boards: dict[str, list[Record]] = {}
    for place in places:
        group = None if place["group"] in ("macro", None) else place["group"]
        name = " ".join(filter(None, ("rank", place["track"], group)))
        boards.setdefault(name, []).append(place)
    for name, own in sorted(boards.items(), key=lambda item: item[1][0]["group"] not in _MAIN[:2]):
        drawers[name if drawers else "rank"] = partial(draw_ranking, own)
    return drawers


def _list_comparison(differences: Records) -> Drawers:
    """The forest plot of all examples, and that of every group."""
    if not differences:
        return {}
    groups = {one["group"] for one in differences}
    main = next((one for one in _MAIN if one in groups), None)
    overall = [one for one in differences if one["group"] == main]
    drawers: Drawers = {"compare": partial(draw_differences, overall)} if overall else {}
    if len(groups) > 1:
        drawers["groups"] = partial(draw_differences, differences)
    return drawers


def _list_checks(checks: Records, metric: str | None) -> Drawers:
    chosen = checks if metric is None else _keep(checks, metric)
    return {"gate": partial(draw_checks, chosen)} if chosen else {}


def _list_scores(parts: Mapping[str, Any], metric: str | None, system: str | None) -> Drawers:
    overall = [one for one in parts["scores"] if one.get("label") is None]
    own = _keep(_choose(overall, system), metric)
    grouped = [one for one in own if one["group"] is not None]
    systems = dict.fromkeys(one["system"] for one in own)
    drawers: Drawers = {}
    if grouped:
        drawers["groups"] = partial(draw_groups, grouped)
        drawers["heatmap"] = partial(draw_heatmap, grouped)
    main = [one for one in own if one["group"] in (None, "macro")]
    if len(systems) > 1 and main:
        drawers = {"scores": partial(draw_scores, main), **drawers}
    matrices = _choose(parts.get("confusions", ()), system)
    if len(matrices) == 1:
        drawers["confusion"] = partial(draw_confusion, matrices[0])
    return drawers


def _choose(records: Records, system: str | None) -> Records:
    if system is None:
        return records
    return [one for one in records if one["system"] == system]


def _keep(records: Records, metric: str | None) -> Records:
    """The records of one metric."""
    if metric is None:
        return [one for one in records if one["metric"] == records[0]["metric"]]
    kept = [one for one in records if metric in (one["name"], one["metric"])]
    if not kept:
        known = ", ".join(dict.fromkeys(one["name"] for one in records))
        raise UsageError(f"there is no metric {metric!r} in these results, only {known}")
    return kept
