"""Reads the per-instance statistics of HELM, and what lies beside them."""

from collections.abc import Iterator, Sequence

from tallystick.errors import InputError
from tallystick.io.files.opening import name_source
from tallystick.io.logs.log import (
    Log,
    Reported,
    Row,
    Sample,
    get,
    get_text,
    list_objects,
    need_number,
    read_beside,
    read_number,
    read_whole,
)

_ABOUT_RUNS = (
    *("num_", "finish_reason_", "training_", "inference_", "batch_size", "prompt_truncated"),
    *("max_prob", "logprob", "perplexity", "bits_per_byte"),
)
"""How the names of statistics begin that say how a run went, not how well."""


def is_instance(row: object) -> bool:
    """Returns whether an object holds the statistics of one instance."""
    told = isinstance(get(row, "stats"), list) and get(row, "instance_id") is not None
    return told and get(row, "train_trial_index") is not None


def is_beside(found: object) -> bool:
    """Returns whether a JSON file belongs to a run of HELM and holds no statistics of instances."""
    if isinstance(found, list):
        first = found[0] if found else None
        told = get_text(first, "name", "name") is not None
        return told and get(first, "count") is not None and get(first, "sum") is not None
    spec = get(found, "adapter_spec")
    more = get(found, "scenario_spec") or get(found, "request_states")
    return isinstance(spec, dict) and more is not None


def read_instances(path: str) -> Log:
    """Reads `per_instance_stats.json` and, beside it, `run_spec.json` and `stats.json`."""
    source, found = name_source(path), read_whole(path)
    rows = found if isinstance(found, list) else []
    wrong = next((at for at, row in enumerate(rows, start=1) if not is_instance(row)), None)
    if not rows or wrong is not None:
        told = "is not a list of instances with stats, as HELM writes it"
        where = "" if wrong in (None, 1) else f" (instance {wrong})"
        raise InputError(f"{source}: {told}{where}")
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
    """Returns why a file of a run that holds no statistics of instances cannot be scored."""
    return (
        f"{name_source(path)}: belongs to a run of HELM and holds no statistics of each instance; "
        "score the per_instance_stats.json beside it"
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
                f"{place} has {min(again)} of the instance_id {key[0]} and the "
                f"trial {key[1]}, which stands above too; leave one of them out"
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
