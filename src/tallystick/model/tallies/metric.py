"""What every metric is: frozen configuration, a name that parses back, a formula on counts."""

import abc
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args, get_origin

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError, short_traceback
from tallystick.model.codes import Label
from tallystick.model.tallies.tally import Counter, Tally
from tallystick.settings import AbstractMeta, fold_case, freeze_lists, list_defaults

if TYPE_CHECKING:
    from tallystick.model.facts import Facts

Values = NDArray[np.float64]


def _keep(shares: Values) -> Values:
    return shares


class Share(Struct, frozen=True, eq=False):
    """How many trials were hits, and which score a share of hits represents.

    Attributes:
        hits: Of the shape of the score.
        trials: Likewise; each trial is an example of its own.
        to_score: A rising function from shares in [0, 1] to scores.
        method: What the interval of Wilson is called for this share.
    """

    hits: NDArray[Any]
    trials: NDArray[Any]
    to_score: Callable[[Values], Values] = _keep
    method: str = "Wilson"


Average = Literal["binary", "macro", "micro", "weighted", "samples"] | None
Direction = Literal["higher", "lower", "neither"]


class UnlistedName(str):
    """The name of a column that was asked for as if it were a metric's."""


class ComputedName(str):
    """The name of a column that a function computes of each row, a dictionary by column."""

    __slots__ = ("call",)
    call: Callable[[dict[str, object]], float]

    def __new__(cls, name: str, call: Callable[[dict[str, object]], float]) -> "ComputedName":
        """Keeps the function next to the name of its column."""
        made = super().__new__(cls, name)
        made.call = call
        return made

    def __getnewargs__(self) -> tuple[str, object]:  # type: ignore[override]
        return str(self), self.call

    def compute(self, row: dict[str, object], place: str) -> float:
        """The value of a row, which must be a finite number."""
        try:
            value = float(self.call(row))
        except Exception as error:
            message = f"{place}: {self} raised {type(error).__name__}: {error}"
            raise InputError(f"{message}; the row has {', '.join(map(repr, row))}") from error
        if not math.isfinite(value):
            raise InputError(f"{place}: {self} returned {value}, which is not a finite number")
        return value


class Metric(Struct, metaclass=AbstractMeta, frozen=True):
    """A formula over a tally, and the options that shape it.

    Attributes:
        short: The lower-case name that the command takes and that heads columns.
        title: The name as prose writes it; by default made of the short name.
        better: Which direction is the better one.
        bounds: The smallest and the largest possible value.
        counters: The counters whose tallies the formula reads, such as `Confusion`.
        zero: Why a score is 0 where that is the worst value: a clause on `it`, the system.
        ranges: The least and the largest value of its numeric options, or only the least.
    """

    short: ClassVar[str]
    title: ClassVar[str]
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type[Counter], ...]]
    zero: ClassVar[str] = "no output matches its gold"
    ranges: ClassVar[Mapping[str, tuple[float, ...]]] = {}

    def __init_subclass__(cls) -> None:
        """Makes a title of the short name for a class without its own."""
        if "short" in vars(cls) and "title" not in vars(cls):
            cls.title = cls.short.replace("_", " ").title()
        if "__post_init__" in vars(cls):
            cls.__post_init__ = short_traceback(cls.__post_init__)  # type: ignore[method-assign]

    @short_traceback
    def __post_init__(self) -> None:
        """Checks the options by the choices of their types, their ranges and their names."""
        for name, choices, check in _list_options(type(self)):
            value = getattr(self, name)
            if choices:
                fold_option(self, name, choices)
            elif name in self.ranges and value is not None:
                limits: Any = self.ranges[name]
                check(name, value, *limits)
            elif name in _CHECKS:
                _CHECKS[name](self)

    @abc.abstractmethod
    def score(self, tally: Any) -> Values:
        """The value of each group, of shape (..., groups); (..., groups, labels) per label."""

    def estimand(self, tally: Any) -> Share | None:
        """The counts behind a score that is, or depends on, a share of the examples; else None."""
        return None

    def influence(self, tally: Any) -> Values | None:
        """How fast the score of its group rises with the weight of each kind of example: (kinds,).

        The kinds are cells of labels, or examples in the order of the tally. None where no formula
        tells, so that kinds have to be made lighter one by one.
        """
        return None

    @property
    def counter(self) -> Any:
        """The first counter, with the options that it shares; None where the task decides."""
        first: Any = self.counters[0]
        options: tuple[str, ...] = getattr(first, "__match_args__", ())
        made = first(**{name: getattr(self, name) for name in options if hasattr(self, name)})
        return None if made.kind.side == "labels" else made

    def notes(self, tally: Tally, facts: "Facts") -> Iterator[tuple[str, str]]:
        """What should be known of the scores of a tally's systems.

        Yields a sentence, of one of the classes of notes, with `{}` in place of what differs
        between metrics that share it; and that, or nothing.
        """
        yield from ()

    @property
    def signature(self) -> str:
        """The configuration in full, where the repr leaves out what is usual."""
        return repr(self)

    @property
    def name(self) -> str:
        """The short name, with its average or its column: `macro_f1`, `mean(comet)`."""
        column = getattr(self, "column", None)
        if column is not None:
            return f"{self.short}({column})"
        average = getattr(self, "average", None)
        return self.short if average in (None, "binary") else f"{average}_{self.short}"

    @property
    def full_title(self) -> str:
        """The title, with the average before it: `Macro F1-Score`."""
        average = read_average(self)
        return self.title if average in (None, "binary") else f"{average.title()} {self.title}"

    def __repr__(self) -> str:
        options = [
            f"{name}={show(getattr(self, name))}"
            for name, default in list_defaults(type(self))
            if getattr(self, name) is not default and show(getattr(self, name)) != show(default)
        ]
        return f"{type(self).__name__}({', '.join(options)})"


def find_formula(metric: Metric, tally: Tally) -> tuple[Metric, Tally]:
    """The metric and the tally that a score is made of: accuracy of a mean of nothing but 0 and 1.

    So this has the intervals and tests of a share; `as_share` of the metric decides by the data.
    """
    as_share = getattr(metric, "as_share", None)
    return (as_share and as_share(tally)) or (metric, tally)


def read_average(metric: Metric) -> Any:
    """How a metric averages over labels; `binary` where it knows no averages."""
    return getattr(metric, "average", "binary")


def is_per_label(metric: Metric) -> bool:
    """Whether there is one value per label and not one for all."""
    return bool(getattr(metric, "per_label", read_average(metric) is None))


def averages_labels(metric: Metric) -> bool:
    """Whether the score is the plain mean over labels."""
    return bool(getattr(metric, "averages_labels", read_average(metric) == "macro"))


def list_parts(metric: Metric) -> tuple[Metric, ...]:
    """The metrics that a metric is a mean of, or whose scores of groups it compares."""
    return getattr(metric, "parts", ())


def adds_up(metric: Metric) -> bool:
    """Whether a metric is a count, so that groups add up and have no mean."""
    return bool(getattr(metric, "adds_up", False))


def compares_groups(metric: Metric) -> bool:
    """Whether a metric compares the scores of groups."""
    return bool(getattr(metric, "compares_groups", False))


def list_named(metric: Metric) -> tuple[Label, ...]:
    """The labels that the options of a metric name."""
    return getattr(metric, "labels", None) or ()


def find_undefined_value(metric: Metric) -> float:
    """What stands where a metric is undefined, as its `zero_division` says it."""
    value: float = getattr(metric, "zero_division", math.nan)
    return value


def show(value: object) -> str:
    """An option's value as it is written in a metric's repr; a callable's is `module:name`."""
    if isinstance(value, tuple):
        return f"({', '.join(map(show, value))}{',' if len(value) == 1 else ''})"
    if callable(value):
        named = value if hasattr(value, "__qualname__") else type(value)  # whose repr is stable
        module = getattr(named, "__module__", None)  # methods of built-in types have none
        return f"{module}:{named.__qualname__}" if module else named.__qualname__
    value = value.item() if isinstance(value, np.generic) else value
    return "nan" if isinstance(value, float) and math.isnan(value) else repr(value)


def fold_option(metric: Struct, name: str, allowed: tuple[object, ...]) -> None:
    """Writes an option as its values are written, as `macro` for `Macro`."""
    check_option(name, fold_case(metric, name, allowed), allowed)


def check_option(name: str, value: object, allowed: tuple[object, ...]) -> None:
    """Raises a UsageError unless the option has one of the values it may have."""
    if value not in allowed:
        listing = ", ".join(show(one) for one in allowed)
        raise UsageError(f"{name} must be one of {listing}, not {show(value)}")


_LARGEST, _LARGEST_WHOLE, _LONGEST_TOLD = sys.float_info.max, 1 << 53, 60


def check_number(name: str, value: object, least: float, most: float = _LARGEST) -> None:
    """Raises a UsageError unless an option is a finite number within its limits."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    most = min(most, _LARGEST)
    if not (number and least <= value <= most):  # type: ignore[operator]
        raise UsageError(f"{name} must be a number {_tell(value, least, most)}")


def check_whole(name: str, value: object, least: int, most: float = _LARGEST_WHOLE) -> None:
    """Raises a UsageError unless an option is a whole number within its limits."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not (whole and least <= value <= most):  # type: ignore[operator]
        raise UsageError(f"{name} must be a whole number {_tell(value, least, most)}")


def _tell(value: object, least: float, most: float) -> str:
    message = show(value)
    message = message if len(message) <= _LONGEST_TOLD else f"{message[:_LONGEST_TOLD]}..."
    beyond = isinstance(value, int | float) and most < value < math.inf
    if most in (_LARGEST, _LARGEST_WHOLE) and not beyond:
        return f"of {least:g} or more, not {message}"
    return f"from {least:g} to {most:g}, not {message}"


def check_labels(metric: Any) -> None:
    """Raises a UsageError unless a metric's labels are None or a tuple of what can be labels."""
    freeze_lists(metric, "labels")
    labels = metric.labels
    if not isinstance(labels, tuple | None):
        raise UsageError(f"labels must be a list or a tuple such as ('a', 'b'), not {labels!r}")
    for label in labels or ():
        check_label(label)


def check_beta(beta: object) -> None:
    """Raises a UsageError unless the value is a beta whose square, too, is a number above 0."""
    check_number("beta", beta, 1e-100, 1e100)


def check_label(label: object) -> None:
    """Raises a UsageError unless the value can be a label."""
    if not isinstance(label, str | int | np.integer):
        raise UsageError(f"a label is text or a whole number, not {show(label)}")


def check_zero_division(zero_division: float) -> None:
    """Raises a UsageError unless the value is 0, 1 or NaN."""
    if not (isinstance(zero_division, float) and math.isnan(zero_division)):
        check_option("zero_division", zero_division, (0, 1, math.nan))


def check_positive(positive: object) -> None:
    """Raises a UsageError unless the value is None or can be a label."""
    if positive is not None:
        check_label(positive)


def check_column(column: object) -> None:
    """Raises a UsageError unless the value is None or can name a column."""
    if not isinstance(column, str | None):
        raise UsageError(f"column must be the name of a column, not {show(column)}")


def check_bounds(metric: Metric) -> None:
    """Raises a UsageError unless the bounds of a metric are two ascending numbers."""
    freeze_lists(metric, "bounds")
    bounds: object = metric.bounds
    ends = bounds if isinstance(bounds, tuple) and len(bounds) == 2 else ("", "")
    if not (all(isinstance(end, int | float) for end in ends) and ends[0] < ends[1]):
        raise UsageError(
            f"bounds are the least and the largest value, such as (0, 1), not {show(bounds)}"
        )


_CHECKS: Mapping[str, Callable[[Any], None]] = {
    "labels": check_labels,
    "bounds": check_bounds,
    "zero_division": lambda metric: check_zero_division(metric.zero_division),
    "column": lambda metric: check_column(metric.column),
    "beta": lambda metric: check_beta(metric.beta),
    "positive": lambda metric: check_positive(metric.positive),
    "unanswered": lambda metric: check_positive(metric.unanswered),
    "pos_label": lambda metric: check_positive(metric.pos_label),
}
"""The checks of options that several metrics have, by name."""


@cache
def _list_options(metric: type[Metric]) -> list[tuple[str, tuple[object, ...], Any]]:
    """The name of each option, the choices of its type, and the check of its range."""
    kinds: dict[str, object] = {}
    whole = (int, int | None)
    for one in reversed(metric.__mro__):
        kinds |= vars(one).get("__annotations__", {})
    return [
        (name, _list_choices(kinds[name]), check_whole if kinds[name] in whole else check_number)
        for name in metric.__struct_fields__
    ]


def _list_choices(kind: object) -> tuple[object, ...]:
    """The values of a Literal, or of a union of one with None."""
    if get_origin(kind) is Literal:
        return get_args(kind)
    parts = () if get_origin(kind) is tuple else get_args(kind)
    if not any(get_origin(part) is Literal for part in parts):
        return ()
    return tuple(one for part in parts for one in get_args(part) or (None,))
