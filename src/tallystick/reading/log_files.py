"""Reads logs of evaluation tools as systems on the samples that they have in common."""

import math
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
from msgspec.structs import replace

from tallystick.errors import Danger, InputError, UsageError
from tallystick.io.logs.log import Log, Reported, encode, get
from tallystick.io.tables.jsonlines import build_rows
from tallystick.io.tables.table import Table
from tallystick.kinds.numbers.aggregates import Mean, Ratio
from tallystick.kinds.tries.tries import read_tries
from tallystick.model.columns import Columns
from tallystick.model.reading import NoneLeftError, Reading
from tallystick.model.systems import Systems
from tallystick.model.tallies.metric import Metric
from tallystick.output.results.records import Refusal
from tallystick.reading.log_systems import (
    Held,
    HeldSample,
    Key,
    LogSystem,
    explain_empty,
    is_known,
)
from tallystick.reading.tables import read_systems

TASK = "task"
"""The column of tasks, where there are several."""
_SAMPLE = "sample"
"""The column of the samples, where rows are their epochs."""


def read_log_systems(
    systems: Sequence[LogSystem], metrics: Sequence[Metric], reading: Reading
) -> tuple[Systems, tuple[str, ...]]:
    """Reads logs as systems, and tells the columns that they are broken down by."""
    own = {system.name: system.hold() for system in systems}
    logs = {system.name: system.logs for system in systems}
    unscored = [
        name
        for name, held in own.items()
        if all(value is None for one in held.values() for value in one.scores.values())
    ]
    rejected = tuple(
        Refusal(name, None, "; ".join(map(explain_empty, logs[name]))) for name in unscored
    )
    if rejected and not reading.tolerant:
        raise InputError(rejected[0].reason)
    if len(rejected) == len(systems):
        raise NoneLeftError(rejected)
    systems = [one for one in systems if one.name not in unscored]
    own = {name: held for name, held in own.items() if name not in unscored}
    of_scores = [one for one in metrics if isinstance(one, Mean | Ratio)]
    columns = [name for one in of_scores for name in one.counter.needs.columns if name]
    _check_scored(own, columns)
    common = _find_common(own)
    if not common:
        raise InputError(_explain_apart(systems))
    _check_common(own, common, columns)
    by = (*_find_parts(own, common), *reading.columns.by)
    reading = replace(reading, columns=replace(reading.columns, by=by))
    tries = reading.repeated
    outputs = not tries and len(of_scores) < len(metrics)
    held_logs = [log for system in systems for log in system.logs]
    if outputs:
        _check_single(held_logs, columns, reading)
    reading = _name_columns(reading, held_logs, own, single=outputs)
    tables = {}
    for name, held in own.items():
        rows = _list_rows(held, common, columns, tries=tries, outputs=outputs)
        _, built = build_rows(name, encode([*rows]))
        tables[name] = Table(name, built, "sample", 1, gaps=frozenset(columns))
    if tries:
        found = _read_tries(tables, _choose_score(held_logs[0], reading), reading)
    else:
        entries = tables if len(tables) > 1 else dict.fromkeys(tables)
        found = read_systems(next(iter(tables.values())), entries, reading)
    notes = note_logs(systems, own, len(common), columns, reading.columns)
    return found.know(notes=(*notes, *found.facts.notes)).tell(rejected=rejected), by


def _check_scored(own: Mapping[str, Held], columns: Sequence[str]) -> None:
    for name, held in own.items():
        for column in columns:
            if all(one.scores.get(column) is None for one in held.values()):
                known = dict.fromkeys(key for one in held.values() for key in one.scores)
                raise UsageError(
                    f"{name} has no values of {column!r}; its log scores {', '.join(known)}"
                )


def _find_common(own: Mapping[str, Held]) -> list[Key]:
    """Returns the samples that all systems have, in the order of the first."""
    first, *others = own.values()
    return [
        key
        for key, held in first.items()
        if all(key in other and not held.differs(other[key]) for other in others)
    ]


def _check_common(own: Mapping[str, Held], common: Sequence[Key], columns: Sequence[str]) -> None:
    for column in columns:
        if not any(
            all(held[key].scores.get(column) is not None for held in own.values()) for key in common
        ):
            raise InputError(
                f"no sample has a value of {column!r} in all of {', '.join(own)}; name other "
                "scores with -m, or score each log separately"
            )


def _explain_apart(systems: Sequence[LogSystem]) -> str:
    text = [
        f"{system.name} has {sum(len(log.samples) for log in system.logs):,} samples"
        + "".join(f" of {log.task}" for log in system.logs[:1] if log.task)
        + "".join(f" such as {log.unit} {one.id}" for log in system.logs for one in log.samples[:1])
        for system in systems
    ]
    return f"the logs have no sample in common: {', '.join(text)}; score each separately"


def _find_parts(own: Mapping[str, Held], common: Sequence[Key]) -> tuple[str, ...]:
    """Returns the columns that tell apart what a log does not pool."""
    first = next(iter(own.values()))
    logs = {first[key].log.source: first[key].log for key in common}
    names = dict.fromkeys(log.part for log in logs.values() if log.part)
    parts = [
        name
        for name in names
        if len({first[key].epochs[0].columns.get(name) for key in common}) > 1
    ]
    return (*([TASK] if len({task for task, _ in common}) > 1 else []), *parts)


def _name_columns(
    reading: Reading, logs: Sequence[Log], own: Mapping[str, Held], *, single: bool
) -> Reading:
    """Names the columns of ids, gold and outputs, and what examples belong to."""
    columns, clusters = reading.columns, {log.clusters for log in logs}
    chosen = columns.clusters or (clusters.pop() if len(clusters) == 1 else None)
    repeated = any(len(one.epochs) > 1 for held in own.values() for one in held.values())
    if single and repeated:
        chosen = chosen or _SAMPLE
    named = replace(columns, id=columns.id or "id", clusters=chosen)
    if not reading.repeated:
        gold, predicted = columns.gold or "gold", columns.predicted or "prediction"
        named = replace(named, gold=gold, predicted=predicted)
    return replace(reading, columns=named)


def _check_single(logs: Sequence[Log], scores: Sequence[str], reading: Reading) -> None:
    """Raises a UsageError if there are several filters, or scores of reduced epochs."""
    for log in logs:
        first = log.samples[0].columns if log.samples else {}
        filters = [name for name in first if name.startswith("prediction,")]
        if filters and reading.columns.predicted is None:
            raise UsageError(
                f"{log.source} contains the outputs of {len(filters)} filters; name one with "
                f"`predicted={filters[0]!r}`"
            )
    reduced = [one for one in scores if not any(one in log.scores for log in logs)]
    if reduced:
        raise UsageError(
            f"{reduced[0]} is a score of all epochs of a sample, and other metrics read each "
            "epoch; score them separately"
        )


def _list_rows(
    held: Held, common: Sequence[Key], scores: Sequence[str], *, tries: bool, outputs: bool
) -> Iterator[dict[str, object]]:
    """Yields a row of a system's table for each sample, or for each epoch."""
    tasks = len({task for task, _ in common}) > 1
    for task, sample in common:
        one = held[task, sample]
        name = f"{task}/{sample}" if tasks else sample
        if not (tries or outputs):
            own = {score: one.scores.get(score) for score in scores}
            yield {**one.epochs[0].columns, "id": name, TASK: task, **own}
            continue
        for epoch in one.epochs:
            repeated = len(one.epochs) > 1 and not tries
            row = {"id": f"{name}/{epoch.epoch}" if repeated else name, TASK: task, _SAMPLE: name}
            wanted = dict.fromkeys((*scores, *one.log.scores))
            own = {score: epoch.scores.get(score) for score in wanted}
            yield {**epoch.columns, **row, **own}


def _choose_score(log: Log, reading: Reading) -> str:
    named = reading.columns.predicted
    if named is None and len(log.usual) != 1:
        raise UsageError(
            f"{log.source} has several scores; name the one that shows which tries are right: "
            f"`predicted={log.usual[0]!r}`"
        )
    if named is not None and named not in log.scores:
        raise UsageError(f"{log.source} has no score {named!r}, only {', '.join(log.scores)}")
    return named or log.usual[0]


def _read_tries(tables: Mapping[str, Table], score: str, reading: Reading) -> Systems:
    """Reads the tries that were scored, of which those of 1 or more are right, as in Inspect."""
    values = {name: table.column(score).to_pylist() for name, table in tables.items()}
    scored = {}
    for name, table in tables.items():
        rows = [row for row, one in enumerate(values[name]) if one is not None]
        right = pa.array([str(values[name][row] >= 1) for row in rows])
        columns = table.columns.take(rows)
        columns = columns.drop_columns({"correct"} & {*table.names()})
        columns = columns.append_column("correct", right)
        scored[name] = replace(table, columns=columns, gaps=frozenset())
    plain = replace(reading, columns=replace(reading.columns, predicted=None))
    found = read_tries(None, scored, plain)
    partly = sum(one is not None and 0 < one < 1 for own in values.values() for one in own)
    note = f"partly right tries that count as wrong, as in Inspect's pass_at: {partly}."
    return found.tell(Danger(note)) if partly else found


def note_logs(
    systems: Sequence[LogSystem],
    own: Mapping[str, Held],
    common: int,
    columns: Sequence[str],
    named: Columns,
) -> tuple[str, ...]:
    """Returns the notes on logs."""
    logs = [log for system in systems for log in system.logs]
    fate = "count as wrong" if named.missing == "wrong" else "are left out"
    notes = [
        *_note_common(own, common),
        *(note for name, held in own.items() for note in _note_coverage(name, held, columns, fate)),
        *_note_reports(systems, own, columns),
        *(note for log in logs for note in _note_log(log)),
        *_note_settings(systems),
    ]
    tasks = {log.task for log in logs}
    if len(systems) > 1 and len(tasks) == 1 and tasks != {""}:
        notes.append(f"the task of the logs is {tasks.pop()}.")
    if named.clusters is not None and named.clusters in {log.clusters for log in logs}:
        notes.append(f"the samples of one {named.clusters} form a cluster, as the log says.")
    return tuple(notes)


def _note_log(log: Log) -> Iterator[str]:
    if log.status:
        yield Danger(f"{log.source} {log.status}.")
    if log.total and len(log.samples) < log.total and not log.reported:
        yield Danger(f"{log.source} contains {len(log.samples):,} of {log.total:,} samples.")
    for reducer in log.reducers:
        if not is_known(reducer):
            yield Danger(f"the reducer {reducer!r} of {log.source} is unknown and ignored.")
    yield from map(Danger, log.notes)


def _note_settings(systems: Sequence[LogSystem]) -> Iterator[str]:
    tasks = dict.fromkeys(log.task for system in systems for log in system.logs)
    for task in tasks:
        logs = {system.name: log for system in systems for log in system.logs if log.task == task}
        for what in dict.fromkeys(what for log in logs.values() for what in log.settings):
            held = {name: log.settings for name, log in logs.items() if what in log.settings}
            text = {name: str(own[what]) for name, own in held.items()}
            if len(set(text.values())) > 1:
                values = ", ".join(f"{name} {value}" for name, value in text.items())
                of = f" of {task}" if len(tasks) > 1 else ""
                yield Danger(f"the {what}{of} differs: {values}.")


def _note_common(own: Mapping[str, Held], common: int) -> Iterator[str]:
    sizes = {name: len(held) for name, held in own.items()}
    if len(own) > 1 and max(sizes.values()) > common:
        held = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
        first, *others = own.values()
        changed = {
            key
            for other in others
            for key in first.keys() & other.keys()
            if first[key].differs(other[key])
        }
        more = f"; {len(changed):,} with the same id hold another question" if changed else ""
        yield Danger(
            f"only the {common:,} samples that are in all logs are compared, of {held}{more}."
        )


def _note_coverage(name: str, held: Held, columns: Sequence[str], fate: str) -> Iterator[str]:
    scored = [one.scores for one in held.values()]
    text: dict[tuple[int, int], list[str]] = {}
    for column in columns:
        asked = [own for own in scored if column in own]
        known = sum(own[column] is not None for own in asked)
        if known < len(asked):
            text.setdefault((known, len(asked)), []).append(column)
    for (known, size), names in text.items():
        yield Danger(
            f"{name}: {known:,} of {size:,} samples scored ({', '.join(names)}); the others {fate}."
        )


def _note_reports(
    systems: Sequence[LogSystem], own: Mapping[str, Held], columns: Sequence[str]
) -> Iterator[str]:
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
            f"{log.source} contains {there:,} of the {about:,} samples that it reports on: it "
            f"reports {said} over all of them."
        )
    mean = math.fsum(values) / len(values) if values else math.nan
    if math.isclose(mean, reported.value, rel_tol=1e-6, abs_tol=1e-9):
        return None
    part = f" in {reported.part}" if reported.part else ""
    return (
        f"{log.source} reports {said}{part}, and the mean of the {len(values):,} values that it "
        f"contains is {mean:.4f} ({reported.score})."
    )
