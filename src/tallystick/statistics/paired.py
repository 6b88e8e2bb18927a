"""Whether two systems differ on the same examples: intervals and p-values of their difference."""

from typing import Literal

import numpy as np

from tallystick.statistics import mcnemar, permutations, student
from tallystick.statistics.influence import FEWEST_OF_DIFFERENCE, Scatter
from tallystick.statistics.tango import bound_difference
from tallystick.statistics.wilson import Numbers, Values

Tested = tuple[Values, Values, Values]
"""The lower and the upper ends of differences, and their p-values."""

_STILL = 1e-6
"""A smaller error, as a share of what one unit could change, is rounding."""

_NEAR = 1e-9
"""How near 0 an end may come, as a share of the difference, and still exclude it; an effect that is
smaller, as a share of the largest one, is rounding."""


def paired_test(
    difference: Values, scatter: Scatter, reach: Values, confidence: float | None
) -> Tested:
    """Student's t of differences of two scores of the same units.

    The variance and its degrees of freedom are those of the contributions of the first system less
    those of the second, as if one more unit differed as much as the one that differs most. Where no
    unit differs, the one more moves the score as far as a unit can: by the reach divided by the
    number of units, with two degrees of freedom; nothing is known of scores without limits then. Of
    a single unit, nothing is known.

    Args:
        difference: The differences.
        scatter: How they scatter, of the same shape.
        reach: How far apart the scores can be, which may be infinite.
        confidence: The level of the intervals; None for none, which takes less time.

    Source: Efron and Stein 1981, Annals of Statistics 9 (the variance); Satterthwaite 1946,
        Biometrics Bulletin 2.
    """
    error, size = np.sqrt(scatter.variance * (1 + scatter.largest)), np.abs(difference)
    most = np.where(np.isfinite(reach), reach, np.where(size > 0, size, np.inf))
    least = most / np.maximum(scatter.units, 1)
    still = error <= _STILL * np.where(np.isfinite(least), least, 0)
    error = np.where(still, least, error)
    alone = np.minimum(scatter.freedom, FEWEST_OF_DIFFERENCE)
    freedom = np.where(still, alone, scatter.freedom)
    known = (freedom > 0) & np.isfinite(error)
    error, freedom = np.where(known, error, 1), np.where(known, freedom, 1.0)
    p = student.p_value(np.where(known, difference / error, 0), freedom)
    half = np.full(error.shape, np.nan)
    if confidence is not None:
        half = np.where(known, student.quantile(confidence, freedom) * error, np.inf)
    low, high = np.maximum(difference - half, -reach), np.minimum(difference + half, reach)
    undefined = np.isnan(difference)
    return (
        np.where(undefined, np.nan, low),
        np.where(undefined, np.nan, high),
        np.where(undefined, np.nan, p),
    )


def compare_shares(
    wins: Numbers,
    losses: Numbers,
    trials: Numbers,
    confidence: float | None,
    variant: Literal["exact", "mid-p"],
) -> Tested:
    """McNemar's test of two shares of the same trials, and Tango's interval of their difference.

    Wins are trials in which only the first system has a hit. Random signs of the paired
    contributions have McNemar's mid-p-value too. NaN without trials.
    """
    known = trials > 0
    ones, others = (np.where(known, side, 0).astype(np.int64) for side in (wins, losses))
    found = {
        pair: mcnemar.p_value(*pair, variant)
        for pair in set(zip(ones.ravel().tolist(), others.ravel().tolist(), strict=True))
    }
    each = zip(ones.ravel().tolist(), others.ravel().tolist(), strict=True)
    p = np.array([found[pair] for pair in each], np.float64).reshape(ones.shape)
    p = np.where(known, p, np.nan)
    if confidence is None:
        return p * np.nan, p * np.nan, p
    return *bound_difference(ones, others, trials, confidence), p


def exchange(difference: float, moves: Values, masses: Values, counts: Numbers) -> float:
    """The p-value of a difference among those of units whose contributions have random signs.

    Outputs of two systems that are exchanged turn the contribution of a unit. Units whose outputs
    do not differ have neither contribution nor mass; the others, of which there are `counts`, share
    the difference by their masses. Where there are few of these, all exchanges are listed.

    Source: Fisher 1935, The Design of Experiments; Noreen 1989, Computer-Intensive Methods.
    """
    total = float(masses @ counts)
    shift = (difference - float(moves @ counts)) / total if total > 0 else 0.0
    effects = moves + shift * masses
    size = np.abs(effects)
    effects = np.where(size > _NEAR * size.max(initial=0), effects, 0)
    return float(permutations.p_value(np.array(difference), effects, counts, effects != 0))


def agree(tested: Tested, difference: Values, confidence: float) -> Tested:
    """The same with an interval that excludes 0 just where the p-value is below 1 - confidence.

    A test and an interval may see 0 on different sides of the end of the interval. That end then
    moves to it, since no other value was tested. A p-value of NaN changes nothing.
    """
    low, high, p = tested
    alpha = round(1 - confidence, 12)  # 0.05 for 0.95, and not a little more
    beside, none = _NEAR * difference, p >= alpha
    least = np.where((p < alpha) & (difference > 0), np.maximum(low, beside), low)
    most = np.where((p < alpha) & (difference < 0), np.minimum(high, beside), high)
    low = np.where(none, np.minimum(least, 0), least)
    high = np.where(none, np.maximum(most, 0), most)
    return low, high, p
