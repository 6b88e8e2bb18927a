"""McNemar's test: whether two systems are right equally often, from their discordant examples."""

import math
from typing import Literal

import numpy as np

from tallystick.statistics.p_values import LEAST

_DEVIATIONS = 40
"""Terms more than this many standard deviations from the first underflow a float64."""


def p_value(only_a: int, only_b: int, variant: Literal["exact", "mid-p"]) -> float:
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
