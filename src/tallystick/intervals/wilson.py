"""Wilson's score interval of a binomial proportion."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def quantile(level: float) -> float:
    """Returns how many standard errors a two-sided interval of that level has on either side."""
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + level) / 2)


def bound_share(hits: NDArray[Any], trials: NDArray[Any], level: float) -> tuple[Values, Values]:
    """Returns Wilson's score interval for `hits` out of `trials`; NaN where there are no trials.

    Source: Wilson 1927, JASA 22; recommended by Brown, Cai and DasGupta 2001, Statistical Science
        16; values as statsmodels' proportion_confint(method="wilson").
    """
    z = quantile(level)
    trials = np.where(trials > 0, trials, np.nan)
    centre = (hits + z * z / 2) / (trials + z * z)
    half = z * np.sqrt(hits * (trials - hits) / trials + z * z / 4) / (trials + z * z)
    # At the ends the formula is exact, its rounding is not.
    low = np.where(hits == 0, 0 * trials, np.clip(centre - half, 0, 1))
    high = np.where(hits == trials, 1 + 0 * trials, np.clip(centre + half, 0, 1))
    return low, high
