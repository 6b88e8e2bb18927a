"""Metrics of repeated tries: pass@k, pass^k, avg@k and maj@k."""

import abc
import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import UsageError
from tallystick.kinds.labels.accuracy import Accuracy
from tallystick.kinds.labels.label_columns import Confusion
from tallystick.kinds.tries import TRIES
from tallystick.kinds.tries.tries import Outcome
from tallystick.model.codes import Label, unify
from tallystick.model.systems import Systems
from tallystick.model.tallies.cells import Cells, count_patterns
from tallystick.model.tallies.metric import Metric, Values, check_whole
from tallystick.model.tallies.ratios import Ratio, divide

_PROBLEM = ""
"""The label that represents gold, of which repeated tries have none but right."""


class Tries(Struct, frozen=True):
    """Counts patterns of how often each system solved a problem, such as `3/8`.

    Every number of tries k is scored from the same counts.
    """

    kind = TRIES

    def describe(self, tally: Cells) -> str:
        """How many tries the problems of a tally had, such as `8` or `5-8`."""
        sizes = [Outcome.parse(str(label)).tries for label in tally.labels[1:]]
        return f"{min(sizes)}" if min(sizes) == max(sizes) else f"{min(sizes)}-{max(sizes)}"

    def check(self, tally: Cells) -> None:
        """Raises a ValueError unless labels are outcomes, and problems have some."""
        if tally.labels[:1] != (_PROBLEM,) or tally.gold.any():
            raise ValueError("its gold is not that of problems")
        if any(str(Outcome.parse(str(label))) != label for label in tally.labels[1:]):
            raise ValueError("its labels are not outcomes of tries")
        tally.check_outputs(1)

    def count(self, systems: Systems) -> Cells:
        """Tallies problems; the labels of the cells are the outcomes of their tries."""
        tries = unify(*TRIES.of(systems).outputs, names=(_PROBLEM,))
        names, codes = tries[0].names, np.stack([own.codes for own in tries])
        gold = np.zeros(len(systems), codes.dtype)
        return count_patterns(self, systems, names, names[:1], gold, codes)


class _MeanOfTries(Metric, frozen=True):
    """The mean over problems of what k tries of each are worth."""

    k: int

    counters = (Tries,)
    tests = ("mcnemar", "mcnemar-midp")

    def __post_init__(self) -> None:
        check_whole("k", self.k, 1)

    @abc.abstractmethod
    def worth(self, outcome: Outcome) -> float:
        """What an outcome is worth where k of its tries are looked at, from 0 to 1."""

    def as_share(self, tally: Cells) -> tuple[Metric, Cells] | None:
        """Accuracy of problems that were tried once, which all such metrics are then."""
        used = [Outcome.parse(str(tally.labels[code])) for code in np.unique(tally.outputs)]
        if self.k > 1 or any(one.tries > 1 for one in used):
            return None
        right = np.array([0, *(Outcome.parse(str(one)).right for one in tally.labels[1:])])
        names, outputs = ("wrong", "right"), right.astype(np.uint8)[tally.outputs]
        gold = np.ones(len(tally.gold), np.uint8)
        own = replace(tally, counter=Confusion(), labels=names, listed=names, gold=gold)
        return Accuracy(), replace(own, outputs=outputs).merge()

    @property
    def name(self) -> str:
        return f"{self.title.removesuffix('k')}{self.k}"

    @property
    def full_title(self) -> str:
        return self.name

    def score(self, tally: Cells) -> Values:
        worths = _list_worths(tally.labels, self)[tally.predicted]
        if np.isnan(worths).any():
            label = tally.labels[int(tally.predicted[np.argmax(np.isnan(worths))])]
            tries = Outcome.parse(str(label)).tries
            raise UsageError(
                f"k is {self.k}, and there are problems with {tries} tries; name a smaller k"
            )
        mass = tally.mass
        return divide(Ratio(tally.sum_groups(mass * worths), tally.sum_groups(mass)), math.nan)


@lru_cache(maxsize=64)
def _list_worths(labels: tuple[Label, ...], metric: _MeanOfTries) -> Values:
    """What each outcome is worth; NaN where it has fewer than k tries, and for the gold."""
    outcomes = [Outcome.parse(str(label)) for label in labels[1:]]
    known = [metric.worth(one) if one.tries >= metric.k else math.nan for one in outcomes]
    return np.array([math.nan, *known])


class PassAtK(_MeanOfTries, frozen=True):
    """The probability that at least one of k tries of a problem is right (unbiased estimate).

    Formula: mean over problems of 1 - C(n - c, k) / C(n, k), with c of n tries right
    Undefined: without problems; a problem with fewer than k tries is an error.
    Source: Chen et al. 2021, arXiv 2107.03374; values as inspect_ai's pass_at.
    """

    short = "pass_at_k"
    title = "pass@k"
    zero = "no try is right"

    def worth(self, outcome: Outcome) -> float:
        every = math.comb(outcome.tries, self.k)
        return (every - math.comb(outcome.tries - outcome.right, self.k)) / every


class PassHatK(_MeanOfTries, frozen=True):
    """The probability that all of k tries of a problem are right (unbiased estimate).

    The power (c / n)^k, which some tools use, is too high on average.

    Formula: mean over problems of C(c, k) / C(n, k), with c of n tries right
    Undefined: without problems; a problem with fewer than k tries is an error.
    Source: Yao et al. 2024, arXiv 2406.12045; values as inspect_ai's pass_k.
    """

    short = "pass_hat_k"
    title = "pass^k"
    zero = "no problem is right in all of the tries"

    def worth(self, outcome: Outcome) -> float:
        return math.comb(outcome.right, self.k) / math.comb(outcome.tries, self.k)


class AvgAtK(_MeanOfTries, frozen=True):
    """The share of tries that are right, averaged over problems.

    If there are more than k tries, it is the average over all choices of k, which is the same for
    every k.

    Formula: mean over problems of c / n, with c of n tries right
    Undefined: without problems; a problem with fewer than k tries is an error.
    Source: the arithmetic mean; values as inspect_ai's mean reducer.
    """

    short = "avg_at_k"
    title = "avg@k"
    zero = "no try is right"

    def worth(self, outcome: Outcome) -> float:
        return outcome.right / outcome.tries


class MajAtK(_MeanOfTries, frozen=True):
    """The probability that the most frequent answer of k tries of a problem is right.

    Equally frequent answers share the vote, which equals taking one of them at random. If only
    right and wrong are known, all wrong tries count as one answer: more than half of the k tries
    must be right, and exactly half counts as half.

    Formula: mean over problems of the mean over all choices of k tries of v / t, where t answers
        are most frequent, and v is 1 if the right one is among them, else 0
    Undefined: without problems; a problem with fewer than k tries is an error.
    Source: Wang et al. 2022, arXiv 2203.11171 (self-consistency); of all tries the mean over their
        orders of what lm-evaluation-harness's majority_vote and inspect_ai's mode give.
    """

    short = "maj_at_k"
    title = "maj@k"
    zero = "the right answer never has the most votes"

    def worth(self, outcome: Outcome) -> float:
        # The chance of the right answer, summed over how often it is among the k tries.
        least, most = max(1, self.k - sum(outcome.wrong)), min(outcome.right, self.k)
        ways = sum(
            math.comb(outcome.right, votes) * _count_won(outcome.wrong, votes, self.k - votes)
            for votes in range(least, most + 1)
        )
        return float(ways / math.comb(outcome.tries, self.k))


def _count_won(wrong: tuple[int, ...], votes: int, rest: int) -> Fraction:
    """In how many ways the rest of the tries gives no wrong answer more than this many votes.

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
