"""Whether a few examples make most of a score's scatter, so that no interval of it is honest."""

import numpy as np
from numpy.typing import NDArray

from tallystick.frozen import dataclass, replace
from tallystick.tallies.metric import Metric
from tallystick.tallies.tally import Tally

_MOST_SKEWED = 0.35
"""Above this skewness of a mean its intervals held less than 93% in the simulations of
benchmarks/coverage.py."""

_FEW_CLUSTERS = 0.25
"""The same of clusters without a model of how skewed they are: a sample shows less of it."""

_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Tail:
    """The examples that move a score most.

    They are one in a hundred, one at least, and `share` is how much of the score's variance they
    make.
    """

    count: int
    share: float
    unit: str = "example"


def weigh_tail(moves: NDArray[np.float64], unit: str) -> Tail | None:
    """The tail of what single examples move a score by; None where it is not heavy."""
    n = len(moves)
    off = moves - moves.mean() if n else moves
    scale = np.abs(off).max(initial=0)
    if n < 2 or not scale > 0:
        return None
    off = off / scale  # so that no power is too large or too small
    squares = off**2
    skewness = abs((off**3).mean()) / squares.mean() ** 1.5
    limit = _MOST_SKEWED if unit == "example" else _FEW_CLUSTERS
    if skewness / n**0.5 <= limit:
        return None
    squares, count = np.sort(squares), max(1, round(_SHARE * n))
    return Tail(count, float(squares[-count:].sum() / squares.sum()), unit)


def find_tail(metric: Metric, tally: Tally) -> Tail | None:
    """The tail of a score of texts, from leaving out each example, or cluster, in turn."""
    rows = tally.example_rows()
    if rows is None or len(rows.values) < 2:
        return None
    from tallystick.tallies.sums import Sums

    whole = tally.total().need(Sums)
    rest = whole.sums[:, None] - rows.sort().values.swapaxes(0, 1)[:, :, None]
    unit = "example" if rows.clusters is None else "cluster"
    return weigh_tail(metric.score(replace(whole, sums=rest))[:, 0] - metric.score(whole)[0], unit)
