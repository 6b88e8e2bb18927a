"""From tallies to scores: each metric on every group, their mean (macro) and their sum (micro)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import __version__
from tallystick.errors import InputError, UsageError
from tallystick.evaluate.notes import list_notes
from tallystick.evaluate.system import System, count, counter_of
from tallystick.metrics.metric import Metric
from tallystick.metrics.names import parse
from tallystick.metrics.usual import USUAL
from tallystick.report.evaluation import Evaluation
from tallystick.results import ConfusionMatrix, Score
from tallystick.tallies import Confusion, ConfusionTally, Curve
from tallystick.tallies.confusion import count_groups

__all__ = ["Lead", "assemble", "choose"]

Lead = tuple[tuple[str, str], ...]


def choose(metrics: Sequence[Metric | str] | None, system: System) -> tuple[Metric, ...]:
    """The metrics to score a system with: those named, or the task's usual ones.

    Raises:
        UsageError: A metric does not exist, does not fit the task, or lacks probabilities.
    """
    kind = system.task.kind or "binary"
    if metrics is None:
        return tuple(m for m in USUAL[kind] if Curve not in m.counters or system.has_probabilities)
    if not metrics:
        raise UsageError("no metric was named; leave metrics out for the usual ones")
    parsed = (parse(metric, kind) if isinstance(metric, str) else metric for metric in metrics)
    named = tuple(dict.fromkeys(parsed))
    for metric in named:
        if counter_of(metric, system) is Curve and not system.has_probabilities:
            raise UsageError(
                f"{metric.short} needs probabilities, and {system.name} has none for every example"
            )
    return named


def assemble(systems: Sequence[tuple[System, Sequence[Metric]]], lead: Lead) -> Evaluation:
    """Scores each system with its metrics.

    Args:
        systems: Who is scored with what, in the order of rows and columns.
        lead: The heading of each leading column and the field of `Score` that fills it.
    """
    scores: list[Score] = []
    matrices: list[ConfusionMatrix] = []
    notes: list[str] = []
    for system, metrics in systems:
        _check_groups(system, lead)
        bound = tuple(_bind(metric, system) for metric in metrics)
        tallies = count(bound, system)
        own = _Sheet(system, tallies, _measure(system), _describe(system, lead)).score(bound)
        scores += own
        notes += list_notes(system, bound, tallies, own)
        if Confusion in tallies:
            matrices.append(_matrix(system.name, tallies[Confusion].total()))
    return Evaluation(tuple(scores), lead, tuple(matrices), tuple(dict.fromkeys(notes)))


def _check_groups(system: System, lead: Lead) -> None:
    for name, meaning in (("macro", "mean over groups"), ("micro", "row of all groups together")):
        if name in system.groups:
            heading = next(heading for heading, field in lead if field == "group")
            raise InputError(
                f"{system.name}: a group in {heading!r} is called {name!r}, which is the name of "
                f"the {meaning}; rename it"
            )


def _bind(metric: Metric, system: System) -> Metric:
    """Writes the task's positive label, and labels that were named, into a metric."""
    options = {field.name: getattr(metric, field.name) for field in fields(metric)}  # type: ignore[arg-type]
    binary = options.get("average", "binary") == "binary"
    if system.task.kind == "binary" and binary and options.get("positive", "") is None:
        return replace(metric, positive=system.task.positive)  # type: ignore[type-var]
    named = system.asked.labels is not None and system.task.kind == "multiclass"
    if named and not binary and options.get("labels", ()) is None:
        return replace(metric, labels=system.task.labels)  # type: ignore[type-var]
    return metric


@dataclass(frozen=True, slots=True)
class _Sheet:
    """The score sheet of one system."""

    system: System
    tallies: dict[type, Any]
    sizes: dict[str | None, int]
    data: str

    def score(self, metrics: Sequence[Metric]) -> list[Score]:
        """All scores, row by row: groups, macro, micro, and then one row per label."""
        rows: dict[str | None, list[Score]] = {}
        labelled: dict[str, list[Score]] = {}
        for metric in metrics:
            tally = self.tallies[counter_of(metric, self.system)]
            together = metric.score(tally.total())[..., 0, :] if metric.per_label else None
            if together is not None:
                for label, value in zip(tally.labels, together, strict=True):
                    row = labelled.setdefault(str(label), [])
                    row.append(self._write(metric, self._whole, str(label), value))
                continue
            for group, value in self._by_row(metric, tally):
                rows.setdefault(group, []).append(self._write(metric, group, None, value))
        return [score for row in (*rows.values(), *labelled.values()) for score in row]

    @property
    def _whole(self) -> str | None:
        return "micro" if self.system.groups else None

    def _by_row(self, metric: Metric, tally: Any) -> list[tuple[str | None, Any]]:
        whole = self._score_whole(metric, tally)
        groups = self.system.groups
        if not groups:
            return [(None, whole)]
        values = metric.score(tally)
        seen = [str(group) for group in tally.groups]
        found = {group: values[seen.index(group)] if group in seen else np.nan for group in groups}
        return [*found.items(), ("macro", _mean(values)), ("micro", whole)]

    def _score_whole(self, metric: Metric, tally: Any) -> Any:
        """The score of all groups together; undefined where a part lacks probabilities."""
        partial = counter_of(metric, self.system) is Curve and not self.system.has_probabilities
        return np.nan if partial else metric.score(tally.total())[..., 0]

    def _write(self, metric: Metric, group: str | None, label: str | None, value: Any) -> Score:
        return Score(
            self.system.name,
            group,
            label,
            repr(metric),
            metric.name,
            np.asarray(value).item(),
            self.sizes[group],
            f"{metric!r}|{self.data}",
        )


def _measure(system: System) -> dict[str | None, int]:
    """How many examples each row of scores is about: those of a group, or all."""
    sizes: Counter[str | None] = Counter()
    for part in system.parts:
        if part.groups is not None:
            counts = count_groups(part).tolist()
            sizes.update(dict(zip(map(str, part.groups.names), counts, strict=True)))
    return sizes | dict.fromkeys((None, "macro", "micro"), sum(map(len, system.parts)))


def _mean(values: NDArray[Any]) -> float:
    """The plain mean of the groups in which the metric is defined; a mean of counts is none."""
    if values.dtype.kind != "f" or np.isnan(values).all():
        return np.nan
    return float(np.nanmean(values))


def _describe(system: System, lead: Lead) -> str:
    """What shaped the data, for signatures."""
    task = system.task
    labels = ",".join(map(str, task.labels or ()))
    facts = [f"task:{task.kind}", f"labels:{labels}"]
    facts += [f"by:{heading}" for heading, field in lead if field == "group"]
    if any(part.weights is not None for part in system.parts):
        facts.append("weighted:yes")
    if task.threshold is not None:
        facts.append(f"threshold:{task.threshold:g}")
    return "|".join([*facts, f"version:{__version__}"])


def _matrix(system: str, tally: ConfusionTally) -> ConfusionMatrix:
    rows = tuple(tuple(row) for row in tally.counts[0].tolist())
    return ConfusionMatrix(system, tuple(map(str, tally.labels)), rows)
