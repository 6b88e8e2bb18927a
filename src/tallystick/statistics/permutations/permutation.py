"""The test that exchanges the outputs of two systems, for all exchanges at once instead of some."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.statistics import mcnemar
from tallystick.statistics.wilson import Numbers

Values = NDArray[np.float64]

_MOST_EXCHANGES = 4100
"""Up to so many distinct exchanges are listed; more are summed up by their saddlepoint."""

_SLACK = 1e-9
"""Sums that differ by less, as a share of their deviation, are equal but for rounding."""

_STEPS = 60
_LEAST = float(np.finfo(float).tiny)
"""What is told of a p-value that is smaller: it is never 0."""

_erfc = np.vectorize(math.erfc, otypes=[float])


def p_value(
    observed: Values,
    effects: Numbers,
    counts: Numbers,
    differ: NDArray[np.bool_],
    normal: Any = 0.0,
) -> Values:
    """The two-sided mid-p-value of the sum of all effects among those with random signs.

    An exchange of the outputs of an example turns the sign of its effect on the difference of two
    systems. Sums as large as the observed one count a half. Where few exchanges are distinct they
    are all listed; else their tail comes from the saddlepoint, which is near even where it is too
    small for any number of random exchanges. Never 0, nor less than half the chance of the two
    exchanges that change nothing and everything; 1 where the sum is 0.

    The observed difference has shape (...), and effects, what one example of each kind adds to it,
    shape (..., kinds). Where outputs do not `differ`, effects are small and add to the scatter
    only. `normal` is the variance of further effects, of so many examples that it is normal, of
    shape (...). The p-value is NaN where the difference or an effect is.

    Source: Robinson 1982, Journal of the Royal Statistical Society B 44 (saddlepoint of exchanges);
        Lancaster 1961, JASA 56 (mid-p); Barndorff-Nielsen 1991, Biometrika 78.
    """
    flat = np.asarray(effects, np.float64).reshape(observed.size, effects.shape[-1])
    further = np.broadcast_to(np.asarray(normal, np.float64), observed.shape).ravel()
    rows = zip(np.abs(observed).ravel().tolist(), flat, further.tolist(), strict=True)
    return np.array([_find(*row, counts, differ) for row in rows]).reshape(observed.shape)


def _find(
    observed: float,
    effects: Values,
    further: float,
    counts: Numbers,
    differ: NDArray[np.bool_],
) -> float:
    if math.isnan(observed + further + float(effects.sum())):
        return math.nan
    used = effects != 0
    own, sizes, turned = np.abs(effects[used]), counts[used], differ[used]
    variance = float(sizes @ own**2) + further
    if observed <= _SLACK * math.sqrt(variance):
        return 1.0
    if further == 0 and turned.all() and len(own) and np.ptp(own) <= _SLACK * own[0]:
        above, below = (int(counts[side].sum()) for side in (effects > 0, effects < 0))
        p = mcnemar.p_value(above, below, "mid-p")  # only signs count
    elif further == 0 and np.log1p(sizes[turned]).sum() <= math.log(_MOST_EXCHANGES):
        rest = float(sizes[~turned] @ own[~turned] ** 2)
        p = _list_exchanges(own[turned], sizes[turned], rest, observed)
    else:
        p = _approximate(own, sizes, further, observed)
    units = math.inf if further else float(sizes[turned].sum())
    return float(min(max(p, 2.0**-units, _LEAST), 1.0))


def _list_exchanges(own: Values, sizes: Numbers, rest: float, observed: float) -> float:
    """The p-value from every distinct exchange, with a normal rest."""
    sums, chances = np.zeros(1), np.ones(1)
    for effect, size in zip(own.tolist(), sizes.astype(int).tolist(), strict=True):
        turned = np.arange(size + 1)
        binomial = np.array([math.comb(size, k) for k in turned.tolist()]) / 2.0**size
        sums = np.add.outer(sums, effect * (size - 2.0 * turned)).ravel()
        chances = np.multiply.outer(chances, binomial).ravel()
    scale = math.sqrt(2) * max(math.sqrt(rest), _SLACK * observed)
    gaps = observed - sums
    gaps[np.abs(gaps) <= _SLACK * observed] = 0
    # The chance of an equal sum is halved by a normal rest that is as good as 0.
    return float(chances @ _erfc(gaps / scale))


def _approximate(own: Values, sizes: Numbers, further: float, observed: float) -> float:
    """The p-value from the saddlepoint of the sum with random signs."""
    variance = float(sizes @ own**2) + further
    top = math.inf if further else float(sizes @ own)
    if observed >= top * (1 - _SLACK):
        return _LEAST
    place, low, high = observed / variance, 0.0, math.inf
    for _ in range(_STEPS):
        turned = np.tanh(place * own)
        gap = float(sizes @ (own * turned)) + further * place - observed
        low, high = (low, place) if gap > 0 else (place, high)
        curve = float(sizes @ (own**2 * (1 - turned**2))) + further
        step = place - gap / curve if curve > 0 else math.inf
        after = (
            step if low < step < high else min((low + high) / 2, 2 * low + 1 / math.sqrt(variance))
        )
        still, place = abs(after - place) <= 1e-13 * place, after
        if still:
            break
    size = place * own
    # The logarithm of the hyperbolic cosine, which itself would overflow.
    cumulant = float(sizes @ (size + np.log1p(np.exp(-2 * size)) - math.log(2)))
    cumulant += further * place**2 / 2
    root = math.sqrt(max(2 * (place * observed - cumulant), 0))
    curve = float(sizes @ (own**2 * (1 - np.tanh(size) ** 2))) + further
    if root < 1e-4:
        return math.erfc(root / math.sqrt(2))
    wide = place * math.sqrt(curve)
    if wide <= 0:
        return _LEAST
    return math.erfc((root + math.log(wide / root) / root) / math.sqrt(2))
