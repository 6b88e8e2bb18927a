"""The minimum detectable difference: how much systems must differ to be found different."""

import math

import numpy as np
from msgspec import Struct

from tallystick.comparison.pairwise_tests import Outcome
from tallystick.statistics.power import find_detectable_share, find_multiplier


class Detection(Struct, frozen=True):
    """What is known of the differences that can be found between two systems on a row of scores.

    Of a share of `trials` examples it is in which share of these only the first system is right,
    and only the second, with how far the score rises where all are right; `trials` is 0 of others.
    """

    error: float
    freedom: float
    only_a: float = 0.0
    only_b: float = 0.0
    trials: float = 0.0
    scale: float = 1.0

    @classmethod
    def of(cls, outcome: Outcome, pair: int, row: int) -> "Detection":
        """What is known of one of the pairs."""
        scatter, shares = outcome.scatter, outcome.discordance
        variance, freedom = (float(one[pair, row]) for one in (scatter.variance, scatter.freedom))
        own = math.sqrt(variance), freedom
        if shares is None or not shares.trials[pair, row] > 0:
            return cls(*own)
        wins, losses, n = (
            float(one[pair, row]) for one in (shares.wins, shares.losses, shares.trials)
        )
        return cls(*own, wins / n, losses / n, n, shares.scale)

    def detect(self, confidence: float, ratio: float = 1.0) -> float:
        """Returns the minimum detectable difference with `ratio` times as many examples.

        NaN where the systems never differ, or the examples are too few for any test.
        """
        if self.trials:
            discordant = self.only_a + self.only_b
            least = find_detectable_share(discordant, ratio * self.trials, confidence)
            return least * abs(self.scale)
        if not self.error > 0:
            return math.nan
        return (
            find_multiplier(confidence, self.scale_freedom(ratio)) * self.error / math.sqrt(ratio)
        )

    def scale_freedom(self, ratio: float) -> float:
        """Returns the degrees of freedom with `ratio` times as many examples; NaN without any."""
        freedom = ratio * (self.freedom + 1) - 1
        return freedom if freedom > 0 else math.nan


def find_detectable(outcome: Outcome, row: int, confidence: float) -> float:
    """Returns the minimum detectable difference of two of the systems on one row of scores.

    It is that of the pair with the median standard error, of two in the middle the lower one, and
    for one pair at a time: with Holm's correction over many pairs a larger difference is needed.
    NaN where no two systems differ.
    """
    variance = outcome.scatter.variance[:, row]
    differing = np.flatnonzero(np.isfinite(variance) & (variance > 0))
    if not len(differing):
        return math.nan
    order = differing[np.argsort(variance[differing], kind="stable")]
    return Detection.of(outcome, int(order[(len(order) - 1) // 2]), row).detect(confidence)
