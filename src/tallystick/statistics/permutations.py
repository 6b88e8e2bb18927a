"""Tests that exchange the outputs of two systems, which turns the signs of their differences."""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tallystick.statistics.p_values import LEAST, erfc, mcnemar
from tallystick.statistics.wilson import Numbers, Values

_MOST_EXCHANGES = 4100
"""Up to this many distinct exchanges are listed; more are summed up by their saddlepoint."""

_SLACK = 1e-9
"""Sums that differ by less, as a share of their deviation or the largest, differ by rounding."""

_STEPS = 60
_STILL = 1e-6
"""A saddlepoint that moves by less, as a share of itself, is found: the next step is its cube."""

_NEAR = 1e-4
"""A smaller root of a deviance leaves the tail as good as normal."""

_UNBOUNDED = 1e200


def p_value(
    observed: Values,
    effects: Numbers,
    counts: Numbers,
    differ: NDArray[np.bool_],
    normal: object = 0.0,
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
    return np.clip(p, np.maximum(2.0**-units, LEAST), 1)


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
        return mcnemar(above, below, "mid-p")
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
    return float(chances @ erfc(gaps / scale))


def _approximate(
    effects: Values, counts: Values, further: Values, observed: Values, variance: Values
) -> Values:
    """The p-values from the saddlepoints of sums with random signs, one of each row."""
    own = np.abs(effects)
    masses = own * counts
    top = np.where(further > 0, _UNBOUNDED, masses.sum(-1))
    p, inside = np.full(len(own), LEAST), np.flatnonzero(observed < top * (1 - _SLACK))
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
    found = erfc((root + np.log(ratio) / np.where(near, 1, root)) / math.sqrt(2))
    p[inside] = np.where(far & ~near, LEAST, found)
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


_MOST_SUMS = 1 << 16
"""Up to this many distinct sums are listed."""
_MOST_STEPS = 1 << 16
"""Up to this many steps of a lattice the distribution of a sum is found by Fourier's transform."""
_MOST_COSINES = 1 << 21
"""Up to this many cosines, of each step for each size of terms, the transform is worth its time."""
_WIDE = 4.5
"""No sum lies farther from its mean, in roots of the sum of squares, but with a chance of 1e-17."""
_DECIMALS = 5


def find_tail(terms: Values) -> float:
    """The chance that the sum with random signs is at least the sum of the terms.

    It is exact where few sums are distinct, and where terms are few different multiples of the same
    decimal fraction, as ratings are; else it comes from the saddlepoint of `p_value`, which counts
    sums that equal the seen one a half, of which there is hardly any then.

    Terms have shape (items,) and are finite; the chance is 1 where all are 0.

    Source: the one-sided p-value of a paired permutation test; Davies 1973, Biometrika 60
        (distributions from characteristic functions).
    """
    return _find_tail(np.ascontiguousarray(terms[terms != 0], np.float64).tobytes())


@lru_cache(maxsize=512)
def _find_tail(content: bytes) -> float:
    terms = np.frombuffer(content)
    if not len(terms):
        return 1.0
    sizes, counts = np.unique(np.abs(terms), return_counts=True)
    flipped = (sizes @ counts - terms.sum()) / 2  # the most that terms of turned sign may add
    if np.log1p(counts).sum() <= math.log(_MOST_SUMS):
        return _list_sums(sizes, counts, flipped)
    step = float(find_steps(sizes[:, None])[0])
    if step > 0:
        units = np.rint(sizes / step).astype(np.int64)
        half = math.ceil(_WIDE * math.sqrt(float(counts @ units.astype(np.float64) ** 2))) + 1
        if 2 * half <= _MOST_STEPS and half * len(units) <= _MOST_COSINES:
            return _transform(units, counts, round(flipped / step), half)
    observed = np.array(terms.sum())
    p = float(p_value(observed, sizes, counts, np.ones(len(sizes), bool)))
    return p / 2 if observed > 0 else 1 - p / 2


_WHOLE = 2.0**62
"""Larger numbers have no common step that whole numbers of 64 bits could tell."""


def find_steps(sizes: Values) -> Values:
    """The largest common step of sizes, (items, sums); 0 unless it has few decimals."""
    steps = np.zeros(sizes.shape[1])
    for decimals in range(_DECIMALS):
        scaled = sizes * 10.0**decimals
        whole = np.rint(scaled)
        even = np.abs(scaled - whole).max(0) <= _SLACK * np.maximum(scaled.max(0), 1)
        found = np.flatnonzero(even & (steps == 0) & (whole.max(0) < _WHOLE))
        steps[found] = np.gcd.reduce(whole[:, found].astype(np.int64), axis=0) / 10.0**decimals
    return steps


def _list_sums(sizes: Values, counts: NDArray[np.int64], most: float) -> float:
    sums, chances = np.zeros(1), np.ones(1)
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        own = np.array([math.comb(count, turned) for turned in range(count + 1)]) / 2.0**count
        sums = np.add.outer(sums, size * np.arange(count + 1)).ravel()
        chances = np.multiply.outer(chances, own).ravel()
    return float(chances[sums <= most + _SLACK * float(sizes @ counts)].sum())


def _transform(units: NDArray[np.int64], counts: NDArray[np.int64], most: int, half: int) -> float:
    """From the characteristic function of the sum of turned terms, in steps of a lattice."""
    total, wide = int(units @ counts), 2 * half
    angles = np.pi * np.arange(half + 1) / wide
    spectrum = np.ones(half + 1)
    for unit, count in zip(units.tolist(), counts.tolist(), strict=True):
        spectrum *= np.cos(angles * unit) ** count
    centred = np.exp(-1j * angles * (total % 2)) * spectrum
    chances = np.roll(np.fft.irfft(centred, wide), half)  # of sums from -half on, about the mean
    last = min(most - total // 2, half - 1)
    return float(np.clip(chances[: max(last + half + 1, 0)].sum(), 0, 1))


def approximate_tails(times: Values, terms: Values) -> Values:
    """The same of resamples, by the normal distribution with a term for the fourth cumulant.

    `times` is how often each item is in each resample, of shape (resamples, items); with terms of
    shape (items, sums) the tails have shape (resamples, sums).

    Source: the Edgeworth series; sums are symmetric, so that its first term is this one.
    """
    # By powers of 2, which change no digit, so that no square or fourth power is too large.
    scale = 2.0 ** np.frexp(np.abs(terms).max(0, initial=0))[1]
    steps, terms = find_steps(np.abs(terms)) / scale, terms / scale
    squares = times @ terms**2
    root = np.sqrt(np.where(squares > 0, squares, 1))
    z = times @ terms / root
    fourth = -2 * (times @ terms**4) / root**4
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    tails = erfc(z / math.sqrt(2)) / 2 + density * (steps / root + fourth / 24 * (z**3 - 3 * z))
    return np.where(squares > 0, np.clip(tails, 0, 1), 1.0)


def permute_tails(scores: Values, permutations: int) -> Values:
    """The same of the differences of each two columns, from random signs, as they were published.

    Scores have shape (items, systems). The tails, of shape (systems, systems), are the share of
    permutations in which the sum of one system, the first axis, is as far above that of the other.

    Source: mt-metrics-eval 68a481a, pce.compute_pairwise_p_values: NumPy's generator with the seed
        4, in single precision.
    """
    single = np.ascontiguousarray(scores.T, np.float32)  # in whose layout sums are rounded alike
    signs = (
        np.rint(np.random.default_rng(4).random((permutations, len(scores)), np.float32)) * 2 - 1
    )
    drawn, seen = np.matmul(signs, single.T), np.sum(single, axis=1)
    apart = drawn[:, :, None] - drawn[:, None] >= seen[:, None] - seen
    return np.asarray(apart.sum(0) / permutations)
