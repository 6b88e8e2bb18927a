"""P-values of approximate randomisation, and Holm's correction of a family of them."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.statistics.wilson import Values

LEAST = float(np.finfo(float).tiny)
"""The smallest p-value that is reported: none is ever 0."""

erfc = np.vectorize(math.erfc, otypes=[float])
"""The complementary error function, of arrays."""

SLACK = 1e-11
"""Differences within this relative tolerance of the scores' size count as equal."""


def count_extremes(drawn: Values, observed: Any, scale: Any) -> NDArray[np.int64]:
    """Counts the randomised differences that are at least as large as the observed one in size.

    `drawn` has shape (..., draws), and undefined ones are not counted; `observed` and `scale`, the
    size of the scores whose difference was taken, have shape (...).
    """
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
