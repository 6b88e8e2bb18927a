"""The five parameters for choosing models, set once for a program or in the environment."""

import os
from collections.abc import Callable, Mapping
from contextvars import ContextVar, Token
from functools import partial
from types import EllipsisType, MappingProxyType
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from tallystick.errors import UsageError
from tallystick.kinds.labels.kappas import LScore, SScore
from tallystick.kinds.metrics.names import find_class, is_averaged, look_up, parse
from tallystick.model.codes import Label
from tallystick.model.tallies.metric import Metric, check_number, check_option, check_positive

_SET: ContextVar[Mapping[str, object]] = ContextVar("_SET", default=MappingProxyType({}))
"""What `scoring_defaults` has set."""

_AVERAGES = ("binary", "macro", "micro", "weighted", "samples")
_SECONDARY = (None, "precision", "recall")


def _look_up(name: str) -> Any:
    """Returns a parameter as it was set, else from the environment, else its default."""
    chosen = _SET.get()
    return chosen[name] if name in chosen else _read_variable(name)


class Scoring(Struct, frozen=True):
    """The parameters for choosing a model.

    The default of a parameter is the value set by `scoring_defaults`, else that of an environment
    variable such as `TALLYSTICK_STRENGTH`, else the value in brackets below. In a variable, `none`
    is None, and a label in quotes is text even if it is a number.

    Attributes:
        scoring: The short or full name of a metric (`"accuracy"`).
        avg: The average of precision, recall or F1 under a short name: `"binary"`, `"macro"`,
            `"micro"`, `"weighted"` or `"samples"` (`"macro"`).
        pos_label: The preferred label of s_score and l_score, and the positive one of the binary
            average; None or -1 is none (None).
        secondary_scoring: `"precision"`, `"recall"` or None; for s_score and l_score (None).
        strength: The power of what is preferred; for s_score and l_score (3).

    Raises:
        UsageError: A value is not allowed; the message names the variable if it came from one.
    """

    scoring: str = field(default_factory=partial(_look_up, "scoring"))
    avg: str = field(default_factory=partial(_look_up, "avg"))
    pos_label: Label | None = field(default_factory=partial(_look_up, "pos_label"))
    secondary_scoring: str | None = field(default_factory=partial(_look_up, "secondary_scoring"))
    strength: float = field(default_factory=partial(_look_up, "strength"))

    def __post_init__(self) -> None:
        """Checks every parameter."""
        for name, (_, _, check) in _PARAMETERS.items():
            check(getattr(self, name))

    def metric(self) -> Metric:
        """Returns the metric that the parameters describe, ignoring those that it does not have.

        A full name, such as `F1(average='micro')`, is taken as it is.
        """
        if _is_exact(self.scoring):
            return parse(self.scoring)
        kind: Any = find_class(self.scoring.strip())
        label = None if self.pos_label == -1 else self.pos_label
        if kind in (SScore, LScore):
            built: Metric = kind(self.secondary_scoring, label, self.strength)
            return built
        if not is_averaged(kind):
            return parse(self.scoring)
        if self.avg == "binary":
            return replace(parse(self.scoring), positive=label)
        return parse(f"{self.avg}_{self.scoring.strip()}")


class Restore:
    """What `scoring_defaults` returns; as a context manager it undoes the setting at the end."""

    __slots__ = ("_token",)

    def __init__(self, token: Token[Mapping[str, object]]) -> None:
        """Remembers what was set before."""
        self._token = token

    def __enter__(self) -> Scoring:
        """The parameters now in force."""
        return Scoring()

    def __exit__(self, *error: object) -> None:
        """Sets what was set before."""
        _SET.reset(self._token)


def scoring_defaults(
    *,
    scoring: str | EllipsisType = ...,
    avg: str | EllipsisType = ...,
    pos_label: Label | EllipsisType | None = ...,
    secondary_scoring: str | EllipsisType | None = ...,
    strength: float | EllipsisType = ...,
) -> Restore:
    """Sets parameters for all that follows, or inside a `with` statement for its block.

    A parameter that is not given stays as it was. The setting belongs to the context (PEP 567):
    tasks inherit it, and a new thread starts without it.

    Raises:
        UsageError: A value is not allowed; nothing is set.
    """
    given = {name: value for name, value in locals().items() if value is not ...}
    for name, value in given.items():
        _PARAMETERS[name][2](value)
    return Restore(_SET.set({**_SET.get(), **given}))


def _is_exact(scoring: str) -> bool:
    """Whether a name says what is averaged: `F1()` and `micro_f1` do, `f1` does not."""
    return "(" in scoring or "average" in look_up(scoring)[1]


def _read_variable(name: str) -> object:
    variable = f"TALLYSTICK_{name.upper()}"
    text = os.environ.get(variable, "").strip()
    usual, read, check = _PARAMETERS[name]
    if not text:
        return usual
    try:
        value = read(text)
        check(value)
    except UsageError as error:
        raise UsageError(f"{variable} in the environment: {error}") from None
    return value


def _parse_label(text: str) -> Label | None:
    if text[0] == text[-1] and text[0] in "'\"" and len(text) > 2:
        return text[1:-1]
    if text.casefold() == "none":
        return None
    return int(text) if text.removeprefix("-").isdecimal() else text


def _parse_number(text: str) -> float | str:
    try:
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        return text  # the check of the parameter refuses it


def _check_scoring(scoring: object) -> None:
    if not isinstance(scoring, str):
        raise UsageError(f"scoring must be the name of a metric, not {scoring!r}")
    if _is_exact(scoring):
        parse(scoring)
    else:
        find_class(scoring.strip())


_PARAMETERS: Mapping[str, tuple[object, Callable[[str], object], Callable[[Any], None]]] = {
    "scoring": ("accuracy", str, _check_scoring),
    "avg": ("macro", str.casefold, lambda avg: check_option("avg", avg, _AVERAGES)),
    "pos_label": (None, _parse_label, check_positive),
    "secondary_scoring": (
        None,
        lambda text: None if text.casefold() == "none" else text.casefold(),
        lambda one: check_option("secondary_scoring", one, _SECONDARY),
    ),
    "strength": (3, _parse_number, lambda one: check_number("strength", one, 1)),
}
"""The usual value of each parameter, how it is read from the environment, and what checks it."""
