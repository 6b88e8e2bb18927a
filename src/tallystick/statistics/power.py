"""How often a paired test finds a difference, and how large one must be to be found."""

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tallystick.statistics import student
from tallystick.statistics.p_values import mcnemar
from tallystick.statistics.wilson import Values, quantile

POWER = 0.8
"""How often a difference of the minimum detectable size is found."""

_FEW = 150
"""Up to this many discordant examples the distribution of their number is summed exactly."""

_WIDE = 7
"""Numbers of discordant examples this many standard deviations from the mean do not occur."""

_MOST = 1 << 10
"""More discordant examples than this do not occur where a few are expected."""

_HALVINGS = 30
_LARGEST = 1e15


def find_multiplier(confidence: float, freedom: float = math.inf) -> float:
    """Returns the minimum detectable difference in standard errors.

    The test is two-sided, and its standard error is known from the degrees of freedom.

    Source: Bloom 1995, Evaluation Review 19:547.
    """
    return float(student.quantile(confidence, freedom) + student.quantile(2 * POWER - 1, freedom))


def find_power(difference: float, error: float, confidence: float, freedom: float) -> float:
    """The power of a two-sided t-test; 1 without error, NaN if nothing is known."""
    if not error > 0:
        return 1.0 if error == 0 and difference else math.nan
    if not freedom > 0:
        return math.nan
    z, far = float(student.quantile(confidence, freedom)), abs(difference) / error
    below, above = (_find_chance(side, freedom) for side in (far - z, -far - z))
    return below + above


def _find_chance(t: float, freedom: float) -> float:
    """The chance that Student's t is below a number."""
    tail = float(student.p_value(t, freedom)) / 2
    return 1 - tail if t > 0 else tail


def find_share_power(only_a: float, only_b: float, n: float, confidence: float) -> float:
    """Returns the power of McNemar's mid-p test of whether two systems are right equally often.

    Exact up to 150 discordant examples, and beyond by the formula of Connor.

    `only_a` and `only_b` are the shares of examples that one system alone has right.

    Source: Connor 1987, Biometrics 43:207; Fagerland, Lydersen and Laake 2013, BMC Medical
        Research Methodology 13, for mid-p.
    """
    discordant = only_a + only_b
    if discordant <= 0:
        return 0.0
    if n * discordant > _FEW:
        return _approximate_power(only_a - only_b, discordant, n, confidence)
    deviation = math.sqrt(n * discordant * (1 - discordant))
    middle = round(n * discordant)
    reach = math.ceil(_WIDE * deviation) + _WIDE
    found = np.arange(max(1, middle - reach), min(round(n), middle + reach) + 1)
    chances = _weigh(found, round(n), discordant)
    limits = np.array([_find_limit(one, confidence) for one in found.tolist()], np.int64)
    lower, upper = (_sum_tail(found, limits, side / discordant) for side in (only_a, only_b))
    return float(np.clip((chances * (lower + upper)).sum(), 0, 1))


def _approximate_power(difference: float, discordant: float, n: float, confidence: float) -> float:
    spread = math.sqrt(max(discordant - difference**2, 1e-300))
    z, far = quantile(confidence) * math.sqrt(discordant), abs(difference) * math.sqrt(n)
    normal = NormalDist()
    return normal.cdf((far - z) / spread) + normal.cdf((-far - z) / spread)


def _weigh(k: NDArray[np.int64], n: int, share: float) -> Values:
    """Returns the binomial probabilities of k hits in n trials."""
    if share >= 1:
        return np.where(k == n, 1.0, 0.0)
    ways = np.vectorize(math.lgamma, otypes=[float])
    logs = math.lgamma(n + 1) - ways(k + 1.0) - ways(n - k + 1.0)
    return np.asarray(np.exp(logs + k * math.log(share) + (n - k) * math.log1p(-share)))


@lru_cache(maxsize=1)
def _log_factorials(most: int) -> Values:
    return np.asarray(np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, most + 1)))]))


@lru_cache(maxsize=1 << 12)
def _find_limit(discordant: int, confidence: float) -> int:
    """Returns the largest smaller count with which the test rejects; -1 where it never does."""
    # 1 - 0.95 is a little more than 0.05.
    level = round(1 - confidence, 12)
    k = max(-1, int((discordant - quantile(confidence) * math.sqrt(discordant)) / 2) - 2)
    while 2 * (k + 1) < discordant and mcnemar(k + 1, discordant - k - 1, "mid-p") < level:
        k += 1
    return k


def _sum_tail(trials: NDArray[np.int64], limits: NDArray[np.int64], share: float) -> Values:
    """Returns the probability of at most `limits` hits, for each number of trials."""
    k = np.arange(limits.max(initial=-1) + 1)
    if share <= 0 or share >= 1:
        return ((limits >= 0) if share <= 0 else (limits >= trials)).astype(np.float64)
    inside = k <= limits[:, None]
    hits = np.where(inside, k, 0)
    wide = trials[:, None]
    logs = _log_factorials(_MOST)
    logs = logs[wide] - logs[hits] - logs[wide - hits]
    logs = logs + hits * math.log(share) + (wide - hits) * math.log1p(-share)
    return np.asarray(np.where(inside, np.exp(logs), 0.0).sum(-1))


def find_detectable_share(discordant: float, n: float, confidence: float) -> float:
    """The smallest difference that McNemar's mid-p test finds with `POWER`; NaN if none is."""
    if _detect(1.0, discordant, n, confidence) < POWER:
        return math.nan
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _detect(middle, discordant, n, confidence) < POWER:
            low = middle
        else:
            high = middle
    return high


def _detect(difference: float, discordant: float, n: float, confidence: float) -> float:
    whole = max(discordant, difference)
    return find_share_power((whole + difference) / 2, (whole - difference) / 2, n, confidence)


def find_share_size(only_a: float, only_b: float, confidence: float) -> int | None:
    """How many examples McNemar's mid-p test needs for `POWER`; None for equal shares."""
    if only_a == only_b:
        return None
    low, high = 0, 1
    while find_share_power(only_a, only_b, high, confidence) < POWER:
        low, high = high, 2 * high
        if high > _LARGEST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        if find_share_power(only_a, only_b, middle, confidence) < POWER:
            low = middle
        else:
            high = middle
    return high
