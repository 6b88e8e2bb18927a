"""pass@k."""

import math
from dataclasses import dataclass
from typing import ClassVar, final

from tallystick.examples.tries import Outcome
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.metrics.tries import average_outcomes, check_k
from tallystick.tallies.cells import Cells
from tallystick.tallies.tries import Tries

__all__ = ["PassAtK"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class PassAtK(Metric):
    """The chance that at least one of k tries of a problem is right, estimated without bias.

    Formula: mean over problems of 1 - C(n - c, k) / C(n, k), with c of n tries right
    Undefined: without problems; a problem with fewer than k tries is an error.
    Source: Chen et al. 2021, arXiv 2107.03374; values as inspect_ai's pass_at.
    """

    k: int

    short: ClassVar[str] = "pass_at_k"
    title: ClassVar[str] = "pass@k"
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
        return f"pass@{self.k}"

    @property
    def full_title(self) -> str:
        return self.name

    def score(self, tally: Cells) -> Values:
        return average_outcomes(tally, _find_chance, self.k)


def _find_chance(outcome: Outcome, k: int) -> float:
    every = math.comb(outcome.tries, k)
    return (every - math.comb(outcome.tries - outcome.right, k)) / every
