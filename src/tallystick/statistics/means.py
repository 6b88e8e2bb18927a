"""The interval of a mean from those of what is averaged."""

import numpy as np

from tallystick.statistics.wilson import Values


def bound_mean(value: Values, low: Values, high: Values) -> tuple[float, float]:
    """Returns the interval of the unweighted mean of the defined values, from the interval of each.

    The distances from the values, which are independent, to their bounds are combined as standard
    errors are: by the root of their sum of squares. A value without an interval adds nothing to the
    width; if none has one, the ends are NaN.

    Source: Zou and Donner 2008, Statistics in Medicine 27 (method of variance estimates recovered).
    """
    defined = ~np.isnan(value)
    if np.isnan(high[defined] - low[defined]).all():
        return np.nan, np.nan
    mean = value[defined].mean()
    sides = np.stack([np.nan_to_num(side[defined]) for side in (value - low, high - value)], 1)
    with np.errstate(over="ignore"):  # ends too far away for a square are infinitely far
        below, above = np.sqrt((sides**2).sum(0)) / defined.sum()
    return float(mean - below), float(mean + above)
