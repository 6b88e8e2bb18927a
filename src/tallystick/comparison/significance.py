"""Whether two systems differ: intervals and p-values of every pair, on the tally of scoring."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallystick.comparison.areas import compare_areas
from tallystick.comparison.replay import Bounds, replay
from tallystick.comparison.rows import score_resamples, score_rows
from tallystick.comparison.settings import Test, Testing
from tallystick.comparison.shares import bound_share_differences
from tallystick.errors import UsageError
from tallystick.intervals import mcnemar
from tallystick.intervals.draws import bound_percentiles
from tallystick.intervals.holm import adjust
from tallystick.intervals.randomisation import count_extremes, find_p
from tallystick.metrics.accuracy import Accuracy
from tallystick.metrics.metric import Metric, Values
from tallystick.metrics.roc_auc import ROCAUC
from tallystick.results import Difference
from tallystick.scoring.counted import Counted
from tallystick.tallies.cells import Cells
from tallystick.tallies.resampling import Pair, exchange, is_separable

__all__ = ["Outcome", "choose_test", "compare_pairs", "list_differences"]


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What one metric says of all pairs of systems.

    Attributes:
        test: The test.
        pairs: The pairs.
        low: The lower bounds of the differences, of shape (pairs, rows); NaN where nobody asked.
        high: The upper bounds, likewise.
        p: The p-values, likewise; NaN where the test does not tell.
        values: The scores of each system, one for each row.
        lost: How many resamples were undefined at most, for a row.
        replayed: What sacreBLEU's bootstrap says of each system: the mean of its resampled scores,
            and half the width of 95% of them.
    """

    test: Test
    pairs: Sequence[Pair]
    low: Values
    high: Values
    p: Values
    values: dict[str, Values]
    lost: int = 0
    replayed: Bounds = ()


def compare_pairs(
    counted: Counted, testing: Testing, *, bounds: bool = True, tests: bool = True
) -> dict[Metric, Outcome]:
    """What every metric says of every two systems.

    Args:
        counted: The systems.
        testing: How they are compared.
        bounds: Whether the intervals of the differences are needed.
        tests: Whether the p-values are.
    """
    families: dict[tuple[Any, Test], list[Metric]] = {}
    for metric in counted.metrics:
        test = choose_test(metric, counted, testing)
        families.setdefault((counted.counters[metric], test), []).append(metric)
    outcomes: dict[Metric, Outcome] = {}
    for (_, test), metrics in families.items():
        family = _Family(counted, tuple(metrics), test, testing)
        outcomes |= family.compare(bounds=bounds, tests=tests)
    return {metric: outcomes[metric] for metric in counted.metrics}


def choose_test(metric: Metric, counted: Counted, testing: Testing) -> Test:
    """The test of a metric: the one asked for, or the usual one.

    Raises:
        UsageError: The test is not for this metric.
    """
    tally = counted.tally(metric)
    area = isinstance(metric, ROCAUC) and len(getattr(tally, "columns", ())) == 1
    plain = not counted.clustered and not counted.weighted
    test = testing.test or ("delong" if area and plain else "ar")
    accuracy = isinstance(metric, Accuracy)
    homes = {
        "delong": ("ROC-AUC of a binary task", area),
        "mcnemar": ("accuracy", accuracy),
        "mcnemar-midp": ("accuracy", accuracy),
    }
    if test in homes and not homes[test][1]:
        raise UsageError(
            f"{test} tests {homes[test][0]} only, not {metric!r}; choose ar or bootstrap"
        )
    if test in homes and counted.clustered:
        raise UsageError(f"{test} takes every example as independent; with clusters choose ar")
    if test in homes and counted.weighted:
        raise UsageError(f"{test} takes all examples to weigh the same; with weights choose ar")
    return test


def list_differences(
    counted: Counted, outcomes: dict[Metric, Outcome], testing: Testing
) -> list[Difference]:
    """The differences, row by row, with p-values corrected within each row."""
    differences = []
    for row, group in enumerate(counted.rows):
        family = [
            _describe(counted, metric, outcome, (place, row), testing)
            for metric, outcome in outcomes.items()
            for place in range(len(outcome.pairs))
        ]
        corrected = adjust(np.array([one.p for one in family]))
        differences += [
            replace(one, group=group, p_holm=float(p))
            for one, p in zip(family, corrected, strict=True)
        ]
    return differences


def _describe(
    counted: Counted, metric: Metric, outcome: Outcome, at: tuple[int, int], testing: Testing
) -> Difference:
    place, row = at
    a, b = outcome.pairs[place]
    value_a, value_b = (outcome.values[name][row].item() for name in (a, b))
    facts = counted.describe(metric) + ("|clusters:yes" if counted.clustered else "")
    return Difference(
        a=a,
        b=b,
        group=None,
        metric=repr(metric),
        name=metric.name,
        value_a=value_a,
        value_b=value_b,
        difference=value_a - value_b,
        low=outcome.low[at].item(),
        high=outcome.high[at].item(),
        confidence=testing.confidence,
        p=outcome.p[at].item(),
        p_holm=np.nan,
        test=outcome.test,
        n=counted.size(counted.rows[row]),
        better=metric.better,
        signature=f"{metric!r}|{testing.describe(outcome.test)}|{facts}",
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """What the metrics of a family say of all pairs: arrays of shape (metrics, pairs, rows)."""

    low: Values
    high: Values
    p: Values
    lost: NDArray[np.int64]
    replayed: Sequence[Bounds] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Family:
    """Metrics of one tally that are tested alike.

    Values and differences are of shape (metrics, rows), with an axis of systems, of pairs or of
    resamples in between.
    """

    counted: Counted
    metrics: tuple[Metric, ...]
    test: Test
    testing: Testing

    @property
    def tally(self) -> Any:
        return self.counted.tally(self.metrics[0])

    @property
    def pairs(self) -> list[Pair]:
        return list(combinations(self.counted.systems, 2))

    def compare(self, *, bounds: bool, tests: bool) -> dict[Metric, Outcome]:
        """What each metric says of all pairs."""
        values = {name: self._score(self.tally.of(name))[:, 0] for name in self.counted.systems}
        observed = _Observed.of(values, self.pairs)
        if self.test == "delong":
            found = self._compare_areas()
        else:
            found = self._find(observed, bounds=bounds, tests=tests)
        p = np.where(np.isnan(observed.differences), np.nan, found.p)
        return {
            metric: Outcome(
                self.test,
                self.pairs,
                found.low[at],
                found.high[at],
                p[at],
                {name: own[at] for name, own in values.items()},
                int(found.lost[at].max(initial=0)),
                found.replayed[at] if found.replayed else (),
            )
            for at, metric in enumerate(self.metrics)
        }

    def _score(self, tally: Any) -> Values:
        return score_rows(self.metrics, tally, self.counted.groups)

    def _compare_areas(self) -> _Found:
        found = compare_areas(self.counted, self.tally, self.pairs, self.testing)
        low, high, p = (np.stack([one] * len(self.metrics)) for one in found)
        return _Found(low, high, p, np.zeros(p.shape, np.int64))

    def _find(self, observed: "_Observed", *, bounds: bool, tests: bool) -> _Found:
        """The bounds and the p-values, as far as they are needed."""
        shape = observed.differences.shape
        low, high, p = (np.full(shape, np.nan) for _ in range(3))
        lost = np.zeros(shape, np.int64)
        replayed: Sequence[Bounds] = ()
        if bounds or self.test == "bootstrap":
            for place, resampled in self._resample():
                low[:, place], high[:, place] = self._bound(place, resampled)
                lost[:, place] = np.isnan(resampled).sum(1)
                if self.test == "bootstrap":
                    p[:, place] = _find_centred_p(observed.at(place), resampled)
        if tests and self.test != "bootstrap":
            p, replayed = self._find_p(observed)
        return _Found(low, high, p, lost, replayed)

    def _resample(self) -> Iterator[tuple[int, Values]]:
        """The number of each pair with its differences on resamples.

        They are the same whatever other systems there are.
        """
        together = self._score_resamples(self.tally) if is_separable(self.tally) else {}
        for place, (a, b) in enumerate(self.pairs):
            scored = together or self._score_resamples(self.tally.of(a, b))
            yield place, scored[a] - scored[b]

    def _score_resamples(self, tally: Any) -> dict[str, Values]:
        testing, groups = self.testing, self.counted.groups
        return score_resamples(self.metrics, tally, groups, testing.count, testing.random_seed)

    def _bound(self, place: int, resampled: Values) -> tuple[Values, Values]:
        """The bounds of a difference on each row: Tango's of a share, else percentiles."""
        confidence = self.testing.confidence
        low, high = bound_percentiles(resampled.swapaxes(0, 1), confidence)
        if isinstance(self.tally, Cells):
            pair = self.tally.of(*self.pairs[place])
            for at, metric in enumerate(self.metrics):
                found = bound_share_differences(metric, pair, self.counted.groups, confidence)
                if found is not None:
                    low[at], high[at] = (
                        np.where(np.isnan(own), usual, own)
                        for own, usual in zip(found, (low[at], high[at]), strict=True)
                    )
        return low, high

    def _find_p(self, observed: "_Observed") -> tuple[Values, Sequence[Bounds]]:
        """The p-values, and what sacreBLEU's bootstrap says besides."""
        match self.test:
            case "ar":
                return self._randomise(observed), ()
            case "mcnemar" | "mcnemar-midp":
                variant: Literal["exact", "mid-p"] = "exact" if self.test == "mcnemar" else "mid-p"
                p = [self._count_flips(pair, variant) for pair in self.pairs]
                return np.array([p] * len(self.metrics)), ()
        return replay(self.counted, self.metrics, self.test, self.pairs, self.testing.count)

    def _randomise(self, observed: "_Observed") -> Values:
        """P-values by approximate randomisation."""
        extremes, known = np.zeros((2, *observed.differences.shape), np.int64)
        swapped = exchange(self.tally, self.pairs, self.testing.count, self.testing.random_seed)
        for place, one, other in swapped:
            exchanged = (self._score(one) - self._score(other)).swapaxes(1, 2)
            extremes[:, place] += count_extremes(exchanged, *observed.at(place))
            known[:, place] += (~np.isnan(exchanged)).sum(-1)
        return find_p(extremes, known)

    def _count_flips(self, pair: Pair, variant: Literal["exact", "mid-p"]) -> list[float]:
        """McNemar's p-values on each row; there is none of the mean over groups."""
        cells = self.tally.of(*pair)
        right = cells.outputs == cells.gold
        only_a, only_b = (
            cells.sum_groups(cells.counts * (won & ~lost)) for won, lost in (right, right[::-1])
        )
        whole = mcnemar.find_p(int(only_a.sum()), int(only_b.sum()), variant)
        if not self.counted.groups:
            return [whole]
        places = [list(map(str, cells.groups)).index(name) for name in self.counted.groups]
        rows = [mcnemar.find_p(int(only_a[at]), int(only_b[at]), variant) for at in places]
        return [*rows, np.nan, whole]


@dataclass(frozen=True, slots=True, eq=False)
class _Observed:
    """The observed differences of all pairs, and the size of the scores that they are taken of.

    Both are of shape (metrics, pairs, rows).
    """

    differences: Values
    scales: Values

    @classmethod
    def of(cls, values: Mapping[str, Values], pairs: Sequence[Pair]) -> "_Observed":
        sides = [(values[a], values[b]) for a, b in pairs]
        return cls(
            np.stack([one - other for one, other in sides], axis=1),
            np.stack([np.maximum(np.abs(one), np.abs(other)) for one, other in sides], axis=1),
        )

    def at(self, place: int) -> tuple[Values, Values]:
        """Both of one pair, of shape (metrics, rows)."""
        return self.differences[:, place], self.scales[:, place]


def _find_centred_p(observed: tuple[Values, Values], resampled: Values) -> Values:
    """The share of resamples that lie as far from the observed difference as that lies from 0.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 16.4.
    """
    differences, scales = observed
    centred = (resampled - differences[:, None]).swapaxes(1, 2)
    known = (~np.isnan(centred)).sum(-1)
    return find_p(count_extremes(centred, differences, scales), known)
