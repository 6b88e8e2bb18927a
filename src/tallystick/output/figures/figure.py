"""A figure, which can be drawn, edited, and shown by notebooks, and those that a result has."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from os import PathLike
from pathlib import PurePath
from typing import TypeAlias

from msgspec import Struct

from tallystick.errors import UsageError
from tallystick.io.files.opening import write_bytes
from tallystick.output.figures import forest, plots
from tallystick.output.figures.drawing import draw, draw_svg, widen_svg
from tallystick.output.figures.layers import Record, Spec

MOST_SYSTEMS = 8
"""The palette has no more colours that readers can tell apart."""

MOST_ROWS = 100
"""More groups or labels fill more than a page."""

_PROBABILITIES = (
    "probabilities, a metric of them such as roc_auc, and one system, or up to 8 of a binary task"
)
_NEEDS = {
    "confusion": "labels, and one system where there are several",
    "critical-difference": "rank over groups or tracks with `overall='mean_rank'`, and three "
    "systems or more",
    "depths": "a metric at several k, such as nDCG@5 and nDCG@10, and up to 8 systems",
    "groups": "up to 100 groups, and up to 8 systems; a heatmap has room for more",
    "heatmap": "groups",
    "labels": "metrics per label, up to 100 labels, and up to 8 systems",
    "lengths": "the lengths of references, which bleu, chrf, ter and wer count, of 40 to 8,192 "
    "texts without clusters, and up to 8 systems",
    "pr": _PROBABILITIES,
    "reliability": _PROBABILITIES,
    "risks": "a metric of abstention such as aurc, and up to 8 systems",
    "roc": _PROBABILITIES,
    "scores": "several systems",
    "threshold": "probabilities of one label, a metric of them such as roc_auc, and one system "
    "where there are several",
    "wins": "preferences, and the metric bradley_terry",
}
"""What a result must have for a figure."""

_NOTEBOOK = 600
"""How many pixels wide figures are in a notebook."""
_MIME = "application/vnd.vegalite.v6+json"


class Figure(Struct, frozen=True):
    """A figure as a Vega-Lite specification, which contains its data.

    Attributes:
        kind: What it shows, such as `rank` or `confusion`.
        spec: The specification, which Vega-Lite's editor and `altair.Chart.from_dict` take.
    """

    kind: str
    spec: Spec

    def __repr__(self) -> str:
        return f"Figure(kind={self.kind!r})"

    def to_svg(self) -> str:
        """Returns the figure as SVG.

        Raises:
            UsageError: The extra `report` is not installed.
        """
        return draw_svg(self.spec)

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the figure to a file, whose ending is .svg, .pdf or .png.

        Raises:
            UsageError: The extra `report` is not installed, or the file has another ending.
        """
        write_bytes(os.fspath(path), draw(self.spec, PurePath(path).suffix))

    def _repr_mimebundle_(self, **_: object) -> dict[str, object]:
        bundle: dict[str, object] = {"text/plain": repr(self)}
        try:
            bundle["image/svg+xml"] = widen_svg(self.to_svg(), _NOTEBOOK)
        except UsageError:
            bundle[_MIME] = self.spec
        return bundle


def make_figure(
    result: object,
    kind: str | None = None,
    *,
    metric: str | None = None,
    system: str | None = None,
    wide: bool = False,
) -> Figure:
    """Returns a figure of a result in JSON; the parameters are those of `Result.figure`."""
    drawers = list_figures(result, metric=metric, system=system)
    if not drawers and kind is None:
        raise UsageError("there is nothing to draw in this result")
    spelled = {name.casefold(): name for name in drawers}
    chosen = next(iter(drawers)) if kind is None else spelled.get(kind.casefold(), kind)
    if chosen not in drawers:
        known = ", ".join(drawers) or "its tables"
        needs = f"; {chosen} needs {_NEEDS[chosen]}" if chosen in _NEEDS else ""
        raise UsageError(f"there is no figure {chosen!r} of this result, only {known}{needs}")
    return Figure(chosen, drawers[chosen](wide=wide))


Drawers: TypeAlias = dict[str, Callable[..., Spec]]
"""The function that makes the specification of each figure; all take `wide`."""

Records: TypeAlias = Sequence[Record]

_MAIN = (None, "macro", "micro")


def list_figures(
    result: object, *, metric: str | None = None, system: str | None = None
) -> Drawers:
    """Returns the function that draws each figure of a result, the usual figure first."""
    parts: Record = result if isinstance(result, dict) else {}
    if "places" in parts:
        drawers = _list_ranking(parts["places"], metric)
        if friedman := parts.get("friedman"):
            drawers["critical-difference"] = partial(forest.draw_critical_difference, friedman)
        return drawers
    if "verdict" in parts:
        checks = parts["checks"] if metric is None else _keep(parts["checks"], metric)
        return {"gate": partial(forest.draw_checks, checks)} if checks else {}
    if "differences" in parts:
        return _list_comparison(_keep(parts["differences"], metric))
    return _list_scores(parts, metric, system) if "scores" in parts else {}


def _list_ranking(places: Records, metric: str | None) -> Drawers:
    tracks = groupby(places, lambda place: place["track"])
    drawers: Drawers = {}
    boards: dict[str, list[Record]] = {}
    for place in [one for _, own in tracks for one in _keep([*own], metric)]:
        group = None if place["group"] in ("macro", None) else place["group"]
        name = " ".join(filter(None, ("rank", place["track"], group)))
        boards.setdefault(name, []).append(place)
    for name, own in sorted(boards.items(), key=lambda item: item[1][0]["group"] not in _MAIN[:2]):
        drawers[name if drawers else "rank"] = partial(forest.draw_ranking, own)
    return drawers


def _list_comparison(differences: Records) -> Drawers:
    if not differences:
        return {}
    groups = {one["group"] for one in differences}
    main = next((one for one in _MAIN if one in groups), None)
    overall = [one for one in differences if one["group"] == main]
    drawers: Drawers = {"compare": partial(forest.draw_differences, overall)} if overall else {}
    if len(groups) > 1:
        drawers["groups"] = partial(forest.draw_differences, differences)
    return drawers


def _list_scores(parts: Record, metric: str | None, system: str | None) -> Drawers:
    known = dict.fromkeys(one["system"] for one in parts["scores"])
    if system not in (None, *known):
        raise UsageError(f"there is no system {system!r} in these results, only {', '.join(known)}")
    if metric is not None:
        _keep(parts["scores"], metric)

    def choose(name: str) -> Records:
        return [one for one in parts.get(name, ()) if system in (None, one["system"])]

    found = choose("scores")
    scores = [one for one in found if one["label"] is None]
    drawers = _list_dots(_match(scores, metric))
    depths = plots.find_depths([one for one in scores if one["group"] in _MAIN[:2]], metric)
    if _are_few(depths):
        drawers["depths"] = partial(plots.draw_depths, depths)
    drawers |= _list_labels([one for one in found if one["label"] is not None], metric)
    if len(matrices := choose("confusions")) == 1:
        drawers["confusion"] = partial(plots.draw_confusion, matrices[0])
    for wins in parts.get("wins", ()):
        drawers["wins"] = partial(plots.draw_wins, wins)
    drawers |= _list_curves(choose("curves"), scores)
    if _are_few(risks := choose("risks")):
        drawers["risks"] = partial(plots.draw_risks, risks, _find_areas(scores, "aurc"))
    lengths = _match(choose("lengths"), metric)
    if _are_few(lengths) and len({one["shortest"] for one in lengths}) > 1:
        drawers["lengths"] = partial(plots.draw_lengths, lengths)
    return drawers


def _are_few(records: Records) -> bool:
    return 0 < len({one["system"] for one in records}) <= MOST_SYSTEMS


def _match(records: Records, metric: str | None) -> Records:
    return _keep([one for one in records if metric in (None, one["name"], one["metric"])], None)


def _list_dots(scores: Records) -> Drawers:
    drawers: Drawers = {}
    main = [one for one in scores if one["group"] in (None, "macro")]
    if len({one["system"] for one in main}) > 1:
        drawers["scores"] = partial(forest.draw_scores, main, "system")
    if grouped := [one for one in scores if one["group"] is not None]:
        if len({one["group"] for one in grouped}) <= MOST_ROWS and _are_few(grouped):
            drawers["groups"] = partial(forest.draw_scores, grouped, "group")
        drawers["heatmap"] = partial(plots.draw_heatmap, grouped)
    return drawers


def _list_labels(scores: Records, metric: str | None) -> Drawers:
    """The scores per label, by the metric where it has such, else by F1 or the first."""
    good = [one for one in scores if one["better"] != "neither"]
    if not 0 < len({one["label"] for one in good}) <= MOST_ROWS or not _are_few(good):
        return {}
    known = {name: one["metric"] for one in good for name in (one["metric"], one["name"])}
    chosen = next((known[name] for name in (metric, "f1") if name in known), good[0]["metric"])
    # How many examples of the gold have each label, where that is known.
    support = {one["label"]: one["value"] for one in scores if one["name"] == "support"}
    own = [
        {**one, "n": support.get(one["label"], one["n"])} for one in good if one["metric"] == chosen
    ]
    return {"labels": partial(forest.draw_scores, own, "label")}


def _list_curves(curves: Records, scores: Records) -> Drawers:
    if not _are_few(curves) or 1 < len({one["system"] for one in curves}) < len(curves):
        return {}
    precisions = _find_areas(scores, "average_precision")
    drawers: Drawers = {
        "roc": partial(plots.draw_roc, curves, _find_areas(scores, "roc_auc")),
        "pr": partial(plots.draw_precision_recall, curves, precisions),
    }
    if any(one["bins"] for one in curves):
        drawers["reliability"] = partial(plots.draw_reliability, curves)
    if len(curves) == 1:
        drawers["threshold"] = partial(plots.draw_thresholds, curves[0])
    return drawers


def _find_areas(scores: Records, name: str) -> dict[str, float]:
    return {
        one["system"]: one["value"]
        for one in scores
        if one["name"] == name and one["group"] in (None, "micro") and one["value"] is not None
    }


def _keep(records: Records, metric: str | None) -> Records:
    """The records of one metric; None takes the first that has a better direction."""
    if metric is None:
        first = next((one for one in records if one.get("better") != "neither"), None)
        return [one for one in records if first and one["metric"] == first["metric"]]
    kept = [one for one in records if metric in (one["name"], one["metric"])]
    if not kept:
        known = ", ".join(dict.fromkeys(one["name"] for one in records))
        raise UsageError(f"there is no metric {metric!r} in these results, only {known}")
    return kept
