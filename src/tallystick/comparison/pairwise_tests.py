"""Metrics of one tally that are tested alike, and what they say of all pairs of systems."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallystick.comparison.effects import open_source
from tallystick.comparison.paired import Paired, compare_resampled, find_p_values
from tallystick.comparison.resamples import score_resamples
from tallystick.comparison.rows import (
    count_units,
    find_places,
    list_rows,
    score_pair,
    score_rows,
    test_shares,
)
from tallystick.comparison.settings import Test, Testing
from tallystick.comparison.special_tests import Bounds, compare_areas, replay
from tallystick.frozen import dataclass, field
from tallystick.scoring.counted import Counted
from tallystick.statistics import mcnemar
from tallystick.statistics.differences import agree
from tallystick.statistics.p_values import count_extremes, p_value
from tallystick.statistics.percentiles import bound_percentiles, widen_few
from tallystick.tallies.metric import Metric, Values
from tallystick.tallies.tally import Pair, Tally

_MOST_WAITING = 1 << 16
"""The largest number of effects whose p-values are computed in one call."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What one metric says of all pairs of systems.

    Bounds and p-values have shape (pairs, rows), NaN where nobody asked or the test does not tell;
    each system has a value for each row. `lost` is how many resamples were undefined at most, for a
    row, and `resamples` is 0 where none are needed. `replayed` is what sacreBLEU's bootstrap says
    of each system: the mean of its resampled scores, and half the width of 95% of them. `freedom`
    is the fewest degrees of freedom that clusters leave on any row, infinity without, and `skewed`
    which significant differences a few examples, or clusters, make, of shape (pairs, rows).
    """

    test: Test
    pairs: Sequence[Pair]
    low: Values
    high: Values
    p: Values
    values: dict[str, Values]
    lost: int = 0
    resamples: int = 0
    replayed: Bounds = ()
    freedom: float = np.inf
    skewed: NDArray[np.bool_] = field(default_factory=lambda: np.zeros((0, 0), bool))


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """What the metrics of a family say of all pairs: arrays of shape (metrics, pairs, rows)."""

    low: Values
    high: Values
    p: Values
    lost: NDArray[np.int64]
    freedom: Values
    skewed: NDArray[np.bool_]

    @classmethod
    def nothing(cls, shape: tuple[int, ...]) -> "_Found":
        """What is filled in pair by pair."""
        low, high, p = (np.full(shape, np.nan) for _ in range(3))
        return cls(
            low, high, p, np.zeros(shape, np.int64), np.full(shape, np.inf), np.zeros(shape, bool)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """Metrics of one tally that are tested alike.

    Values and differences are of shape (metrics, rows), with an axis of systems, of pairs or of
    resamples in between.
    """

    counted: Counted
    metrics: tuple[Metric, ...]
    test: Test
    testing: Testing
    pairs: tuple[Pair, ...]

    @property
    def tally(self) -> Any:
        """The tally."""
        return self.counted.tally(self.metrics[0])

    def compare(self, *, bounds: bool) -> dict[Metric, Outcome]:
        """What each metric says of all pairs; the intervals only where they are needed."""
        values = {name: self._score(self.tally.of(name))[:, 0] for name in self.counted.systems}
        observed = _Observed.of([self._score_pair(values, pair) for pair in self.pairs])
        found = _Found.nothing(observed.differences.shape)
        replayed: Sequence[Bounds] = ()
        if self.test == "delong":
            bounds_and_p = compare_areas(self.counted, self.tally, self.pairs, self.testing)
            for own, one in zip((found.low, found.high, found.p), bounds_and_p, strict=True):
                own[:] = one
        elif self.tally.tells_influence:
            if bounds or not self._test_shares(observed, found):
                replayed = self._compare_by_effects(observed, found, bounds=bounds)
        else:
            self._compare_by_resamples(observed, found)
        known = ~np.isnan(observed.differences)
        return {
            metric: Outcome(
                self.test,
                self.pairs,
                found.low[at],
                found.high[at],
                np.where(known, found.p, self._test_infinite(values))[at],
                {name: own[at] for name, own in values.items()},
                int(
                    (found.lost[at][:, -2:-1] if metric.between else found.lost[at]).max(initial=0)
                ),
                self._resamples,
                replayed[at] if replayed else (),
                float(found.freedom[at].min(initial=np.inf)),
                found.skewed[at],
            )
            for at, metric in enumerate(self.metrics)
        }

    @property
    def _resamples(self) -> int:
        """How many resamples are drawn: a standard error needs fewer than a percentile."""
        if self.test in ("bootstrap", "sacrebleu-ar", "sacrebleu-bs"):
            return self.testing.count
        if self.test == "delong" or self.tally.tells_influence:
            return 0
        return self.testing.intervals.resamples if self.test == "t" else self.testing.count

    def _score(self, tally: Tally) -> Values:
        return score_rows(self.metrics, tally, self.counted.groups)

    def _score_pair(self, values: Mapping[str, Values], pair: Pair) -> tuple[Values, Values]:
        """The scores of two systems, which of numbers are told from near them; NaN if infinite."""
        if self.tally.relative() is not self.tally:
            return score_pair(self.metrics, self.tally, self.counted.groups, pair)
        first, second = (np.where(np.isinf(values[name]), np.nan, values[name]) for name in pair)
        return first, second

    def _test_infinite(self, values: Mapping[str, Values]) -> Values:
        """The p-values of pairs of which one score over all examples is infinite; else NaN."""
        wide = next(iter(values.values())).shape[-1]
        found = np.full((len(self.metrics), len(self.pairs), wide), np.nan)
        for at, metric in enumerate(self.metrics):
            for place, pair in enumerate(self.pairs):
                ends = [values[name][at, -1] for name in pair]
                if np.isinf(ends).sum() == 1:
                    name, other = pair if np.isinf(ends[0]) else pair[::-1]
                    whole, score = self.tally.of(name).total(), values[other][at, -1:]
                    found[at, place, -1] = metric.test_infinite(whole, score)[0]
        return found

    def _test_shares(self, observed: "_Observed", found: _Found) -> bool:
        """Fills in the p-values where every metric is a share of the same examples, all one row."""
        cells = self.tally.patterns
        if cells is None or self.test != "ar" or self.counted.groups:
            return False
        for at, metric in enumerate(self.metrics):
            p = test_shares(metric, cells, self.pairs, observed.differences[at, :, 0])
            if p is None:
                return False
            found.p[at, :, 0] = p
        return True

    def _compare_by_effects(
        self, observed: "_Observed", found: _Found, *, bounds: bool
    ) -> Sequence[Bounds]:
        """From what each example adds to the differences; returns what sacreBLEU says besides."""
        replayed: Sequence[Bounds] = ()
        labels = self.tally.patterns is not None
        theirs = self.test in ("sacrebleu-ar", "sacrebleu-bs")
        if theirs:
            count = self.testing.count
            found.p[:], replayed = replay(self.counted, self.metrics, self.test, self.pairs, count)
        source = open_source(self.metrics, self.tally, self.counted.groups)
        waiting: list[tuple[slice, Paired]] = []
        size = 0
        for start in range(0, len(self.pairs), source.most_pairs):
            here = slice(start, start + source.most_pairs)
            differences = observed.differences[:, here].swapaxes(0, 1)
            effects = source.compare(self.pairs[here], differences)
            waiting.append((here, Paired(self.metrics, differences, effects, labels)))
            size += effects.values.size
            if size > _MOST_WAITING or start + source.most_pairs >= len(self.pairs):
                if not theirs:
                    self._find_p(waiting, observed, found)
                for place, paired in waiting:
                    self._bound(place, paired, found, bounds=bounds)
                waiting, size = [], 0
        return replayed

    def _bound(self, here: slice, paired: Paired, found: _Found, *, bounds: bool) -> None:
        """Fills in what p-values of some of the pairs do not say."""
        confidence, effects = self.testing.confidence, paired.effects
        theirs = self.test in ("sacrebleu-ar", "sacrebleu-bs")
        p = found.p[:, here].swapaxes(0, 1)
        if effects.clustered or not paired.labels:
            skewed = (p < round(1 - confidence, 12)) & paired.is_skewed()
            found.skewed[:, here] = skewed.swapaxes(0, 1)
        if effects.clustered:
            freedom = np.nan_to_num(paired.measure_error()[1])
            found.freedom[:, here] = freedom.swapaxes(0, 1)
        if bounds:
            # sacreBLEU's p-values are its own, and intervals need not agree with them.
            ends = paired.bound(self.test, p * (np.nan if theirs else 1), confidence)
            for own, end in zip((found.low, found.high), ends, strict=True):
                own[:, here] = end.swapaxes(0, 1)

    def _find_p(
        self, paired: Sequence[tuple[slice, Paired]], observed: "_Observed", found: _Found
    ) -> None:
        """Fills in the p-values of some of the pairs."""
        variant: Literal["exact", "mid-p"] = "exact" if self.test == "mcnemar" else "mid-p"
        places = [place for here, _ in paired for place in range(len(self.pairs))[here]]
        match self.test:
            case "bootstrap":
                for place in places:
                    deviations = self._deviate(self._resample(self.pairs[place]), observed, place)
                    found.lost[:, place] = np.isnan(deviations).sum(0)
                    found.p[:, place] = _find_centred_p(observed.at(place), deviations)
            case "mcnemar" | "mcnemar-midp":
                for place in places:
                    found.p[:, place] = self._count_flips(self.pairs[place], variant)
            case _:
                p = find_p_values([one for _, one in paired], self.test)
                for (here, _), own in zip(paired, p, strict=True):
                    found.p[:, here] = own.swapaxes(0, 1)

    def _compare_by_resamples(self, observed: "_Observed", found: _Found) -> None:
        """From resamples: percentiles and p-values, or standard errors."""
        confidence = self.testing.confidence
        resampled = self._resample(self.counted.systems)
        for place in range(len(self.pairs)):
            differences = observed.differences[:, place]
            deviations = self._deviate(resampled, observed, place)
            found.lost[:, place] = np.isnan(deviations).sum(0)
            if self.counted.facts.clustered:
                found.freedom[:, place] = self._units - 1
            if self.test == "t":
                found.low[:, place], found.high[:, place], found.p[:, place] = compare_resampled(
                    self.metrics, differences, deviations, self._units, confidence
                )
                continue
            ends = bound_percentiles(deviations, confidence)
            found.low[:, place], found.high[:, place] = (differences + end for end in ends)
            found.p[:, place] = _find_centred_p(observed.at(place), deviations)
        if self.test == "ar":
            found.p[:] = self._randomise(observed)
        bounds = agree((found.low, found.high), observed.differences, found.p, confidence)
        found.low[:], found.high[:] = bounds

    def _resample(self, names: Sequence[str]) -> dict[str, Values]:
        """The scores of some of the systems on resamples of their own."""
        tally, seed = self.tally.of(*names), self.testing.random_seed
        return score_resamples(self.metrics, tally, self.counted.groups, self._resamples, seed)

    def _deviate(self, scored: Mapping[str, Values], observed: "_Observed", place: int) -> Values:
        """How far the differences of a pair deviate on resamples: (resamples, metrics, rows).

        Of few clusters they are widened, as for the standard error.
        """
        a, b = self.pairs[place]
        deviations = (scored[a] - scored[b]).swapaxes(0, 1) - observed.differences[:, place]
        if not self.counted.facts.clustered or self.test == "t":
            return deviations
        return deviations * widen_few(self._units, self.testing.confidence)

    @property
    def _units(self) -> NDArray[np.int64]:
        """How many examples, or clusters, are drawn for each row."""
        return count_units(self.counted, self.tally)

    def _randomise(self, observed: "_Observed") -> Values:
        """P-values by approximate randomisation of probabilities."""
        extremes, known = np.zeros((2, *observed.differences.shape), np.int64)
        swapped = self.tally.permute(self.pairs, self.testing.count, self.testing.random_seed)
        for place, one, other in swapped:
            exchanged = (self._score(one) - self._score(other)).swapaxes(1, 2)
            extremes[:, place] += count_extremes(exchanged, *observed.at(place))
            known[:, place] += (~np.isnan(exchanged)).sum(-1)
        return p_value(extremes, known)

    def _count_flips(self, pair: Pair, variant: Literal["exact", "mid-p"]) -> list[float]:
        """McNemar's p-values on each row; there is none of the mean over groups."""
        cells = self.tally.of(*pair)
        right = cells.outputs == cells.gold
        only_a, only_b = (
            cells.sum_groups(cells.counts * (won & ~lost)) for won, lost in (right, right[::-1])
        )
        whole = mcnemar.p_value(int(only_a.sum()), int(only_b.sum()), variant)
        places = find_places(cells.groups, self.counted.groups)
        rows = [mcnemar.p_value(int(only_a[at]), int(only_b[at]), variant) for at in places]
        return list_rows(rows, np.nan, whole)


@dataclass(frozen=True, slots=True, eq=False)
class _Observed:
    """The observed differences of all pairs, and the size of the scores that they are taken of.

    Both are of shape (metrics, pairs, rows).
    """

    differences: Values
    scales: Values

    @classmethod
    def of(cls, sides: Sequence[tuple[Values, Values]]) -> "_Observed":
        return cls(
            np.stack([one - other for one, other in sides], axis=1),
            np.stack([np.maximum(np.abs(one), np.abs(other)) for one, other in sides], axis=1),
        )

    def at(self, place: int) -> tuple[Values, Values]:
        """Both of one pair, of shape (metrics, rows)."""
        return self.differences[:, place], self.scales[:, place]


def _find_centred_p(observed: tuple[Values, Values], deviations: Values) -> Values:
    """The share of resamples that lie as far from the observed difference as that lies from 0.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 16.4.
    """
    centred = np.moveaxis(deviations, 0, -1)
    return p_value(count_extremes(centred, *observed), (~np.isnan(centred)).sum(-1))
