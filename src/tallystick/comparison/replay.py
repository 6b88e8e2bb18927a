"""What sacreBLEU's own tests say of the same systems."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from tallystick.comparison.contest import Contest, JointContest, Pairs, Values
from tallystick.comparison.settings import Test
from tallystick.errors import UsageError
from tallystick.intervals.sacrebleu_tests import read_seed, replay_bootstrap, replay_randomisation
from tallystick.metrics.bleu import BLEU
from tallystick.metrics.chrf import ChrF
from tallystick.metrics.metric import Metric
from tallystick.metrics.ter import TER
from tallystick.tallies.joint import JointSums

__all__ = ["Bounds", "replay"]

Bounds = tuple[tuple[float, float], ...]
"""Of each system the mean of its resampled scores, and half the width of 95% of them."""


def replay(contest: Contest, pairs: Pairs, test: Test, draws: int) -> tuple[Values, list[Bounds]]:
    """The p-values that sacreBLEU gives, and what it says of each system's score.

    Returns:
        The p-values, of shape (metrics, pairs, 1), and the bounds of each metric, which only the
        bootstrap has.

    Raises:
        UsageError: sacreBLEU does not have the metric, or knows no groups or clusters.
    """
    if not (isinstance(contest, JointContest) and isinstance(contest.joint, JointSums)):
        raise UsageError(f"{test} is for metrics of texts: BLEU, chrF and TER")
    if contest.grouped or contest.clustered:
        raise UsageError(f"{test} knows neither groups nor clusters; choose ar or bootstrap")
    joint, seed = contest.joint, read_seed()
    rows = joint.rows.swapaxes(1, 2)
    found, bounds = [], list[Bounds]()
    for metric in contest.metrics:
        if not isinstance(metric, BLEU | ChrF | TER):
            raise UsageError(f"{test} is for BLEU, chrF and TER, not for {metric!r}")
        score = partial(_score_sums, metric, joint)
        if test == "sacrebleu-bs":
            resampled = replay_bootstrap(rows, score, draws, seed)
            found.append([[resampled.find_p(*pair)] for pair in pairs])
            bounds.append(tuple(resampled.bound(system) for system in range(len(rows))))
        else:
            find_p = replay_randomisation(rows, score, draws, seed)
            found.append([[find_p(*pair)] for pair in pairs])
    return np.array(found), bounds


def _score_sums(metric: Metric, joint: JointSums, sums: NDArray[np.float64]) -> Values:
    """Sums of shape (draws, columns) as scores."""
    return metric.score(joint.tally(np.moveaxis(sums, -1, 0)))[..., 0]
