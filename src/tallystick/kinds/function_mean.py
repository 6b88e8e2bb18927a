"""The mean of what a function of one's own returns for each example."""

import inspect
import math
from collections.abc import Callable
from functools import cached_property
from typing import ClassVar

import numpy as np
from msgspec.structs import force_setattr
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.kinds.labels.accuracy import share_verdicts
from tallystick.kinds.labels.label_columns import Confusion
from tallystick.kinds.texts.text_columns import TextCounter, TextPart
from tallystick.kinds.texts.texts import TokenExamples
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.metric import Metric, Values, show
from tallystick.model.tallies.sums import Sums

Function = Callable[..., float]
"""A function of gold and output, or of output alone."""

_OUTPUTS = ("output", "outputs", "prediction", "predicted", "pred", "y_pred", "hypothesis", "hyp")
_ROWS = ("row", "example", "record", "item", "r")
_GOLD = ("gold", "reference", "ref", "label", "target", "answer", "y_true")


def read_parameters(function: Callable[..., float]) -> tuple[str, ...]:
    """What a function takes, in its order: gold and output, output alone, or a row."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # of a function in C
        return ("gold", "output")
    free = ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD")
    names = [own.name for own in parameters if own.kind.name in free and own.default is own.empty]
    if len(names) == 1:
        (kind,) = (str(own.annotation).lower() for own in parameters if own.name == names[0])
        of_row = names[0] in _ROWS or "dict" in kind or "mapping" in kind
        return ("row",) if of_row else ("output",)
    if len(names) != 2:
        raise UsageError(
            f"{show(function)} takes {len(names)} arguments; a metric takes a row, output "
            "alone, or gold and output"
        )
    turned = names[0] in _OUTPUTS and names[1] in _GOLD
    return ("output", "gold") if turned else ("gold", "output")


class FunctionValues(TextCounter, frozen=True, dict=True):
    """Sums what a function returns for each example; of several references, the highest.

    `name` is `module:name`; `call` is None where counts were loaded.
    """

    verdicts: ClassVar[Confusion] = Confusion()
    columns = ("sum", "examples")
    name: str
    call: Function | None = None

    @cached_property
    def takes(self) -> tuple[str, ...]:
        """What the function takes, in its order."""
        return ("gold", "output") if self.call is None else read_parameters(self.call)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionValues) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"FunctionValues(name={self.name!r})"

    def rows(self, examples: TextPart) -> NDArray[np.float64]:
        if isinstance(examples, TokenExamples):
            raise UsageError(f"{self.name} takes texts, not lists of tokens")
        hypotheses = examples.hypotheses.strings()
        references, spans = examples.references.strings(), examples.spans.tolist()
        values = [
            max(self._call(row, gold, output) for gold in references[spans[row] : spans[row + 1]])
            for row, output in enumerate(hypotheses)
        ]
        return np.column_stack([values, np.ones(len(values))])

    def _call(self, row: int, gold: str, output: str) -> float:
        if self.call is None:
            raise UsageError(f"the function {self.name} is not known here; name it with -m")
        try:
            given = {"gold": gold, "output": output}
            value = float(self.call(*(given[name] for name in self.takes)))
        except Exception as error:
            raise InputError(
                f"example {row + 1}: {self.name} raised {type(error).__name__}: {error}"
            ) from error
        if not math.isfinite(value):
            raise InputError(
                f"example {row + 1}: {self.name} returned {value}, which is not a finite number"
            )
        return value


class FunctionMean(Metric, frozen=True):
    """The mean of what a function of gold and output returns for each example.

    Formula: sum of the values / examples; of several references the highest value counts.
    Undefined: without examples.
    Source: the arithmetic mean.
    """

    function: Function | str
    call: Function | None = None

    short = "function_mean"
    title = "Mean"
    bounds = (-math.inf, math.inf)
    counters = (FunctionValues,)
    tests = ("mcnemar", "mcnemar-midp")

    def __post_init__(self) -> None:
        if not isinstance(self.function, str):
            read_parameters(self.function)
            force_setattr(self, "call", self.function)
            force_setattr(self, "function", show(self.function))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionMean) and self.function == other.function

    def __hash__(self) -> int:
        return hash(self.function)

    @property
    def counter(self) -> FunctionValues:
        return FunctionValues(str(self.function), self.call)

    @property
    def name(self) -> str:
        return str(self.function).rpartition(":")[2]

    @property
    def full_title(self) -> str:
        return f"{self.title} of {self.name}"

    def __repr__(self) -> str:
        return f"FunctionMean({self.function!r})"

    def score(self, tally: Sums) -> Values:
        return np.asarray(tally["sum"] / tally["examples"])

    def as_share(self, tally: Sums) -> tuple[Metric, Cells] | None:
        return share_verdicts(tally)
