"""Whether a few examples make most of a score's scatter, so that no interval of it is honest."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tallystick.metrics.metric import Metric
from tallystick.tallies.scatter import Rows
from tallystick.tallies.sums import Sums

__all__ = ["Tail", "find_tail", "weigh_tail"]

_SKEWED = {"example": 0.35, "cluster": 0.25}
"""Above this skewness of a mean its intervals held less than 93% in the simulations of
benchmarks/coverage.py; a sample of clusters shows less of it than there is."""

_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Tail:
    """The examples that move a score most.

    Attributes:
        count: How many they are: one in a hundred, one at least.
        share: Which share of the score's variance they make.
        unit: What they are: an example or a cluster.
    """

    count: int
    share: float
    unit: str = "example"


def weigh_tail(moves: NDArray[np.float64], unit: str = "example") -> Tail | None:
    """The tail of what single examples move a score by; None where it is not heavy.

    Args:
        moves: How far each example, or cluster, moves the score, of shape (examples,).
        unit: Which of both they are.
    """
    n = len(moves)
    off = moves - moves.mean() if n else moves
    squares = off**2
    if n < 2 or not squares.sum() > 0:
        return None
    skewness = abs((off**3).mean()) / squares.mean() ** 1.5
    if skewness / n**0.5 <= _SKEWED[unit]:
        return None
    count = max(1, round(_SHARE * n))
    return Tail(count, float(np.sort(squares)[-count:].sum() / squares.sum()), unit)


def find_tail(metric: Metric, tally: Sums) -> Tail | None:
    """The tail of a score of texts, from leaving out each example, or cluster, in turn."""
    rows = tally.scatter
    if not isinstance(rows, Rows) or len(rows.values) < 2:
        return None
    whole = tally.total()
    rest = whole.sums[:, None] - rows.values.swapaxes(0, 1)[:, :, None]
    unit = "example" if rows.clusters is None else "cluster"
    return weigh_tail(metric.score(replace(whole, sums=rest))[:, 0] - metric.score(whole)[0], unit)
