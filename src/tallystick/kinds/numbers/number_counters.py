"""Counters of numbers: their sums, and how often each pattern occurs."""

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.kinds.labels.label_columns import Confusion, count_verdicts
from tallystick.kinds.numbers import NUMBERS
from tallystick.kinds.numbers.numbers import Numbers
from tallystick.model.reading import Needed
from tallystick.model.systems import Systems
from tallystick.model.tallies.cells import Cells, count_patterns
from tallystick.model.tallies.groups import need_examples
from tallystick.model.tallies.metric import check_number, show
from tallystick.model.tallies.sums import Given, Sums, sum_rows, sum_values


class _OfColumn(Struct, frozen=True):
    """Counts a column of numbers, None being the output of a system, with or without gold."""

    kind = NUMBERS
    gold: ClassVar[bool] = False
    column: str | None = None

    @property
    def needs(self) -> Needed:
        return Needed(self.column, gold=self.gold)


class NumberSums(_OfColumn, frozen=True):
    """Sums a column of numbers."""

    verdicts: ClassVar[Confusion] = Confusion()
    columns = ("sum", "examples")
    variables = ("sum",)
    products: ClassVar[Mapping[str, tuple[str, str]]] = {}

    def count(self, systems: Systems) -> Sums:
        need_examples(systems, "metrics of numbers")
        systems = _leave_out_gaps(systems, self.column)
        verdicts = count_verdicts(systems, _find_numbers(systems, self.column))
        return replace(_sum_columns(self, systems, self.column), verdicts=verdicts)


class RatioSums(Struct, frozen=True):
    """Sums two columns of numbers."""

    kind = NUMBERS
    columns = ("numerator", "denominator", "examples")
    variables = ("numerator", "denominator")
    products: ClassVar[Mapping[str, tuple[str, str]]] = {}
    numerator: str
    denominator: str

    @property
    def needs(self) -> Needed:
        return Needed(self.numerator, beside=self.denominator)

    def count(self, systems: Systems) -> Sums:
        return _sum_columns(self, systems, self.numerator, self.denominator)


def _sum_columns(counter: NumberSums | RatioSums, systems: Systems, *columns: str | None) -> Sums:
    need_examples(systems, "metrics of numbers")
    systems = _leave_out_gaps(systems, *columns)
    numbers = np.stack([_find_numbers(systems, name).T for name in columns], -1)
    return sum_rows(counter, systems, lambda part: _place(counter, numbers[part], systems, part))


class NumberPairs(_OfColumn, frozen=True):
    """Sums numbers next to gold numbers: themselves, their products, and their differences."""

    gold = True
    columns = ("examples", "x", "y", "xx", "yy", "xy", "absolute_error", "squared_error")
    """x is gold, y is the output."""
    variables = ("x", "y", "absolute_error", "squared_error")
    products: ClassVar[Mapping[str, tuple[str, str]]] = {
        "xx": ("x", "x"),
        "yy": ("y", "y"),
        "xy": ("x", "y"),
    }

    def count(self, systems: Systems) -> Sums:
        need_examples(systems, "metrics of numbers")
        gold, outputs = find_pairs(systems, self.column)
        x, y = np.broadcast_arrays(gold[:, None], outputs.T)

        def list_rows(part: slice) -> Given:
            own, error = (x[part], y[part]), y[part] - x[part]
            numbers = np.stack([*own, np.abs(error), error**2], axis=-1)
            return _place(self, numbers, systems, part)

        return sum_rows(self, systems, list_rows)


Loss = Literal["percentage", "symmetric", "log", "pinball", "tweedie"]


def check_power(power: object) -> None:
    """Raises a UsageError unless a Tweedie distribution has the power."""
    check_number("power", power, -1e3, 1e3)
    if 0 < power < 1:  # type: ignore[operator]
        raise UsageError(f"power must be 0 or less, or 1 or more, not {show(power)}")


def _measure_deviance(
    power: float, gold: NDArray[np.float64], output: NDArray[np.float64]
) -> NDArray[np.float64]:
    if power == 0:
        return np.asarray(np.square(gold - output))
    known = "" if power < 0 else f" and gold {'above 0' if power >= 2 else 'of 0 or more'}"
    least = (gold > 0) if power >= 2 else (gold >= 0) | (power < 0)
    _check(least, output > 0, f"deviances of power {power:g} need outputs above 0{known}")
    positive = np.maximum(gold, 0)
    if power == 1:
        logs = np.where(gold > 0, gold, 1) / output
        return np.asarray(2 * (np.where(gold > 0, gold * np.log(logs), 0) - gold + output))
    if power == 2:
        return np.asarray(2 * (np.log(output / gold) + gold / output - 1))
    return np.asarray(
        2
        * (
            positive ** (2 - power) / ((1 - power) * (2 - power))
            - gold * output ** (1 - power) / (1 - power)
            + output ** (2 - power) / (2 - power)
        )
    )


def _check(gold: NDArray[np.bool_], output: NDArray[np.bool_], said: str) -> None:
    for what, right in (("an output", output), ("a gold number", gold)):
        if not right.all():
            raise InputError(f"{said}, and {what} is lower; use mse or mae")


class LossSums(_OfColumn, frozen=True):
    """Sums the losses of numbers; `alpha` is for the pinball loss, `power` for Tweedie's."""

    gold = True
    columns = ("loss", "examples")
    variables = ("loss",)
    products: ClassVar[Mapping[str, tuple[str, str]]] = {}
    loss: Loss = "percentage"
    alpha: float = 0.5
    power: float = 0

    def count(self, systems: Systems) -> Sums:
        need_examples(systems, "metrics of numbers")
        gold, outputs = find_pairs(systems, self.column)
        x, y = np.broadcast_arrays(gold[:, None], outputs.T)

        def list_rows(part: slice) -> Given:
            return _place(self, self.measure(x[part], y[part])[..., None], systems, part)

        return sum_rows(self, systems, list_rows)

    def measure(
        self, gold: NDArray[np.float64], output: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The loss of each output."""
        error = np.abs(output - gold)
        if self.loss == "percentage":
            return np.asarray(error / np.maximum(np.abs(gold), np.finfo(float).eps))
        if self.loss == "symmetric":
            total = np.abs(gold) + np.abs(output)
            return np.asarray(2 * error / np.where(total > 0, total, 1))
        if self.loss == "pinball":
            return np.asarray(np.where(gold >= output, self.alpha, 1 - self.alpha) * error)
        if self.loss == "log":
            _check(gold > -1, output > -1, "logarithms need numbers above -1")
            return np.asarray(np.square(np.log1p(output) - np.log1p(gold)))
        return _measure_deviance(self.power, gold, output)


class NumbersWithin(Struct, frozen=True):
    """Counts numbers that differ from gold numbers by less than a column of gold, or `least`."""

    kind = NUMBERS
    columns = ("within", "examples")
    at_most = (columns,)
    width: str
    least: float = 0.0
    column: str | None = None

    @property
    def needs(self) -> Needed:
        return Needed(self.column, gold=True, width=self.width)

    def count(self, systems: Systems) -> Sums:
        check_plain(systems)
        gold, outputs = find_pairs(systems, self.column)
        widths = np.maximum(NUMBERS.of(systems).widths[self.width], self.least)
        within = (np.abs(outputs - gold) < widths).T
        return sum_values(self, systems, np.stack([within, np.ones_like(within)], -1).astype(float))


def _place(
    counter: NumberSums | RatioSums | NumberPairs | LossSums,
    numbers: NDArray[np.float64],
    systems: Systems,
    part: slice,
) -> Given:
    """Rows of one example each, about its own numbers, of shape (rows, systems, variables)."""
    rows = np.zeros((*numbers.shape[:2], len(counter.columns)))
    weights = 1.0 if systems.weights is None else systems.weights[part, None]
    rows[..., counter.columns.index("examples")] = weights
    return rows, numbers


def _leave_out_gaps(systems: Systems, *columns: str | None) -> Systems:
    found = {name: _find_numbers(systems, name) for name in columns}
    known = ~np.any([np.isnan(own).any(axis=0) for own in found.values()], axis=0)
    if known.all():
        return systems
    rows = np.flatnonzero(known)
    columns_left = {name: own[:, rows] for name, own in found.items()}
    return replace(
        systems,
        columns={NUMBERS.side: Numbers(outputs=columns_left)},
        groups=None if systems.groups is None else systems.groups.take(rows),
        clusters=None if systems.clusters is None else systems.clusters.take(rows),
        weights=None if systems.weights is None else systems.weights[rows],
        ids=None,
        inputs=None,
    )


def check_plain(systems: Systems) -> None:
    """Raises a UsageError where examples are weighted or counted."""
    need_examples(systems, "metrics of numbers")
    if systems.weights is not None:
        raise UsageError(
            "rank correlations, quantiles and shares of numbers do not support weights"
        )


def find_pairs(
    systems: Systems, column: str | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The gold numbers, and those of a column, of shape (systems, examples)."""
    outputs, gold = _find_numbers(systems, column), NUMBERS.of(systems).gold
    if gold is None:
        raise UsageError("gold numbers were expected, but these examples have none")
    return gold, outputs


def _find_numbers(systems: Systems, column: str | None) -> NDArray[np.float64]:
    outputs = NUMBERS.of(systems).outputs
    if column not in outputs:
        raise UsageError("numbers were expected, but these examples have none")
    return outputs[column]


class NumberCells(_OfColumn, frozen=True):
    """Counts patterns of a gold number and the number that each system gave out."""

    gold = True
    plain: ClassVar[bool] = True

    def count(self, systems: Systems) -> Cells:
        if self.plain:
            check_plain(systems)
        need_examples(systems, "metrics of numbers")
        gold, outputs = find_pairs(systems, self.column)
        return count_patterns(self, systems, (), (), gold + 0.0, outputs + 0.0)  # -0.0 is 0.0


class NumberPatterns(NumberCells, frozen=True):
    """Counts the same patterns, also of weighted examples, of numbers that have deviances."""

    plain = False
    power: float = 0

    def count(self, systems: Systems) -> Cells:
        gold, outputs = find_pairs(systems, self.column)
        _measure_deviance(self.power, gold, outputs)
        return NumberCells.count(self, systems)


class ErrorValues(_OfColumn, frozen=True):
    """Counts patterns of the errors of all systems, without their signs; gold is 0."""

    gold = True

    def count(self, systems: Systems) -> Cells:
        check_plain(systems)
        gold, outputs = find_pairs(systems, self.column)
        errors = np.abs(outputs - gold)
        return count_patterns(self, systems, (), (), np.zeros(len(systems)), errors)


class NumberValues(_OfColumn, frozen=True):
    """Counts patterns of the numbers that the systems have for the same example; gold is 0."""

    def count(self, systems: Systems) -> Cells:
        check_plain(systems)
        systems = _leave_out_gaps(systems, self.column)
        outputs = _find_numbers(systems, self.column) + 0.0  # -0.0 is 0.0
        return count_patterns(self, systems, (), (), np.zeros(len(systems)), outputs)
