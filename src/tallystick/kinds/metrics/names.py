"""Finds metrics by name: those of the table, those of modules named by callers, installed ones."""

import ast
import difflib
import importlib
import math
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cache, lru_cache
from types import ModuleType
from typing import Any

from msgspec import NODEFAULT

from tallystick.errors import UsageError
from tallystick.kinds.index import READ
from tallystick.kinds.metrics.table import TABLE
from tallystick.model.facts import Kind as TaskKind
from tallystick.model.reading import Kind
from tallystick.model.systems import Column
from tallystick.model.tallies.metric import ComputedName, Metric, UnlistedName
from tallystick.settings import list_defaults

HOME_OF_CLASS = {name: home for home, name, _ in TABLE.values()}
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
_SHOWN = 100
"""How many characters of it messages show."""

_CONSTANTS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_PART = re.compile(
    r"""\s*'(?:\\.|[^'\\])*'|\s*"(?:\\.|[^"\\])*"|[][(),=]|(?P<name>\s*\w+\s*(?=[(=]))"""
    r"""|[^][(),=]+(?:\([^()]*\)[^][(),=]*)*""",
    re.DOTALL,
)
"""A text in quotes, a bracket, comma or sign, a name before one, or text without quotes."""

Named = tuple[type[Metric], dict[str, Any]]
"""A metric class, and the options that a name represents."""

Call = tuple[str, tuple[Any, ...], tuple[tuple[str, Any], ...]]
"""The name of a metric, and the values of its options without and with names."""

Metrics = Sequence[Metric | str] | Metric | str | None
"""What callers may say of metrics; None takes the task's usual ones."""


class UnknownMetricError(UsageError):
    """No metric has a name, which may be that of a column; `near` is the nearest name, if any."""

    def __init__(self, message: str, near: str | None) -> None:
        """Keeps the nearest name."""
        UsageError.__init__(self, message)
        self.near = near


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


def read_metrics(named: object, kind: TaskKind = "binary") -> list[Metric]:
    """The metrics of a list of names and metrics; `kind` is that of `parse`."""
    listed = list(named) if isinstance(named, Iterable) else [named]
    return [_read_metric(metric, kind) for metric in listed]


def _read_metric(metric: object, kind: TaskKind) -> Metric:
    if isinstance(metric, str):
        return parse(metric, kind)
    if isinstance(metric, Metric):
        return metric
    if callable(metric) and not isinstance(metric, type):
        return _mean_of(metric)
    shown = f"the class {metric.__name__}" if isinstance(metric, type) else repr(metric)
    raise UsageError(f"a metric is a name or an object such as F1(), not {shown}")


def parse(text: str, kind: TaskKind = "binary") -> Metric:
    """The metric that a text names.

    A repr, such as `F1(average='macro')`, is taken as it is. Under other names `f1` is binary for
    a binary task and macro for others, and averages over labels count an undefined label as 0.
    """
    metric, options = look_up(text)
    if metric.short in _NESTED:
        return metric(*(parse(part, kind) for part in options.get("parts", ())))
    # What pools labels unless another average is named keeps that.
    pooled = ("average", "micro") in list_defaults(metric)
    plain = "(" not in text and "average" not in options and not pooled
    if plain and kind != "binary" and is_averaged(metric):
        options |= {"average": "macro", "zero_division": 0}
    return build(metric, options)


def look_up(text: str) -> Named:
    """The metric class that a text names, and the options that it names or implies.

    Case, and `-`, `_` or spaces between words, do not matter; an average comes before or after:
    `macro_f1`, `F1-macro`. The table comes first, then names of other tools for a kind, then
    classes that a caller defined.
    """
    stripped = text.strip()
    if len(stripped) > _LONGEST:
        raise UsageError(
            f"a metric may have at most {_LONGEST:,} characters, not {len(stripped):,}"
        )
    call = "(" in stripped
    found = None if call else _find(stripped)
    if found is not None:
        return found[0], dict(found[1])
    # A call that is a metric's own is left to that.
    own = call and (_fold(stripped.partition("(")[0]) in _shorts() or stripped.endswith("()"))
    meant = () if own and "@" not in stripped else (*list_meanings(stripped).values(),)
    if meant or call:
        written = meant[0] if meant else stripped
        known = _find_exact(_fold(written.partition("(")[0]))
        nested = known is not None and known[0].short in _NESTED
        metric = known[0] if known and nested else find_class(read_call(written)[0])
        return read_options(written, metric)
    return _need_own(stripped), {}


@lru_cache
def _find(name: str) -> Named | None:
    """What a name of the table represents; loads no other metric than that."""
    folded = _fold(name)
    found = _find_exact(folded)
    if found is not None:
        return found
    match = _OF_K.fullmatch(name)
    of_k = None if match is None else _find_exact(_fold(f"{match[1]}k{match[3] or ''}"))
    if match is not None and of_k is not None and "k" in _options(of_k[0]):
        return of_k[0], {**of_k[1], "k": int(match[2])}
    for average in _AVERAGES:
        for rest in (folded.removeprefix(average), folded.removesuffix(average)):
            found = None if rest == folded else _find_exact(rest)
            if found is not None:
                metric, options = found
                if "weighting" in _options(metric):
                    return metric, {**options, "weighting": average}
                if not is_averaged(metric):
                    raise UsageError(f"{metric.short} has no {average} average")
                return metric, {**options, "average": average, "zero_division": 0}
    return None


def _find_exact(folded: str) -> Named | None:
    if folded in _names():
        _, short, options = _names()[folded]
        metric = load_class(TABLE[short][1])
        return read_options(f"{metric.__name__}({options})", metric) if options else (metric, {})
    beta = _OF_BETA.fullmatch(folded)
    if beta is None:
        return None
    return load_class("FBeta"), {"beta": int(beta[1]) if beta[1].isdigit() else float(beta[1])}


@cache
def _names() -> dict[str, tuple[str, str, str]]:
    """By folded name, also of classes: its spelling, the short name of its metric, and options."""
    found = {}
    for short, (_, _, others) in TABLE.items():
        for name, options in {short: "", **others}.items():
            found[_fold(name)] = (name, short, options)
    return found


@cache
def _shorts() -> set[str]:
    return set(map(_fold, TABLE))


def _fold(name: str) -> str:
    return re.sub(r"[-_\s]", "", name).casefold()


@lru_cache
def list_meanings(text: str, *, asked: bool = False) -> dict[Kind[Column], str]:
    """By kind the repr of the metric to which other tools for it give a name; `read_name` of it."""
    meant = {kind: kind.read_name(text, asked=asked) for kind in READ}
    return {kind: full for kind, full in meant.items() if full is not None}


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
        mean: Metric = load_class("Mean")(UnlistedName(column))
        return mean
    return name


def _liken(name: str, other: str) -> float:
    """How much alike two names are, from 0 to 1; one that begins with the other is more so."""
    first, second = name.casefold(), other.casefold()
    return difflib.SequenceMatcher(None, first, second).ratio() + second.startswith(first)


def is_own(text: str) -> bool:
    """Whether a text names what a module holds, such as `module:Class` or `module:Class(k=5)`."""
    return NAMED.fullmatch(text.strip()) is not None


def load_metric(text: str) -> Metric:
    """The metric that `module:Class` names, or the mean of what `module:function` returns."""
    match = NAMED.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{text!r} is not of the form module:Class or module:function")
    found = load_attribute(match[1], match[2])
    if isinstance(found, type) and issubclass(found, Metric):
        call = f"{match[2]}{match[3]}"
        return build(found, read_options(call, found)[1] if match[3] else {})
    if isinstance(found, Metric) and not match[3]:
        return found
    if callable(found) and not isinstance(found, type) and not match[3]:
        return _mean_of(found)
    raise UsageError(
        f"{text} is neither a subclass of tallystick.Metric nor a function of a row, of output "
        "alone, or of gold and output"
    )


def _mean_of(function: Callable[..., float]) -> Metric:
    from tallystick.kinds.function_mean import FunctionMean, read_parameters

    if read_parameters(function) != ("row",):
        return FunctionMean(function)
    mean: Metric = load_class("Mean")(ComputedName(function.__name__, function))
    return mean


def find_class(name: str) -> type[Metric]:
    """The metric class of a name without an average; a caller's class comes before other names."""
    folded = _fold(name)
    defined = None if folded in _shorts() else _find_own(name)
    found = None if defined is not None else _find_exact(folded)
    return found[0] if found is not None else defined or _need_own(name)


def load_class(name: str) -> type[Any]:
    """Loads the metric of this class name."""
    metric: type[Any] = getattr(importlib.import_module(f"tallystick.{HOME_OF_CLASS[name]}"), name)
    return metric


def _need_own(name: str) -> type[Metric]:
    """The metric class that a caller defined last under a name, or a package installed."""
    defined = _find_own(name)
    if defined is not None:
        return defined

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


def _miss(name: str) -> UnknownMetricError:
    known = {key: name if sets else short for key, (name, short, sets) in _names().items()}
    for key, (_, short, sets) in _names().items():
        if not sets and is_averaged(load_class(TABLE[short][1])):
            for average in _AVERAGES:
                known |= dict.fromkeys((f"{average}{key}", f"{key}{average}"), f"{average}_{short}")
    near = difflib.get_close_matches(_fold(name), known, 1, _NEAR)
    nearest = known[near[0]] if near else None
    hint = f"did you mean {nearest}?" if near else "`tallystick metrics` lists them all"
    return UnknownMetricError(f"unknown metric {_clip(name)!r}; {hint}", nearest)


def _options(metric: type[Metric]) -> list[str]:
    return list(metric.__struct_fields__)


def is_averaged(metric: type[Metric]) -> bool:
    """Whether a metric may be averaged over labels in several ways."""
    return {"average", "zero_division"} <= set(_options(metric))


def read_options(text: str, metric: type[Metric]) -> Named:
    """A metric with the options that a call names, such as `F1(average="macro")`."""
    _, values, named = read_call(text)
    if metric.short in _NESTED:
        parts = tuple(map(str, values))
        inner = (_find_exact(_fold(part.partition("(")[0])) for part in parts)
        if named or any(one is not None and one[0].short in _NESTED for one in inner):
            raise UsageError(f"{metric.short} takes metrics, and no metrics of others")
        return metric, {"parts": parts}
    known = _options(metric)
    if len(values) > len(known):
        raise UsageError(f"{metric.__name__} takes {len(known)} options, not {len(values)}")
    options = dict(zip(known, values, strict=False))
    for name, value in named:
        if name not in known or name in options:
            raise UsageError(
                f"{metric.__name__} has no option {name!r} here; it has "
                f"{', '.join(known) or 'none'}"
            )
        options[name] = value
    return metric, options


@lru_cache
def read_call(text: str) -> Call:
    """Splits a metric and its options, such as `F1(average=macro)`.

    A value is a Python literal, a list of values, or text, which needs no quotes.
    """
    wrong = UsageError(f"{_clip(text)!r} is not a metric; write it like F1(average='macro')")
    for written in (text, "".join(map(_quote, _PART.finditer(text)))):
        try:
            call = ast.parse(written.strip(), mode="eval").body
        except (MemoryError, RecursionError):
            raise UsageError(f"the metric {_clip(text)!r} is nested too deeply") from None
        except (SyntaxError, ValueError):
            continue
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise wrong
        values = tuple(_read_value(value, written) for value in call.args)
        named = tuple((one.arg or "**", _read_value(one.value, written)) for one in call.keywords)
        return call.func.id, values, named
    raise wrong


def _quote(part: re.Match[str]) -> str:
    bare = part[0].strip()
    if bare[:1] in ("", *"'\"[](),=") or part["name"] is not None:
        return part[0]
    try:
        ast.literal_eval(bare)
    except (MemoryError, RecursionError):
        return bare  # which is told when the whole is read
    except (SyntaxError, ValueError):
        return bare if bare in _CONSTANTS else repr(bare)
    return bare


def _read_value(value: ast.expr, text: str) -> Any:
    try:
        return ast.literal_eval(value)
    except (MemoryError, RecursionError):
        raise UsageError(f"the metric {_clip(text)!r} is nested too deeply") from None
    except (TypeError, ValueError):
        if isinstance(value, ast.List | ast.Tuple):
            return tuple(_read_value(one, text) for one in value.elts)
    written = ast.get_source_segment(text.strip(), value) or ""
    if len(written) > _SHOWN and not isinstance(value, ast.Call):
        raise UsageError(f"{_clip(written)!r} is too long for an option of a metric") from None
    return _CONSTANTS.get(written, written)


def _clip(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def build(metric: type[Metric], options: dict[str, object]) -> Metric:
    """The metric of a class with some options."""
    for name, default in list_defaults(metric):
        if default is NODEFAULT and name not in options:
            value = "'...'" if metric.__annotations__.get(name) is str else 2
            usage = f"{metric.__name__}({name}={value})"
            raise UsageError(f"{metric.__name__} needs {name}: {usage}")
    labels = options.get("labels")
    if isinstance(labels, str):
        raise UsageError(f"labels must be a list: labels=[{labels!r}]")
    if isinstance(labels, list):
        options["labels"] = tuple(labels)
    try:
        built = metric(**options)
        hash(built)  # a list among the options would fail later on
        return built
    except TypeError:
        shown = ", ".join(f"{name}={value!r}" for name, value in options.items())
        raise UsageError(f"{metric.__name__} does not take {shown}") from None


FOLDERS: list[str] = []
"""The folders in which modules were looked for; who counts elsewhere looks there too."""

NAMED = re.compile(
    r"((?:[^:()]*[\\/])?[A-Za-z_][\w-]*\.py|[A-Za-z_][\w.]*):([A-Za-z_]\w*)\s*(\(.*\))?", re.DOTALL
)


def load_kind(text: str) -> Kind[Column]:
    """The kind of a name: one that comes with Tallystick, `module:NAME`, or an installed one."""
    known = {kind.name: kind for kind in READ}
    if text.lower() in known:
        return known[text.lower()]
    match = NAMED.fullmatch(text.strip())
    if match is not None:
        found = load_attribute(match[1], match[2])
    else:
        found = load_installed("tallystick.kinds", text)
        if found is None:
            raise UsageError(
                f"there is no kind {text!r}, only {', '.join(known)}; one of your own is named as "
                "module:NAME"
            )
    if isinstance(found, type) and issubclass(found, Kind):
        found = found()
    if not isinstance(found, Kind):
        raise UsageError(f"{text} is not a tallystick.Kind")
    return found


_LOADED: list[ModuleType] = []
"""The modules that were first imported here; a file of the same name may replace them."""


def _find_file(module: ModuleType) -> str:
    return os.path.realpath(str(getattr(module, "__file__", "")))


def load_attribute(module: str, name: str) -> Any:
    """What a module or file holds; modules may be in the working directory, after other places."""
    folder, file = os.getcwd(), os.path.realpath(module) if module.endswith(".py") else None
    if file is not None:
        folder, module = os.path.dirname(file), os.path.basename(file).removesuffix(".py")
        if not os.path.isfile(file):
            raise UsageError(f"there is no file {file}")
    if folder not in FOLDERS:
        FOLDERS.append(folder)
    former = sys.modules.get(module)
    if file and former and former in _LOADED and _find_file(former) != file:
        del sys.modules[module]
    sys.path.append(folder)
    try:
        with _explain(module):
            loaded = importlib.import_module(module)
    finally:
        sys.path.remove(folder)
    if loaded is not former:
        _LOADED.append(loaded)
    if file is not None and _find_file(loaded) != file:
        raise UsageError(f"{file} has the name of another module; rename the file")
    if name not in vars(loaded):
        near = get_close_matches(name, vars(loaded), 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"the module {module} has no {name}{hint}")
    return vars(loaded)[name]


def load_installed(group: str, name: str) -> Any:
    """What a package installed under a name, in any case, as an entry point; None without one."""
    from importlib.metadata import entry_points

    folded = name.strip().casefold()
    found = next((one for one in entry_points(group=group) if one.name.casefold() == folded), None)
    if found is None:
        return None
    with _explain(found.module):
        return found.load()


@contextmanager
def _explain(module: str) -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module}.".startswith(f"{error.name}."):
            raise UsageError(
                f"there is no module {error.name!r}: none is installed, and none is in "
                f"{os.getcwd()}"
            ) from error
        raise UsageError(f"{module} needs {error.name}, which is not installed") from error
    except Exception as error:
        raise UsageError(f"{module} cannot be loaded: {type(error).__name__}: {error}") from error
