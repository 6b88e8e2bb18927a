"""pass^k."""

import math
from dataclasses import dataclass
from typing import ClassVar, final

from tallystick.examples.tries import Outcome
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.metrics.tries import average_outcomes, check_k
from tallystick.tallies.cells import Cells
from tallystick.tallies.tries import Tries

__all__ = ["PassHatK"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class PassHatK(Metric):
    """The chance that all of k tries of a problem are right, estimated without bias.

    The power (c / n)^k, which some tools take, is too high on average.

    Formula: mean over problems of C(c, k) / C(n, k), with c of n tries right
    Undefined: without problems; a problem with fewer than k tries is an error.
    Source: Yao et al. 2024, arXiv 2406.12045; values as inspect_ai's pass_k.
    """

    k: int

    short: ClassVar[str] = "pass_hat_k"
    title: ClassVar[str] = "pass^k"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type, ...]] = (Tries,)
    zero: ClassVar[str] = "no problem is right in all of the tries"

    def __post_init__(self) -> None:
        check_k(self.k)

    @property
    def counter(self) -> Tries:
        return Tries()

    @property
    def name(self) -> str:
        return f"pass^{self.k}"

    @property
    def full_title(self) -> str:
        return self.name

    def score(self, tally: Cells) -> Values:
        return average_outcomes(tally, _find_chance, self.k)


def _find_chance(outcome: Outcome, k: int) -> float:
    return math.comb(outcome.right, k) / math.comb(outcome.tries, k)
