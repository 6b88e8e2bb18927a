"""Says why metrics have no score, and why scores are exactly 0 where that is the worst value."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from tallystick.kinds.labels.counters import Confusion
from tallystick.model.tallies.metric import Metric, read_average
from tallystick.model.tallies.tally import Tally
from tallystick.output.tables.cells import list_some
from tallystick.output.tables.notes import Danger, Reason
from tallystick.scoring.counted import Counted
from tallystick.scoring.intervals.bounds import Observed, Side, average_groups
from tallystick.scoring.sheet import fill_sheet, find_undefined

Zero = tuple[str, str, str]
"""A system, the name of a metric by which it scores exactly 0, and why, in a clause on `it`."""


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
    """Writes a sentence for all scores of a system that are 0 for one reason.

    Systems of which the same metrics are 0 for the same reason share it.
    """
    told: dict[tuple[str, str], list[str]] = {}
    for system, metric, reason in zeros:
        told.setdefault((reason, system), []).append(metric)
    shared: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (reason, system), metrics in told.items():
        shared.setdefault((reason, tuple(metrics)), []).append(system)
    return [
        Reason(
            f"{', '.join(metrics)} of {list_some(systems)} {'is' if len(metrics) == 1 else 'are'}"
            f" 0: {reason}."
        )
        for (reason, metrics), systems in shared.items()
    ]


def find_zeros(system: str, observed: Mapping[Metric, Observed | None]) -> Iterator[Zero]:
    """Yields each metric of which 0 is the worst value, and which is 0 in all or over all groups.

    One that is 0 for some groups or some labels alone is not told: the table shows which.
    """
    counts = Counter(metric.name for metric in observed)
    for metric, one in observed.items():
        if one is None or metric.adds_up or metric.between:
            continue
        if metric.better != "higher" or metric.bounds[0] != 0:
            continue
        side = _find_side(metric, one)
        if side is not None:
            title = metric.name if counts[metric.name] == 1 else repr(metric)
            where = "" if side is one.whole else "in every group "
            yield system, title, where + _explain(metric, side)


def _find_side(metric: Metric, one: Observed) -> Side | None:
    """Where a metric is 0: over all examples, for every label there, or in every group."""
    values = one.whole.values[0]
    if (np.nan_to_num(values) == 0).all() and not np.isnan(values).all():
        return one.whole
    if not metric.per_label and average_groups(metric, one.groups.values) == 0:
        return one.groups
    return None


def _explain(metric: Metric, side: Side) -> str:
    place = int(np.argwhere(side.values == 0)[0, 0])
    if find_undefined(metric, side)[place].all():
        reason = filter(None, ("it is undefined", _find_reason(metric)))
        return f"{', '.join(reason)}, and its zero_division makes it 0"
    cells = side.tally.patterns
    if Confusion in metric.counters and cells is not None and cells.sets is None:
        return _explain_labels(metric, side.tally, place)
    return metric.explain_zero(side.tally, place)


def _explain_labels(metric: Metric, tally: Tally, place: int) -> str:
    """Why a metric of single labels is 0: nothing is right, or nothing that it looks for."""
    counts = tally.need_patterns().per_label()
    gold, predicted, hits = (side[place] for side in (counts.gold, counts.predicted, counts.hits))
    if not hits.any():
        return _explain_none_right(_name(tally, gold), _name(tally, predicted))
    positive = getattr(metric, "positive", None) if read_average(metric) == "binary" else None
    if positive in tally.labels:
        at = tally.labels.index(positive)
        if not gold[at]:
            return f"no gold example has the positive label {str(positive)!r}"
        if not hits[at]:
            never = "never correctly predicts" if predicted[at] else "never predicts"
            return f"it {never} the positive label {str(positive)!r}"
    return metric.explain_zero(tally, place)


def _name(tally: Tally, counts: Any) -> list[str]:
    return [str(label) for label, size in zip(tally.labels, counts, strict=True) if size]


def _explain_none_right(gold: list[str], used: list[str]) -> str:
    told = "it has no example right"
    if not used:
        return f"{told}; its outputs are missing or no label"
    if set(used) & set(gold):
        return told
    alike = {name.strip().casefold() for name in used} <= {name.strip().casefold() for name in gold}
    what = (
        "which differ from the labels of the gold in case or spaces only (`fold_case=True`)"
        if alike
        else "and none of these is a label of the gold"
    )
    return f"{told}; it predicts {list_some([*map(repr, used)])}, {what}"


def note_undefined(system: str, observed: Mapping[Metric, Observed | None]) -> list[str]:
    """Notes such metrics that are undefined over all examples, and where they are."""
    told: dict[str, list[str]] = {}
    for metric, one in observed.items():
        if one is None or metric.between or np.isfinite(one.whole.values).any():
            continue
        said = "infinite" if np.isinf(one.whole.values).any() else "undefined"
        if metric.averaged:
            from tallystick.kinds.composite_metrics import MeanOf

            assert isinstance(metric, MeanOf)
            lacking = metric.undefined_parts(one.whole.tally)
            parts = (filter(None, (f"{part.name} is", _find_reason(part))) for part in lacking)
            reason = f"because {' and '.join(map(', '.join, parts))}"
        else:
            reason = metric.explain_undefined(one.whole.tally) or _find_reason(metric)
        if reason:
            told.setdefault(f"{said}, {reason}", []).append(metric.name)
    return [
        Danger(f"{', '.join(names)} of {system} {'is' if len(names) == 1 else 'are'} {reason}.")
        for reason, names in told.items()
    ]


def _find_reason(metric: Metric) -> str:
    """When a metric is undefined, as its docstring says; nothing where it does not."""
    told = (type(metric).__doc__ or "").partition("Undefined:")[2].partition("Source:")[0]
    reason = " ".join(told.partition(";")[0].split()).rstrip(".")
    return reason and f"as always {reason}"
