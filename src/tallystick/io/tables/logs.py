"""Reads the logs of evaluation tools as tables: id, gold, prediction, and a column per score."""

import json
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from typing import Any

import msgspec
import pyarrow

from tallystick.errors import InputError
from tallystick.io.files.archives import open_zip, read_member
from tallystick.io.files.lines import iterate_bytes
from tallystick.io.files.opening import name_source
from tallystick.io.files.progress import Progress
from tallystick.io.tables.json_cells import explain_json
from tallystick.io.tables.jsonlines import build_rows

Row = dict[str, Any]

_GRADES = {"C": 1, "I": 0, "P": 0.5, "N": 0}
_HARNESS = {
    "arguments",
    "doc",
    "doc_hash",
    "doc_id",
    "filter",
    "filtered_resps",
    "metrics",
    "prompt_hash",
    "resps",
    "target",
    "target_hash",
}
_SUMMARIES = "summaries.json"


def read_log(
    path: str, kind: str, *, only: Collection[str] | None, watch: Progress | None = None
) -> tuple[list[str], pyarrow.Table]:
    """Returns the names of all columns of a log, and the columns that are kept.

    Every log has the columns `id`, `gold` and `prediction`, one for each metric or scorer, and
    what else it tells of an example. A score that is missing or not a number is null; correct,
    partly correct and incorrect ones that are written as letters become 1, 0.5 and 0.

    Args:
        path: The file.
        kind: `lm-eval`, a file `samples_*.jsonl` of lm-evaluation-harness; `inspect`, an `.eval`
            file of Inspect; or `eee`, JSON Lines of Every Eval Ever.
        only: The columns to keep where present; all if None.
        watch: What counts the bytes as they are read.

    Raises:
        InputError: The file cannot be opened or is no such log.
    """
    source = name_source(path)
    rows = LOGS[kind](path, watch)
    encoded = ({name: _encode(value) for name, value in row.items()} for row in rows)
    return build_rows(source, encoded, only=only)


def _read_harness(path: str, watch: Progress | None) -> list[Row]:
    """Reads the samples of lm-evaluation-harness."""
    samples = list(_iterate_objects(path, ("filtered_resps", "target"), watch))
    ids = _identify(samples)
    return [_flatten(sample) | {"id": name} for sample, name in zip(samples, ids, strict=True)]


def _flatten(sample: Row) -> Row:
    listed = sample.get("metrics")
    metrics = listed if isinstance(listed, list) else sample.keys() - _HARNESS
    scores = {name: _grade(sample.get(name)) for name in metrics if isinstance(name, str)}
    answers = sample["filtered_resps"]
    first = answers[0] if isinstance(answers, list) and answers else None
    return {"id": None, "gold": sample["target"], "prediction": first} | sample | scores


def _identify(samples: Sequence[Row]) -> list[str]:
    """Returns an id for each sample: its hash or number, and its filter where there are several."""
    filters = [str(sample.get("filter")) for sample in samples]
    for keys in (("doc_hash",), ("doc_id",), ("doc_hash", "doc_id")):
        if any(sample.get(key) is None for sample in samples for key in keys):
            continue
        names = ["/".join(str(sample[key]) for key in keys) for sample in samples]
        if len(set(zip(names, filters, strict=True))) == len(samples):
            break
    else:
        names = [str(index) for index in range(len(samples))]
    if len(set(filters)) == 1:
        return names
    return [f"{name}/{one}" for name, one in zip(names, filters, strict=True)]


def _read_inspect(path: str, watch: Progress | None) -> list[Row]:
    """Reads the samples of an Inspect log: their summaries where these hold answers."""
    source = name_source(path)
    with open_zip(path, watch=watch) as archive:
        members = {member.filename: member for member in archive.infolist()}
        single = sorted(name for name in members if name.startswith("samples/"))
        samples: list[object] = []
        if _SUMMARIES in members:
            content = read_member(archive, members[_SUMMARIES], source)
            found = _decode(content, f"{source}: {_SUMMARIES}")
            samples = found if isinstance(found, list) else []
        if single and not any(map(_find_answer, samples)):
            contents = [read_member(archive, members[name], source) for name in single]
            samples = [
                _decode(content, f"{source}: {name}")
                for content, name in zip(contents, single, strict=True)
            ]
    if not samples:
        raise InputError(f"{source}: holds neither {_SUMMARIES} nor samples, as logs of Inspect do")
    rows = list(_check_samples(samples, source))
    epochs = len({str(row.get("epoch")) for row in rows}) > 1
    return _single_gold([_spread(row, epochs=epochs) for row in rows])


def _check_samples(samples: Sequence[object], source: str) -> Iterator[Row]:
    for number, sample in enumerate(samples, start=1):
        if not isinstance(sample, dict) or not {"id", "target"} <= sample.keys():
            raise InputError(f"{source}: sample {number} has no id or no target, as Inspect's have")
        yield sample


def _spread(sample: Row, *, epochs: bool) -> Row:
    row = {"id": str(sample["id"]), "gold": sample["target"], "prediction": _find_answer(sample)}
    if epochs:
        row["id"] += f"/{sample.get('epoch')}"
    row |= {"epoch": sample.get("epoch"), "metadata": sample.get("metadata")}
    for name, score in _list_scores(sample):
        value = score.get("value")
        if isinstance(value, dict):
            row |= {f"{name}.{key}": _grade(one) for key, one in value.items()}
        else:
            row[name] = _grade(value)
    return row


def _list_scores(sample: object) -> list[tuple[str, Row]]:
    scores = sample.get("scores") if isinstance(sample, dict) else None
    if not isinstance(scores, dict):
        return []
    return [(name, score) for name, score in scores.items() if isinstance(score, dict)]


def _find_answer(sample: object) -> object:
    answers = (score.get("answer") for _, score in _list_scores(sample))
    return next((answer for answer in answers if answer is not None), None)


def _read_every(path: str, watch: Progress | None) -> list[Row]:
    """Reads instances of Every Eval Ever."""
    samples = list(_iterate_objects(path, ("sample_id", "evaluation"), watch))
    several = len({str(sample.get("evaluation_name")) for sample in samples}) > 1
    rows = []
    for sample in samples:
        prefix = f"{sample.get('evaluation_name')}/" if several else ""
        row = {"id": prefix + str(sample["sample_id"]), "gold": _get(sample, "input", "reference")}
        row |= {"prediction": _attribute(sample)} | sample
        row |= {name: _grade(_get(sample, "evaluation", name)) for name in ("score", "is_correct")}
        rows.append(row)
    return _single_gold(rows)


def _attribute(sample: Row) -> object:
    """Returns the final answer that was taken from an output, else the output itself."""
    steps = sample.get("answer_attribution")
    steps = [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    final = [step.get("extracted_value") for step in steps if step.get("is_terminal")]
    if final:
        return final[-1]
    outputs = _get(sample, "output", "raw")
    return outputs[0] if isinstance(outputs, list) and outputs else outputs


def _get(sample: Row, *keys: str) -> object:
    value: object = sample
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _single_gold(rows: list[Row]) -> list[Row]:
    """Returns rows whose gold is a list in all of them, or in none if no list holds several."""
    golds = [row["gold"] for row in rows]
    several = any(isinstance(gold, list) and len(gold) != 1 for gold in golds)
    return [row | {"gold": _fit_gold(row["gold"], several=several)} for row in rows]


def _fit_gold(gold: object, *, several: bool) -> object:
    if gold is None or isinstance(gold, list) == several:
        return gold
    return gold[0] if isinstance(gold, list) else [gold]


def _grade(value: object) -> object:
    """Returns a score as a number, null if it is not one; anything but a single value as it is."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return _GRADES.get(value, value) if isinstance(value, str) else value


def _iterate_objects(path: str, needed: Sequence[str], watch: Progress | None) -> Iterator[Row]:
    """Yields the objects of JSON Lines, each of which must have some keys."""
    source = name_source(path)
    with closing(iterate_bytes(path, watch=watch)) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            found = _decode(line, f"{source}: line {number}")
            row: Row = found if isinstance(found, dict) else {}
            missing = [key for key in needed if key not in row]
            if missing:
                raise InputError(
                    f"{source}: line {number} has no {missing[0]!r}, as such logs have"
                )
            yield row


def _decode(text: bytes, place: str) -> object:
    """Returns what JSON holds, where NaN and infinity may stand for null, as these tools write."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        pass
    try:
        found = json.loads(text, parse_constant=lambda _: None)
        json.dumps(found, ensure_ascii=False).encode()  # finds half a character, which is no text
        return found
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place} is not JSON: {explain_json(error)}") from error


def _encode(value: object) -> bytes:
    try:
        return msgspec.json.encode(value)
    except OverflowError:  # a whole number beyond 64 bits, which is told where it is asked for
        return json.dumps(value).encode()


LOGS: dict[str, Callable[[str, Progress | None], list[Row]]] = {
    "lm-eval": _read_harness,
    "inspect": _read_inspect,
    "eee": _read_every,
}
"""The readers of logs by the kind of table."""
