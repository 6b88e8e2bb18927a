"""maj@k."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from tallystick.examples.tries import Outcome
from tallystick.metrics.metric import Direction, Metric, Values
from tallystick.metrics.tries import average_outcomes, check_k
from tallystick.tallies.cells import Cells
from tallystick.tallies.tries import Tries

__all__ = ["MajAtK"]


@final
@dataclass(frozen=True, slots=True, repr=False)
class MajAtK(Metric):
    """The chance that the most frequent answer of k tries of a problem is the right one.

    Answers that are equally frequent share the vote, which is what taking the first of them gives
    on average. Where only right and wrong are known, all wrong tries count as one answer: of an odd
    k more than half must be right, and of an even k a half counts as half.

    Formula: mean over problems of the mean over all choices of k tries of v / t, where t answers
        are most frequent, and v is 1 if the right one is among them, else 0
    Undefined: without problems; a problem with fewer than k tries is an error.
    Source: Wang et al. 2022, arXiv 2203.11171 (self-consistency); of all tries the mean over their
        orders of what lm-evaluation-harness's majority_vote and inspect_ai's mode give.
    """

    k: int

    short: ClassVar[str] = "maj_at_k"
    title: ClassVar[str] = "maj@k"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type, ...]] = (Tries,)
    zero: ClassVar[str] = "the right answer never has the most votes"

    def __post_init__(self) -> None:
        check_k(self.k)

    @property
    def counter(self) -> Tries:
        return Tries()

    @property
    def name(self) -> str:
        return f"maj@{self.k}"

    @property
    def full_title(self) -> str:
        return self.name

    def score(self, tally: Cells) -> Values:
        return average_outcomes(tally, _find_chance, self.k)


def _find_chance(outcome: Outcome, k: int) -> float:
    """The chance of the right answer, summed over how often it is among the k tries."""
    least, most = max(1, k - sum(outcome.wrong)), min(outcome.right, k)
    ways = sum(
        math.comb(outcome.right, votes) * _count_won(outcome.wrong, votes, k - votes)
        for votes in range(least, most + 1)
    )
    return float(ways / math.comb(outcome.tries, k))


def _count_won(wrong: tuple[int, ...], votes: int, rest: int) -> Fraction:
    """In how many ways the rest of the tries gives no wrong answer more than so many votes.

    Where wrong answers have as many, a way counts for the share of the vote.
    """
    most = rest // votes
    ways = np.zeros((most + 1, rest + 1), object)  # by how many wrong answers tie, and by tries
    ways[0, 0] = 1
    for size in wrong:
        taken = range(min(size, votes - 1, rest) + 1)
        fewer = np.array([math.comb(size, few) for few in taken], object)
        added = np.stack([np.convolve(row, fewer)[: rest + 1] for row in ways])
        if size >= votes and most:
            added[1:, votes:] += ways[:-1, :-votes] * math.comb(size, votes)
        ways = added
    return sum((Fraction(own, tied) for tied, own in enumerate(ways[:, rest], 1)), Fraction())
