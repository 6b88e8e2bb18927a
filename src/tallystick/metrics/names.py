"""Metrics by name: a repr parses back to its metric, and other names stand for the usual ones."""

import ast
import math
import re
from collections.abc import Iterable
from dataclasses import MISSING, fields
from functools import cache
from typing import Any

from tallystick import metrics
from tallystick.errors import UsageError
from tallystick.examples.task import Kind
from tallystick.kinds.mean_of import MeanOf
from tallystick.metrics.aliases import ALIASES
from tallystick.tallies.metric import Metric

_AVERAGES = ("macro", "micro", "weighted", "samples")
_CONSTANTS = {"nan": math.nan, "inf": math.inf}
_NEAR = 0.75
"""The least similarity of an unknown name to a suggestion, from 0 to 1."""

_OF_K = re.compile(r"(.+[@^_])([0-9]{1,9})")
"""A name that ends in a number k, such as `pass@5`, `pass^3` or `pass_at_5`."""

_MEAN = re.compile(r"\s*(mean[-_ ]?of)\s*\((.*)\)\s*", re.IGNORECASE | re.DOTALL)
"""The mean of metrics, whose names need not be Python's."""

_LONGEST = 10_000
"""The most characters that the text of a metric may have."""

_SHOWN = 100
"""How many of its characters messages show."""

Named = tuple[type[Metric], dict[str, Any]]
"""A metric class, and the options that a name stands for."""


def parse(text: str, kind: Kind = "binary") -> Metric:
    """The metric that a text names.

    A repr, such as `F1(average='macro')`, means exactly what it says. Any other name stands for
    what the field prints under it: `f1` is binary for a binary task and macro for others, and
    averages over labels count an undefined label as 0.

    Raises:
        UsageError: There is no such metric or option; the nearest name is given.
    """
    metric, options = look_up(text)
    if metric is MeanOf:
        return MeanOf(*(parse(part, kind) for part in options.get("parts", ())))
    plain = "(" not in text and "average" not in options and not _is_pooled(metric)
    if plain and kind != "binary" and _is_averaged(metric):
        options |= _average("macro")
    return _build(metric, options)


def look_up(text: str) -> Named:
    """The metric class that a text names, and the options that it names or stands for.

    Names are read in any case, with `-`, `_`, a space or nothing between their words, and with an
    average before or after: `macro_f1`, `F1-macro`.

    Raises:
        UsageError: There is no such metric or option; the nearest name is given.
    """
    stripped = text.strip()
    if len(stripped) > _LONGEST:
        raise UsageError(
            f"a metric may have at most {_LONGEST:,} characters, not {len(stripped):,}: "
            f"{_clip(stripped)!r}"
        )
    if "(" in stripped:
        return _read_call(stripped)
    folded = _fold(stripped)
    found = _find(folded)
    if found is None:
        return _look_up_k(stripped) or _look_up_average(folded, stripped)
    return found[0], dict(found[1])


def read_metrics(named: object, kind: Kind = "binary") -> list[Metric]:
    """The metrics of a list of names and metrics; `kind` is that of `parse`.

    Raises:
        UsageError: It is no list of names and metrics, or a name is not known.
    """
    listed = list(named) if isinstance(named, Iterable) else [named]
    return [_read_metric(metric, kind) for metric in listed]


def _read_metric(metric: object, kind: Kind) -> Metric:
    if isinstance(metric, str):
        return parse(metric, kind)
    if isinstance(metric, Metric):
        return metric
    shown = f"the class {metric.__name__}" if isinstance(metric, type) else repr(metric)
    raise UsageError(f"a metric is a name or such as F1(), not {shown}")


def find_class(name: str) -> type[Metric]:
    """The metric class that a name without an average stands for.

    Raises:
        UsageError: There is no such metric; the nearest name is given.
    """
    found = _find(_fold(name))
    own = _find_own(name) if found is None else found[0]
    if own is None:
        raise _miss(name)
    return own


def _find_own(name: str) -> type[Metric] | None:
    """The metric class that a caller defined last under a name; None without one."""
    classes: list[Any] = [Metric]
    for one in classes:
        classes += one.__subclasses__()
    return next((one for one in reversed(classes) if one.__name__ == name), None)


def _fold(name: str) -> str:
    return re.sub(r"[-_\s]", "", name).casefold()


@cache
def _classes() -> dict[str, str]:
    """The name of each metric's class by its folded name, which is that of its short name too."""
    return {_fold(name): name for name in metrics.HOMES}


@cache
def _aliases() -> dict[str, str]:
    return {_fold(name): meant for name, meant in ALIASES.items()}


@cache
def _find(folded: str) -> Named | None:
    """What a name without an average stands for; loads no other metric than those it may be."""
    meant, classes = _aliases().get(folded), _classes()
    if meant is not None:
        name, _, options = meant.partition("(")
        metric = _load(classes[_fold(name)])
        return metric, _read_options(meant, metric) if options else {}
    if folded in classes:
        return _load(classes[folded]), {}
    near = (name for own, name in classes.items() if folded.startswith(own) or folded.endswith(own))
    presets = ((_load(name), preset) for name in near for preset in _load(name).presets)
    found = (
        (metric, dict(metric.presets[preset]))
        for metric, preset in presets
        if _fold(preset) == folded
    )
    return next(found, None)


def _load(name: str) -> type[Metric]:
    metric: type[Metric] = getattr(metrics, name)
    return metric


def _look_up_k(name: str) -> Named | None:
    """What the name of a metric of k stands for; None where it is none."""
    match = _OF_K.fullmatch(name)
    found = None if match is None else _find(_fold(f"{match[1]}k"))
    if match is None or found is None or "k" not in _options(found[0]):
        return None
    return found[0], {**found[1], "k": int(match[2])}


def _look_up_average(folded: str, shown: str) -> Named:
    for average in _AVERAGES:
        for rest in (folded.removeprefix(average), folded.removesuffix(average)):
            found = None if rest == folded else _find(rest)
            if found is not None:
                metric, options = found
                if not _is_averaged(metric):
                    raise UsageError(f"{metric.short} has no {average} average")
                return metric, {**options, **_average(average)}
    raise _miss(shown)


def _miss(name: str) -> UsageError:
    """The error for a name that no metric has, with the nearest of all names there are."""
    import difflib

    known = {_fold(name): name for name, meant in ALIASES.items() if "(" in meant}
    for metric in metrics.METRICS:
        names = (
            metric.short,
            *(alias for alias, meant in ALIASES.items() if meant == metric.short),
        )
        known |= {_fold(own): metric.short for own in names}
        known |= {_fold(preset): preset for preset in metric.presets}
        for average in _AVERAGES if _is_averaged(metric) else ():
            shown = f"{average}_{metric.short}"
            known |= {key: shown for own in names for key in _join(average, _fold(own))}
    near = difflib.get_close_matches(_fold(name), known, 1, _NEAR)
    hint = f"did you mean {known[near[0]]}?" if near else "`tallystick metrics` lists them all"
    return UsageError(f"unknown metric {_clip(name)!r}; {hint}")


def _join(average: str, folded: str) -> tuple[str, str]:
    return f"{average}{folded}", f"{folded}{average}"


def _options(metric: type[Metric]) -> list[str]:
    return [field.name for field in fields(metric)]  # type: ignore[arg-type]


def _required(metric: type[Metric]) -> list[str]:
    options = fields(metric)  # type: ignore[arg-type]
    return [field.name for field in options if field.default is MISSING]


def _is_averaged(metric: type[Metric]) -> bool:
    return {"average", "zero_division"} <= set(_options(metric))


def _is_pooled(metric: type[Metric]) -> bool:
    """Whether it pools labels unless another average is named."""
    return any(one.default == "micro" for one in fields(metric) if one.name == "average")  # type: ignore[arg-type]


def _average(average: str) -> dict[str, Any]:
    return {"average": average, "zero_division": 0}


def _read_call(text: str) -> Named:
    mean = _MEAN.fullmatch(text)
    if mean is not None and find_class(mean[1]) is MeanOf:
        parts = _split_parts(mean[2])
        if any(map(_MEAN.fullmatch, parts)):
            raise UsageError("MeanOf takes metrics, and no means of others")
        return MeanOf, {"parts": parts}
    metric = find_class(_call(text).func.id)
    return metric, _read_options(text, metric)


def _split_parts(text: str) -> tuple[str, ...]:
    """The names of metrics between commas, of which each may be in quotes."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return tuple(part.strip().strip("'\"") for part in parts if part.strip())


def _call(text: str) -> Any:
    try:
        call = ast.parse(text, mode="eval").body
    except (MemoryError, RecursionError):
        raise _miss_end(text) from None
    except (SyntaxError, ValueError):
        raise _refuse_call(text) from None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        raise _refuse_call(text)
    return call


def _refuse_call(text: str) -> UsageError:
    return UsageError(f"{_clip(text)!r} is not a metric; write it like F1(average='macro')")


def _miss_end(text: str) -> UsageError:
    return UsageError(f"the metric {_clip(text)!r} is nested too deeply")


def _clip(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _read_options(text: str, metric: type[Metric]) -> dict[str, Any]:
    call, known = _call(text), _options(metric)
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
    return options


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
    if isinstance(node, ast.Name | ast.Attribute):
        # A bare word, such as macro or metadata.score, needs no quotes.
        return ast.get_source_segment(text, node)
    try:
        return ast.literal_eval(node)
    except (MemoryError, RecursionError):
        raise _miss_end(text) from None
    except (TypeError, ValueError):
        value = ast.get_source_segment(text, node) or ""
        raise UsageError(f"{_clip(value)!r} in {_clip(text)!r} is not a literal value") from None
