"""Holm's correction of p-values that are read together."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["adjust"]

Values = NDArray[np.float64]


def adjust(p: Values) -> Values:
    """The p-values of one family, corrected; undefined ones stay so and are no part of it.

    Source: Holm 1979, Scandinavian Journal of Statistics 6; values as statsmodels'
        multipletests(method="holm").
    """
    adjusted = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    factors = np.arange(len(known), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * factors), 1)
    return adjusted
