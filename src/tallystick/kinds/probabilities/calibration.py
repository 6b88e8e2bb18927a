"""Calibration errors and proper scores: ECE, log loss, the Brier score."""

import abc
import math
from typing import Any, ClassVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.errors import UsageError, say_count
from tallystick.kinds.probabilities.abstention import Confidence, map_groups
from tallystick.kinds.probabilities.areas import (
    Array,
    Changes,
    CurveMetric,
    change_with_rest,
    score_labels,
    split_label,
)
from tallystick.kinds.probabilities.joint import JointRows
from tallystick.model.tallies.curve import ENOUGH, CurveTally
from tallystick.model.tallies.metric import Metric
from tallystick.model.tallies.tally import Tally, need
from tallystick.statistics import student
from tallystick.statistics.influence import bound_score, gather, sum_at
from tallystick.statistics.wilson import Values

_STEPS = 50
"""Halvings of the scale of the gaps."""

_LEAST = 1e-300

_SPREAD_EVENLY = 0.25
"""Of the largest sum such a part is shared out by the errors, and not by the gaps that are seen."""


def bound_gaps(gaps: Values, errors: Values, quantile: float) -> tuple[float, float]:
    """The interval of a sum of absolute gaps, each known with an error of its own.

    Noise makes gaps, so that a sample's sum lies above the true one, and above 0 where there is no
    gap at all. The ends are the sums of gaps under which the sum that was seen would lie that many
    standard errors from its mean. How they are shared out decides how much noise adds, and noise
    makes gaps seem more unlike than they are, or more alike where some are 0: at the lower end
    gaps are as those seen without their noise, and at the upper end a part goes by the errors.

    Gaps and their standard errors have shape (gaps,).

    Source: the mean and the variance of a folded normal number, as in Leone, Nelson and Nottingham
        1961, Technometrics 3; the test that is inverted is from the simulations of
        benchmarks/coverage.py.
    """
    sizes = np.abs(gaps)
    seen = float(sizes.sum())
    if seen <= 0:
        return 0.0, math.nan
    clear = np.maximum(sizes - errors**2 / np.maximum(sizes, _LEAST), 0)
    shares = sizes / seen
    least = clear / clear.sum() if clear.any() else shares
    even = errors / errors.sum() if errors.any() else shares
    most = (1 - _SPREAD_EVENLY) * shares + _SPREAD_EVENLY * even
    low, high = (
        _solve(seen, own, errors, side * quantile) for own, side in ((least, 1), (most, -1))
    )
    return min(low, seen), max(high, seen)


def _solve(seen: float, shares: Values, errors: Values, quantile: float) -> float:
    """Which sum of gaps makes the one seen lie this many standard errors above its mean."""

    def lies_above(total: float) -> bool:
        means, variances = _fold(total * shares, errors)
        return bool(seen - means.sum() > quantile * math.sqrt(variances.sum()))

    below, above = 0.0, 1.0
    if not lies_above(below):
        return below
    for _ in range(_STEPS):
        middle = (below + above) / 2
        below, above = (middle, above) if lies_above(middle) else (below, middle)
    return (below + above) / 2


def _fold(means: Values, errors: Values) -> tuple[Values, Values]:
    """The means and variances of the absolute values of normal numbers."""
    ratio = means / np.maximum(errors, _LEAST)
    near = np.array([math.erf(one / math.sqrt(2)) for one in ratio.tolist()])
    folded = errors * math.sqrt(2 / math.pi) * np.exp(-(np.minimum(ratio, 40) ** 2) / 2)
    folded = folded + means * near
    return folded, np.maximum(means**2 + errors**2 - folded**2, 0)


class _Bins(Struct, frozen=True, eq=False):
    """The probabilities of examples, each in its bin, by group.

    Attributes:
        masses: The weight of one such example, of which there are `counts`.
        bins: The bin of each of its probabilities, of shape (labels, examples).
        sure: The probabilities, and `off` by how much they are too large, of the same shape.
    """

    groups: NDArray[np.int64]
    clusters: NDArray[Any] | None
    masses: Values
    counts: Values
    bins: NDArray[np.int64]
    sure: Values
    off: Values

    def bound(
        self, values: Values, slopes: Values, limits: tuple[float, float], confidence: float
    ) -> tuple[Values, Values, str]:
        """The intervals of calibration errors, from the gaps of bins and their standard errors.

        An error is at least that of calibrated probabilities, or of one more example with another
        outcome, because few examples of a bin with the same outcome show none. Where the gaps of
        labels or clusters are correlated, all errors grow as that of their sum does.
        """
        size, wide = len(values), int(self.bins.max(initial=0)) + 1
        own = self.masses, self.groups, self.clusters, size, self.counts
        scatter = gather(slopes * self.masses, *own).measure()
        keys = (self.groups * wide + self.bins).ravel()
        total = sum_at(self.masses * self.counts, self.groups, size) * len(self.bins)
        unit = np.where(total > 0, total, 1)[self.groups]
        weights = self.masses * self.counts / unit

        def add(each: Values) -> Values:
            return sum_at(np.broadcast_to(each, self.bins.shape).ravel(), keys, size * wide)

        gaps, heavy = add(weights * self.off), weights * self.masses / unit
        least = heavy * self.sure * (1 - self.sure)
        if self.clusters is None:
            rate = 1 / (add(self.counts) + 2)[keys].reshape(least.shape)
            least = np.minimum(least, heavy * rate * (1 - rate))
        one = np.repeat(sum_at(heavy * len(self.bins) ** 2, self.groups, size), wide)
        squares = np.maximum(add(heavy * self.off**2) - gaps**2 * one, 0)
        seen = squares.reshape(size, wide).sum(1)
        together = np.where(seen > 0, scatter.variance / np.where(seen > 0, seen, 1), 1)
        together = np.maximum(together, 1) if self.clusters is None else together
        errors = np.sqrt(np.maximum(squares, add(least)).reshape(size, wide) * together[:, None])
        times = student.quantile(confidence, scatter.units - 1)
        low, high = bound_score(values, scatter, limits, "score", confidence)
        for place in np.flatnonzero((values > 0) & ~np.isnan(times)).tolist():
            ends = bound_gaps(gaps.reshape(size, wide)[place], errors[place], float(times[place]))
            low[place], high[place] = np.clip(ends, *limits)
        return low, high, "normal approximation in each bin"


class ECE(CurveMetric, frozen=True):
    """Expected calibration error: mean gap between probability and frequency in bins.

    For a binary task it uses the probability of the positive label. With a probability for each
    label it is the mean over labels, each against the rest (classwise ECE).

    Formula: sum over bins of |mean probability - share of positives| * share of examples; bins are
        (0, 1/b], (1/b, 2/b], ..., and 0 belongs to the first
    Undefined: without examples.
    Source: Naeini et al. 2015, AAAI; Nixon et al. 2019 for the classwise mean.
    """

    bins: int = 10

    short = "ece"
    title = "ECE"
    ranges: ClassVar = {"bins": (1,)}
    better = "lower"

    def score_group(self, tally: CurveTally, group: int) -> float:
        return float(np.mean(score_labels(tally, group, self._error)))

    def bound(self, tally: Tally, confidence: float) -> tuple[Values, Values, str]:
        curve, sizes = need(tally, CurveTally).thin(ENOUGH)
        units, found = curve.list_units(), curve.list_clusters()
        clusters = None if found is None else found[1]
        labels = np.array([*map(curve.positive, range(len(curve.columns)))])[:, None]
        sure = units.scores.astype(np.float64)
        bins = self.find_bins(sure) + self.bins * np.arange(len(sure))[:, None]
        own = units.groups, clusters, units.masses / sizes, sizes, bins
        gaps = _Bins(*own, sure, sure - (units.gold == labels))
        slopes = self.influence(curve)
        assert slopes is not None
        values = self.score(need(tally, CurveTally))
        return gaps.bound(values, slopes, self.bounds, confidence)

    def change_label(self, tally: CurveTally, group: int, column: int | None) -> Changes:
        scores, changes = change_with_rest(tally, group, column, self._find_changes)
        return scores, changes / len(tally.columns)

    def _error(self, scores: Array, positives: Array, negatives: Array) -> float:
        mass = positives + negatives
        if not mass.sum():
            return np.nan
        gaps = np.bincount(self.find_bins(scores), scores * mass - positives, self.bins)
        return float(np.abs(gaps).sum() / mass.sum())

    def _find_changes(
        self, scores: Array, positives: Array, negatives: Array
    ) -> tuple[Values, Values]:
        mass, bins = positives + negatives, self.find_bins(scores)
        gaps = np.bincount(bins, scores * mass - positives, self.bins)
        side = np.sign(gaps)[bins] / mass.sum()
        return side * (scores - 1), side * scores

    def find_bins(self, scores: NDArray[Any]) -> NDArray[np.intp]:
        """The bin of each probability."""
        edges = np.arange(self.bins + 1) / self.bins
        return np.clip(np.searchsorted(edges, scores, side="left") - 1, 0, self.bins - 1)


class TopLabelECE(Metric, frozen=True):
    """Expected calibration error of the predicted label.

    A column of confidences replaces its probability.

    Formula: sum over bins of |mean confidence - accuracy| * share of examples; bins are
        (0, 1/b], (1/b, 2/b], ..., and 0 belongs to the first
    Undefined: without examples.
    Source: Guo et al. 2017, ICML; torchmetrics' MulticlassCalibrationError with norm l1, which puts
        an edge into the bin above it.
    """

    bins: int = 15

    short = "top_label_ece"
    title = "Top-Label ECE"
    ranges: ClassVar = {"bins": (1,)}
    better = "lower"
    counters = (Confidence,)

    def influence(self, tally: JointRows) -> Values:
        """How fast the score of its group rises with the weight of each example."""
        found = self._place(tally)
        wide, groups = self.bins, found.groups
        keys = groups * wide + found.bins[0]
        n = np.bincount(groups, minlength=len(tally.groups))[groups]
        gaps = np.bincount(keys, found.off[0], len(tally.groups) * wide)
        moves = np.sign(gaps)[keys] * found.off[0] / n
        return np.asarray(moves - np.bincount(groups, moves)[groups] / n)

    def bound(self, tally: Tally, confidence: float) -> tuple[Values, Values, str]:
        rows = need(tally, JointRows)
        values, slopes = self.score(rows), self.influence(rows)
        return self._place(rows).bound(values, slopes, self.bounds, confidence)

    def score(self, tally: JointRows) -> Values:
        return map_groups(tally, self._score_group)

    def _score_group(self, sure: Values, wrong: Array, times: Array) -> Values:
        found = np.zeros((len(sure), self.bins))
        found[np.arange(len(sure)), self._find_bins(sure)] = sure - ~wrong
        return np.asarray(np.abs(times @ found).sum(1) / times.sum(1))

    def _place(self, tally: JointRows) -> _Bins:
        sure, wrong = tally.read_confidences()
        groups, found = tally.rows.owners.codes.astype(np.int64), tally.list_clusters()
        ones, bins = np.ones(len(sure)), self._find_bins(sure)[None]
        clusters = None if found is None else found[1]
        return _Bins(groups, clusters, ones, ones, bins, sure[None], (sure - ~wrong)[None])

    def _find_bins(self, sure: Values) -> NDArray[np.intp]:
        if not ((sure >= 0) & (sure <= 1)).all():
            odd = sure[(sure < 0) | (sure > 1)][0]
            raise UsageError(f"{self.short} takes confidences from 0 to 1, and {odd:g} is one here")
        return ECE(self.bins).find_bins(sure)


class _Loss(CurveMetric, frozen=True):
    """The mean of a loss, which the probabilities of an example's labels tell."""

    better = "lower"

    @abc.abstractmethod
    def lose(self, tally: CurveTally, scores: NDArray[Any]) -> tuple[Values, Values]:
        """What an example of a scored label, and one of the others, loses at each of its scores."""

    def repeats(self, tally: CurveTally) -> int:
        """How often the loss of each example is summed."""
        return 1

    def count(self, tally: CurveTally, group: int) -> float:
        """What all examples weigh, as often as the loss of each is summed."""
        mass = tally.masses(group, 0).sum() if tally.columns else 0
        return float(mass * (len(tally.columns) if tally.several else self.repeats(tally)))

    def score_group(self, tally: CurveTally, group: int) -> float:
        mass = self.count(tally, group)
        if not mass:
            return np.nan

        def sum_up(scores: Array, positives: Array, negatives: Array) -> float:
            own, other = self.lose(tally, scores)
            return float(np.dot(own, positives) + np.dot(other, negatives))

        return sum(score_labels(tally, group, sum_up)) / mass

    def change_label(self, tally: CurveTally, group: int, column: int | None) -> Changes:
        scores, losses = change_with_rest(
            tally, group, column, lambda scores, *_: self.lose(tally, scores)
        )
        return scores, losses / self.count(tally, group)

    def doubt(self, tally: Tally, high: float) -> str | None:
        """Returns a warning if no example is wrong, nor expected to be by the probabilities."""
        if not isinstance(tally, CurveTally) or not tally.plain or len(tally.columns) != 1:
            return None
        scores, positives, negatives = split_label(tally, 0, 0)
        wrong = np.where(scores > 0.5, negatives, positives)
        slips = (positives + negatives) @ np.minimum(scores, 1 - scores).astype(np.float64)
        if not wrong.any() and 0 < slips < 1:
            return "all examples are right, and one that is wrong would make most of the loss"
        return None


class BrierScore(_Loss, frozen=True):
    """Mean squared difference between probabilities and outcomes.

    With more than two labels the squares of all labels are added, so the worst value is 2; of label
    sets it is the mean over labels.

    Formula: mean of (p - y)^2, y 1 for the gold label and 0 for others
    Undefined: without examples.
    Source: Brier 1950; values as scikit-learn's brier_score_loss.
    """

    short = "brier_score"
    bounds = (0, 2)

    def lose(self, tally: CurveTally, scores: NDArray[Any]) -> tuple[Values, Values]:
        return (1 - scores) ** 2, scores**2

    def repeats(self, tally: CurveTally) -> int:
        return 2 if len(tally.columns) == 2 else 1


class BrierComplement(CurveMetric, frozen=True):
    """1 minus the Brier score, so that higher is better; also written `1-brier`.

    Formula: 1 - mean of (p - y)^2, y 1 for the gold label and 0 for others
    Undefined: without examples.
    Source: Brier 1950; the score that PAN's evaluators call brier.
    """

    short = "brier_complement"
    title = "1 - Brier Score"
    bounds = (-1, 1)

    def score_group(self, tally: CurveTally, group: int) -> float:
        return 1 - BrierScore().score_group(tally, group)

    def doubt(self, tally: Tally, high: float) -> str | None:
        return BrierScore().doubt(tally, high)

    def change_label(self, tally: CurveTally, group: int, column: int | None) -> Changes:
        scores, changes = BrierScore().change_label(tally, group, column)
        return scores, -changes


class LogLoss(_Loss, frozen=True):
    """Mean negative logarithm of the probability of the gold label, in nats.

    A probability of 0 counts as the smallest step of its precision (2.2e-16 for double, 1.2e-7 for
    single), so that one example judged impossible does not make the loss infinite.

    Of label sets it is the mean over labels, each as a binary task.

    Formula: mean of -log p(gold)
    Undefined: without examples.
    Source: Good 1952, Rational Decisions; values as scikit-learn's log_loss.
    """

    short = "log_loss"
    bounds = (0, float("inf"))

    def doubt(self, tally: Tally, high: float) -> str | None:
        """Also warns of a loss from rounded outputs of 0 and 1, by how near others come."""
        found = _Loss.doubt(self, tally, high)
        if found is not None or not isinstance(tally, CurveTally) or not tally.plain:
            return found
        steps = [tally.steps(0, column) for column in range(len(tally.columns))]
        sure = sum(int(counts[(own <= 0) | (own >= 1)].sum()) for own, counts in steps)
        gaps = np.concatenate([np.minimum(own, 1 - own).astype(np.float64) for own, _ in steps])
        step = float(gaps.min(initial=1, where=gaps > 0))
        lost = -math.log(np.finfo(tally.scores.dtype).eps) * sure / self.count(tally, 0)
        loss = self.score_group(tally, 0) + step / 2 * lost
        if not loss > high:
            return None
        others = f", beside others in steps of {step:.2g}," if step < 1 else ""
        return (
            f"{say_count(sure, 'output')} of exactly 0 or 1{others} may be rounded, and would make "
            f"it {loss:.2g} if they were off by half a step"
        )

    def lose(self, tally: CurveTally, scores: NDArray[Any]) -> tuple[Values, Values]:
        step = float(np.finfo(tally.scores.dtype).eps)
        clipped = np.clip(scores, step, 1 - step)
        alone = len(tally.columns) == 1 or tally.several
        other = -np.log(1 - clipped) if alone else np.zeros(len(scores))
        return -np.log(clipped), other
