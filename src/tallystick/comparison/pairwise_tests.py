"""Tests of all pairs of systems by metrics of one tally: the usual one, DeLong's, sacreBLEU's."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.comparison.contributions import (
    Contributions,
    Discordance,
    Places,
    count_discordant,
    find_places,
    list_rows,
    score_resamples,
    score_rows,
)
from tallystick.errors import UsageError
from tallystick.model.tallies.metric import Metric, Values, compares_groups
from tallystick.model.tallies.score_rows import ScoreRows
from tallystick.model.tallies.sums import Sums
from tallystick.model.tallies.tally import Pair, Tally, need, relative
from tallystick.scoring.counted import Counted
from tallystick.scoring.per_example import sum_each
from tallystick.statistics.influence import Scatter, join_scatters
from tallystick.statistics.p_values import count_extremes, p_value
from tallystick.statistics.paired import (
    Tested,
    agree,
    bound_area_difference,
    compare_shares,
    find_areas,
    find_p_value,
    paired_test,
)
from tallystick.statistics.sacrebleu_tests import read_seed, replay_bootstrap, replay_randomisation
from tallystick.statistics.settings import Test, Testing


def compare_areas(
    counted: Counted, tally: ScoreRows, pairs: Sequence[Pair], testing: Testing
) -> tuple[Tested, Scatter]:
    """The ends of differences, p-values and how they scatter: (pairs, rows)."""
    areas, variances = _find_areas(counted, tally)
    left, right = ([tally.systems.index(pair[side]) for pair in pairs] for side in (0, 1))
    differences = areas[:, left] - areas[:, right]
    own = np.diagonal(variances, axis1=-2, axis2=-1)
    # Rounding may not go below 0.
    spread = np.maximum(0, own[:, left] + own[:, right] - 2 * variances[:, left, right])
    scarcer = np.broadcast_to(_count_scarcer(counted, tally)[:, None], differences.shape)
    p = np.vectorize(find_p_value, otypes=[float])(differences, spread, scarcer)
    ends = bound_area_difference(differences, spread, scarcer, testing.confidence)
    many, none = np.full(spread.T.shape, np.inf), np.zeros(spread.T.shape)
    scatter = Scatter(spread.T, many, scarcer.T, none, many, none)
    return (ends[0].T, ends[1].T, p.T), scatter


def _count_scarcer(counted: Counted, tally: ScoreRows) -> Values:
    """The number of positives or negatives of each row, whichever are fewer."""
    sizes = tally.gold_masses()
    groups = sizes[find_places(tally.groups, counted.groups)].min(-1)
    return np.array(list_rows([*groups], groups.sum(), sizes.sum(0).min()), np.float64)


def _find_areas(counted: Counted, tally: ScoreRows) -> tuple[Values, Values]:
    stacked = np.stack(list(tally.scores)).astype(np.float64)
    positive = tally.gold.codes == 1
    chosen = [tally.owners.codes == at for at in find_places(tally.groups, counted.groups)]
    found = [
        find_areas(stacked[:, here & positive], stacked[:, here & ~positive])
        for here in (*chosen, np.ones(len(tally.gold), bool))
    ]
    areas, variances = map(np.array, zip(*found, strict=True))
    if counted.groups:
        known = ~np.isnan(areas[:-1, 0])
        mean = areas[:-1][known].mean(0) if known.any() else areas[0] * np.nan
        spread = variances[:-1][known].sum(0) / max(1, known.sum()) ** 2
        areas = np.insert(areas, -1, mean, axis=0)
        variances = np.insert(variances, -1, spread, axis=0)
    return areas, variances


Bounds = tuple[tuple[float, float], ...]
"""Of each system the mean of its resampled scores, and half the width of 95% of them."""


def replay(
    counted: Counted, metrics: Sequence[Metric], test: Test, pairs: Sequence[Pair], resamples: int
) -> tuple[Values, list[Bounds]]:
    """The p-values of sacreBLEU, (metrics, pairs, 1), and the bounds of each system's score."""
    tally = counted.tally(metrics[0])
    if counted.groups or counted.facts.clustered:
        raise UsageError(f"{test} supports neither groups nor clusters; choose ar or bootstrap")
    rows, seed = _list_rows(counted, tally), read_seed()
    places = [(tally.systems.index(a), tally.systems.index(b)) for a, b in pairs]
    found, bounds = [], list[Bounds]()
    for metric in metrics:
        score = partial(_score_sums, metric, tally)
        if test == "sacrebleu-bs":
            resampled = replay_bootstrap(rows, score, resamples, seed)
            found.append([[resampled.p_value(*pair)] for pair in places])
            bounds.append(tuple(resampled.bound(system) for system in range(len(rows))))
        else:
            p_value = replay_randomisation(rows, score, resamples, seed)
            found.append([[p_value(*pair)] for pair in places])
    return np.array(found), bounds


def _list_rows(counted: Counted, tally: Sums) -> NDArray[Any]:
    """The row of each example as it was read, of shape (systems, examples, columns)."""
    if not counted.examples:
        raise UsageError(
            "sacreBLEU's tests need every example in its order, which counts do not have; choose "
            "ar or bootstrap"
        )
    if tally.rows is not None:
        return tally.rows.values.swapaxes(0, 1)
    blocks = [sum_each(tally.counter, block).sums for block in counted.examples]
    return np.concatenate(blocks, axis=1)


def _score_sums(metric: Metric, tally: Sums, sums: NDArray[np.float64]) -> Values:
    one = replace(tally, systems=("",), sums=sums[None, :, None], scatter=None)
    return metric.score(one)[..., 0]


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
    """Metrics of one tally that are tested alike; values have shape (metrics, ..., rows)."""

    counted: Counted
    tally: Tally
    metrics: tuple[Metric, ...]
    test: Test
    testing: Testing
    pairs: tuple[Pair, ...]

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
            tested, scatter = compare_areas(
                self.counted, need(self.tally, ScoreRows), self.pairs, self.testing
            )
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
            lost = int(
                (undefined[:, -2:-1] if compares_groups(metric) else undefined).max(initial=0)
            )
        drawn_anew = self.test in ("bootstrap", "sacrebleu-ar", "sacrebleu-bs")
        resamples = self.testing.count if drawn_anew else 0
        return Outcome(test, self.pairs, low, high, p, values, scatter, shares, lost, resamples)

    def _contribute(
        self, metric: Metric, values: Mapping[str, Values], differences: Values
    ) -> tuple[Scatter, Values | None]:
        """How differences scatter, and the p-values by random signs if these are asked for."""
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

    def _score(self, tally: Tally) -> Values:
        return score_rows(self.metrics, tally, self.counted.groups)

    def _score_pair(self, values: Mapping[str, Values], pair: Pair) -> tuple[Values, Values]:
        """The scores of two systems, which of numbers are told from near them; NaN if infinite."""
        if relative(self.tally) is not self.tally:
            both = relative(self.tally.of(*pair))
            one, other = (self._score(both.of(name))[:, 0] for name in pair)
            return one, other
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
        """How far differences deviate on resamples: (metrics, resamples, pairs, rows)."""
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
