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


def p_value(observed: float, effects: Values, counts: Numbers) -> float:
    """The two-sided mid-p-value of the sum of all effects among those with random signs.

    An exchange of the outputs of an example turns the sign of its effect on the difference of two
    systems, of which there are `counts` of each kind. Sums as large as the observed one count a
    half. Where few exchanges are distinct they are all listed; else their tail comes from the
    saddlepoint, which is near even where it is too small for any number of random exchanges. Never
    0, nor less than half the chance of the two exchanges that change nothing and everything; 1
    where the sum is 0. NaN where the difference or an effect is.

    Source: Robinson 1982, Journal of the Royal Statistical Society B 44 (saddlepoint of exchanges);
        Lancaster 1961, JASA 56 (mid-p); Barndorff-Nielsen 1991, Biometrika 78.
    """
    turned = effects != 0
    signed, own, every = effects[turned], np.abs(effects[turned]), counts[turned]
    size, variance = abs(observed), float(np.vecdot(own**2, every))
    if math.isnan(size + variance):
        return math.nan
    if not size > _SLACK * math.sqrt(variance):
        return 1.0
    least = own.min(initial=np.inf)
    if own.max(initial=0) - least <= _SLACK * least:  # so that only signs count
        above, below = (int(every[side].sum()) for side in (signed > 0, signed < 0))
        p = mcnemar(above, below, "mid-p")
    elif np.log1p(every).sum() <= math.log(_MOST_EXCHANGES):
        whole = every.astype(np.int64)
        sums, chances = _list_sums(own, whole)
        gaps = size - (float(own @ whole) - 2 * sums)
        p = float(chances @ (1 - np.where(np.abs(gaps) <= _SLACK * size, 0, np.sign(gaps))))
    else:
        p = _approximate(own, every, size, variance)
    return float(np.clip(p, max(2.0 ** -float(every.sum()), LEAST), 1))


def _list_sums(sizes: Values, counts: NDArray[np.int64]) -> tuple[Values, Values]:
    """Every distinct sum of the terms that are turned, and its chance."""
    sums, chances = np.zeros(1), np.ones(1)
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        own = np.array([math.comb(count, turned) for turned in range(count + 1)]) / 2.0**count
        sums = np.add.outer(sums, size * np.arange(count + 1)).ravel()
        chances = np.multiply.outer(chances, own).ravel()
    return sums, chances


def _approximate(own: Values, counts: Numbers, observed: float, variance: float) -> float:
    """The p-value from the saddlepoint of sums with random signs."""
    masses = own * counts
    top = float(masses.sum())
    if not observed < top * (1 - _SLACK):
        return LEAST
    # Of effects of one size this is the saddlepoint, and of others it is below.
    start = top * math.atanh(observed / top) / variance
    place = _find_saddlepoint(own, masses, observed, start)
    # The logarithm of the hyperbolic cosine, which itself would overflow.
    size = place * own
    cumulant = float(np.vecdot(size + np.log1p(np.exp(-2 * size)) - math.log(2), counts))
    root = math.sqrt(max(2 * (place * observed - cumulant), 0))
    if root < _NEAR:
        return math.erfc(root / math.sqrt(2))
    wide = place * math.sqrt(_expand(own, masses, place)[1])
    return math.erfc((root + math.log(wide / root) / root) / math.sqrt(2)) if wide > 0 else LEAST


def _find_saddlepoint(own: Values, masses: Values, observed: float, place: float) -> float:
    """Where the cumulant of a sum rises as much as was observed, by the method of Halley."""
    low, high = 0.0, math.inf
    for _ in range(_STEPS):
        rise, curve, bend = _expand(own, masses, place)
        gap, here = rise - observed, place
        low, high = (low, here) if gap > 0 else (here, high)
        place = min((low + high) / 2, 2 * low + here)
        if curve > 0:
            after = here - gap / curve / max(1 - gap / curve * bend / (2 * curve), 0.1)
            place = after if low <= after <= high else place
        if abs(place - here) <= _STILL * here:
            break
    return place


def _expand(own: Values, masses: Values, place: float) -> tuple[float, float, float]:
    """The first three derivatives of a cumulant: sums of hyperbolic tangents and of theirs."""
    rest = np.exp(-2 * place * own)
    turned = (1 - rest) / (1 + rest)
    flat = masses * own * 4 * rest / (1 + rest) ** 2
    curve, bend = float(flat.sum()), -2 * float(np.vecdot(flat, own * turned))
    return float(np.vecdot(masses, turned)), curve, bend


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
        sums, chances = _list_sums(sizes, counts)
        return float(chances[sums <= flipped + _SLACK * float(sizes @ counts)].sum())
    step = float(find_steps(sizes[:, None])[0])
    if step > 0:
        units = np.rint(sizes / step).astype(np.int64)
        half = math.ceil(_WIDE * math.sqrt(float(counts @ units.astype(np.float64) ** 2))) + 1
        if 2 * half <= _MOST_STEPS and half * len(units) <= _MOST_COSINES:
            return _transform(units, counts, round(flipped / step), half)
    observed = float(terms.sum())
    p = p_value(observed, sizes, counts)
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
