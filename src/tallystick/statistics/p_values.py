"""P-values of McNemar's test and of approximate randomisation, and Holm's correction."""

import math
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tallystick.statistics.wilson import Values

LEAST = float(np.finfo(float).tiny)
"""The smallest p-value that is reported: none is ever 0."""

erfc = np.vectorize(math.erfc, otypes=[float])
"""The complementary error function, of arrays."""

SLACK = 1e-11
"""Differences within this relative tolerance of the scores' size count as equal."""


def count_extremes(drawn: Values, observed: Values, scale: Values) -> NDArray[np.int64]:
    """Counts randomised differences, (..., draws), at least as large as the observed one."""
    least = np.abs(observed) - SLACK * np.maximum(1, scale)
    found: NDArray[np.int64] = np.sum(np.abs(drawn) >= least[..., None], axis=-1, dtype=np.int64)
    return found


def p_value(extremes: NDArray[np.int64], draws: NDArray[np.int64]) -> Values:
    """Returns the p-value, given how many exchanges were at least as extreme as observed; never 0.

    Source: Phipson and Smyth 2010, Statistical Applications in Genetics and Molecular Biology 9.
    """
    return np.asarray((extremes + 1) / (draws + 1))


def adjust(p: Values) -> Values:
    """Returns the corrected p-values of one family; undefined ones stay undefined and do not count.

    Source: Holm 1979, Scandinavian Journal of Statistics 6; values as statsmodels'
        multipletests(method="holm").
    """
    adjusted = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    factors = np.arange(len(known), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * factors), 1)
    return adjusted


_DEVIATIONS = 40
"""Terms more than this many standard deviations from the first underflow a float64."""


@lru_cache(maxsize=1 << 12)
def mcnemar(only_a: int, only_b: int, variant: Literal["exact", "mid-p"]) -> float:
    """Returns the two-sided p-value, given how many examples only A and only B got right.

    1 where the systems agree on every example; never 0.

    Source: McNemar 1947; Fagerland, Lydersen and Laake 2013, BMC Medical Research Methodology 13,
        for mid-p; exact values as statsmodels' mcnemar(exact=True).
    """
    n, k = only_a + only_b, min(only_a, only_b)
    if n == 0:
        return 1.0
    here = math.exp(
        math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2)
    )
    terms = np.arange(k, max(0, k - int(_DEVIATIONS * math.sqrt(n))), -1)
    exact = min(1.0, float(2 * here * (1 + np.cumprod(terms / (n - terms + 1)).sum())))
    if variant == "exact":
        return max(exact, LEAST)
    return max(exact - (here / 2 if only_a == only_b else here), LEAST)
