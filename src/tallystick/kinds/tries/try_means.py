"""Means of any score over repeated tries, and how much of their variance the tries make."""

from collections.abc import Mapping
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.examples.reading import Needed
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass
from tallystick.kinds.tries.tried_numbers import TRIED
from tallystick.tallies.arrays.exact_sums import multiply_pairs
from tallystick.tallies.metric import Direction, Metric, Values, fold_option, show
from tallystick.tallies.ratios import Ratio, divide
from tallystick.tallies.sums import Sums, sum_terms


@dataclass(frozen=True, slots=True)
class TrySums:
    """Sums the means of each example's tries, their squares, and their squared standard errors."""

    kind = TRIED
    columns = ("sum", "square", "error", "repeated", "examples")
    variables = ("sum",)
    products: ClassVar[Mapping[str, tuple[str, str]]] = {"square": ("sum", "sum")}
    column: str

    @property
    def needs(self) -> Needed:
        return Needed(self.column)

    def count(self, systems: Systems) -> Sums:
        own = TRIED.of(systems).tried[self.column].swapaxes(1, 2)

        def list_terms(part: slice) -> NDArray[np.float64]:
            means, errors, several = own[:, part]
            terms = np.zeros((2, *means.shape, 5))
            terms[0, ..., 0], terms[0, ..., 2], terms[0, ..., 3] = means, errors, several
            terms[0, ..., 1], terms[1, ..., 1] = multiply_pairs(means, means)
            terms[0, ..., 4] = 1
            return terms

        return sum_terms(self, systems, list_terms)


@dataclass(frozen=True, slots=True, repr=False)
class _OfTries(Metric):
    """A metric of the tries of examples."""

    column: str

    counters = (TrySums,)

    def __post_init__(self) -> None:
        if not isinstance(self.column, str):
            raise UsageError(f"column is the name of a column, not {show(self.column)}")

    @property
    def full_title(self) -> str:
        return f"{self.title} {self.column}"


@final
@dataclass(frozen=True, slots=True, repr=False)
class TryMean(_OfTries):
    """The mean over examples of the mean of each one's tries, whatever the score.

    Examples count alike, however often they were tried, and the interval is over examples; it
    holds the scatter of tries as well, which shows in the means.

    Formula: sum of the means / examples, of the tally `TrySums`
    Undefined: without examples.
    Source: Miller 2024, arXiv 2411.00640, section 3.
    """

    better: Direction = "higher"  # type: ignore[misc]

    short = "try_mean"
    title = "Mean over Tries"
    bounds = (-np.inf, np.inf)
    zero = "the tries of every example are worth 0 on average"

    def __post_init__(self) -> None:
        _OfTries.__post_init__(self)
        fold_option(self, "better", ("higher", "lower", "neither"))

    def score(self, tally: Sums) -> Values:
        return tally.average("sum")


@final
@dataclass(frozen=True, slots=True, repr=False)
class TryShare(_OfTries):
    """The share of the variance of the mean over tries that tries make, and not the examples.

    Near 1 the examples differ by chance alone, and more tries of each narrow the interval of the
    mean; near 0 only more examples do.

    Formula: mean of the squared standard errors of each example's mean / variance of these means,
        1 at most, of the tally `TrySums`
    Undefined: with fewer than two examples, where all means are the same, or nothing was repeated.
    Source: the law of total variance; Miller 2024, arXiv 2411.00640, section 3.2.
    """

    short = "try_share"
    title = "Share of Tries in the Variance"
    better = "neither"

    def score(self, tally: Sums) -> Values:
        n, total = tally.about("examples"), tally.about("sum")
        squares = np.maximum(tally.about("square") - total**2 / np.maximum(n, 1), 0)
        variance = divide(Ratio(squares, np.maximum(n - 1, 0)), np.nan)
        within = divide(Ratio(tally["error"], tally["repeated"]), np.nan)
        return np.minimum(divide(Ratio(within, variance), np.nan), 1)
