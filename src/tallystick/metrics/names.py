"""Metrics by name: a repr parses back to its metric, and short names stand for the usual ones."""

import ast
import difflib
import math
from collections.abc import Iterable
from dataclasses import MISSING, fields
from typing import Any

from tallystick.errors import UsageError
from tallystick.examples.task import Kind
from tallystick.metrics import METRICS
from tallystick.metrics.metric import Metric

__all__ = ["find_class", "parse", "read_metrics"]

_PREFIXES = ("macro", "micro", "weighted", "samples")
_CONSTANTS = {"nan": math.nan, "inf": math.inf}


def parse(text: str, kind: Kind = "binary") -> Metric:
    """The metric that a text names.

    A repr, such as `F1(average='macro')`, means exactly what it says. A short name, such as `f1` or
    `macro_f1`, stands for what the field prints under it: `f1` is binary for a binary task and
    macro for others, and averages over labels count an undefined label as 0.

    Raises:
        UsageError: There is no such metric or option; the nearest name is given.
    """
    stripped = text.strip()
    if "(" in stripped:
        return _parse_call(stripped)
    prefix, _, rest = stripped.partition("_")
    if prefix in _PREFIXES and rest:
        return _average(find_class(rest, stripped), prefix)
    metric = find_class(stripped, stripped)
    if kind != "binary" and "zero_division" in _options(metric) and "average" in _options(metric):
        return _average(metric, "macro")
    return _build(metric, dict(metric.presets.get(stripped.casefold(), {})))


def read_metrics(metrics: object, kind: Kind = "binary") -> list[Metric]:
    """The metrics of a list of names and metrics; `kind` is that of `parse`.

    Raises:
        UsageError: It is no list of names and metrics, or a name is not known.
    """
    named = list(metrics) if isinstance(metrics, Iterable) else [metrics]
    return [_read_metric(metric, kind) for metric in named]


def _read_metric(metric: object, kind: Kind) -> Metric:
    if isinstance(metric, str):
        return parse(metric, kind)
    if isinstance(metric, Metric):
        return metric
    shown = f"the class {metric.__name__}" if isinstance(metric, type) else repr(metric)
    raise UsageError(f"a metric is a name or such as F1(), not {shown}")


def find_class(name: str, shown: str | None = None) -> type[Metric]:
    """The metric class of a class name or short name, in any case."""
    folded = name.casefold()
    for metric in METRICS:
        if folded in (metric.short, metric.__name__.casefold(), *metric.presets):
            return metric
    known = [name for one in METRICS for name in (one.short, one.__name__, *one.presets)]
    near = difflib.get_close_matches(name, known, 1) or difflib.get_close_matches(folded, known, 1)
    hint = f"did you mean {near[0]}?" if near else "`tallystick metrics` lists them all"
    raise UsageError(f"there is no metric {(shown or name)!r}; {hint}")


def _options(metric: type[Metric]) -> list[str]:
    return [field.name for field in fields(metric)]  # type: ignore[arg-type]


def _required(metric: type[Metric]) -> list[str]:
    options = fields(metric)  # type: ignore[arg-type]
    return [field.name for field in options if field.default is MISSING]


def _average(metric: type[Metric], average: str) -> Metric:
    if "zero_division" not in _options(metric) or "average" not in _options(metric):
        raise UsageError(f"{metric.short} has no {average} average")
    return _build(metric, {"average": average, "zero_division": 0})


def _parse_call(text: str) -> Metric:
    try:
        call = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        raise UsageError(f"{text!r} is not a metric; write it like F1(average='macro')") from None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        raise UsageError(f"{text!r} is not a metric; write it like F1(average='macro')")
    metric = find_class(call.func.id)
    known = _options(metric)
    arguments = [_value(argument, text) for argument in call.args]
    if len(arguments) > len(known):
        raise UsageError(f"{metric.__name__} takes {len(known)} options, not {len(arguments)}")
    options = dict(zip(known, arguments, strict=False))
    for keyword in call.keywords:
        if keyword.arg not in known or keyword.arg in options:
            raise UsageError(
                f"{metric.__name__} has no option {keyword.arg!r} here; "
                f"it has {', '.join(known) or 'none'}"
            )
        options[keyword.arg] = _value(keyword.value, text)
    return _build(metric, options)


def _build(metric: type[Metric], options: dict[str, Any]) -> Metric:
    missing = [name for name in _required(metric) if name not in options]
    if missing:
        raise UsageError(f"{metric.__name__} needs {missing[0]}: {metric.__name__}({missing[0]}=2)")
    labels = options.get("labels")
    if isinstance(labels, str):
        raise UsageError(f"labels is a list: labels=[{labels!r}]")
    if isinstance(labels, list):
        options["labels"] = tuple(labels)
    try:
        built = metric(**options)
        hash(built)  # a list among the options would fail later on
        return built
    except TypeError:
        shown = ", ".join(f"{name}={value!r}" for name, value in options.items())
        raise UsageError(f"{metric.__name__} does not take {shown}") from None


def _value(node: ast.expr, text: str) -> Any:
    if isinstance(node, ast.Name) and node.id in _CONSTANTS:
        return _CONSTANTS[node.id]
    try:
        return ast.literal_eval(node)
    except (TypeError, ValueError):
        raise UsageError(f"{ast.unparse(node)!r} in {text!r} is not a plain value") from None
