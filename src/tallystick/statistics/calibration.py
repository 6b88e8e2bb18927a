"""The interval of a sum of absolute gaps, such as the expected calibration error."""

import math

import numpy as np

from tallystick.statistics.wilson import Values

_STEPS = 50
"""Halvings of the scale of the gaps."""

_LEAST = 1e-300


def bound_gaps(gaps: Values, errors: Values, quantile: float) -> tuple[float, float]:
    """The interval of a sum of absolute gaps, each known with an error of its own.

    Noise makes gaps, so that a sample's sum lies above the true one, and above 0 where there is no
    gap at all. The ends are the sums of gaps that are all so many times as large as those seen
    under which the sum that was seen would lie that many standard errors from its mean.

    Gaps and their standard errors have shape (gaps,).

    Source: the mean and the variance of a folded normal number, as in Leone, Nelson and Nottingham
        1961, Technometrics 3; the test that is inverted is from the simulations of
        benchmarks/coverage.py.
    """
    seen = float(np.abs(gaps).sum())
    if seen <= 0:
        return 0.0, math.nan
    low, high = (_solve(np.abs(gaps), errors, side * quantile) * seen for side in (1, -1))
    return min(low, seen), max(high, seen)


def _solve(gaps: Values, errors: Values, quantile: float) -> float:
    """How many times as large gaps make the seen sum lie so many standard errors above its mean."""
    seen = float(gaps.sum())

    def lies_above(scale: float) -> bool:
        means, variances = _fold(scale * gaps, errors)
        return bool(seen - means.sum() > quantile * math.sqrt(variances.sum()))

    below, above = 0.0, 1 / seen
    if not lies_above(below):
        return below
    for _ in range(_STEPS):
        middle = (below + above) / 2
        below, above = (middle, above) if lies_above(middle) else (below, middle)
    return (below + above) / 2


def _fold(means: Values, errors: Values) -> tuple[Values, Values]:
    """The means and variances of the absolute values of normal numbers."""
    ratio = means / np.maximum(errors, _LEAST)
    near = np.array([math.erf(one / math.sqrt(2)) for one in ratio.tolist()])
    folded = errors * math.sqrt(2 / math.pi) * np.exp(-(np.minimum(ratio, 40) ** 2) / 2)
    folded = folded + means * near
    return folded, np.maximum(means**2 + errors**2 - folded**2, 0)
