"""Scores for experiment trackers and model cards: one flat dictionary, or YAML."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence

from tallystick.errors import UsageError
from tallystick.output.results.records import Score
from tallystick.output.results.scores import name_metrics

_REFUSED = re.compile(r"[^\w./ -]+")
"""What MLflow takes in no name of a metric."""


def flatten(scores: Sequence[Score]) -> dict[str, float]:
    """Returns each defined score by a name such as `bert/es/f1`, with its interval and n.

    The system stands there where there are several, then the group, the metric and the label.
    Other characters than letters, digits, underscores, dashes, periods, spaces and slashes become
    underscores.
    """
    names = name_metrics(scores)
    several = len({one.system for one in scores}) > 1
    found: dict[str, float] = {}
    for one in scores:
        parts = (one.system if several else None, one.group, names[one.metric], one.label)
        plain = (_REFUSED.sub("_", part).replace("/", "_") for part in parts if part is not None)
        name = "/".join(part.strip("_") or "_" for part in plain)
        if name in found:
            raise UsageError(f"two scores are called {name!r}; select one metric or system")
        ends = {"low": one.low, "high": one.high, "n": one.n}
        found |= {name: one.value} | {f"{name}/{key}": end for key, end in ends.items()}
    return {name: value for name, value in found.items() if math.isfinite(value)}


def write_model_index(scores: Sequence[Score], *, task: str, dataset: dict[str, str]) -> str:
    """Writes the metadata of a model card with the scores of one system.

    `task` is the type of the task, such as `text-classification`; `dataset` has its `type`, which
    is its id, its `name`, and perhaps its `config`, `split` and `revision`.
    """
    system = _find_system(scores)
    result = {"task": {"type": task}, "dataset": dataset, "metrics": list(_list_metrics(scores))}
    return _write({"model-index": [{"name": system, "results": [result]}]})


def write_eval_result(scores: Sequence[Score], dataset: str, task: str) -> str:
    """Writes a file for the folder `.eval_results` of a model, which holds one score."""
    _find_system(scores)
    whole = [one for one in scores if one.group in (None, "micro") and one.label is None]
    if len(whole) != 1 or not math.isfinite(whole[0].value):
        names = ", ".join(one.name for one in whole) or "none"
        raise UsageError(f"an evaluation result holds one score over all examples, not {names}")
    (one,) = whole
    interval = ""
    if one.confidence is not None:
        interval = f", {100 * one.confidence:g}% interval [{one.low:.4g}, {one.high:.4g}]"
    told = f"{one.name}, n = {one.n}{interval}; {one.signature}"
    entry = {"dataset": {"id": dataset, "task_id": task}, "value": one.value, "notes": told}
    return _write([entry])


def _find_system(scores: Iterable[Score]) -> str:
    systems = dict.fromkeys(one.system for one in scores)
    if len(systems) != 1:
        raise UsageError(f"a model card is about one system, not {', '.join(systems) or 'none'}")
    return next(iter(systems))


def _list_metrics(scores: Sequence[Score]) -> Iterator[dict[str, object]]:
    """The defined scores as a model card lists them."""
    for one in scores:
        if not math.isfinite(one.value):
            continue
        place = ", ".join(part for part in (one.group, one.label) if part is not None)
        known = {"n": one.n, "low": one.low, "high": one.high, "confidence": one.confidence}
        args = {key: own for key, own in known.items() if own is not None and math.isfinite(own)}
        name = f"{one.title} ({place})" if place else one.title
        yield {"type": one.name, "value": one.value, "name": name, "args": args}


def _write(content: object) -> str:
    import yaml

    text: str = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
    return text
