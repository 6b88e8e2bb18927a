"""Holm's correction of the p-values of one family."""

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


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
