"""Reads the samples of lm-evaluation-harness, and the results next to them."""

import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence

from tallystick.errors import InputError
from tallystick.io.files.opening import name_source
from tallystick.io.logs.log import (
    Log,
    Reported,
    Row,
    Sample,
    get,
    get_mapping,
    get_text,
    get_whole,
    iterate_objects,
    need_number,
    read_number,
    read_whole,
    unify_gold,
)

_NO_METRICS = frozenset(
    (
        *("arguments", "doc", "doc_hash", "doc_id", "filter", "filtered_resps", "metrics"),
        *("prompt_hash", "resps", "target", "target_hash"),
    )
)
_LARGE = ("arguments", "resps", "filtered_resps", "metrics", "filter", "target")
"""What is no column of a sample: it stands under another name, or is long and of no use."""
_UNFILTERED = "none"
_PAIRS = {
    "perplexity": ("perplexity.nats", "perplexity.samples"),
    "word_perplexity": ("word_perplexity.nats", "word_perplexity.words"),
    "byte_perplexity": ("byte_perplexity.nats", "byte_perplexity.bytes"),
    "bits_per_byte": ("bits_per_byte.bits", "bits_per_byte.bytes"),
}
"""The columns of the negative log-likelihoods of some metrics, and of what these are divided by."""
_FILE = re.compile(r"samples_(?P<task>.+?)(_(?P<stamp>\d{4}-\d\d-\d\dT[\d:.-]+))?\.jsonl(\.gz)?")
_RESULTS = re.compile(r"results.*\.json")


def is_sample(row: Row) -> bool:
    """Returns whether an object is a sample as lm-evaluation-harness writes it."""
    answers = isinstance(row.get("filtered_resps"), list)
    more = {"doc", "resps", "arguments", "metrics", "filter"} & row.keys()
    return answers and {"doc_id", "target"} <= row.keys() and bool(more)


def is_results(found: object) -> bool:
    """Returns whether a JSON file contains the results of lm-evaluation-harness."""
    return isinstance(get(found, "results"), dict) and isinstance(get(found, "configs"), dict)


def read_samples(path: str) -> Log:
    """Reads a file of samples, each of which has a row for each filter."""
    source, folder = name_source(path), os.path.dirname(os.path.abspath(path))
    rows = [_convert(row) for row in iterate_objects(path, ("filtered_resps", "target"))]
    passes = _number_passes(rows)
    ids = _identify(rows, source)
    match = _FILE.fullmatch(os.path.basename(path))
    task, stamp = (match["task"], match["stamp"]) if match else ("", None)
    results = _find_results(path, task, stamp)
    metrics = dict.fromkeys(metric for row in rows for metric in _list_metrics(row))
    filters = dict.fromkeys(map(_name_filter, rows))
    numeric = [one for one in metrics if any(read_number(row.get(one)) is not None for row in rows)]
    held = {(metric, _name_filter(row)) for row in rows for metric in numeric if metric in row}
    names = {
        metric: tuple(_join(metric, name) for name in filters if (metric, name) in held)
        for metric in numeric
    }
    scores = tuple(score for own in names.values() for score in own)
    count = get_whole(results, "n-samples", task, "effective")
    reported = tuple(_list_reported(get(results, "results", task), names, count))
    others = [one for one in metrics if one not in numeric]
    ratios = {one: pair for one, pair in _PAIRS.items() if {*pair} <= {*scores}}
    parts = {part for pair in ratios.values() for part in pair}
    notes = _note_others(source, others, get(results, "results", task))
    return Log(
        source,
        _find_model(results) or (os.path.basename(folder) if stamp else None),
        task,
        _merge(source, rows, ids, names, len(filters) > 1),
        scores,
        (*(one for one in scores if one not in parts), *ratios),
        names | {_join(own, _UNFILTERED, always=True): (own,) for own in numeric},
        reported,
        unit="doc_id",
        sure=stamp is not None or results is not None,
        run=f"{folder}/{stamp}" if stamp else "",
        attempt=f"{folder}/{task}/{get(results, 'n-shot', task)}" if stamp else "",
        made=stamp or "",
        lower=frozenset(
            score
            for metric, own in names.items()
            for score in own
            if get(results, "higher_is_better", task, metric) is False
        ),
        settings={}
        if results is None
        else {
            "version of the task": get(results, "versions", task),
            "number of few-shot examples": get(results, "n-shot", task),
            "limit of samples": get(results, "config", "limit"),
        },
        total=count,
        ratios=ratios,
        notes=(*_note_passes(source, passes), *notes),
    )


def _convert(row: Row) -> Row:
    """Returns a sample whose metrics are numbers, where it has them in another form.

    These are numpy's values as texts, objects with a score (as lmms-eval writes them), and pairs of
    a log-likelihood and its weight, of which perplexities are made.
    """
    found: Row = {}
    for name in _list_metrics(row):
        value = row.get(name)
        if isinstance(value, dict) and "score" in value:
            found[f"{name}.score"] = _read_text(value["score"])
        elif name in _PAIRS and (pair := _read_likelihood(value)):
            scale = math.log(2) if name == "bits_per_byte" else 1
            found |= zip(_PAIRS[name], (-pair[0] / scale, pair[1]), strict=True)
        else:
            found[name] = _read_text(value)
    return {**row, **found, "metrics": [*found]}


def _read_likelihood(value: object) -> tuple[float, float] | None:
    """Returns a log-likelihood and its weight, which is 1 if there is none."""
    numbers = [read_number(one) for one in (value if isinstance(value, list) else [value, 1])]
    if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
        return None
    return (numbers[0], numbers[1]) if numbers[0] <= 0 < numbers[1] else None


def _read_text(value: object) -> object:
    """Returns the number that a text is; anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        return float({"true": "1", "false": "0"}.get(value.casefold(), value))
    except ValueError:
        return value


def _number_passes(rows: Sequence[Row]) -> int:
    """Names filters by number where all documents follow each other several times without any."""
    ids = [str(row.get("doc_id")) for row in rows]
    size = len(set(ids))
    passes = len(ids) // max(size, 1)
    if passes < 2 or ids != ids[:size] * passes or any(row.get("filter") for row in rows):
        return 1
    for place, row in enumerate(rows):
        row["filter"] = str(place // size + 1)
    return passes


def _note_passes(source: str, passes: int) -> Iterable[str]:
    if passes > 1:
        yield (
            f"{source} contains all documents {passes} times without a filter, as older versions "
            "write several filters; they are numbered in this order."
        )


def tell_results(path: str, found: object) -> str:
    """Returns what a file of results reports and why that cannot be scored."""
    text = [
        f"{name} {value:.4f} of {task}" + (f" over {count:,} samples" if count else "")
        for task, own in get_mapping(found, "results").items()
        if isinstance(own, dict)
        for count in [get_whole(found, "n-samples", task, "effective")]
        for name, one in own.items()
        if (value := read_number(one)) is not None and "_stderr" not in name
    ]
    return (
        f"{name_source(path)}: contains results ({', '.join(text[:4])}) but no samples; "
        "score the samples_*.jsonl in the same folder, which --log_samples writes"
    )


def _identify(rows: Sequence[Row], source: str) -> list[str]:
    """Returns an id for each row: its `doc_id`, or its `doc_hash` where ids are not unique."""
    for key in ("doc_id", "doc_hash"):
        if all(row.get(key) is not None for row in rows):
            ids = [str(row[key]) for row in rows]
            keys = list(zip(ids, map(_name_filter, rows), strict=True))
            if len(set(keys)) == len(rows):
                return ids
    if any(row.get("doc_id") is None for row in rows):
        raise InputError(f"{source}: has samples without doc_id, which identifies them")
    raise _explain_repeated(rows, source)


def _explain_repeated(rows: Sequence[Row], source: str) -> InputError:
    firsts: dict[tuple[str, str], int] = {}
    again = [
        (key, number, firsts[key])
        for number, row in enumerate(rows, start=1)
        if firsts.setdefault(key := (str(row["doc_id"]), _name_filter(row)), number) != number
    ]
    (name, kind), number, first = again[0]
    of = "" if kind == _UNFILTERED else f" of the filter {kind!r}"
    more = f" ({len(again)} samples stand there again)" if len(again) > 1 else ""
    return InputError(
        f"{source}: sample {number} has the doc_id {name}{of}, which sample {first} has "
        f"too{more}; a log contains each once: leave out the repeated lines, or score each run "
        "separately"
    )


def _merge(
    source: str, rows: Sequence[Row], ids: Sequence[str], names: Mapping[str, object], several: bool
) -> list[Sample]:
    golds = unify_gold([row["target"] for row in rows])
    scores: dict[str, dict[str, float | None]] = {}
    columns: dict[str, Row] = {}
    for number, (row, name, gold) in enumerate(zip(rows, ids, golds, strict=True), start=1):
        kind, place = _name_filter(row), f"{source}: sample {number}"
        own = {
            _join(one, kind): need_number(row[one], f"{place}: its {one}")
            for one in names
            if one in row
        }
        scores.setdefault(name, {}).update(own)
        rest = {key: value for key, value in row.items() if key not in (*_LARGE, *names)}
        column = columns.setdefault(name, {"gold": gold, **rest})
        answers = row["filtered_resps"]
        first = answers[0] if isinstance(answers, list) and answers else None
        column[f"prediction,{kind}" if several else "prediction"] = first
    return [
        Sample(name, own, columns[name], content=get_text(columns[name], "doc_hash"))
        for name, own in scores.items()
    ]


def _name_filter(row: Row) -> str:
    return str(row.get("filter") or _UNFILTERED)


def _join(metric: str, name: str, *, always: bool = False) -> str:
    return metric if name == _UNFILTERED and not always else f"{metric},{name}"


def _list_metrics(row: Row) -> list[str]:
    listed = row.get("metrics")
    found = listed if isinstance(listed, list) else [one for one in row if one not in _NO_METRICS]
    return [one for one in found if isinstance(one, str)]


def _find_results(path: str, task: str, stamp: str | None) -> object:
    """Returns the results of the same run that lie next to a file of samples; None without."""
    folder = os.path.dirname(path)
    if not task or not os.path.isdir(folder or "."):
        return None
    names = sorted(filter(_RESULTS.fullmatch, os.listdir(folder or ".")))
    if stamp is not None:
        names = [one for one in names if stamp in one]
    read = (read_whole(os.path.join(folder, name)) for name in names)
    found = [one for one in read if is_results(one) and task in get_mapping(one, "results")]
    return found[0] if len(found) == 1 else None


def _find_model(results: object) -> str | None:
    named = get_text(results, "model_name")
    if named is not None:
        return named
    arguments = get(results, "config", "model_args")
    if isinstance(arguments, dict):
        text = arguments.get("pretrained") or arguments.get("model")
        return None if text is None else str(text)
    match = re.search(r"(?:^|,)(?:pretrained|model)=([^,]+)", str(arguments or ""))
    return match[1] if match else None


def _list_reported(
    own: object, names: Mapping[str, tuple[str, ...]], n: int | None
) -> Iterable[Reported]:
    for metric, scores in names.items():
        for score in scores:
            text = score if "," in score else _join(metric, _UNFILTERED, always=True)
            value = read_number(get(own, text))
            if value is not None:
                yield Reported(score, text, value, n)


def _note_others(source: str, metrics: Sequence[str], own: object) -> Iterable[str]:
    """Yields what the log reports without a number for each sample, such as perplexity."""
    values = own if isinstance(own, dict) else {}
    for metric in metrics:
        reported = [
            f"{value:.4f}"
            for name, one in values.items()
            if name.partition(",")[0] == metric and (value := read_number(one)) is not None
        ]
        text = f", though it reports {', '.join(reported)}" if reported else ""
        yield f"{source} contains no number of each sample for {metric}{text}."
