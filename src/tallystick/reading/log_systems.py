"""The systems of logs: how they are found, and how the epochs of their samples are reduced."""

import math
import os
import re
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import InputError, UsageError
from tallystick.io.files.datasets import name_files
from tallystick.io.logs.log import Log, Sample
from tallystick.kinds.numbers.aggregates import Mean, Perplexity, Ratio
from tallystick.model.tallies.metric import Metric

Values = Sequence[float]

_OF_K = re.compile(r"(at_least|pass_at|pass_k)_(\d{1,6})")
_PLAIN: dict[str, Callable[[Values], float]] = {
    "mean": lambda values: math.fsum(values) / len(values),
    "median": statistics.median,
    "mode": lambda values: Counter(values).most_common(1)[0][0],
    "max": max,
}


def is_known(reducer: str) -> bool:
    """Returns whether a reducer of this name is known."""
    return reducer in _PLAIN or _OF_K.fullmatch(reducer) is not None


def reduce_epochs(reducer: str, values: Values) -> float | None:
    """Returns the value of a sample; None where too few of its epochs were scored."""
    if not values:
        return None
    match = _OF_K.fullmatch(reducer)
    if match is None:
        return float(_PLAIN[reducer](values))
    kind, k = match[1], int(match[2])
    right, total = sum(value >= 1 for value in values), len(values)
    if kind == "at_least":
        return float(right >= k)
    if total < k:
        return None
    if kind == "pass_at":
        return 1 - math.comb(total - right, k) / math.comb(total, k)
    return math.comb(right, k) / math.comb(total, k)


_Run = tuple[int, str | None, str]
"""The side of a run, the name that it was given, and what its logs have in common."""

_MEAN = re.compile(r"\s*mean\s*\(\s*['\"]?(.*?)['\"]?\s*\)\s*", re.IGNORECASE)


class HeldSample(Struct, frozen=True):
    """A sample in the logs of a system, or its epochs, with scores reduced as the log does."""

    log: Log
    epochs: tuple[Sample, ...]
    scores: Mapping[str, float | None]

    @classmethod
    def of(cls, log: Log, epochs: Sequence[Sample]) -> "HeldSample":
        """Reduces the epochs of a sample."""
        scores: dict[str, float | None] = {}
        for score in log.scores:
            values = [one.scores.get(score) for one in epochs]
            known = [value for value in values if value is not None]
            for column, reducer in list_reductions(log, score):
                scores[column] = reduce_epochs(reducer, known)
        return cls(log, tuple(epochs), scores)

    def differs(self, other: "HeldSample") -> bool:
        """Whether the two are known to be of different questions."""
        return len({held.epochs[0].content for held in (self, other)} - {None}) > 1


Key = tuple[str, str]
"""The task and the id of a sample."""

Held = Mapping[Key, HeldSample]
"""What the logs of a system hold."""


class LogSystem(Struct, frozen=True):
    """The logs of one system: one, or one of each task."""

    name: str
    logs: tuple[Log, ...]

    def hold(self) -> Held:
        """Returns all samples, each with its epochs."""
        owners = {log.task: log for log in self.logs}
        held: dict[Key, list[Sample]] = {}
        for log in self.logs:
            for sample in log.samples:
                held.setdefault((log.task, sample.id), []).append(sample)
        return {key: HeldSample.of(owners[key[0]], epochs) for key, epochs in held.items()}


Given = tuple[str | None, int, int, Log]
"""The name that a log was given, its argument's side, the argument, and the log."""


def group_logs(logs: Sequence[Given]) -> list[LogSystem]:
    """Groups logs by system.

    Logs are of one system if they were given one name, come from one run, or are of one model and
    of different tasks. A system is called by its model, or by its file where that is not unique.
    """
    logs = _leave_out_reruns(logs)
    settled = _settle_tasks([log for *_, log in logs])
    groups: dict[_Run, list[Log]] = {}
    for place, ((name, side, *_), log) in enumerate(zip(logs, settled, strict=True)):
        groups.setdefault((side, name, name or log.run or str(place)), []).append(log)
    merged = _merge_models(groups)
    own = [name or group[0].model for (_, name, _), group in merged]
    firsts = [group[0] for _, group in merged]
    called = [log.model or os.path.basename(log.source) for log in firsts]
    if len({log.source for log in firsts}) == len(firsts):  # else several logs are of one file
        called = name_files([log.source for log in firsts])
    systems = [
        LogSystem(name if name and own.count(name) == 1 else file, tuple(group))
        for name, file, (_, group) in zip(own, called, merged, strict=True)
    ]
    for system in systems:
        tasks = [log.task for log in system.logs]
        twice = next((task for task in tasks if tasks.count(task) > 1), None)
        if twice is not None:
            raise UsageError(
                f"{system.name} has two logs of {twice or 'one task'}; give each run a name of "
                "its own: NAME=FILE"
            )
    return systems


def _leave_out_reruns(logs: Sequence[Given]) -> list[Given]:
    """Keeps the latest complete run of each task of a folder, with a note on the others."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for place, (name, side, _, log) in enumerate(logs):
        groups.setdefault((name, side, log.attempt or place), []).append(place)
    kept = dict(enumerate(logs))
    for group in groups.values():
        best = max(group, key=lambda place: _rate(logs[place][-1]))
        name, side, argument, log = logs[best]
        left = [
            place
            for place in group
            if place != best and (logs[place][2] == argument or logs[place][-1].status)
        ]
        text = ", ".join(kept.pop(place)[-1].source for place in left)
        if left:
            note = f"{log.source} counts for {log.task}; other runs of it are left out: {text}."
            kept[best] = name, side, argument, replace(log, notes=(*log.notes, note))
    return [*kept.values()]


def _rate(log: Log) -> tuple[object, ...]:
    return not log.status, len(log.samples), log.made, log.source


def _settle_tasks(logs: Sequence[Log]) -> list[Log]:
    """Takes the task that names of files tell only where that can be so.

    Copies of logs have any names. What one of them seems to tell holds where it is the only one,
    where all agree, or where logs have no sample in common; then those of one folder are one run.
    """
    sure = {log.task for log in logs if log.sure}
    guessed = {log.task for log in logs if not log.sure}
    if len(sure | guessed) < 2 or not guessed:
        return list(logs)
    unsure = [log for log in logs if not log.sure]
    contents = [sample.content for log in unsure for sample in log.samples]
    apart = len(unsure) > 1 and None not in contents and len(set(contents)) == len(contents)
    task = sure.pop() if len(sure) == 1 else ""
    settled = list[Log]()
    for log in logs:
        folder = os.path.dirname(os.path.abspath(log.source))
        joined = replace(log, run=folder, model=log.model or os.path.basename(folder))
        settled.append(log if log.sure else joined if apart else replace(log, task=task))
    return settled


def _merge_models(groups: Mapping[_Run, list[Log]]) -> list[tuple[_Run, list[Log]]]:
    merged: list[tuple[_Run, list[Log]]] = []
    for key, group in groups.items():
        model, tasks = group[0].model, {log.task for log in group}
        same = [
            own
            for other, own in merged
            if other[:2] == key[:2] == (key[0], None) and model and own[0].model == model
        ]
        joint = next((own for own in same if not tasks & {log.task for log in own}), None)
        # Of several runs of one model nobody knows which go together.
        if joint is None or len(same) > 1:
            merged.append((key, list(group)))
        else:
            joint += group
    return merged


def resolve_metrics(
    named: Sequence[Metric | str] | None, systems: Sequence[LogSystem]
) -> list[Metric | str]:
    """Returns metrics with a mean for each score of the logs that is named, or that they report."""
    logs = [log for system in systems for log in system.logs]
    found: list[Metric | str] = []
    for one in _list_usual(systems) if named is None else named:
        found += _resolve(one, logs) or [one] if isinstance(one, str) else [one]
    return [*dict.fromkeys(found)]


def _list_usual(systems: Sequence[LogSystem]) -> list[str]:
    scored = [one for one in systems if any(log.usual for log in one.logs)]
    if not scored:
        raise InputError("; ".join(map(explain_empty, systems[0].logs)))
    logs = [log for system in scored for log in system.logs]
    usual = dict.fromkeys(score for log in logs for score in log.usual)
    known = [
        {score for log in system.logs for score in (*log.scores, *log.ratios)} for system in scored
    ]
    shared = [score for score in usual if all(score in own for own in known)]
    if not shared:
        text = ", ".join(f"{one.name} {', '.join(one.logs[0].usual)}" for one in scored)
        raise InputError(f"the logs share no score: {text}; score each separately")
    return shared


def _resolve(name: str, logs: Sequence[Log]) -> list[Metric]:
    match = _MEAN.fullmatch(name)
    name = match[1] if match else name.strip()
    ratio = next((log.ratios[name] for log in logs if name in log.ratios), None)
    if ratio is not None and not match:
        return [(Ratio if name == "bits_per_byte" else Perplexity)(*ratio)]
    scores = [name] if any(name in log.scores for log in logs) else []
    if not scores:
        folded = name.casefold()
        scores = [one for log in logs for one in log.scores if one.casefold() == folded]
    scores = scores or [one for log in logs for one in log.names.get(name, ())]
    if not scores:  # perhaps with its reducer
        score, _, reducer = name.rpartition("/")
        known = any(score in log.scores and reducer in log.reducers for log in logs)
        return [_make_mean(name, score, logs)] if known else []
    owners = {score: [log for log in logs if score in log.scores] for score in scores}
    columns = {
        (column, score): own
        for score, own in owners.items()
        for log in own
        for column, _ in list_reductions(log, score)
    }
    return [*dict.fromkeys(_make_mean(*key, own) for key, own in columns.items())]


def _make_mean(column: str, score: str, logs: Sequence[Log]) -> Metric:
    values = [one.scores.get(score) for log in logs for one in log.samples]
    unit = all(value is None or 0 <= value <= 1 for value in values)
    return Mean(
        column,
        better="lower" if any(score in log.lower for log in logs) else "higher",
        bounds=(0, 1) if unit else (-math.inf, math.inf),
    )


def list_reductions(log: Log, score: str) -> list[tuple[str, str]]:
    """Returns the columns of a score, one for each reducer of epochs, each with that."""
    known = [one for one in log.reducers if is_known(one)] or ["mean"]
    if known == ["mean"]:
        return [(score, "mean")]
    return [(f"{score}/{one}", one) for one in known]


def explain_empty(log: Log) -> str:
    """Returns why nothing of a log can be scored, with what it reports."""
    held = f"contains {len(log.samples):,} samples" if log.samples else "contains no samples"
    if len(log.samples) == 1:
        held = "contains 1 sample"
    none = ", and none of them is scored" if log.samples else ""
    reported = [
        f"{one.score} {one.name} {one.value:.4f}" + (f" over {one.n:,}" if one.n else "")
        for one in log.reported
    ]
    total = f" of {log.total:,} samples" if log.total else ""
    text = f"; it reports {', '.join(reported)}{total}" if reported else ""
    if not reported and (log.total or 0) > len(log.samples):
        text = f"; it is about {log.total:,}"
    status = f"; it {log.status}" if log.status else ""
    return f"{log.source}: {held}{none}{text}{status}"
