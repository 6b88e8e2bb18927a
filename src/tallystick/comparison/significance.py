"""Whether two systems differ: intervals and p-values of every pair, on the tally of scoring."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from tallystick.comparison.areas import judge_areas
from tallystick.comparison.replay import Bounds, replay
from tallystick.comparison.rows import score_rows
from tallystick.comparison.settings import Test, Testing
from tallystick.comparison.shares import bound_share_differences
from tallystick.errors import UsageError
from tallystick.examples.task import Task
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
from tallystick.tallies.resampling import Pair, exchange, resample
from tallystick.tallies.score_rows import ScoreRows

__all__ = ["Outcome", "check_comparable", "choose_test", "compare_pairs", "list_differences"]

_LEAST = 2


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What one metric says of some pairs of systems.

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


def check_comparable(counted: Counted) -> None:
    """Raises a UsageError where systems cannot be compared.

    There are not two of them, a metric has a value per label, or the labels of one of them alone
    tell another task than those of the others.
    """
    if len(counted.systems) < _LEAST:
        raise UsageError(
            f"a comparison needs two systems or more, and there are {len(counted.systems)}"
        )
    for metric in counted.metrics:
        if metric.per_label:
            raise UsageError(
                f"{metric!r} has a value per label; compare an average, or one label at a time"
            )
    tasks = {name: _settle_task(counted, name) for name in counted.systems}
    if len({task and (task.kind, task.positive) for task in tasks.values()}) > 1:
        told = "; ".join(
            f"{name} is {task.kind} with the labels {', '.join(map(str, task.labels or ()))}"
            for name, task in tasks.items()
            if task is not None
        )
        raise UsageError(f"the systems do not answer one task ({told}); name the task")


def _settle_task(counted: Counted, name: str) -> Task | None:
    """The task as the labels of the gold and of one system tell it; None for other than labels."""
    single = (one for one in counted.tallies.values() if isinstance(one, Cells))
    tally = next((one for one in single if one.gold.ndim == 1), None)
    if tally is None:
        return None
    own = tally.of(name)
    used = np.union1d(own.gold, own.predicted).tolist()
    labels = [tally.labels[code] for code in used if code < len(tally.labels)]
    asked = replace(counted.asked, threshold=None)
    return asked.settle(labels, scores=name in counted.scored and counted.task.kind == "binary")


def compare_pairs(
    counted: Counted, testing: Testing, *, pairs: Sequence[Pair] | None = None, bounds: bool = True
) -> dict[Metric, Outcome]:
    """What every metric says of pairs of systems.

    Args:
        counted: The systems.
        testing: How they are compared.
        pairs: The pairs; None takes all.
        bounds: Whether intervals of the differences are wanted.
    """
    chosen = list(combinations(counted.systems, 2)) if pairs is None else list(pairs)
    outcomes: dict[Metric, Outcome] = {}
    shared: dict[tuple[Any, Test], list[Metric]] = {}
    for metric in counted.metrics:
        test = choose_test(metric, counted, testing)
        shared.setdefault((counted.counters[metric], test), []).append(metric)
    for (_, test), metrics in shared.items():
        judge = _Judge(counted, tuple(metrics), test, testing, chosen)
        outcomes |= judge.find_outcomes(bounds=bounds)
    return {metric: outcomes[metric] for metric in counted.metrics}


def choose_test(metric: Metric, counted: Counted, testing: Testing) -> Test:
    """The test of a metric: the one asked for, or the usual one.

    Raises:
        UsageError: The test is not for this metric.
    """
    tally = counted.tally(metric)
    area = isinstance(metric, ROCAUC) and len(getattr(tally, "columns", ())) == 1
    test = testing.test or ("delong" if area and not counted.clustered else "ar")
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
class _Judge:
    """Metrics of one tally that are tested alike."""

    counted: Counted
    metrics: tuple[Metric, ...]
    test: Test
    testing: Testing
    pairs: Sequence[Pair]

    @property
    def tally(self) -> Any:
        return self.counted.tally(self.metrics[0])

    def find_outcomes(self, *, bounds: bool) -> dict[Metric, Outcome]:
        """What each metric says of all pairs."""
        values = [
            {name: self._score(metric, self.tally.of(name)) for name in self.counted.systems}
            for metric in self.metrics
        ]
        if self.test == "delong" and isinstance(self.tally, ScoreRows):
            low, high, p = judge_areas(self.counted, self.tally, self.pairs, self.testing)
            return {
                metric: Outcome(self.test, self.pairs, low, high, p, own)
                for metric, own in zip(self.metrics, values, strict=True)
            }
        shape = len(self.metrics), len(self.pairs), len(self.counted.rows)
        low, high, centred = (np.full(shape, np.nan) for _ in range(3))
        lost = np.zeros(shape, np.int64)
        if bounds or self.test == "bootstrap":
            for place, drawn in self._resample():
                observed = self._differ(values, place)
                for at, own in enumerate(drawn):
                    low[at, place], high[at, place] = self._bound(at, place, own)
                    lost[at, place] = np.isnan(own).sum(0)
                    centred[at, place] = _centre(observed[at], own, self._scale(values, place)[at])
        p, replayed = self._find_p(values, centred)
        undefined = np.isnan(np.stack([self._differ(values, at) for at in range(shape[1])], 1))
        p = np.where(undefined, np.nan, p)
        return {
            metric: Outcome(
                self.test,
                self.pairs,
                low[at],
                high[at],
                p[at],
                values[at],
                int(lost[at].max(initial=0)),
                replayed[at] if replayed else (),
            )
            for at, metric in enumerate(self.metrics)
        }

    def _bound(self, at: int, place: int, drawn: Values) -> tuple[Values, Values]:
        """The bounds of a difference on each row: Tango's of a share, else percentiles."""
        low, high = bound_percentiles(drawn, self.testing.confidence)
        if not isinstance(self.tally, Cells):
            return low, high
        pair = self.tally.of(*self.pairs[place])
        found = bound_share_differences(
            self.metrics[at], pair, self.counted.groups, self.testing.confidence
        )
        if found is None:
            return low, high
        return np.where(np.isnan(found[0]), low, found[0]), np.where(
            np.isnan(found[1]), high, found[1]
        )

    def _score(self, metric: Metric, tally: Any) -> Values:
        return score_rows(metric, tally, self.counted.groups)

    def _differ(self, values: Sequence[dict[str, Values]], place: int) -> Values:
        """The observed differences of a pair, of shape (metrics, rows)."""
        a, b = self.pairs[place]
        return np.stack([own[a] - own[b] for own in values])

    def _scale(self, values: Sequence[dict[str, Values]], place: int) -> Values:
        a, b = self.pairs[place]
        return np.stack([np.maximum(np.abs(own[a]), np.abs(own[b])) for own in values])

    def _resample(self) -> Iterator[tuple[int, list[Values]]]:
        """The differences of each pair on resamples: for each metric (resamples, rows)."""
        count, seed = self.testing.count, self.testing.random_seed
        if isinstance(self.tally, Cells):
            for place, pair in enumerate(self.pairs):
                scored = self._score_resamples(self.tally.of(*pair), pair, count, seed)
                yield place, [own[pair[0]] - own[pair[1]] for own in scored]
            return
        scored = self._score_resamples(self.tally, self.counted.systems, count, seed)
        for place, (a, b) in enumerate(self.pairs):
            yield place, [own[a] - own[b] for own in scored]

    def _score_resamples(
        self, tally: Any, names: Sequence[str], count: int, seed: int
    ) -> list[dict[str, Values]]:
        parts: list[dict[str, list[Values]]] = [{name: [] for name in names} for _ in self.metrics]
        for drawn in resample(tally, count, seed):
            for name in names:
                one = drawn.of(name)
                for own, metric in zip(parts, self.metrics, strict=True):
                    rows = self._score(metric, one)
                    own[name].append(rows.reshape(-1, rows.shape[-1]))
        return [{name: np.concatenate(own[name]) for name in names} for own in parts]

    def _find_p(
        self, values: Sequence[dict[str, Values]], centred: Values
    ) -> tuple[Values, list[Bounds]]:
        """P-values of shape (metrics, pairs, rows), and what sacreBLEU's bootstrap says besides."""
        match self.test:
            case "ar":
                return self._randomise(values), []
            case "bootstrap":
                return centred, []
            case "mcnemar" | "mcnemar-midp":
                variant: Literal["exact", "mid-p"] = "exact" if self.test == "mcnemar" else "mid-p"
                p = [self._count_flips(pair, variant) for pair in self.pairs]
                return np.array([p] * len(self.metrics)), []
        return replay(self.counted, self.metrics, self.test, self.pairs, self.testing.count)

    def _randomise(self, values: Sequence[dict[str, Values]]) -> Values:
        """P-values by approximate randomisation."""
        shape = 2, len(self.metrics), len(self.pairs), len(self.counted.rows)
        found = np.zeros(shape, np.int64)
        observed = [self._differ(values, place) for place in range(len(self.pairs))]
        scale = [self._scale(values, place) for place in range(len(self.pairs))]
        swapped = exchange(self.tally, self.pairs, self.testing.count, self.testing.random_seed)
        for place, one, other in swapped:
            for at, metric in enumerate(self.metrics):
                rows = self._score(metric, one) - self._score(metric, other)
                drawn = rows.reshape(-1, rows.shape[-1]).T
                extremes = count_extremes(drawn, observed[place][at], scale[place][at])
                found[:, at, place] += np.stack([extremes, (~np.isnan(drawn)).sum(-1)])
        return find_p(found[0], found[1])

    def _count_flips(self, pair: Pair, variant: Literal["exact", "mid-p"]) -> list[float]:
        """McNemar's p-values on each row; there is none of the mean over groups."""
        if not isinstance(self.tally, Cells) or self.tally.gold.ndim > 1:
            raise UsageError(f"{self.test} tests systems that predict one label each")
        cells = self.tally.of(*pair)
        right = cells.outputs == cells.gold
        flips = [
            cells.sum_groups(cells.counts * (won & ~lost)) for won, lost in (right, right[::-1])
        ]
        whole = mcnemar.find_p(*(int(one.sum()) for one in flips), variant)
        if not self.counted.groups:
            return [whole]
        places = [list(map(str, cells.groups)).index(name) for name in self.counted.groups]
        rows = [mcnemar.find_p(int(flips[0][at]), int(flips[1][at]), variant) for at in places]
        return [*rows, np.nan, whole]


def _centre(observed: Values, drawn: Values, scale: Values) -> Values:
    """The share of resamples that lie as far from the observed difference as that lies from 0.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 16.4.
    """
    centred = (drawn - observed).T
    return find_p(count_extremes(centred, observed, scale), (~np.isnan(centred)).sum(-1))
