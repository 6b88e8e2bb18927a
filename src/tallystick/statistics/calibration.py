"""The interval of a sum of absolute gaps, such as the expected calibration error."""

import math

import numpy as np

from tallystick.statistics.wilson import Values

_STEPS = 50
"""Halvings of the scale of the gaps."""

_LEAST = 1e-300

_EVEN = 0.25
"""Of the largest sum such a part is shared out by the errors, and not by the gaps that are seen."""


def bound_gaps(gaps: Values, errors: Values, quantile: float) -> tuple[float, float]:
    """The interval of a sum of absolute gaps, each known with an error of its own.

    Noise makes gaps, so that a sample's sum lies above the true one, and above 0 where there is no
    gap at all. The ends are the sums of gaps under which the sum that was seen would lie that many
    standard errors from its mean. How they are shared out decides how much noise adds, and noise
    makes gaps seem more unlike than they are, or more alike where some are 0: at the lower end
    gaps are as those seen without their noise, and at the upper end a part goes by the errors.

    Gaps and their standard errors have shape (gaps,).

    Source: the mean and the variance of a folded normal number, as in Leone, Nelson and Nottingham
        1961, Technometrics 3; the test that is inverted is from the simulations of
        benchmarks/coverage.py.
    """
    sizes = np.abs(gaps)
    seen = float(sizes.sum())
    if seen <= 0:
        return 0.0, math.nan
    clear = np.maximum(sizes - errors**2 / np.maximum(sizes, _LEAST), 0)
    shares = sizes / seen
    least = clear / clear.sum() if clear.any() else shares
    even = errors / errors.sum() if errors.any() else shares
    most = (1 - _EVEN) * shares + _EVEN * even
    low, high = (
        _solve(seen, own, errors, side * quantile) for own, side in ((least, 1), (most, -1))
    )
    return min(low, seen), max(high, seen)


def _solve(seen: float, shares: Values, errors: Values, quantile: float) -> float:
    """Which sum of gaps makes the one seen lie so many standard errors above its mean."""

    def lies_above(total: float) -> bool:
        means, variances = _fold(total * shares, errors)
        return bool(seen - means.sum() > quantile * math.sqrt(variances.sum()))

    below, above = 0.0, 1.0
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
