"""The interval of a proportion of examples in clusters, such as documents or authors."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.intervals import student
from tallystick.intervals.wilson import bound_share, quantile

__all__ = ["bound_clustered_share"]

Values = NDArray[np.float64]

_STILL = 1e-15
"""A smaller variance is rounding error."""


def bound_clustered_share(
    hits: NDArray[Any], sizes: NDArray[Any], confidence: float
) -> tuple[Values, Values]:
    """Returns the interval of a proportion of hits over clusters, even if few or of unequal sizes.

    It is Wilson's interval at the effective sample size that has the variance CR2, with Student's t
    for the degrees of freedom of the clusters. Where clusters do not differ, the effective sample
    size is that number of clusters of equal size which would weigh as much.

    Args:
        hits: How many hits each cluster has, or their weight, of shape (..., clusters).
        sizes: How many examples each has, or their weight, of a shape that broadcasts.
        confidence: That of the interval, between 0 and 1.

    Returns:
        Two arrays of shape (...); NaN where there is a single cluster, which shows no scatter.

    Source: Korn and Graubard 1998, Survey Methodology 24; Dean and Pagano 2015, Journal of Survey
        Statistics and Methodology 3; Bell and McCaffrey 2002 for CR2.
    """
    hits, sizes = np.broadcast_arrays(hits, sizes)
    total = sizes.sum(-1, dtype=np.float64)
    share = hits.sum(-1) / np.where(total > 0, total, np.nan)
    variance, freedom = student.cr2(hits - share[..., None] * sizes, sizes)
    widened = student.quantile(confidence, freedom) / quantile(confidence)
    still = variance <= _STILL
    clusters = total**2 / np.maximum((sizes**2).sum(-1), 1e-300)
    error = np.where(still, 1, variance) * widened**2
    trials = np.where(still, clusters, share * (1 - share) / error)
    return bound_share(share * trials, trials, confidence)
