"""The interval of a proportion of examples in clusters, such as documents or authors."""

import numpy as np
from numpy.typing import NDArray

from tallystick.statistics import student
from tallystick.statistics.wilson import Numbers, Values, bound_share, quantile

_STILL = 1e-15
"""A smaller variance is rounding error."""

_EVEN = 0.5

_RARE = 30
"""With effectively more hits, and more misses, than this Wilson's interval needs no model."""

_REACH = 8
"""So many times as far as Wilson's interval from the share reach the shares that are compared."""

_SHARES, _CORRELATIONS = 64, 32
"""How many shares, and intraclass correlations, are compared."""


def bound_clustered_share(
    hits: Numbers, sizes: Numbers, confidence: float
) -> tuple[Values, Values]:
    """Returns the interval of a proportion of hits over clusters, even if few or of unequal sizes.

    It is Wilson's interval at the effective sample size that has the variance CR2, with Student's t
    for the degrees of freedom of the clusters. Where clusters do not differ, the effective sample
    size is that number of clusters of equal size which would weigh as much. The end on the longer
    side lies at least as far out as that of beta-binomial clusters, whatever their correlation: few
    clusters, of which hardly any have misses, do not show how many others could have.

    Hits and sizes broadcast to shape (..., clusters), and the ends have shape (...): NaN where
    there is a single cluster, which shows no scatter. With weights, hits are what as many examples
    of weight 1 would have.

    Source: Korn and Graubard 1998, Survey Methodology 24; Dean and Pagano 2015, Journal of Survey
        Statistics and Methodology 3; Bell and McCaffrey 2002 for CR2; Skellam 1948, JRSS B 10, for
        the beta-binomial distribution.
    """
    hits, sizes = np.broadcast_arrays(hits, sizes)
    share, trials, still = measure_clusters(hits, sizes, confidence)
    low, high = map(np.array, bound_share(share * trials, trials, confidence))
    for place in np.ndindex(share.shape):
        rarer = min(share[place], 1 - share[place])
        if not still[place] and trials[place] * rarer < _RARE:
            own = hits[place], sizes[place]
            ends = float(low[place]), float(high[place])
            model = _bound_beta_binomial(*own, (ends[0], float(share[place]), ends[1]), confidence)
            if share[place] > _EVEN:
                low[place] = min(ends[0], model[0])
            else:
                high[place] = max(ends[1], model[1])
    return low, high


def _bound_beta_binomial(
    hits: Numbers, sizes: Numbers, known: tuple[float, float, float], confidence: float
) -> tuple[float, float]:
    """The middle of what the clusters leave open of the mean of a beta-binomial distribution.

    Its likelihood is averaged over all intraclass correlations alike; shares have Jeffreys' prior.

    `known` holds the lower end, the share and the upper end of Wilson's interval.
    """
    low, share, high = np.arcsin(np.sqrt(known))
    reach = _REACH * max(share - low, high - share)
    edges = np.linspace(max(share - reach, 0), min(share + reach, np.pi / 2), _SHARES + 1)
    shares = np.sin((edges[1:] + edges[:-1])[:, None] / 2) ** 2
    roots = (np.arange(_CORRELATIONS) + 0.5) / _CORRELATIONS
    firm = 1 / roots**3 - 1
    likelihood = (
        _sum_rises(firm * shares, hits)
        + _sum_rises(firm * (1 - shares), np.asarray(sizes - hits, np.float64))
        - _sum_rises(firm, sizes)
    )
    chances = np.exp(likelihood - likelihood.max()) @ roots**2
    below = np.concatenate([[0.0], np.cumsum(chances)]) / chances.sum()
    tails = (1 - confidence) / 2, (1 + confidence) / 2
    first, last = np.sin(np.interp(tails, below, edges)) ** 2
    return float(first), float(last)


def _sum_rises(start: Values, counts: Numbers) -> Values:
    """The sum of the logarithms of Gamma(start + count) / Gamma(start) over all counts."""
    total, first = np.zeros(start.shape), _log_gamma(start)
    for count, times in zip(*np.unique(counts[counts > 0], return_counts=True), strict=True):
        total += times * (_log_gamma(start + count) - first)
    return total


def _log_gamma(x: Values) -> Values:
    """Stirling's series, from six steps above."""
    far = x + 6
    series = (far - 0.5) * np.log(far) - far + 1 / (12 * far) - 1 / (360 * far**3)
    return np.asarray(series - np.log(x * (x + 1) * (x + 2) * (x + 3) * (x + 4) * (x + 5)))


def measure_clusters(
    hits: Numbers, sizes: Numbers, confidence: float
) -> tuple[Values, Values, NDArray[np.bool_]]:
    """A proportion of hits over clusters, its effective size, and whether clusters are alike."""
    hits, sizes = np.broadcast_arrays(hits, sizes)
    total = sizes.sum(-1, dtype=np.float64)
    share = hits.sum(-1) / np.where(total > 0, total, np.nan)
    variance, freedom = student.cr2(hits - share[..., None] * sizes, sizes)
    widened = student.quantile(confidence, freedom) / quantile(confidence)
    still = variance <= _STILL
    clusters = total**2 / np.maximum((sizes**2).sum(-1), 1e-300)
    error = np.where(still, 1, variance) * widened**2
    trials = np.where(still, clusters, share * (1 - share) / error)
    return share, np.asarray(trials), np.asarray(still)
