"""Whether systems differ on the same examples: paired t, McNemar, exchange, DeLong, Friedman."""

import math
from typing import Literal, NamedTuple

import numpy as np

from tallystick.statistics import permutations, student
from tallystick.statistics.influence import FEWEST_OF_DIFFERENCE, Scatter
from tallystick.statistics.p_values import LEAST, erfc, mcnemar
from tallystick.statistics.student import find_beta_tail
from tallystick.statistics.wilson import Numbers, Values, bound_difference


class Friedman(NamedTuple):
    """Friedman's chi-square, Iman and Davenport's F, and their p-values.

    All are NaN where every data set puts all systems level. Where all data sets agree, F is
    infinite, and its p-value the exact chance that they do.
    """

    chi_square: float
    p: float
    f: float
    f_p: float


def compare_ranks(ranks: Values) -> Friedman:
    """Tests whether systems differ, by their ranks in each data set.

    Ranks have shape (data sets, systems), with at least two of each; equal systems share the mean
    of their ranks. Chi-square is as scipy.stats.friedmanchisquare, which corrects it for ties;
    Demsar's formula does not, and is a little smaller where there are ties. F is made from the
    former.

    Source: Friedman 1937, JASA 32; Iman and Davenport 1980, Communications in Statistics A9;
        Demsar 2006, JMLR 7.
    """
    sets, systems = ranks.shape
    between = sets * ((ranks.mean(0) - (systems + 1) / 2) ** 2).sum()
    within = ((ranks - (systems + 1) / 2) ** 2).sum() / (sets * (systems - 1))
    if not within:
        return Friedman(math.nan, math.nan, math.nan, math.nan)
    most = sets * (systems - 1)
    chi_square = min((between / within).item(), most)
    rest = most - chi_square
    freedom = systems - 1, (systems - 1) * (sets - 1)
    p = find_chi_square_tail(chi_square, freedom[0])
    if rest <= 1e-9 * most:
        return Friedman(chi_square, p, math.inf, _find_agreement(ranks))
    f = (sets - 1) * chi_square / rest
    return Friedman(chi_square, p, f, _find_tail(f, freedom))


def find_chi_square_tail(value: float, freedom: int) -> float:
    """The chance of more than a value by the chi-square distribution, a finite sum."""
    half = value / 2
    odd = freedom % 2 / 2
    terms = [
        math.exp(power * math.log(half) - half - math.lgamma(power + 1))
        for power in (odd + at for at in range(freedom // 2))
        if half > 0
    ]
    lowest = math.erfc(math.sqrt(half)) if odd else float(half == 0)
    return min(1.0, math.fsum((lowest, *terms)))


def _find_tail(f: float, freedom: tuple[int, int]) -> float:
    """The chance of more than a value by the F distribution."""
    first, second = freedom
    return find_beta_tail(second / 2, first / 2, first * f / second)


def _find_agreement(ranks: Values) -> float:
    """The chance that all data sets put systems into one order, where each order is as likely."""
    level = np.unique(ranks[0], return_counts=True)[1].tolist()
    orders = math.factorial(ranks.shape[1]) // math.prod(map(math.factorial, level))
    return math.exp((1 - len(ranks)) * math.log(orders))


_STEP = 0.125
_HIGHEST = np.arange(-9, 30, _STEP)
"""Where the highest of the values lies; a sum over equal steps is exact to rounding error here."""

_LARGEST = 50.0
"""A range that no number of values reaches."""


def find_range_tail(ranges: Values, count: int) -> Values:
    """The chance that `count` standard normal values differ by more than a range.

    Values as scipy.stats.studentized_range.sf with infinite degrees of freedom.

    Source: Tukey 1953; Hartley 1942, Biometrika 32, for the integral.
    """
    wide = np.minimum(ranges, _LARGEST)[..., None]
    below = erfc(-_HIGHEST / math.sqrt(2)) / 2
    beyond = erfc((wide - _HIGHEST) / math.sqrt(2)) / 2
    density = np.exp(-(_HIGHEST**2) / 2) / math.sqrt(2 * math.pi)
    # The highest is here, all others are below it, and not all of them within the range.
    with np.errstate(divide="ignore"):
        some_beyond = -np.expm1((count - 1) * np.log1p(-np.minimum(beyond / below, 1)))
    chances = density * below ** (count - 1) * some_beyond
    tail: Values = np.clip(count * _STEP * chances.sum(-1), 0, 1)
    return tail


def find_critical_range(count: int, level: float) -> float:
    """The range that `count` standard normal values exceed with a chance of `level`."""
    low, high = 0.0, _LARGEST
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        above = find_range_tail(np.array(middle), count) > level
        low, high = (middle, high) if above else (low, middle)
    return high


def find_critical_difference(sets: int, systems: int, level: float) -> float:
    """How far the mean ranks of two systems must be apart to differ by Nemenyi's test.

    Source: Nemenyi 1963; Demsar 2006, JMLR 7.
    """
    return find_critical_range(systems, level) * _find_error(sets, systems)


def compare_pairs(mean_ranks: Values, sets: int) -> Values:
    """The p-value of each two systems by Nemenyi's test, of shape (systems, systems)."""
    apart = np.abs(mean_ranks[:, None] - mean_ranks) / _find_error(sets, len(mean_ranks))
    distinct, places = np.unique(np.round(apart, 9), return_inverse=True)
    return np.asarray(find_range_tail(distinct, len(mean_ranks))[places].reshape(apart.shape))


def _find_error(sets: int, systems: int) -> float:
    """The standard deviation of a mean rank where no system is better than another."""
    return math.sqrt(systems * (systems + 1) / (12 * sets))


_PER_EXAMPLE = 4
"""How many examples of a difference of proportions one example of the rarer class represents."""


def bound_area_difference(
    difference: Values, variance: Values, scarcer: Values, confidence: float
) -> tuple[Values, Values]:
    """The interval of a difference of two ROC-AUCs on the same examples.

    It is Tango's for a difference of shares that has the same variance, each example of the scarcer
    kind standing for four; so it has no width 0 where both areas are 1. NaN without examples.

    `variance` is DeLong's, from the covariance of the areas; `scarcer` is the number of positives
    or of negatives, whichever are fewer.

    Source: Tango 1998; DeLong, DeLong and Clarke-Pearson 1988. Taking a single example for four is
        a choice from simulations, which benchmarks/formulas.py repeats.
    """
    n = _PER_EXAMPLE * np.asarray(scarcer, np.float64)
    squares = np.clip(n * variance + difference**2, np.abs(difference), 1)
    wins, losses = n * (squares + difference) / 2, n * (squares - difference) / 2
    low, high = bound_difference(wins, losses, n, confidence)
    known = ~np.isnan(squares)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def find_areas(positives: Numbers, negatives: Numbers) -> tuple[Values, Values]:
    """The area of each system, and the covariance matrix of all areas.

    Scores have the shapes (systems, positives) and (systems, negatives). All is NaN without
    examples of a kind; a covariance needs two of each.

    Source: DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44; by ranks as Sun and Xu 2014.
    """
    systems, m, n = len(positives), positives.shape[1], negatives.shape[1]
    if not (m and n):
        return np.full(systems, np.nan), np.full((systems, systems), np.nan)
    # The structural components: how often each example is on the right side of the others.
    above = np.stack([_rank(*pair) for pair in zip(positives, negatives, strict=True)]) / n
    below = 1 - np.stack([_rank(*pair) for pair in zip(negatives, positives, strict=True)]) / m
    return above.mean(1), _covary(above) / m + _covary(below) / n


def find_p_value(difference: float, variance: float, scarcer: int | None = None) -> float:
    """The two-sided p-value of a difference with that variance; 1 without a difference, never 0.

    The variance is 0 where all examples of a kind are placed alike, which shows too little. With
    `scarcer`, the number of positives or of negatives, whichever are fewer, it is at least that of
    as many shares as `bound_area_difference` takes them for; without, the p-value is NaN there.
    """
    if math.isnan(difference) or math.isnan(variance):
        return math.nan
    if difference == 0:
        return 1.0
    if scarcer:
        variance = max(variance, abs(difference) / (_PER_EXAMPLE * scarcer))
    if not variance > 0:
        return math.nan
    return max(math.erfc(abs(difference) / math.sqrt(2 * variance)), LEAST)


def _rank(scores: Numbers, others: Numbers) -> Values:
    """How many of the others are below each score, those at the same score counted half."""
    ordered = np.sort(others)
    left, right = (np.searchsorted(ordered, scores, side) for side in ("left", "right"))
    return np.asarray((left + right) / 2)


def _covary(components: Values) -> Values:
    if components.shape[1] < 2:
        return np.full((len(components),) * 2, np.nan)
    return np.atleast_2d(np.cov(components))


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
    each = zip(ones.ravel().tolist(), others.ravel().tolist(), strict=True)
    p = np.array([mcnemar(*pair, variant) for pair in each], np.float64).reshape(ones.shape)
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
    return permutations.p_value(difference, effects, counts)


def agree(tested: Tested, difference: Values, confidence: float) -> Tested:
    """The same with an interval that excludes 0 just if the p-value is below 1 - confidence."""
    low, high, p = tested
    alpha = round(1 - confidence, 12)  # 0.05 for 0.95, and not a little more
    beside, none = _NEAR * difference, p >= alpha
    least = np.where((p < alpha) & (difference > 0), np.maximum(low, beside), low)
    most = np.where((p < alpha) & (difference < 0), np.minimum(high, beside), high)
    low = np.where(none, np.minimum(least, 0), least)
    high = np.where(none, np.maximum(most, 0), most)
    return low, high, p
