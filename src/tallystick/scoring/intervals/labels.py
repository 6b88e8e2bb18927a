"""How scores of labels vary from sample to sample, and the interval of a mean over labels.

The influence of an example on a ratio of counts is what it adds to the numerator less the ratio
times what it adds to the denominator, as a share of the denominator. Squares of influences sum to
the variance, so that nothing has to be resampled.
"""

import numpy as np
from numpy.typing import NDArray

from tallystick.frozen import dataclass
from tallystick.kinds.labels.rates import AveragedRatio, positive_of
from tallystick.scoring.intervals.bounds import (
    Bounds,
    Observed,
    Side,
    Spread,
    bound_shares,
)
from tallystick.statistics.means import (
    FEW,
    Moments,
    bound_macro,
    is_scarce,
    measure_ratio,
    sum_distances,
)
from tallystick.statistics.percentiles import bound_within
from tallystick.statistics.wilson import bound_plainly
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import Metric, Values
from tallystick.tallies.per_label import PerLabel
from tallystick.tallies.ratios import Ratio, divide
from tallystick.tallies.tally import Tally

METHOD = "the infinitesimal jackknife"


def find_ratio(metric: Metric, tally: Tally) -> AveragedRatio | None:
    """The ratio of each label that a metric is the mean of; None where it is no such mean.

    Nor is there one where examples have weights or clusters.
    """
    each = metric.each if tally.plain else None
    if tally.plain and isinstance(metric, AveragedRatio):
        if metric.average == "weighted":
            each = metric.by_label(metric.labels)
        elif metric.average == "binary":
            positive = positive_of(tally.need_patterns().labels, metric.positive)
            each = metric.by_label((positive,))
    return each if isinstance(each, AveragedRatio) else None


def find_moments(metric: Metric, side: Side) -> Moments | None:
    """How the score of each group varies, where a formula tells.

    Source: Jaeckel 1972, The infinitesimal jackknife, Bell Laboratories; the delta method to the
        second order for the bias, and Poisson's distribution of small counts.
    """
    tally = side.tally
    each = find_ratio(metric, tally)
    if each is not None:
        return _Influence.find(each, tally.need_patterns()).average(metric, side.values)
    share = metric.share(tally) if tally.plain else None
    if share is None or share.method != "Wilson":
        return None
    part = divide(Ratio(share.hits, share.trials), np.nan)
    variance = part * (1 - part) / np.maximum(share.trials, 1)
    return Moments(side.values, np.sqrt(np.nan_to_num(variance)))


def bound_labels(
    metric: Metric, each: AveragedRatio, observed: Observed, confidence: float
) -> Spread:
    """The interval of a mean over labels, from its variance and the intervals of the labels."""
    whole = observed.whole.tally
    by_label = metric.each is not None and each.share(whole) is not None
    bound = _bound_macro if by_label else _bound_weighted
    groups, all_groups = (bound(metric, each, side, confidence) for side in observed.sides())
    return Spread(
        groups,
        all_groups.only,
        f"Wilson at the effective size of {METHOD}{' and of each label' if by_label else ''}",
        rare=by_label and is_scarce(whole.need_labels().gold),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Influence:
    """What an example of each part changes in the score of each label, by group.

    Arrays have shape (groups, labels). `parts`, of shape (4, groups, labels) as its `sizes`, is the
    influence of an example that has the label on both sides, in the prediction only, in the gold
    only, and on neither. `bias` is how much higher each score is expected than it is, `lost` the
    chance that a sample has no example of a label, whose score then has no part in the mean, and
    `codes` the code of each label, -1 of one that no example has.
    """

    tally: Cells
    values: Values
    parts: Values
    sizes: NDArray[np.int64]
    variance: Values
    bias: Values
    lost: Values
    codes: NDArray[np.int64]

    @staticmethod
    def find(each: AveragedRatio, tally: Cells) -> "_Influence":
        """The influences on the ratios of a metric per label."""
        counts = tally.per_label()
        codes = np.arange(len(tally.labels))
        if each.labels is not None:
            counts = counts.pick(each.labels)
            known = {label: code for code, label in enumerate(tally.labels)}
            codes = np.array([known.get(label, -1) for label in each.labels])
        whole, unit = each.ratio(counts), each.ratio(_UNITS)
        wide = (4, *(1,) * whole.denominator.ndim)
        up, down = (
            np.asarray(side, np.float64).reshape(wide)
            for side in (unit.numerator, unit.denominator)
        )
        divisor = np.where(whole.denominator > 0, whole.denominator, np.inf)
        ratio = whole.numerator / divisor
        parts = (up - ratio * down) / divisor
        sizes = np.stack(
            [counts.hits, counts.false_positives, counts.false_negatives, counts.true_negatives]
        )
        bias = (sizes * down * (ratio * down - up)).sum(0) / divisor**2
        variance = (sizes * parts**2).sum(0)
        found = _measure_few(up.ravel(), down.ravel(), sizes)
        lost = np.zeros_like(bias)
        if found is not None:
            few, mean, spread, lost = found
            bias = np.where(few, mean - ratio, bias)
            more = np.sqrt(spread / np.where(variance > 0, variance, np.inf))
            parts = np.where(few, parts * more, parts)
            variance = np.where(few, spread, variance)
        return _Influence(tally, each.score(tally), parts, sizes, variance, bias, lost, codes)

    def average(self, metric: Metric, values: Values) -> Moments:
        """How the mean over the labels of each group, which has these values, varies."""
        defined = ~np.isnan(self.values)
        if not (isinstance(metric, AveragedRatio) and metric.average == "weighted"):
            weights = defined / np.maximum(defined.sum(-1, keepdims=True), 1)
            bias = np.where(defined, self.bias, 0) * weights
            apart = np.where(defined, self.values - values[:, None], 0) * weights
            variance = self.combine(weights) + (self.lost * (1 - self.lost) * apart**2).sum(-1)
            return Moments(values + bias.sum(-1), np.sqrt(variance))
        gold = np.where(defined, self.sizes[0] + self.sizes[2], 0)
        total = np.maximum(gold.sum(-1, keepdims=True), 1)
        own = (self.sizes[0] * self.parts[0] + self.sizes[2] * self.parts[2]) / total
        bias = np.where(defined, self.bias * gold / total + own, 0)
        # An example of a label also makes the label weigh more.
        more = np.where(defined, self.values - values[:, None], 0) / total
        return Moments(values + bias.sum(-1), np.sqrt(self.combine(gold / total, more)))

    def combine(self, weights: Values, more: Values | float = 0.0) -> Values:
        """The variance of the weighted sum of the labels' scores, by group.

        Weights have shape (groups, labels); `more` is what an example of the label in the gold
        changes beside its score.
        """
        both, predicted, gold, neither = self.parts * weights
        start = neither.sum(-1)
        changes = [both - neither + more, predicted - neither, gold - neither + more]
        tally = self.tally
        find = _sum_pairs if tally.sets is None else _sum_sets
        influence = start[tally.owners] + find(tally, [self._spread(one) for one in changes])
        return np.asarray(tally.sum_groups(tally.counts * influence**2), np.float64)

    def join(self, distances: Values) -> Values:
        """The root of the sum of squares of distances of the labels, which are correlated."""
        scale = np.sqrt(self.variance)
        still = scale <= 0
        joint = self.combine(distances / np.where(still, np.inf, scale))
        return np.asarray(np.sqrt(joint + (np.where(still, distances, 0) ** 2).sum(-1)))

    def _spread(self, changes: Values) -> Values:
        """What each code changes, and last of all what is not a label, which changes nothing."""
        spread = np.zeros((len(changes), len(self.tally.labels) + 1))
        np.add.at(spread.T, self.codes, changes.T)
        spread[:, -1] = 0
        return spread


_UNITS = PerLabel(
    ("both", "predicted", "gold", "neither"),
    hits=np.array([1, 0, 0, 0]),
    predicted=np.array([1, 1, 0, 0]),
    gold=np.array([1, 0, 1, 0]),
    negatives=np.array([0, 1, 0, 1]),
    total=np.array([1]),
    used=np.ones(4, bool),
)
"""An example of each part."""


def _measure_few(
    up: Values, down: Values, sizes: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], Values, Values, Values] | None:
    """Which ratios are of few hits and errors, their means, variances and chances to be undefined.

    None where errors are not all alike, as of F-beta.
    """
    hit, error = up > 0, (up == 0) & (down > 0)
    alike = len(set(up[hit])) == len(set(down[error])) == 1
    if not alike or not np.array_equal(up[hit], down[hit]):
        return None
    hits, errors = sizes[hit].sum(0), sizes[error].sum(0)
    few = (hits <= FEW) & (errors <= FEW) & (hits + errors > 0)
    weights = float(up[hit][0]), float(down[error][0])
    mean, variance = measure_ratio(np.where(few, hits, 0), np.where(few, errors, 0), weights)
    return few, mean, variance, np.where(few, np.exp(-(hits + errors).astype(float)), 0.0)


def _sum_pairs(tally: Cells, changes: list[Values]) -> Values:
    """What each cell of single labels changes, beyond one with other labels."""
    both, of_predicted, of_gold = changes
    owners, gold = tally.owners, tally.gold
    predicted = np.minimum(tally.predicted, len(tally.labels))
    apart = of_gold[owners, gold] + of_predicted[owners, predicted]
    return np.asarray(np.where(gold == predicted, both[owners, gold], apart))


def _sum_sets(tally: Cells, changes: list[Values]) -> Values:
    """Likewise of label sets."""
    assert tally.sets is not None
    both, of_predicted, of_gold = changes
    found = np.zeros(len(tally.owners))
    members = tally.sets.compare(tally.gold, tally.predicted)
    for (cells, codes), part in zip(members, (both, of_gold, of_predicted), strict=True):
        found += np.bincount(cells, part[tally.owners[cells], codes], len(found))
    return found


def _bound_macro(metric: Metric, each: AveragedRatio, side: Side, confidence: float) -> Bounds:
    """From the variance of the mean and the intervals of the labels, which is the wider."""
    tally = side.tally.need_patterns()
    influence = _Influence.find(each, tally)
    parts = _combine_labels(each, side, influence, confidence)
    moments = influence.average(metric, side.values)
    gold = tally.per_label().gold
    ends = bound_macro(side.values, moments, gold, metric.bounds, confidence, parts)
    return Bounds.around(side.values, *ends)


def _bound_weighted(metric: Metric, each: AveragedRatio, side: Side, confidence: float) -> Bounds:
    """From the variance of the mean alone."""
    tally, values = side.tally.need_patterns(), side.values
    deviation = _Influence.find(each, tally).average(metric, values).deviation
    ends = bound_within(values, deviation, tally.n.astype(float), metric.bounds, confidence)
    return Bounds.around(values, *ends)


def _combine_labels(
    each: AveragedRatio, side: Side, influence: _Influence, confidence: float
) -> tuple[Values, Values]:
    """The interval of the mean of labels that are correlated, from that of each."""
    share, values = each.share(side.tally), influence.values
    assert share is not None, each
    trials = np.where(share.trials > 0, share.trials, np.nan)
    ends = bound_shares(each, side.tally, confidence)
    # A label that counts although nobody has it may score anything in another sample.
    alone = [
        np.where(np.isnan(end), limit, end)
        for limit, end in zip(each.bounds, (ends.low, ends.high), strict=True)
    ]

    def narrow(z: Values) -> list[Values]:
        return [share.to_score(end) for end in bound_plainly(share.hits, trials, z)]

    defined = ~np.isnan(values)
    known = (defined & ~np.isnan(ends.high - ends.low)).any(-1)
    size = np.where(known, defined.sum(-1), np.nan)
    below, above = sum_distances(values, alone, narrow, influence.join, confidence)
    return side.values - below / size, side.values + above / size
