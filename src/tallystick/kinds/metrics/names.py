"""Metrics by name: a repr parses back to its metric, and other names stand for the usual ones."""

import difflib
import importlib
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import MISSING, fields
from functools import cache, lru_cache
from typing import Any

from tallystick.errors import UsageError
from tallystick.kinds.index import READ
from tallystick.kinds.metrics.homes import HOMES
from tallystick.model.tallies.metric import Metric
from tallystick.model.task import Kind

HOME_OF_CLASS = {name: home for home, _, name in (place.partition(":") for place in HOMES.values())}
"""The module of each metric by the name of its class."""

_AVERAGES = ("macro", "micro", "weighted", "samples")
_NEAR = 0.75
"""The least similarity of an unknown name to a suggestion, from 0 to 1."""

_OF_K = re.compile(r"(.+[@^_]|top-?)([0-9]{1,9})([-_]accuracy)?")
"""A name with a number k, such as `pass@5`, `pass^3`, `pass_at_5` or `top_5_accuracy`."""

_OF_BETA = re.compile(r"f([0-9](?:\.[0-9]+)?)(?:score)?")
"""A folded name with a beta below 10, such as `f2` or `f0.5`: `f11` is more likely F1 misspelt."""

_NESTED = ("mean_of", "gap", "ratio_between", "worst", "std")
"""The metrics of other metrics."""

_LONGEST = 10_000
"""The most characters that the text of a metric may have."""

Named = tuple[type[Metric], dict[str, Any]]
"""A metric class, and the options that a name stands for."""


Metrics = Sequence[Metric | str] | Metric | str | None
"""What callers may say of metrics; None takes the task's usual ones."""


def name_metrics(metrics: Metrics) -> list[Metric | str] | None:
    """The metrics that a caller named, as a list; None where none were."""
    if metrics is None:
        return None
    if isinstance(metrics, Metric | str):
        return [metrics]
    # What is no metric at all is told when it is read.
    named: list[Metric | str] = list(metrics) if isinstance(metrics, Iterable) else [metrics]
    if not named:
        raise UsageError("no metric was named; leave metrics out for the usual ones")
    return named


def parse(text: str, kind: Kind = "binary") -> Metric:
    """The metric that a text names.

    A repr, such as `F1(average='macro')`, means exactly what it says. Any other name stands for
    what the field prints under it: `f1` is binary for a binary task and macro for others, and
    averages over labels count an undefined label as 0.
    """
    metric, options = look_up(text)
    if metric.short in _NESTED:
        return metric(*(parse(part, kind) for part in options.get("parts", ())))
    plain = "(" not in text and "average" not in options and not _is_pooled(metric)
    if plain and kind != "binary" and is_averaged(metric):
        options |= _average("macro")
    return build(metric, options)


def look_up(text: str) -> Named:
    """The metric class that a text names, and the options that it names or stands for.

    Names are read in any case, with `-`, `_`, a space or nothing between their words, and with an
    average before or after: `macro_f1`, `F1-macro`.
    """
    stripped = text.strip()
    if len(stripped) > _LONGEST:
        raise UsageError(
            f"a metric may have at most {_LONGEST:,} characters, not {len(stripped):,}"
        )
    if "(" in stripped:
        return _look_up_elsewhere(stripped, call=True) or _read_call(stripped)
    folded = _fold(stripped)
    found = _find(folded)
    if found is None:
        return (
            _look_up_k(stripped)
            or _look_up_average(folded)
            or _look_up_elsewhere(stripped)
            or (_need_own(stripped), {})
        )
    return found[0], dict(found[1])


def _look_up_elsewhere(text: str, *, call: bool = False) -> Named | None:
    """What a name stands for that other tools for a kind give; None without one.

    A call that is a metric's own is left to that.
    """
    own = _fold(text.partition("(")[0]) in _classes() or text.endswith("()")
    if call and own and "@" not in text:
        return None
    found = (kind.read_name(text) for kind in READ)
    meant = next((one for one in found if one is not None), None)
    return None if meant is None else _read_call(meant)


def read_metrics(named: object, kind: Kind = "binary") -> list[Metric]:
    """The metrics of a list of names and metrics; `kind` is that of `parse`."""
    listed = list(named) if isinstance(named, Iterable) else [named]
    return [_read_metric(metric, kind) for metric in listed]


class UnknownMetricError(UsageError):
    """No metric has a name, which may be that of a column.

    Attributes:
        near: The nearest name that a metric has; None where none is near.
    """

    def __init__(self, message: str, near: str | None) -> None:
        """Keeps the nearest name."""
        UsageError.__init__(self, message)
        self.near = near


def take_columns(
    named: Iterable[Metric | str], list_columns: Callable[[], Collection[str]]
) -> list[Metric | str]:
    """The same metrics, with the mean of a column for each name that is one and no metric's."""
    return [_take_column(one, list_columns) if isinstance(one, str) else one for one in named]


def _take_column(name: str, list_columns: Callable[[], Collection[str]]) -> Metric | str:
    try:
        look_up(name)
    except UnknownMetricError as error:
        columns = list_columns()
        alike = [one for one in columns if one.casefold() == name.strip().casefold()]
        if not alike and columns and not error.near:
            near = max(columns, key=lambda one: _liken(name, one))
            raise UsageError(f"{error}; no column has that name; the closest is {near}") from error
        if not alike:
            raise
        column = name if name in alike else alike[0]
        mean: Metric = load_class("Mean")(column, named_by_column=True)
        return mean
    return name


def _liken(name: str, other: str) -> float:
    """How much alike two names are, from 0 to 1; one that begins with the other is more so."""
    first, second = name.casefold(), other.casefold()
    return difflib.SequenceMatcher(None, first, second).ratio() + second.startswith(first)


def _read_metric(metric: object, kind: Kind) -> Metric:
    if isinstance(metric, str):
        return parse(metric, kind)
    if isinstance(metric, Metric):
        return metric
    if callable(metric) and not isinstance(metric, type):
        from tallystick.kinds.function_mean import FunctionMean

        return FunctionMean(metric)
    shown = f"the class {metric.__name__}" if isinstance(metric, type) else repr(metric)
    raise UsageError(f"a metric is a name or an object such as F1(), not {shown}")


def find_class(name: str) -> type[Metric]:
    """The metric class that a name without an average stands for.

    A class that a caller defined comes before the names that other tools have for a metric.
    """
    folded = _fold(name)
    defined = None if folded in _classes() else _find_own(name)
    if defined is not None:
        return defined
    found = _find(folded)
    return _need_own(name) if found is None else found[0]


def _need_own(name: str) -> type[Metric]:
    """The metric class that a caller defined last under a name, or a package installed."""
    defined = _find_own(name)
    if defined is not None:
        return defined
    from tallystick.kinds.metrics.modules import load_installed

    installed = load_installed("tallystick.metrics", name)
    if installed is None:
        raise _miss(name)
    if not (isinstance(installed, type) and issubclass(installed, Metric)):
        raise UsageError(f"the package installed under the name {name!r} is not a metric")
    return installed


def _find_own(name: str) -> type[Metric] | None:
    """The metric class that a caller defined last under a name; None without one."""
    if name == "FunctionMean":
        from tallystick.kinds.function_mean import FunctionMean

        return FunctionMean
    classes: list[Any] = [Metric]
    for one in classes:
        classes += one.__subclasses__()
    named = (one for one in reversed(classes) if name in (one.__name__, vars(one).get("short")))
    return next(named, None)


@lru_cache
def _fold(name: str) -> str:
    return re.sub(r"[-_\s]", "", name).casefold()


@cache
def _classes() -> dict[str, str]:
    """The class of each metric by its folded short name, which is that of the class too."""
    return {_fold(short): place.partition(":")[2] for short, place in HOMES.items()}


@cache
def _aliases() -> dict[str, str]:
    from tallystick.kinds.metrics.aliases import ALIASES

    return {_fold(name): meant for meant, names in ALIASES.items() for name in names}


@cache
def _find(folded: str) -> Named | None:
    """What a name without an average stands for; loads no other metric than those it may be."""
    classes = _classes()
    if folded in classes:
        return load_class(classes[folded]), {}
    meant = _aliases().get(folded)
    if meant is not None:
        name, _, options = meant.partition("(")
        metric = load_class(classes[_fold(name)])
        if options and metric.short in _NESTED:
            return _read_call(meant)
        return metric, read_options(meant, metric) if options else {}
    beta = _OF_BETA.fullmatch(folded)
    if beta is not None:
        return load_class("FBeta"), {"beta": int(beta[1]) if beta[1].isdigit() else float(beta[1])}
    near = (name for own, name in classes.items() if folded.startswith(own) or folded.endswith(own))
    for metric in map(load_class, near):
        for preset, usual in metric.presets.items():
            if _fold(preset) == folded:
                return metric, dict(usual)
    return None


def load_class(name: str) -> type[Any]:
    """Loads the metric of this class name."""
    metric: type[Any] = getattr(importlib.import_module(f"tallystick.{HOME_OF_CLASS[name]}"), name)
    return metric


def _look_up_k(name: str) -> Named | None:
    """What the name of a metric of k stands for; None where it is none."""
    match = _OF_K.fullmatch(name)
    found = None if match is None else _find(_fold(f"{match[1]}k{match[3] or ''}"))
    if match is None or found is None or "k" not in _options(found[0]):
        return None
    return found[0], {**found[1], "k": int(match[2])}


def _look_up_average(folded: str) -> Named | None:
    for average in _AVERAGES:
        for rest in (folded.removeprefix(average), folded.removesuffix(average)):
            found = None if rest == folded else _find(rest)
            if found is not None:
                metric, options = found
                if not is_averaged(metric):
                    raise UsageError(f"{metric.short} has no {average} average")
                return metric, {**options, **_average(average)}
    return None


def _miss(name: str) -> UnknownMetricError:
    """The error for a name that no metric has, with the nearest of all names there are."""
    from tallystick.kinds.metrics.aliases import ALIASES
    from tallystick.kinds.metrics.calls import clip

    known = {_fold(one): one for meant, names in ALIASES.items() if "(" in meant for one in names}
    for metric in map(load_class, HOME_OF_CLASS):
        names = [_fold(own) for own in (metric.short, *ALIASES.get(metric.short, ()))]
        known |= dict.fromkeys(names, metric.short)
        known |= {_fold(preset): preset for preset in metric.presets}
        for average in _AVERAGES if is_averaged(metric) else ():
            both = [key for own in names for key in (f"{average}{own}", f"{own}{average}")]
            known |= dict.fromkeys(both, f"{average}_{metric.short}")
    near = difflib.get_close_matches(_fold(name), known, 1, _NEAR)
    nearest = known[near[0]] if near else None
    hint = f"did you mean {nearest}?" if near else "`tallystick metrics` lists them all"
    return UnknownMetricError(f"unknown metric {clip(name)!r}; {hint}", nearest)


def _options(metric: type[Metric]) -> list[str]:
    return [field.name for field in fields(metric) if field.repr]  # type: ignore[arg-type]


def is_averaged(metric: type[Metric]) -> bool:
    """Whether a metric may be averaged over labels in several ways."""
    return {"average", "zero_division"} <= set(_options(metric))


def _is_pooled(metric: type[Metric]) -> bool:
    """Whether it pools labels unless another average is named."""
    return any(one.default == "micro" for one in fields(metric) if one.name == "average")  # type: ignore[arg-type]


def _average(average: str) -> dict[str, Any]:
    return {"average": average, "zero_division": 0}


def _read_call(text: str) -> Named:
    from tallystick.kinds.metrics.calls import read_call

    head, bracket, rest = text.partition("(")
    nested = _find(_fold(head))
    if bracket and nested is not None and nested[0].short in _NESTED:
        _, listed = read_call(f"{nested[0].__name__}({rest}")
        parts = tuple(part.strip("'\"") for part in listed)
        inner = (_find(_fold(part.partition("(")[0])) for part in parts)
        if any(one is not None and one[0].short in _NESTED for one in inner):
            raise UsageError(f"{nested[0].short} takes metrics, and no metrics of others")
        return nested[0], {"parts": parts}
    metric = find_class(read_call(text)[0])
    return metric, read_options(text, metric)


def read_options(text: str, metric: type[Metric]) -> dict[str, Any]:
    """The options that a call names, such as `F1(average="macro")`."""
    from tallystick.kinds.metrics.calls import read_call, read_values

    return read_values(metric.__name__, read_call(text)[1], _options(metric))


def build(metric: type[Metric], options: dict[str, Any]) -> Metric:
    """The metric of a class with some options."""
    for one in fields(metric):  # type: ignore[arg-type]
        if one.default is MISSING and one.name not in options:
            value = "'...'" if one.type is str else 2
            usage = f"{metric.__name__}({one.name}={value})"
            raise UsageError(f"{metric.__name__} needs {one.name}: {usage}")
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
