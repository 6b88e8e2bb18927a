"""The interval of a proportion of examples in clusters, such as documents or authors."""

import numpy as np
from numpy.typing import NDArray

from tallystick.frozen import dataclass
from tallystick.statistics import student
from tallystick.statistics.wilson import Numbers, bound_share, quantile

Values = NDArray[np.float64]

_STILL = 1e-15
"""A smaller variance is rounding error."""

_SINGLE = 1e-6
"""Clusters of hardly more than one example show no correlation."""

_CLOSE = 0.99
_EVEN = 0.5


def bound_clustered_share(
    hits: Numbers, sizes: Numbers, confidence: float
) -> tuple[Values, Values]:
    """Returns the interval of a proportion of hits over clusters, even if few or of unequal sizes.

    It is Wilson's interval at the effective sample size that has the variance CR2, with Student's t
    for the degrees of freedom of the clusters. Where clusters do not differ, the effective sample
    size is that number of clusters of equal size which would weigh as much. Where the mean is more
    skewed than a proportion of as many trials, the end on the long side lies farther out by the
    second term of its expansion.

    Args:
        hits: How many hits each cluster has, of shape (..., clusters); with weights, what as many
            examples of weight 1 would have.
        sizes: How many examples each has, of a shape that broadcasts.
        confidence: That of the interval, between 0 and 1.

    Returns:
        Two arrays of shape (...); NaN where there is a single cluster, which shows no scatter.

    Source: Korn and Graubard 1998, Survey Methodology 24; Dean and Pagano 2015, Journal of Survey
        Statistics and Methodology 3; Bell and McCaffrey 2002 for CR2; Johnson 1978, JASA 73, and
        Hall 1992, JRSS B 54, for skewness.
    """
    found = measure_clusters(hits, sizes, confidence)
    share, trials = found.share, found.trials
    low, high = bound_share(share * trials, trials, confidence)
    skewness, usual = measure_skewness(hits, sizes)
    excess = np.where(found.still, 0, np.clip(skewness - usual, 0, 1))
    shift = found.error * excess * (1 + 2 * quantile(confidence) ** 2) / 6
    low = np.where(share > _EVEN, np.maximum(low - shift, 0), low)
    return low, np.where(share < _EVEN, np.minimum(high + shift, 1), high)


@dataclass(frozen=True, slots=True, eq=False)
class Clustered:
    """A proportion of hits over clusters.

    Attributes:
        share: The proportion.
        trials: The effective sample size.
        error: The standard error.
        still: Whether the clusters do not differ.
    """

    share: Values
    trials: Values
    error: Values
    still: NDArray[np.bool_]


def measure_clusters(hits: Numbers, sizes: Numbers, confidence: float) -> Clustered:
    """Measures a proportion over clusters, as `bound_clustered_share` takes it."""
    hits, sizes = np.broadcast_arrays(hits, sizes)
    total = sizes.sum(-1, dtype=np.float64)
    share = hits.sum(-1) / np.where(total > 0, total, np.nan)
    variance, freedom = student.cr2(hits - share[..., None] * sizes, sizes)
    widened = student.quantile(confidence, freedom) / quantile(confidence)
    still = variance <= _STILL
    clusters = total**2 / np.maximum((sizes**2).sum(-1), 1e-300)
    error = np.where(still, 1, variance) * widened**2
    trials = np.where(still, clusters, share * (1 - share) / error)
    return Clustered(share, np.asarray(trials), np.sqrt(error) / widened, np.asarray(still))


def measure_skewness(hits: Numbers, sizes: Numbers) -> tuple[Values, Values]:
    """Returns how skewed a proportion over clusters is, and how skewed Wilson's interval takes it.

    The first is the absolute skewness of the sum of beta-binomial clusters of these sizes, of the
    intraclass correlation that the variance CR2 shows: a few clusters hardly show the third moment
    themselves. The second is that of a binomial proportion of the same variance. Both are 0 where
    clusters do not differ.

    Args:
        hits: As in `bound_clustered_share`.
        sizes: Likewise.

    Source: Johnson, Kemp and Kotz 2005, Univariate Discrete Distributions, section 6.2, for the
        moments of the beta and the beta-binomial distribution.
    """
    hits, sizes = np.broadcast_arrays(hits, sizes)
    total = np.maximum(sizes.sum(-1, dtype=np.float64), 1e-300)
    share = hits.sum(-1) / total
    variance, _ = student.cr2(hits - share[..., None] * sizes, sizes)
    known = variance > _STILL
    spread = np.where(known, share * (1 - share), 0.25)
    squares = (sizes.astype(np.float64) ** 2).sum(-1)
    joint = np.maximum(squares - total, _STILL * total)
    icc = (np.where(known, variance, 0) * total**2 / spread - total) / joint
    icc = np.where(squares - total > _SINGLE * total, np.clip(icc, 0, _CLOSE), 0)
    lean = 1 - 2 * share
    # Of one example, of two and of three of a cluster: the cumulants of a beta-binomial sum.
    between = 2 * lean * spread * icc**2 / (1 + icc)
    single = lean * spread * (1 - icc) ** 2 / (1 + icc)
    pairs = lean * spread * icc * (1 - icc) / (1 + icc)
    cubes = (sizes.astype(np.float64) ** 3).sum(-1)
    third = total * single + 3 * squares * pairs + cubes * between
    second = np.where(known, spread * (total * (1 - icc) + squares * icc), 1.0)
    usual = np.abs(lean) * np.sqrt(np.where(known, variance, 0)) / spread
    return np.where(known, np.abs(third) / second**1.5, 0.0), np.where(known, usual, 0.0)
