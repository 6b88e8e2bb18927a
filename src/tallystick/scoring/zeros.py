"""Says why scores are exactly 0."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallystick.metrics.metric import Metric
from tallystick.render.notes import Reason
from tallystick.results.listing import list_some
from tallystick.scoring.bounds import Observed, Side
from tallystick.scoring.counted import Counted
from tallystick.scoring.sheet import fill_sheet, find_undefined
from tallystick.tallies.confusion import Confusion


@dataclass(frozen=True, slots=True)
class Zero:
    """A score that is exactly 0.

    Attributes:
        system: Whose score it is.
        metric: The short name of the metric.
        where: The groups or labels that it is 0 for; empty where it is so for all together.
        reason: Why, as a sentence on `it`, the system.
    """

    system: str
    metric: str
    where: tuple[str, ...]
    reason: str


def list_zeros(counted: Counted) -> list[Reason]:
    """Explains the scores of all systems that are 0."""
    return explain_zeros(
        zero
        for system in counted.systems
        for zero in find_zeros(
            system, fill_sheet(counted, system, counted.scorable(system)).observed
        )
    )


def explain_zeros(zeros: Iterable[Zero]) -> list[Reason]:
    """Writes a sentence for the scores that are 0 for one reason in the same place."""
    told: dict[tuple[tuple[str, ...], str], dict[str, list[str]]] = {}
    for one in zeros:
        told.setdefault((one.where, one.reason), {}).setdefault(one.system, []).append(one.metric)
    sentences = []
    for (where, reason), systems in told.items():
        same: dict[tuple[str, ...], list[str]] = {}
        for system, metrics in systems.items():
            same.setdefault(tuple(dict.fromkeys(metrics)), []).append(system)
        place = f" for {list_some([*map(repr, where)])}" if where else ""
        sentences += [
            Reason(
                f"{', '.join(metrics)} of {list_some(names)} {'is' if len(metrics) == 1 else 'are'}"
                f" 0{place}: {reason}."
            )
            for metrics, names in same.items()
        ]
    return sentences


def find_zeros(system: str, observed: Mapping[Metric, Observed | None]) -> Iterator[Zero]:
    """Yields each metric that is 0 over all examples, for some labels, or else in some groups."""
    counts = Counter(metric.name for metric in observed)
    titles = {one: one.name if counts[one.name] == 1 else repr(one) for one in observed}
    labels = {metric: _find_labels(metric, one) for metric, one in observed.items()}
    missed = tuple(dict.fromkeys(name for names in labels.values() for name in names))
    for metric, one in observed.items():
        if labels[metric]:
            yield Zero(system, titles[metric], missed, "it predicts none of these right")
        elif one is not None and not metric.adds_up and not metric.per_label:
            for where, reason in _find_rows(metric, one):
                yield Zero(system, titles[metric], where, reason)


def _find_rows(metric: Metric, one: Observed) -> Iterator[tuple[tuple[str, ...], str]]:
    if one.whole.values[0] == 0:
        yield (), _explain(metric, one.whole, 0)
        return
    groups: dict[str, list[str]] = {}
    for place in np.flatnonzero(one.groups.values == 0).tolist():
        reason = _explain(metric, one.groups, place)
        groups.setdefault(reason, []).append(str(one.groups.tally.groups[place]))
    yield from ((tuple(names), reason) for reason, names in groups.items())


def _find_labels(metric: Metric, one: Observed | None) -> tuple[str, ...]:
    """The labels with a score of 0 over all examples, where it is defined."""
    if one is None or not metric.per_label or metric.adds_up:
        return ()
    zeros = (one.whole.values[0] == 0) & ~find_undefined(metric, one.whole)[0]
    labels = getattr(metric, "labels", None) or one.whole.tally.labels
    return tuple(str(labels[place]) for place in np.flatnonzero(zeros).tolist())


def _explain(metric: Metric, side: Side, place: int) -> str:
    if find_undefined(metric, side)[place]:
        from tallystick.metrics.reference import describe

        told = describe(type(metric)).undefined.partition(";")[0].rstrip(".")
        return f"it is undefined, as always {told}, and its zero_division makes it 0"
    if Confusion in metric.counters and side.tally.gold.ndim == 1 and metric.bounds[0] == 0:
        return _explain_labels(metric, side.tally, place)
    return metric.explain_zero(side.tally, place)


def _explain_labels(metric: Metric, tally: Any, place: int) -> str:
    """Why a metric of single labels is 0: nothing is right, or nothing that it looks for."""
    counts = tally.per_label()
    gold, predicted, hits = (side[place] for side in (counts.gold, counts.predicted, counts.hits))
    if not hits.any():
        return _explain_none_right(_name(tally, gold), _name(tally, predicted))
    positive = getattr(metric, "positive", None)
    if positive in tally.labels and getattr(metric, "average", None) == "binary":
        at = tally.labels.index(positive)
        if gold[at] and not hits[at]:
            never = "never correctly predicts" if predicted[at] else "never predicts"
            return f"it {never} the positive label {str(positive)!r}"
    return metric.explain_zero(tally, place)


def _name(tally: Any, counts: Any) -> list[str]:
    return [str(label) for label, size in zip(tally.labels, counts, strict=True) if size]


def _explain_none_right(gold: list[str], used: list[str]) -> str:
    told = "it has no example right"
    if not used:
        return f"{told}; its outputs are missing or no label"
    if set(used) & set(gold):
        return told
    alike = {name.strip().casefold() for name in used} <= {name.strip().casefold() for name in gold}
    what = (
        "which differ from the labels of the gold in case or spaces only (--fold-case)"
        if alike
        else "and none of these is a label of the gold"
    )
    return f"{told}; it predicts {list_some([*map(repr, used)])}, {what}"
