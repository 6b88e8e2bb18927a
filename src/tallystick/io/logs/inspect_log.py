"""Reads logs of Inspect, as archives and as JSON."""

import os
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from tallystick.errors import InputError
from tallystick.io.files.archives import open_zip, read_member
from tallystick.io.files.opening import name_source
from tallystick.io.logs.log import (
    Log,
    Reported,
    Row,
    Sample,
    decode,
    encode,
    get,
    get_mapping,
    get_text,
    get_whole,
    list_objects,
    need_number,
    read_number,
    read_whole,
    unify_gold,
)

_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_HEADER, _START, _SUMMARIES = "header.json", "_journal/start.json", "summaries.json"
_PARTS = ("samples/", "_journal/summaries/")
_MEANS = ("accuracy", "mean", "all")
"""The metrics of Inspect that are means of a sample's values; `all` is that of `grouped`."""
_KEPT = ("id", "epoch", "target", "metadata", "scores", "input", "error")


def is_archive(names: Iterable[str]) -> bool:
    """Returns whether an archive with these files is a log of Inspect."""
    return any(
        name in (_HEADER, _START, _SUMMARIES)
        or (name.startswith(_PARTS) and name.endswith(".json"))
        for name in names
    )


def is_document(found: object) -> bool:
    """Returns whether a JSON file is a log of Inspect."""
    text = isinstance(get(found, "eval"), dict) and isinstance(get(found, "status"), str)
    return text and isinstance(get(found, "version"), int)


def read_archive(path: str) -> Log:
    """Reads an `.eval` file: its summaries where these hold scores, else its samples."""
    source = name_source(path)
    with open_zip(path) as archive:
        members = {member.filename: member for member in archive.infolist()}
        if len(members) < len(archive.infolist()):
            (twice, _), *_ = Counter(archive.namelist()).most_common(1)
            raise InputError(f"{source}: contains {twice} twice; remove one of them")

        def read(name: str) -> object:
            return decode(read_member(archive, members[name], source), f"{source}: {name}")

        if not is_archive(members):
            raise InputError(f"{source}: contains neither {_SUMMARIES} nor samples, as logs do")
        header: object = next((read(name) for name in (_HEADER, _START) if name in members), {})
        return _build(source, header, _read_samples(members, read, source))


def read_document(path: str) -> Log:
    """Reads a log in JSON."""
    source, found = name_source(path), read_whole(path)
    if not is_document(found):
        raise InputError(f"{source}: has no eval and no status, as logs of Inspect have")
    samples = get(found, "samples")
    if not isinstance(samples, list | None):
        raise InputError(f"{source}: its samples are not a list, as in logs of Inspect")
    return _build(source, found, samples or [])


def _read_samples(
    members: Mapping[str, zipfile.ZipInfo], read: Callable[[str], object], source: str
) -> Sequence[object]:
    """Returns the summaries of all samples, or the samples where summaries hold no answer."""
    single, journal = (
        sorted(name for name in members if name.startswith(part) and name.endswith(".json"))
        for part in _PARTS
    )
    names = [_SUMMARIES] if _SUMMARIES in members else journal
    samples: list[object] = []
    for name in names:
        found = read(name)
        if not isinstance(found, list):
            raise InputError(f"{source}: {name} is not a list of samples, as Inspect writes it")
        samples += found
    if single and not any(map(_find_answer, samples)):
        # Messages and events are most of a sample.
        whole = map(read, single)
        return [
            {key: one[key] for key in _KEPT if key in one} if isinstance(one, dict) else one
            for one in whole
        ]
    if names == journal:  # a sample that was run again has several, and the last one counts
        runs = {(str(get(one, "id")), str(get(one, "epoch"))): one for one in samples}
        return list(runs.values())
    return samples


def _build(source: str, header: object, found: Sequence[object]) -> Log:
    rows = list(_check(found, source))
    golds = unify_gold([row["target"] for row in rows])
    reader = _Grader(source)
    samples = [reader.read(row, gold) for row, gold in zip(rows, golds, strict=True)]
    reducers = get(header, "eval", "config", "epochs_reducer")
    reducers = tuple(map(str, reducers)) if isinstance(reducers, list) and reducers else ("mean",)
    declared = list_objects(get(header, "results", "scores"))
    reported = tuple(_list_reported(declared, reducers, samples))
    scores = tuple(dict.fromkeys(name for one in samples for name in one.scores))
    usual = tuple(dict.fromkeys(_cut_reducer(one.score, scores) for one in reported))
    return Log(
        source,
        get_text(header, "eval", "model"),
        get_text(header, "eval", "task") or "",
        samples,
        scores,
        tuple(name for name in usual if name in scores) or scores,
        _list_names(scores, reported),
        reported,
        attempt=_name_attempt(source, header),
        made=_find_time(header),
        clusters=_find_clusters(header),
        reducers=reducers,
        settings={
            "version of the task": get(header, "eval", "task_version"),
            "limit of samples": get(header, "eval", "config", "limit"),
            "number of epochs": get(header, "eval", "config", "epochs") or 1,
        }
        if header
        else {},
        status=_tell_status(header),
        total=_find_total(header),
        notes=tuple(_list_notes(source, rows, declared, reader.unknown)),
    )


def _check(samples: Sequence[object], source: str) -> Iterator[Row]:
    seen: dict[tuple[str, str], int] = {}
    for number, sample in enumerate(samples, start=1):
        if not isinstance(sample, dict) or not {"id", "target"} <= sample.keys():
            raise InputError(f"{source}: sample {number} has no id or no target, as Inspect's have")
        key = (str(sample["id"]), str(sample.get("epoch")))
        if seen.setdefault(key, number) != number:
            raise InputError(
                f"{source}: sample {number} has the id {key[0]} and the epoch {key[1]}, which "
                f"sample {seen[key]} has too; a log contains each once"
            )
        yield sample


class _Grader:
    """Reads samples; keeps the scorer of each score, and values of scorers that are no grades."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.owners = dict[str, str]()
        self.unknown = dict[str, list[object]]()

    def read(self, row: Row, gold: object) -> Sample:
        scores: dict[str, float | None] = {}
        given, sample = row.get("scores") or {}, f"the sample {row['id']}"
        if not isinstance(given, dict) or any(
            not isinstance(x, dict | None) for x in given.values()
        ):
            raise InputError(f"{self.source}: the scores of {sample} are not objects")
        for name, score in _list_scores(row):
            value = score.get("value")
            values = {name: value}
            if isinstance(value, dict | list):
                pairs = value.items() if isinstance(value, dict) else enumerate(value)
                values = {f"{name}.{key}": one for key, one in pairs}
            for key, one in values.items():
                if self.owners.setdefault(key, name) != name or key in scores:
                    raise InputError(
                        f"{self.source}: two values are called {key}, the second in {sample}; "
                        f"rename the scorer {name} or the keys of its values"
                    )
                place = f"{self.source}: the score {key} of {sample}"
                scores[key] = _grade(one, self.unknown.setdefault(name, []), place)
        columns = {"gold": _strip(gold), "prediction": _strip(_find_answer(row))}
        columns["input"] = row["input"] if isinstance(row.get("input"), str) else None
        columns |= {"epoch": row.get("epoch"), "metadata": row.get("metadata")}
        epoch = None if row.get("epoch") is None else str(row["epoch"])
        return Sample(str(row["id"]), scores, columns, epoch, encode(row["target"]).decode())


def _strip(value: object) -> object:
    if isinstance(value, list):
        return list(map(_strip, value))
    return value.strip() if isinstance(value, str) else value


def _grade(value: object, unknown: list[object], place: str) -> float | None:
    """Returns a value as Inspect's `value_to_float` does, and notes texts that are no grade."""
    if not isinstance(value, str):
        return need_number(value, place)
    if value in _GRADES:
        return _GRADES[value]
    if value.lower() in _WORDS:
        return _WORDS[value.lower()]
    try:
        return read_number(float(value))
    except ValueError:
        unknown.append(value)
        return 0.0


def _list_scores(sample: object) -> list[tuple[str, Row]]:
    scores = get(sample, "scores")
    if not isinstance(scores, dict):
        return []
    return [(name, score) for name, score in scores.items() if isinstance(score, dict)]


def _find_answer(sample: object) -> object:
    answers = (score.get("answer") for _, score in _list_scores(sample))
    return next((answer for answer in answers if answer is not None), None)


def _list_reported(
    declared: Sequence[Row], reducers: Sequence[str], samples: Sequence[Sample]
) -> Iterator[Reported]:
    """Yields the accuracy or mean of each score, or its first metric where it has neither."""
    known = {name for one in samples for name in one.scores}
    for own in declared:
        name, scorer = str(own.get("name")), str(own.get("scorer"))
        score = name if name in known or f"{scorer}.{name}" not in known else f"{scorer}.{name}"
        reducer = own.get("reducer")
        if len(reducers) > 1 or reducers != ("mean",):
            score = f"{score}/{reducer or reducers[0]}"
        values = get_mapping(own, "metrics")
        chosen = [one for one in values if one in _MEANS] or list(values)[:1]
        n = get_whole(own, "scored_samples")
        for metric in chosen[:1]:
            value = read_number(get(values, metric, "value"))
            if value is not None:
                yield Reported(score, metric, value, n)


def _list_names(scores: Sequence[str], reported: Sequence[Reported]) -> dict[str, tuple[str, ...]]:
    """Returns the scores that names of scorers and metrics represent; accuracy is a mean."""
    names: dict[str, list[str]] = {}
    for score in scores:
        scorer, dot, key = score.partition(".")
        for name in (scorer, key) if dot else ():
            names.setdefault(name, []).append(score)
    for one in reported:
        for name in dict.fromkeys((*_MEANS, one.name)):
            names.setdefault(name, []).append(_cut_reducer(one.score, scores))
    return {name: tuple(dict.fromkeys(own)) for name, own in names.items()}


def _cut_reducer(score: str, scores: Sequence[str]) -> str:
    return score if score in scores else score.rpartition("/")[0]


def _find_clusters(header: object) -> str | None:
    scorers = list_objects(get(header, "eval", "scorers"))
    scorers += list_objects(get(header, "results", "scores"))
    for metrics in (own.get("metrics") for own in scorers):
        for one in list_objects([*metrics.values()] if isinstance(metrics, dict) else metrics):
            text = get_text(one, "options", "cluster") or get_text(one, "params", "cluster")
            if text is not None:
                return f"metadata.{text}"
    return None


def _name_attempt(source: str, header: object) -> str:
    """Returns what reruns of one task have in common: folder, model, task and what it was told."""
    eval, config = get_mapping(header, "eval"), get_mapping(header, "eval", "config")
    text = [eval.get(key) for key in ("task", "model", "task_version", "task_args", "model_args")]
    text += [config.get(key) for key in ("epochs", "epochs_reducer")]
    text += [get(header, "plan", "config"), os.path.dirname(source)]
    return encode(text).decode() if get_text(eval, "task") else ""


def _find_time(header: object) -> str:
    try:
        made = datetime.fromisoformat(get_text(header, "eval", "created") or "")
    except ValueError:
        return ""
    return made.astimezone(UTC).isoformat()


def _tell_status(header: object) -> str:
    status = get(header, "status")
    if status == "success":
        return ""
    message = get_text(header, "error", "message")
    text = "" if message is None else f" ({message.splitlines()[0][:200]})"
    if status is None:
        return "is without a header: the run did not end"
    return f"has the status {status}{text}: the run did not end well"


def _find_total(header: object) -> int | None:
    total = get_whole(header, "results", "total_samples")
    if total is not None:
        return total
    ids = get(header, "eval", "dataset", "sample_ids")
    epochs = get_whole(header, "eval", "config", "epochs") or 1
    return len(ids) * epochs if isinstance(ids, list) and ids else None


def _list_notes(
    source: str, rows: Sequence[Row], declared: Sequence[Row], unknown: Mapping[str, list[object]]
) -> Iterator[str]:
    errors = sum(row.get("error") is not None for row in rows)
    if errors:
        yield f"{errors} of the {len(rows)} samples of {source} ended with an error."
    for name, values in unknown.items():
        if values:
            yield (
                f"{len(values)} values of {name} in {source}, such as {values[0]!r}, are not "
                "grades and count as 0, as in Inspect."
            )
    for own in declared:
        metrics = get_mapping(own, "metrics")
        others = [one for one in metrics if not one.startswith(("stderr", "std", "var"))]
        if others and not set(others) & set(_MEANS):
            value = get(metrics, others[0], "value")
            yield (
                f"{source} reports {others[0]} {value} of {own.get('name')}, which may not be "
                "a mean; the mean of its values is shown."
            )
