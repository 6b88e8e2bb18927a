"""Numbers of repeated tries: the mean of each example's tries, and metrics of these means."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.io.tables.table import Table
from tallystick.kinds.labels.accuracy import share_verdicts
from tallystick.kinds.labels.label_columns import Confusion, count_verdicts
from tallystick.model.columns import find
from tallystick.model.number_values import check_each, read_numbers
from tallystick.model.reading import Kind, Needed
from tallystick.model.sides import Side
from tallystick.model.systems import Column, Systems
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.metric import Direction, Metric, Values, show
from tallystick.model.tallies.ratios import Ratio, divide
from tallystick.model.tallies.sums import Given, Sums, sum_rows

_LARGEST = 1e50
"""The largest number that is scored, as of numbers without tries."""

Tried = Mapping[str, NDArray[np.float64]]
"""By column the mean of each example's tries, the squared standard error of that mean, and whether
there are several tries: of shape (3, ..., examples)."""


class TriedNumbers(Column, frozen=True, eq=False):
    """The numbers of repeated tries of all systems, of shape (3, systems, examples)."""

    tried: Tried

    def __len__(self) -> int:
        return len(next(iter(self.tried.values()))[0, 0])

    def of(self, places: Sequence[int]) -> "TriedNumbers":
        return replace(self, tried={name: own[:, places] for name, own in self.tried.items()})

    def take(self, rows: slice) -> "TriedNumbers":
        return replace(self, tried={name: own[..., rows] for name, own in self.tried.items()})

    def tell_output(self, place: int, row: int) -> str:
        """The mean of the tries of the system that is at a place."""
        return " ".join(f"{own[0, place, row]:g}" for own in self.tried.values())


class TriedKind(Kind[TriedNumbers], frozen=True, eq=False):
    """Numbers of repeated tries, which are read by the layouts of tries."""

    name: str
    numeric = True
    column = TriedNumbers


TRIED = TriedKind("numbers of repeated tries")


def average_tries(
    table: Table, of_rows: NDArray[np.int64], names: Sequence[str | None]
) -> dict[str, NDArray[np.float64]]:
    """The numbers of each example of a table, in some columns: by column of shape (3, examples)."""
    found = {}
    for name in filter(None, names):
        side, own = Side(table), find(table.names(), (), name) or name
        values = read_numbers(side.values(own), side.locate(own))
        said = f"is not a number between {-_LARGEST:g} and {_LARGEST:g}"
        check_each(np.abs(values) <= _LARGEST, values, side.locate(own), said)
        found[name] = _average(np.asarray(values, np.float64), of_rows)
    return found


def _average(values: NDArray[np.float64], of_rows: NDArray[np.int64]) -> NDArray[np.float64]:
    order = np.lexsort((values, of_rows))  # so that no order of rows changes a sum
    values, owners = values[order], of_rows[order]
    tries = np.bincount(owners)
    means = np.bincount(owners, values) / tries
    squares = np.bincount(owners, (values - means[owners]) ** 2)
    several = tries > 1
    errors = np.where(several, squares / np.maximum(tries - 1, 1) / tries, 0)
    return np.stack([means, errors, several])


class TrySums(Struct, frozen=True):
    """Sums the means of each example's tries, their squares, and their squared standard errors."""

    kind = TRIED
    verdicts: ClassVar[Confusion] = Confusion()
    columns = ("sum", "square", "error", "repeated", "examples")
    variables = ("sum",)
    products: ClassVar[Mapping[str, tuple[str, str]]] = {"square": ("sum", "sum")}
    column: str

    @property
    def needs(self) -> Needed:
        return Needed(self.column)

    def count(self, systems: Systems) -> Sums:
        tried = TRIED.of(systems).tried[self.column]
        own = tried.swapaxes(1, 2)

        def list_rows(part: slice) -> Given:
            means, errors, several = own[:, part]
            none = np.zeros_like(means)
            return np.stack([none, none, errors, several, none + 1], -1), means[..., None]

        single = np.where(tried[2] > 0, np.nan, tried[0])
        verdicts = count_verdicts(systems, single)
        return replace(sum_rows(self, systems, list_rows), verdicts=verdicts)


class _OfTries(Metric, frozen=True):
    """A metric of the tries of examples."""

    column: str

    counters = (TrySums,)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.column, str):
            raise UsageError(f"column must be the name of a column, not {show(self.column)}")

    @property
    def full_title(self) -> str:
        return f"{self.title} {self.column}"


class TryMean(_OfTries, frozen=True):
    """The mean over examples of the mean of their tries, for any numeric score.

    Every example counts once, however often it was tried. The interval is over examples and
    includes the variance between tries.

    Formula: sum of the means / examples, of the tally `TrySums`
    Undefined: without examples.
    Source: Miller 2024, arXiv 2411.00640, section 3.
    """

    better: Direction = "higher"  # type: ignore[misc]

    short = "try_mean"
    title = "Mean over Tries"
    tests = ("mcnemar", "mcnemar-midp")
    bounds = (-np.inf, np.inf)
    zero = "the tries of every example are worth 0 on average"

    def as_share(self, tally: Sums) -> tuple[Metric, Cells] | None:
        return share_verdicts(tally)

    def score(self, tally: Sums) -> Values:
        return tally.average("sum")


class TryShare(_OfTries, frozen=True):
    """The share of the variance of the mean over tries that is due to tries, not examples.

    Near 1 examples differ by chance only, and more tries of each narrow the interval of the mean;
    near 0 only more examples do.

    Formula: mean of the squared standard errors of each example's mean / variance of these means,
        1 at most, of the tally `TrySums`
    Undefined: with fewer than two examples, if all means are equal, or if nothing was repeated.
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
