"""avg@k."""

from dataclasses import dataclass
from typing import ClassVar, final

from tallystick.examples.tries import Outcome
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.metrics.tries import average_outcomes, check_k
from tallystick.tallies.cells import Cells
from tallystick.tallies.tries import Tries

__all__ = ["AvgAtK"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class AvgAtK(Metric):
    """The mean over problems of the share of tries that are right.

    Of more than k tries it is what k of them give on average, which is the same for every k.

    Formula: mean over problems of c / n, with c of n tries right
    Undefined: without problems; a problem with fewer than k tries is an error.
    Source: the arithmetic mean; values as inspect_ai's mean reducer.
    """

    k: int

    short: ClassVar[str] = "avg_at_k"
    title: ClassVar[str] = "avg@k"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type, ...]] = (Tries,)
    zero: ClassVar[str] = "no try is right"

    def __post_init__(self) -> None:
        check_k(self.k)

    @property
    def counter(self) -> Tries:
        return Tries()

    @property
    def name(self) -> str:
        return f"avg@{self.k}"

    @property
    def full_title(self) -> str:
        return self.name

    def score(self, tally: Cells) -> Values:
        return average_outcomes(tally, _find_share, self.k)


def _find_share(outcome: Outcome, k: int) -> float:
    del k
    return outcome.right / outcome.tries
