"""Says of logs what must be known: their status, their coverage, and what they report."""

import math
from collections.abc import Iterator, Mapping, Sequence

from tallystick.io.logs.log import Log, Reported, get
from tallystick.model.columns import Columns
from tallystick.output.tables.notes import Danger
from tallystick.reading.logs.log_systems import Held, HeldSample, LogSystem, is_known


def note_logs(
    systems: Sequence[LogSystem],
    own: Mapping[str, Held],
    common: int,
    columns: Sequence[str],
    named: Columns,
) -> tuple[str, ...]:
    """Returns the notes on logs."""
    fate = "count as wrong" if named.missing == "wrong" else "are left out"
    notes = [
        *_note_common(own, common),
        *(note for name, held in own.items() for note in _note_coverage(name, held, columns, fate)),
        *_note_reports(systems, own, columns),
        *(note for system in systems for log in system.logs for note in _note_log(log)),
        *_note_settings(systems),
    ]
    tasks = {log.task for system in systems for log in system.logs}
    if len(systems) > 1 and len(tasks) == 1 and tasks != {""}:
        notes.append(f"the task of the logs is {tasks.pop()}.")
    clusters = {log.clusters for system in systems for log in system.logs}
    if named.clusters is not None and named.clusters in clusters:
        notes.append(f"the samples of one {named.clusters} form a cluster, as the log says.")
    return tuple(notes)


def _note_log(log: Log) -> Iterator[str]:
    if log.status:
        yield Danger(f"{log.source} {log.status}.")
    if log.total and len(log.samples) < log.total and not log.reported:
        yield Danger(f"{log.source} holds {len(log.samples):,} of {log.total:,} samples.")
    for reducer in log.reducers:
        if not is_known(reducer):
            yield Danger(f"the reducer {reducer!r} of {log.source} is unknown and ignored.")
    yield from map(Danger, log.notes)


def _note_settings(systems: Sequence[LogSystem]) -> Iterator[str]:
    tasks = dict.fromkeys(log.task for system in systems for log in system.logs)
    for task in tasks:
        logs = {system.name: log for system in systems for log in system.logs if log.task == task}
        for what in dict.fromkeys(what for log in logs.values() for what in log.settings):
            told = {name: log.settings[what] for name, log in logs.items() if what in log.settings}
            if len(set(told.values())) > 1:
                values = ", ".join(f"{name} {value}" for name, value in told.items())
                of = f" of {task}" if len(tasks) > 1 else ""
                yield Danger(f"the {what}{of} differs: {values}.")


def _note_common(own: Mapping[str, Held], common: int) -> Iterator[str]:
    sizes = {name: len(held) for name, held in own.items()}
    if len(own) > 1 and max(sizes.values()) > common:
        held = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
        yield Danger(
            f"only the {common:,} samples that all logs have are compared, of {held}"
            f"{_tell_other(own)}."
        )


def _tell_other(own: Mapping[str, Held]) -> str:
    """Says how many samples have one id and another content."""
    first, *others = own.values()
    changed = {
        key
        for other in others
        for key in first.keys() & other.keys()
        if first[key].differs(other[key])
    }
    return f"; {len(changed):,} with the same id hold another question" if changed else ""


def _note_coverage(name: str, held: Held, columns: Sequence[str], fate: str) -> Iterator[str]:
    scored = [one.scores for one in held.values()]
    told: dict[tuple[int, int], list[str]] = {}
    for column in columns:
        asked = [own for own in scored if column in own]
        known = sum(own[column] is not None for own in asked)
        if known < len(asked):
            told.setdefault((known, len(asked)), []).append(column)
    for (known, size), names in told.items():
        yield Danger(
            f"{name}: {known:,} of {size:,} samples scored ({', '.join(names)}); the others {fate}."
        )


def _note_reports(
    systems: Sequence[LogSystem], own: Mapping[str, Held], columns: Sequence[str]
) -> Iterator[str]:
    """Yields where the numbers of the samples are not those that the log reports."""
    for system in systems:
        for log in system.logs:
            held = [one for (task, _), one in own[system.name].items() if task == log.task]
            lacking = [
                found
                for one in log.reported
                if one.score in columns
                for found in [_compare(log, one, held)]
                if found
            ]
            yield from map(Danger, dict.fromkeys(lacking))


def _compare(log: Log, reported: Reported, held: Sequence[HeldSample]) -> str | None:
    samples = [
        one
        for one in held
        if reported.part is None or get(one.epochs[0].columns, log.part or "") == reported.part
    ]
    values = [value for one in samples if (value := one.scores.get(reported.score)) is not None]
    said = f"{reported.name} {reported.value:.4f}"
    about = max(reported.n or 0, log.total or 0) if reported.part is None else 0
    there = sum(len(one.epochs) for one in samples)
    if about > there and len(values) < (reported.n or about):
        return (
            f"{log.source} holds {there:,} of the {about:,} samples that it reports on: "
            f"it reports {said} over all of them."
        )
    mean = math.fsum(values) / len(values) if values else math.nan
    if math.isclose(mean, reported.value, rel_tol=1e-6, abs_tol=1e-9):
        return None
    part = f" in {reported.part}" if reported.part else ""
    return (
        f"{log.source} reports {said}{part}, and the mean of the {len(values):,} values that it "
        f"holds is {mean:.4f} ({reported.score})."
    )
