"""Metrics of one tally that are tested alike, and what they say of all pairs of systems."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct

from tallystick.comparison.contributions import (
    Contributions,
    Discordance,
    Places,
    count_discordant,
)
from tallystick.comparison.resamples import score_resamples
from tallystick.comparison.rows import score_pair, score_rows
from tallystick.comparison.settings import Test, Testing
from tallystick.comparison.special_tests import Bounds, compare_areas, replay
from tallystick.frozen import replace
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.tally import Pair, Tally
from tallystick.scoring.counted import Counted
from tallystick.statistics.influence import Scatter, join_scatters
from tallystick.statistics.p_values import count_extremes, p_value
from tallystick.statistics.paired import Tested, agree, compare_shares, paired_test


class Outcome(Struct, frozen=True, eq=False):
    """What one metric says of all pairs of systems.

    Bounds and p-values have shape (pairs, rows), NaN where nobody asked or the test does not tell;
    each system has a value for each row. `scatter` is how the differences scatter, and
    `discordance` how often only one system is right, where the metric is a share of the examples.
    `lost` is how many resamples were undefined at most, for a row, and `resamples` is 0 where none
    are needed. `replayed` is what sacreBLEU's bootstrap says of each system: the mean of its
    resampled scores, and half the width of 95% of them.
    """

    test: Test
    pairs: Sequence[Pair]
    low: Values
    high: Values
    p: Values
    values: dict[str, Values]
    scatter: Scatter
    discordance: Discordance | None = None
    lost: int = 0
    resamples: int = 0
    replayed: Bounds = ()

    @property
    def differences(self) -> Values:
        """The differences of pairs, of shape (pairs, rows)."""
        with np.errstate(invalid="ignore"):  # of two that are endless there is none
            return np.stack([self.values[a] - self.values[b] for a, b in self.pairs])


class Family(Struct, frozen=True, eq=False):
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

    @property
    def places(self) -> Places:
        """The places of the systems of pairs."""
        at = {name: place for place, name in enumerate(self.tally.systems)}
        return np.array([[at[name] for name in pair] for pair in self.pairs], np.intp)

    def compare(self, *, bounds: bool) -> dict[Metric, Outcome]:
        """What each metric says of all pairs; the intervals only where they are needed."""
        values = {name: self._score(self.tally.of(name))[:, 0] for name in self.counted.systems}
        sides = [self._score_pair(values, pair) for pair in self.pairs]
        differences = np.stack([one - other for one, other in sides], axis=1)
        scales = np.stack([np.maximum(np.abs(one), np.abs(other)) for one, other in sides], axis=1)
        drawn = self._deviate(differences)
        confidence = self.testing.confidence if bounds else None
        replayed: tuple[Values | None, Sequence[Bounds]] = None, ()
        if self.test in ("sacrebleu-ar", "sacrebleu-bs"):
            count = self.testing.count
            replayed = replay(self.counted, self.metrics, self.test, self.pairs, count)
        found = {}
        for at, metric in enumerate(self.metrics):
            own = {name: one[at] for name, one in values.items()}
            observed = differences[at], scales[at]
            deviations = None if drawn is None else drawn[at]
            outcome = self._compare(metric, own, observed, deviations, confidence)
            if replayed[0] is not None:
                more = replayed[1][at] if replayed[1] else ()
                outcome = replace(outcome, p=replayed[0][at], replayed=more)
            low, high, p = outcome.low, outcome.high, outcome.p
            if outcome.test != "t" and replayed[0] is None:
                low, high, p = agree((low, high, p), differences[at], self.testing.confidence)
            known = ~np.isnan(differences[at])
            p = np.where(known, p, self._test_infinite(metric, own))
            found[metric] = replace(outcome, low=low, high=high, p=p)
        return found

    def _compare(
        self,
        metric: Metric,
        values: dict[str, Values],
        observed: tuple[Values, Values],
        drawn: Values | None,
        confidence: float | None,
    ) -> Outcome:
        difference, test = observed[0], self.test
        groups, places = self.counted.groups, self.places
        shares, tested, exchanged = None, None, None
        if self.tally.patterns is not None and self.testing.test != "t":
            shares = count_discordant(metric, self.tally.patterns, groups, places)
        if test == "delong":
            tested, scatter = compare_areas(self.counted, self.tally, self.pairs, self.testing)
        elif shares is not None and not groups:
            scatter = shares.measure()
        else:
            scatter, exchanged = self._contribute(metric, values, difference)
        if tested is None:
            reach = np.full(difference.shape, metric.bounds[1] - metric.bounds[0])
            tested = paired_test(difference, scatter, reach, confidence)
        low, high, p = tested
        if exchanged is not None:
            p = exchanged
        if test == "bootstrap":
            assert drawn is not None
            p = _find_centred_p(observed, drawn)
        if shares is not None:
            test = test if self.testing.test else "mcnemar-midp"
            low, high, p = self._test_shares(shares, (low, high, p), confidence)
        lost = 0
        if drawn is not None:
            undefined = np.isnan(drawn).sum(0)
            lost = int((undefined[:, -2:-1] if metric.between else undefined).max(initial=0))
        return Outcome(
            test, self.pairs, low, high, p, values, scatter, shares, lost, self._resamples
        )

    def _contribute(
        self, metric: Metric, values: Mapping[str, Values], differences: Values
    ) -> tuple[Scatter, Values | None]:
        """How differences scatter, and the p-values by random signs where these are asked for.

        Examples of a kind weigh alike only where no other system tells them apart.
        """
        tally, places = self.tally, self.places
        cells, parts = tally.patterns, [(tally, places, differences)]
        if cells is not None and cells.weights is not None and len(tally.systems) > 2:
            both = np.array([[0, 1]])
            each = zip(self.pairs, differences, strict=True)
            parts = [(tally.of(*pair), both, own[None]) for pair, own in each]
        scatters, exchanged = [], []
        for own, pairs, observed in parts:
            scores = np.stack([values[name] for name in own.systems])
            found = Contributions.of(metric, own, self.counted.groups, scores)
            scatters.append(found.compare(pairs))
            if self.test == "ar":
                exchanged.append(found.exchange(pairs, observed))
        p = np.concatenate(exchanged) if exchanged else None
        return join_scatters(scatters, 0), p

    def _test_shares(self, shares: Discordance, tested: Tested, confidence: float | None) -> Tested:
        """The same with McNemar's test and Tango's interval on the rows that are shares."""
        variant: Literal["exact", "mid-p"] = "exact" if self.test == "mcnemar" else "mid-p"
        counts = shares.wins, shares.losses, shares.trials
        low, high, p = compare_shares(*counts, confidence, variant)
        rows = ~np.isnan(shares.wins)
        p = tested[2] if self.test == "bootstrap" else p
        own = shares.scale * low, shares.scale * high, p
        low, high, p = (np.where(rows, *both) for both in zip(own, tested, strict=True))
        return low, high, p

    @property
    def _resamples(self) -> int:
        drawn = self.test in ("bootstrap", "sacrebleu-ar", "sacrebleu-bs")
        return self.testing.count if drawn else 0

    def _score(self, tally: Tally) -> Values:
        return score_rows(self.metrics, tally, self.counted.groups)

    def _score_pair(self, values: Mapping[str, Values], pair: Pair) -> tuple[Values, Values]:
        """The scores of two systems, which of numbers are told from near them; NaN if infinite."""
        if self.tally.relative() is not self.tally:
            return score_pair(self.metrics, self.tally, self.counted.groups, pair)
        first, second = (np.where(np.isinf(values[name]), np.nan, values[name]) for name in pair)
        return first, second

    def _test_infinite(self, metric: Metric, values: Mapping[str, Values]) -> Values:
        """The p-values of pairs of which one score over all examples is infinite; else NaN."""
        wide = len(self.counted.rows)
        found = np.full((len(self.pairs), wide), np.nan)
        if (test := getattr(metric, "test_infinite", None)) is None:
            return found
        for place, pair in enumerate(self.pairs):
            ends = [values[name][-1] for name in pair]
            if np.isinf(ends).sum() == 1:
                name, other = pair if np.isinf(ends[0]) else pair[::-1]
                whole, score = self.tally.of(name).total(), values[other][-1:]
                found[place, -1] = test(whole, score)[0]
        return found

    def _deviate(self, differences: Values) -> Values | None:
        """How far the differences deviate on resamples, where these are needed.

        Of shape (metrics, resamples, pairs, rows).
        """
        if self.test != "bootstrap":
            return None
        options = self.counted.groups, self.testing.count, self.testing.random_seed
        # Of two systems at a time, so that no other one changes what is drawn.
        each = (score_resamples(self.metrics, self.tally.of(*p), *options) for p in self.pairs)
        gains = [own[a] - own[b] for own, (a, b) in zip(each, self.pairs, strict=True)]
        return np.stack(gains, axis=2) - differences[:, None]


def _find_centred_p(observed: tuple[Values, Values], deviations: Values) -> Values:
    """The share of resamples that lie as far from the observed difference as that lies from 0.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 16.4.
    """
    centred = np.moveaxis(deviations, 0, -1)
    return p_value(count_extremes(centred, *observed), (~np.isnan(centred)).sum(-1))
