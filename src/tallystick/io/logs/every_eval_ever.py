"""Reads instances of Every Eval Ever."""

import os
from collections.abc import Sequence
from contextlib import suppress

from msgspec.structs import replace

from tallystick.errors import InputError
from tallystick.io.files.opening import name_source
from tallystick.io.logs.log import (
    Log,
    Reported,
    Row,
    Sample,
    get,
    get_text,
    get_whole,
    iterate_objects,
    list_objects,
    need_number,
    read_number,
    read_whole,
    unify_gold,
)

_SCORES = ("score", "is_correct")


def is_instance(row: Row) -> bool:
    """Returns whether an object is an instance of Every Eval Ever."""
    told = str(row.get("schema_version", "")).startswith("instance_level_eval")
    more = "evaluation_id" in row and "model_id" in row
    return isinstance(row.get("evaluation"), dict) and "sample_id" in row and (told or more)


def is_results(found: object) -> bool:
    """Returns whether a JSON file holds the results of an evaluation, without its instances."""
    told = get(found, "evaluation_results") is not None and get(found, "model_info") is not None
    return told and get(found, "schema_version") is not None


def tell_results(path: str, found: object) -> str:
    """Returns what a file of results reports and why that cannot be scored."""
    told = [
        f"{one.get('evaluation_name')} {read_number(get(one, 'score_details', 'score'))}"
        for one in list_objects(get(found, "evaluation_results"))
    ]
    rows = get_whole(found, "detailed_evaluation_results", "total_rows")
    over = "" if rows is None else f" over {rows:,} instances"
    beside = get(found, "detailed_evaluation_results", "file_path")
    where = os.path.basename(str(beside)) if beside else "the JSON Lines of its instances"
    return (
        f"{name_source(path)}: holds results ({', '.join(told[:4])}{over}) and none of the "
        f"instances; score {where}"
    )


def read_instances(path: str) -> list[Log]:
    """Reads a log for each model and evaluation of a file."""
    source, results = name_source(path), _find_results(path)
    rows = list(iterate_objects(path, ("sample_id", "evaluation")))
    parts: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        key = str(row.get("model_id") or ""), str(row.get("evaluation_name") or "")
        parts.setdefault(key, []).append(row)
    return [
        _add_results(_build(source, model, task, own), results)
        for (model, task), own in parts.items()
    ]


def _find_results(path: str) -> object:
    folder = os.path.dirname(path) or "."
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    for name in names:
        if name.endswith(".json"):
            with suppress(InputError):
                found = read_whole(os.path.join(folder, name))
                told = get_text(found, "detailed_evaluation_results", "file_path") or ""
                if is_results(found) and os.path.basename(told) == os.path.basename(path):
                    return found
    return None


def _add_results(log: Log, results: object) -> Log:
    reported, lower = list[Reported](), set[str]()
    for one in list_objects(get(results, "evaluation_results")):
        name, end = get_text(one, "evaluation_name"), get_text(one, "evaluation_result_id")
        value = read_number(get(one, "score_details", "score"))
        scores = [score for score in ("score", f"score,{end}") if score in log.scores]
        if name != log.task or not scores or value is None:
            continue
        n = get_whole(one, "score_details", "uncertainty", "num_samples")
        said = get_text(one, "metric_config", "metric_name") or "score"
        reported.append(Reported(scores[0], said, value, n))
        if get(one, "metric_config", "lower_is_better") is True:
            lower.add(scores[0])
    return replace(log, reported=tuple(reported), lower=frozenset(lower))


def _build(source: str, model: str, task: str, rows: Sequence[Row]) -> Log:
    golds = unify_gold([get(row, "input", "reference") for row in rows])
    results = dict.fromkeys(get_text(row, "evaluation_result_id") for row in rows)
    ends = {one: f",{one}" if len(results) > 1 else "" for one in results}
    samples: dict[str, Sample] = {}
    for row, gold in zip(rows, golds, strict=True):
        name, end = str(row["sample_id"]), ends[get_text(row, "evaluation_result_id")]
        if not isinstance(row["evaluation"], dict):
            raise InputError(f"{source}: the evaluation of the sample_id {name} is no object")
        own = {
            f"{key}{end}": need_number(
                get(row, "evaluation", key), f"{source}: the {key} of the sample_id {name}"
            )
            for key in _SCORES
        }
        columns = {"gold": gold, "prediction": _attribute(row), "input": get(row, "input", "raw")}
        columns |= {"metadata": row.get("metadata")}
        known = samples.get(name)
        if known is not None and own.keys() & known.scores.keys():
            raise InputError(
                f"{source}: the sample_id {name} of {task or 'an evaluation'} occurs twice; "
                "a log holds each instance once"
            )
        own = {**(known.scores if known else {}), **own}
        samples[name] = Sample(name, own, columns, content=get_text(row, "sample_hash"))
    usual, scores = (
        tuple(f"{key}{end}" for end in ends.values() for key in keys)
        for keys in (_SCORES[:1], _SCORES)
    )
    names = {key: tuple(f"{key}{end}" for end in ends.values()) for key in _SCORES}
    return Log(source, model or None, task, [*samples.values()], scores, usual, names)


def _attribute(row: Row) -> object:
    """Returns the final answer that was taken from an output, else the output itself."""
    steps = list_objects(row.get("answer_attribution"))
    final = [step.get("extracted_value") for step in steps if step.get("is_terminal")]
    if final:
        return final[-1]
    outputs = get(row, "output", "raw")
    return outputs[0] if isinstance(outputs, list) and outputs else outputs
