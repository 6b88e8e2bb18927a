"""The interval of an average precision."""

import numpy as np
from numpy.typing import NDArray

from tallystick.intervals.wilson import bound_share

Values = NDArray[np.float64]

_FEW = 5
"""The error is trusted from this many positives on the rarer side of the value on."""


def bound_precision(
    value: Values, error: Values, positives: Values, confidence: float
) -> tuple[Values, Values]:
    """Returns the interval of average precisions.

    It is Wilson's interval at the effective sample size that has the error. Where the value leaves
    fewer than five positives on its rarer side, the error itself is uncertain: the fewer there are,
    the closer the interval comes to the one that covers both it and that of a proportion of the
    positives, which is taken where the error is 0.

    Args:
        value: The average precisions, of any shape; NaN where undefined.
        error: Their standard errors, where few examples widen them already.
        positives: How many positives each has.
        confidence: That of the interval, between 0 and 1.

    Source: Boyd, Eng and Page 2013, ECML PKDD, for the share of positives.
    """
    outer = bound_share(value * positives, positives, confidence)
    trials = value * (1 - value) / np.where(error > 0, error, np.nan) ** 2
    inner = bound_share(value * trials, trials, confidence)
    few = np.clip(1 - positives * np.minimum(value, 1 - value) / _FEW, 0, 1)
    low, high = (
        np.where(np.isnan(plain), robust, plain + few * (widest(plain, robust) - plain))
        for plain, robust, widest in zip(inner, outer, (np.minimum, np.maximum), strict=True)
    )
    return low, high
