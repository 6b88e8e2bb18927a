"""Reads the per-instance statistics of HELM, and instances of Every Eval Ever."""

import os
from collections.abc import Iterator, Sequence
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
    read_beside,
    read_number,
    read_whole,
    unify_gold,
)

_SCORES = ("score", "is_correct")


def is_evaluation(row: Row) -> bool:
    """Returns whether an object is an instance of Every Eval Ever."""
    text = str(row.get("schema_version", "")).startswith("instance_level_eval")
    more = "evaluation_id" in row and "model_id" in row
    return isinstance(row.get("evaluation"), dict) and "sample_id" in row and (text or more)


def is_results(found: object) -> bool:
    """Returns whether a JSON file contains the results of an evaluation, without its instances."""
    text = get(found, "evaluation_results") is not None and get(found, "model_info") is not None
    return text and get(found, "schema_version") is not None


def tell_results(path: str, found: object) -> str:
    """Returns what a file of results reports and why that cannot be scored."""
    text = [
        f"{one.get('evaluation_name')} {read_number(get(one, 'score_details', 'score'))}"
        for one in list_objects(get(found, "evaluation_results"))
    ]
    rows = get_whole(found, "detailed_evaluation_results", "total_rows")
    over = "" if rows is None else f" over {rows:,} instances"
    beside = get(found, "detailed_evaluation_results", "file_path")
    where = os.path.basename(str(beside)) if beside else "the JSON Lines of its instances"
    return (
        f"{name_source(path)}: contains results ({', '.join(text[:4])}{over}) and none of the "
        f"instances; score {where}"
    )


def read_evaluations(path: str) -> list[Log]:
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
                text = get_text(found, "detailed_evaluation_results", "file_path") or ""
                if is_results(found) and os.path.basename(text) == os.path.basename(path):
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
            raise InputError(f"{source}: the evaluation of the sample_id {name} is not an object")
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
                f"{source}: the sample_id {name} of {task or 'an evaluation'} occurs twice; a log "
                "contains each instance once"
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


_ABOUT_RUNS = (
    *("num_", "finish_reason_", "training_", "inference_", "batch_size", "prompt_truncated"),
    *("max_prob", "logprob", "perplexity", "bits_per_byte"),
)
"""How the names of statistics begin that say how a run went, not how well."""


def is_instance(row: object) -> bool:
    """Returns whether an object contains the statistics of one instance."""
    text = isinstance(get(row, "stats"), list) and get(row, "instance_id") is not None
    return text and get(row, "train_trial_index") is not None


def is_beside(found: object) -> bool:
    """Returns whether a JSON file of a run of HELM has no statistics of instances."""
    if isinstance(found, list):
        first = found[0] if found else None
        text = get_text(first, "name", "name") is not None
        return text and get(first, "count") is not None and get(first, "sum") is not None
    spec = get(found, "adapter_spec")
    more = get(found, "scenario_spec") or get(found, "request_states")
    return isinstance(spec, dict) and more is not None


def read_instances(path: str) -> Log:
    """Reads `per_instance_stats.json` and, next to it, `run_spec.json` and `stats.json`."""
    source, found = name_source(path), read_whole(path)
    rows = found if isinstance(found, list) else []
    wrong = next((at for at, row in enumerate(rows, start=1) if not is_instance(row)), None)
    if not rows or wrong is not None:
        text = "is not a list of instances with stats, as HELM writes it"
        where = "" if wrong in (None, 1) else f" (instance {wrong})"
        raise InputError(f"{source}: {text}{where}")
    plain = [row for row in rows if row.get("perturbation") is None]
    samples = list(_read_samples(plain, source))
    spec, stats = read_beside(path, "run_spec.json"), read_beside(path, "stats.json")
    scores = tuple(dict.fromkeys(name for one in samples for name in one.scores))
    named = dict.fromkeys(_list_named(spec))
    usual = [name for name in named if name in scores]
    if not usual or None in named:
        usual += [one for one in scores if not one.startswith(_ABOUT_RUNS) and one not in named]
    left = len(rows) - len(plain)
    perturbed = f"{left} perturbed instances of {source} are left out."
    return Log(
        source,
        get_text(spec, "adapter_spec", "model"),
        _name_task(get(spec, "name")),
        samples,
        scores,
        tuple(usual),
        reported=tuple(_list_reported(stats, scores)),
        unit="instance id",
        part="split",
        settings={}
        if spec is None
        else {
            "limit of samples": get(spec, "adapter_spec", "max_eval_instances"),
            "number of few-shot examples": get(spec, "adapter_spec", "max_train_instances"),
            "number of trials": len({one.epoch for one in samples}),
        },
        total=_count_instances(stats),
        notes=(perturbed,) if left else (),
    )


def _list_named(spec: object) -> Iterator[str | None]:
    """Yields the statistics that a run is specified to compute; None for those without names."""
    for one in list_objects(get(spec, "metric_specs")):
        names = get(one, "args", "names")
        yield from map(str, names) if isinstance(names, list) else (None,)


def tell_beside(path: str) -> str:
    """Returns why a file of a run that contains no statistics of instances cannot be scored."""
    return (
        f"{name_source(path)}: belongs to a run of HELM and contains no statistics of each "
        "instance; score the per_instance_stats.json in the same folder"
    )


def _read_samples(rows: Sequence[Row], source: str) -> Iterator[Sample]:
    """Yields a sample per instance and trial; HELM may write one entry per metric."""
    held: dict[tuple[str, str], tuple[dict[str, float | None], Row]] = {}
    for number, row in enumerate(rows, start=1):
        key = str(row["instance_id"]), str(row["train_trial_index"])
        scores, columns = held.setdefault(key, ({}, {}))
        stats, place = get(row, "stats"), f"{source}: instance {number}"
        own = dict[str, float | None]()
        for one in stats if isinstance(stats, list) else ():
            name = get_text(one, "name", "name")
            if name is None:
                raise InputError(f"{place} has a statistic without a name, as HELM writes none")
            for part in ("count", "sum"):
                need_number(get(one, part), f"{place}: the {part} of {name}")
            own[name] = _average(one)
        again = scores.keys() & own.keys()
        if again:
            raise InputError(
                f"{place} has {min(again)} of the instance_id {key[0]} and the trial {key[1]}, "
                "which also occurs above; leave one of them out"
            )
        scores |= own
        splits = (get_text(one, "name", "split") for one in list_objects(stats))
        columns.setdefault("split", next(splits, None))
    for (name, trial), (scores, columns) in held.items():
        yield Sample(name, scores, columns, trial)


def _average(stat: Row) -> float | None:
    count, total = read_number(stat.get("count")), read_number(stat.get("sum"))
    return read_number(total / count) if count and total is not None else None


def _name_task(name: object) -> str:
    scenario, _, options = str(name or "").partition(":")
    kept = [one for one in options.split(",") if one and not one.startswith("model=")]
    return f"{scenario}:{','.join(kept)}" if kept else scenario


def _list_reported(stats: object, scores: Sequence[str]) -> Iterator[Reported]:
    for one in list_objects(stats):
        name, value = get(one, "name", "name"), _average(one)
        if name in scores and get(one, "name", "perturbation") is None and value is not None:
            yield Reported(str(name), str(name), value, part=get_text(one, "name", "split"))


def _count_instances(stats: object) -> int | None:
    counts = [
        _average(one)
        for one in list_objects(stats)
        if get(one, "name", "name") == "num_instances" and not get(one, "name", "perturbation")
    ]
    total = read_number(sum(count or 0 for count in counts))
    return round(total) if counts and total is not None else None
