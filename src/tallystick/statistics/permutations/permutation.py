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
_STILL = 1e-6
"""A saddlepoint that moves by less, as a share of itself, is found: the next step is its cube."""

_NEAR = 1e-4
"""A smaller root of a deviance leaves the tail as good as normal."""

_UNBOUNDED = 1e200
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
    shape (..., kinds), to which `counts` and `differ` broadcast. Where outputs do not `differ`,
    effects are small and add to the scatter only. `normal` is the variance of further effects, of
    so many examples that it is normal, of shape (...). The p-value is NaN where the difference or
    an effect is.

    Source: Robinson 1982, Journal of the Royal Statistical Society B 44 (saddlepoint of exchanges);
        Lancaster 1961, JASA 56 (mid-p); Barndorff-Nielsen 1991, Biometrika 78.
    """
    size, further = np.broadcast_arrays(np.abs(observed), np.asarray(normal, np.float64))
    own = np.broadcast_to(np.asarray(effects, np.float64), (*size.shape, effects.shape[-1]))
    every = np.broadcast_to(np.asarray(counts, np.float64), own.shape)
    turned = (own != 0) & differ
    variance = np.vecdot(own**2, every) + further
    clear = size > _SLACK * np.sqrt(variance)
    few = np.vecdot(turned, np.log1p(counts)) <= math.log(_MOST_EXCHANGES)
    alike = _are_alike(own, turned)
    listed = clear & (further == 0) & (few | alike)
    summed = clear & ~listed
    p = np.where(np.isnan(size + further + own.sum(-1)), np.nan, 1.0)
    rows = zip(*(one[listed] for one in (size, own, every, turned, alike)), strict=True)
    p[listed] = [_find(*row) for row in rows]
    p[summed] = _approximate(*(one[summed] for one in (own, every, further, size, variance)))
    units = np.where(further > 0, np.inf, np.vecdot(turned, every))
    return np.clip(p, np.maximum(2.0**-units, _LEAST), 1)


def _are_alike(own: Values, turned: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether all effects are as large, and turned with the outputs, so that only signs count."""
    sizes = np.abs(own)
    least = np.where(own == 0, np.inf, sizes).min(-1, initial=np.inf)
    even = sizes.max(-1, initial=0) - least <= _SLACK * least
    return np.asarray(even & ((own == 0) | turned).all(-1))


def _find(
    observed: float, effects: Values, sizes: Values, turned: NDArray[np.bool_], alike: bool
) -> float:
    """The p-value of effects that are `alike`, or of which few exchanges are distinct."""
    if alike:
        above, below = (int(sizes[side].sum()) for side in (effects > 0, effects < 0))
        return mcnemar.p_value(above, below, "mid-p")
    rest = float(sizes[~turned] @ effects[~turned] ** 2)
    return _list_exchanges(np.abs(effects[turned]), sizes[turned], rest, observed)


def _list_exchanges(own: Values, sizes: Values, rest: float, observed: float) -> float:
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


def _approximate(
    effects: Values, counts: Values, further: Values, observed: Values, variance: Values
) -> Values:
    """The p-values from the saddlepoints of sums with random signs, one of each row."""
    own = np.abs(effects)
    masses = own * counts
    top = np.where(further > 0, _UNBOUNDED, masses.sum(-1))
    p, inside = np.full(len(own), _LEAST), np.flatnonzero(observed < top * (1 - _SLACK))
    own, counts, masses, further, observed, variance, top = (
        one[inside] for one in (own, counts, masses, further, observed, variance, top)
    )
    # Of effects of one size this is the saddlepoint, and of others it is below.
    start = top * np.arctanh(observed / top) / variance
    place = _find_saddlepoints(own, masses, further, observed, start)
    # The logarithm of the hyperbolic cosine, which itself would overflow.
    size = place[:, None] * own
    cumulant = np.vecdot(size + np.log1p(np.exp(-2 * size)) - math.log(2), counts)
    cumulant += further * place**2 / 2
    root = np.sqrt(np.maximum(2 * (place * observed - cumulant), 0))
    wide = place * np.sqrt(_expand(own, masses, further, place)[1])
    near, far = root < _NEAR, wide <= 0
    ratio = np.where(near | far, 1, wide) / np.where(near | far, 1, root)
    found = _erfc((root + np.log(ratio) / np.where(near, 1, root)) / math.sqrt(2))
    p[inside] = np.where(far & ~near, _LEAST, found)
    return p


def _find_saddlepoints(
    own: Values, masses: Values, further: Values, observed: Values, place: Values
) -> Values:
    """Where the cumulants of sums rise as much as was observed, by the method of Halley."""
    place, moving = place.copy(), np.arange(len(place))
    low, high = np.zeros(len(place)), np.full(len(place), np.inf)
    for _ in range(_STEPS):
        here = place[moving]
        rise, curve, bend = _expand(own[moving], masses[moving], further[moving], here)
        gap, curved = rise - observed[moving], curve > 0
        low[moving] = np.where(gap > 0, low[moving], here)
        high[moving] = np.where(gap > 0, here, high[moving])
        step = gap / np.where(curved, curve, 1)
        step /= np.maximum(1 - step * bend / np.where(curved, 2 * curve, 1), 0.1)
        least, most = low[moving], high[moving]
        after, middle = here - step, np.minimum((least + most) / 2, 2 * least + here)
        after = np.where(curved & (least <= after) & (after <= most), after, middle)
        place[moving] = after
        moving = moving[np.abs(after - here) > _STILL * here]
        if not len(moving):
            break
    return place


def _expand(
    own: Values, masses: Values, further: Values, place: Values
) -> tuple[Values, Values, Values]:
    """The first three derivatives of cumulants: sums of hyperbolic tangents and of theirs."""
    rest = np.exp(-2 * place[:, None] * own)
    turned = (1 - rest) / (1 + rest)
    flat = masses * own * 4 * rest / (1 + rest) ** 2
    curve = flat.sum(-1)
    bend = -2 * np.vecdot(flat, own * turned)
    return np.vecdot(masses, turned) + further * place, curve + further, bend
