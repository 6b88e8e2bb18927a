"""Scores as tables, and as lines of words and numbers."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TypeAlias

from tallystick.errors import UsageError
from tallystick.render.cells import Bounded, Cell, Ends
from tallystick.render.document import Grid, Line, Paragraph, Row
from tallystick.results.records import Difference, Place, Score

__all__ = ["Lead", "list_grids", "list_paragraphs", "name_metrics"]

Lead: TypeAlias = tuple[tuple[str, str], ...]
"""The heading of each leading column with the field of `Score` that fills it."""

_Owner: TypeAlias = tuple[str, str | None]
"""A system and a group."""

_AVERAGES = frozenset({"macro", "micro"})


def list_grids(scores: Sequence[Score], lead: Lead) -> list[Grid]:
    """List the overview and the scores per class, as far as there are such scores."""
    grids = []
    overall = [score for score in scores if score.label is None]
    if overall:
        grids.append(_pivot_overview(overall, lead))
    classes = [score for score in scores if score.label is not None]
    if classes:
        grids.append(_pivot_classes(classes, lead))
    return grids


def _pivot_overview(scores: Sequence[Score], lead: Lead) -> Grid:
    headings, blocks = _pivot(scores, lead, lambda score: score.group in _AVERAGES)
    return Grid("overview", "", headings, len(lead), blocks)


def _pivot_classes(scores: Sequence[Score], lead: Lead) -> Grid:
    headings_by_field = {field: heading for heading, field in lead}
    shown = [("label", "label")]
    if any(score.group is not None for score in scores):
        shown.insert(0, (headings_by_field.get("group", "group"), "group"))
    if len({score.system for score in scores}) > 1:
        shown.insert(0, (headings_by_field.get("system", "system"), "system"))
    headings, blocks = _pivot(scores, tuple(shown), lambda score: (score.system, score.group))
    return Grid("classes", "Per class", headings, len(shown), blocks)


def _pivot(
    scores: Sequence[Score], lead: Lead, part: Callable[[Score], object]
) -> tuple[tuple[str, ...], tuple[tuple[Row, ...], ...]]:
    """Return headings and blocks; consecutive rows with the same `part` make a block."""
    names = name_metrics(scores)
    values: dict[tuple[Row, str], Cell] = {}
    parts: dict[Row, object] = {}
    for score in scores:
        key = tuple(getattr(score, field) for _, field in lead)
        place = (key, names[score.metric])
        if place in values:
            raise UsageError(
                f"Two scores of {place[1]} fall into one row, {key}, expected leading columns "
                "that distinguish them."
            )
        values[place] = _bound(score)
        parts.setdefault(key, part(score))
    metrics = tuple(dict.fromkeys(names.values()))
    blocks = tuple(
        tuple((*key, *(values.get((key, metric)) for metric in metrics)) for key in keys)
        for _, keys in groupby(parts, parts.__getitem__)
    )
    return (*(heading for heading, _ in lead), *metrics), blocks


def _bound(score: Score) -> Cell:
    """The value of a score, with its interval where it has one."""
    if math.isnan(score.low):
        return score.value
    return Bounded(score.value, Ends(score.low, score.high, isinstance(score.value, int)))


def list_paragraphs(scores: Sequence[Score]) -> tuple[Paragraph, ...]:
    """List the overall scores of each system and group, and below them those per class."""
    overall = _list_overall([score for score in scores if score.label is None])
    classes = _list_classes([score for score in scores if score.label is not None])
    owners = dict.fromkeys((*overall, *classes))
    paragraphs: list[Paragraph] = []
    for owner in owners:
        first, *others = (lines[owner] for lines in (overall, classes) if owner in lines)
        head = [Line(f"[{' · '.join(filter(None, owner))}]")] if len(owners) > 1 else []
        paragraphs += ((*head, *first), *map(tuple, others))
    return tuple(paragraphs)


def _list_overall(scores: Sequence[Score]) -> dict[_Owner, list[Line]]:
    titles = _distinguish({score.metric: score.title for score in scores})
    lines: dict[_Owner, list[Line]] = {}
    for score in scores:
        value = (titles[score.metric], _bound(score))
        lines.setdefault((score.system, score.group), []).append(Line("", (value,)))
    return lines


def _list_classes(scores: Sequence[Score]) -> dict[_Owner, list[Line]]:
    """Make one line per class; its support is no measure of the system and is left out."""
    titles = _distinguish({score.metric: score.title for score in scores})
    classes: dict[tuple[_Owner, str | None], list[tuple[str, Cell]]] = {}
    for score in scores:
        if score.name != "support":
            value = (titles[score.metric], _bound(score))
            classes.setdefault(((score.system, score.group), score.label), []).append(value)
    lines: dict[_Owner, list[Line]] = {}
    for (owner, label), values in classes.items():
        line = Line(f"Class: {label} - ", tuple(values))
        lines.setdefault(owner, [Line("Per-Class Metrics:")]).append(line)
    return lines


def name_metrics(records: Sequence[Score | Place | Difference]) -> dict[str, str]:
    """Give each metric, by its repr, its heading: the name, or the repr where several share it."""
    return _distinguish({one.metric: one.name for one in records})


def _distinguish(names: dict[str, str]) -> dict[str, str]:
    counts = Counter(names.values())
    return {metric: name if counts[name] == 1 else metric for metric, name in names.items()}
