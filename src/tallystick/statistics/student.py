"""Student's t without SciPy, and the degrees of freedom that a few clusters leave."""

import math
from functools import lru_cache

import numpy as np

from tallystick.statistics import wilson
from tallystick.statistics.p_values import LEAST, erfc
from tallystick.statistics.wilson import Numbers, Values

_LARGE = 1e5
"""From this many degrees of freedom on three terms lead from t to the normal distribution."""

_FEW = 16
"""So many quantiles at most are kept, since few numbers of units are asked for again and again."""

_TERMS = 10_000
_PRECISE = 1e-14
_NEWTON = 60
_FAR = 300.0
"""No quantile is above exp(300), whose square is a number still."""
_TINY = 1e-300


def quantile(confidence: float, freedom: Numbers | float) -> Values:
    """The number of standard errors on either side of a two-sided interval with Student's t.

    Degrees of freedom need not be whole; NaN where they are not positive. Values as
    scipy.stats.t.ppf to 1e-10 of themselves.
    """
    freedom = np.asarray(freedom, np.float64)
    if freedom.size > _FEW:
        return _find_quantile(confidence, freedom)
    return _recall_quantile(confidence, freedom.tobytes()).reshape(freedom.shape).copy()


@lru_cache(maxsize=1024)
def _recall_quantile(confidence: float, freedom: bytes) -> Values:
    return _find_quantile(confidence, np.frombuffer(freedom))


def _find_quantile(confidence: float, freedom: Values) -> Values:
    positive = freedom > 0
    known = np.where(positive, freedom, np.nan)
    z = wilson.quantile(confidence)
    normal = z + (z**3 + z) / (4 * known) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * known**2)
    normal += (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * known**3)
    few = positive & (freedom < _LARGE)
    start, solved = np.where(few, np.maximum(normal, z), z), np.where(few, freedom, 1.0)
    return np.where(few, _solve(1 - confidence, start, solved), normal)


def _solve(outside: float, start: Values, freedom: Values) -> Values:
    """The t beyond which so much of both tails lies, by Newton's method from a guess of it."""
    # In logarithms the tail is concave, so that from its first step on Newton comes from above.
    place, moving = np.log(start), np.ones(start.shape, bool)
    for _ in range(_NEWTON):
        t = np.exp(place)
        tail = _find_tail(t, freedom)
        density = -(freedom + 1) / 2 * np.log1p(t * t / freedom) - _log_beta(freedom / 2)
        slope = -2 * t * np.exp(density) / np.sqrt(freedom) / tail
        step = (np.log(tail) - math.log(outside)) / slope
        place = np.where(moving, np.minimum(place - step, _FAR), place)
        moving &= np.abs(step) >= 1e-11
        if not moving.any():
            break
    return np.asarray(np.exp(place))


def p_value(t: Numbers | float, freedom: Numbers | float) -> Values:
    """The two-sided p-value of Student's t; never 0, and 1 where t is 0.

    NaN where `t`, in standard errors, is NaN, or degrees of freedom are not positive. Values as
    scipy.stats.t.sf to 1e-10 of themselves.
    """
    t, freedom = np.broadcast_arrays(np.abs(np.asarray(t, np.float64)), freedom)
    known, few = (freedom > 0) & ~np.isnan(t), freedom < _LARGE
    t = np.where(known, np.minimum(t, 1e100), 1.0)
    tail = _find_tail(t, np.where(known & few, freedom, 1.0))
    wide, short = np.where(few, np.inf, freedom), np.minimum(t, 50.0)
    z = short - (short**3 + short) / (4 * wide)
    z += (13 * short**5 + 8 * short**3 + 3 * short) / (96 * wide**2)
    z -= (35 * short**7 + 19 * short**5 + short**3 - 15 * short) / (384 * wide**3)
    normal = erfc(z / math.sqrt(2))
    return np.where(known, np.clip(np.where(few, tail, normal), LEAST, 1), np.nan)


def _find_tail(t: Numbers, freedom: Values) -> Values:
    """Both tails beyond t, which is not negative: the regularised incomplete beta function."""
    a, square = freedom / 2, t * t
    inside, outside = square / (freedom + square), freedom / (freedom + square)
    # The power of each side with a half, without the cancellation of 1 - x.
    front = np.exp(
        -a * np.log1p(square / freedom) + np.log(np.maximum(inside, _TINY)) / 2 - _log_beta(a)
    )
    far = outside < (a + 1) / (a + 2.5)
    half = np.full(a.shape, 0.5)
    first, second = np.where(far, a, half), np.where(far, half, a)
    part = front * _continue(first, second, np.where(far, outside, inside)) / first
    return np.where(square > 0, np.where(far, part, 1 - part), 1.0)


def find_beta_tail(a: float, b: float, odds: float) -> float:
    """The chance that a beta variable is below 1 / (1 + odds); the odds are not negative."""
    inside, outside = 1 / (1 + odds), odds / (1 + odds)
    if not outside:
        return 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    log_front += -a * math.log1p(odds) + b * math.log(outside)
    near = inside < (a + 1) / (a + b + 2)
    first, second, x = (a, b, inside) if near else (b, a, outside)
    fraction = _continue(*(np.array([one]) for one in (first, second, x))).item()
    part = math.exp(log_front) * fraction / first
    return part if near else 1 - part


def _continue(a: Values, b: Values, x: Values) -> Values:
    """The continued fraction of the incomplete beta function, by the method of Lentz."""
    c = np.ones(x.shape)
    d = 1 / _avoid_zero(1 - (a + b) * x / (a + 1))
    result, moving = d, np.ones(x.shape, bool)
    for m in range(1, _TERMS):
        change = np.ones(x.shape)
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _avoid_zero(1 + factor * d)
            c = _avoid_zero(1 + factor / c)
            change = c * d
            result = np.where(moving, result * change, result)  # whatever others still need
        moving &= np.abs(change - 1) > _PRECISE
        if not moving.any():
            break
    return np.asarray(result)


def _avoid_zero(values: Values) -> Values:
    return np.where(np.abs(values) < _TINY, _TINY, values)


def _log_beta(a: Values) -> Values:
    """The logarithm of B(a, 1/2); a series where differences of large logarithms would cancel."""
    large = a >= 30
    wide = np.where(large, a, 30.0)
    series = -np.log(wide) / 2 + sum(
        term / wide**power
        for power, term in ((1, 1 / 8), (3, -1 / 192), (5, 1 / 640), (7, -17 / 14336))
    )
    narrow = np.where(large, 1.0, a)
    log_gamma = np.vectorize(math.lgamma, otypes=[float])
    direct = log_gamma(narrow) - log_gamma(narrow + 0.5)
    return np.asarray(math.log(math.pi) / 2 + np.where(large, series, direct))
