"""From systems to scores: chooses metrics, counts, fills a sheet for each, and takes notes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from tallystick import __version__
from tallystick.errors import InputError, UsageError
from tallystick.evaluate.notes import list_notes, note_draws, note_sizes
from tallystick.evaluate.observed import observe
from tallystick.evaluate.redraws import open_source
from tallystick.evaluate.sheet import Lead, Sheet
from tallystick.evaluate.system import System, count, counter_of
from tallystick.evaluate.uncertainty import measure_spreads
from tallystick.intervals.settings import Intervals
from tallystick.metrics.metric import Metric
from tallystick.metrics.names import read_metrics
from tallystick.metrics.usual import USUAL
from tallystick.results import ConfusionMatrix, Score
from tallystick.results.evaluation import Evaluation
from tallystick.tallies import Confusion, ConfusionTally, Curve
from tallystick.tallies.confusion import count_groups

__all__ = ["assemble", "bind", "check_groups", "choose", "describe"]


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
    named = tuple(dict.fromkeys(read_metrics(metrics, kind)))
    for metric in named:
        if counter_of(metric, system) is Curve and not system.has_probabilities:
            raise UsageError(
                f"{metric.short} needs probabilities, and {system.name} has none for every example"
            )
    return named


def assemble(
    systems: Sequence[tuple[System, Sequence[Metric]]], lead: Lead, settings: Intervals | None
) -> Evaluation:
    """Scores each system with its metrics.

    Args:
        systems: Who is scored with what, in the order of rows and columns.
        lead: The heading of each leading column and the field of `Score` that fills it.
        settings: How intervals are made; None leaves them out.
    """
    scores: list[Score] = []
    matrices: list[ConfusionMatrix] = []
    notes: list[str] = []
    for system, metrics in systems:
        check_groups(system.name, system.groups, lead)
        bound = tuple(dict.fromkeys(bind(metric, system) for metric in metrics))
        tallies = count(bound, system)
        sheet = _fill(system, bound, tallies, lead)
        if settings is not None:
            spreads = measure_spreads(sheet.observed, open_source(system, settings))
            sheet = replace(sheet, spreads=spreads, level=settings.level)
        own = sheet.score()
        scores += own
        notes += list_notes(system, bound, tallies, own)
        notes += note_draws(sheet)
        # How many examples there are is said once, and not of every system.
        notes += note_sizes(sheet, own) if len(scores) == len(own) else []
        if Confusion in tallies:
            matrices.append(_matrix(system.name, tallies[Confusion].total()))
    return Evaluation(tuple(scores), lead, tuple(matrices), tuple(dict.fromkeys(notes)))


def check_groups(system: str, groups: Sequence[str], lead: Lead) -> None:
    """Raises an InputError where a group has the name of a row that is about several."""
    for name, meaning in (("macro", "mean over groups"), ("micro", "row of all groups together")):
        if name in groups:
            heading = next(heading for heading, field in lead if field == "group")
            raise InputError(
                f"{system}: a group in {heading!r} is called {name!r}, which is the name of "
                f"the {meaning}; rename it"
            )


def _fill(
    system: System, metrics: Sequence[Metric], tallies: Mapping[type, Any], lead: Lead
) -> Sheet:
    counters = {metric: counter_of(metric, system) for metric in metrics}
    partial = () if system.has_probabilities else (m for m in metrics if counters[m] is Curve)
    return Sheet(
        system.name,
        system.groups,
        _measure(system),
        observe({metric: tallies[counter] for metric, counter in counters.items()}),
        frozenset(partial),
        describe(system, lead),
    )


def bind(metric: Metric, system: System) -> Metric:
    """Writes the task's positive label, and labels that were named, into a metric."""
    options = {field.name: getattr(metric, field.name) for field in fields(metric)}  # type: ignore[arg-type]
    binary = options.get("average", "binary") == "binary"
    if system.task.kind == "binary" and binary and options.get("positive", "") is None:
        return replace(metric, positive=system.task.positive)  # type: ignore[type-var]
    named = system.asked.labels is not None and system.task.kind == "multiclass"
    if named and not binary and options.get("labels", ()) is None:
        return replace(metric, labels=system.task.labels)  # type: ignore[type-var]
    return metric


def _measure(system: System) -> dict[str | None, int]:
    """How many examples each row of scores is about: those of a group, or all."""
    sizes: Counter[str | None] = Counter()
    for part in system.parts:
        if part.groups is not None:
            counts = count_groups(part).tolist()
            sizes.update(dict(zip(map(str, part.groups.names), counts, strict=True)))
    return sizes | dict.fromkeys((None, "macro", "micro"), sum(map(len, system.parts)))


def describe(system: System, lead: Lead) -> str:
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
