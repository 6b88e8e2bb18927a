"""How metrics agree with people about rated systems: correlations, pairs, and calibrated ties."""

import abc
from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.kinds.numbers.correlations import KendallTauB, Pearson, Spearman
from tallystick.kinds.numbers.number_counters import NumberCells
from tallystick.kinds.numbers.rated_items import Grid, RatedItems, RatedScores
from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.clusters import split
from tallystick.model.tallies.metric import Metric, Values, show
from tallystick.model.tallies.ratios import Ratio, divide
from tallystick.model.tallies.tally import Tally
from tallystick.statistics.p_values import erfc
from tallystick.statistics.permutations import approximate_tails, find_tail, permute_tails

_COEFFICIENTS = {"pearson": Pearson(), "spearman": Spearman(), "kendall": KendallTauB()}
_NAMES = {"item": "{}_by_item", "system": "{}_by_system", "means": "system_level_{}"}


_APART = "because no two rated systems have scores of people and of the metric for the same item"


class _RatedMetric(Metric, frozen=True):
    """A metric about rated systems, whose scores people and metrics gave for the same items."""

    counters = (RatedScores,)

    @abc.abstractmethod
    def measure(self, grid: Grid) -> Values:
        """The score of each resample of one group."""

    def score(self, tally: RatedItems) -> Values:
        return tally.score_groups(self.measure)

    def influence(self, tally: RatedItems) -> Values:
        """How fast the score of its group rises with the weight of each row."""
        slopes = np.zeros(len(tally.items))
        for rows, grid in tally.list_grids():
            slopes[rows] = self.move(grid)
        return slopes

    @abc.abstractmethod
    def move(self, grid: Grid) -> Values:
        """How fast the score rises with the weight of each item of a table."""

    def explain_undefined(self, tally: Tally) -> str:
        return _APART


class RatedCorrelation(_RatedMetric, frozen=True):
    """Correlation between a metric and people over rated systems.

    It is the mean over items of the correlation across rated systems, the mean over rated systems
    of the correlation across items, or the correlation of the rated systems' means. Plain
    `pearson`, `spearman` or `kendall_tau_b` pool all scores. Kendall's is tau-b.

    Formula: mean of the correlations that are defined; with over="means" one correlation
    Undefined: if each correlation is, as of constant scores.
    Source: mt-metrics-eval's Pearson, Spearman and Kendall with average_by="item" and "sys", and
        of system-level scores.
    """

    coefficient: Literal["pearson", "spearman", "kendall"] = "pearson"
    over: Literal["item", "system", "means"] = "item"

    short = "rated_correlation"
    title = "Correlation about Rated Systems"
    bounds = (-1, 1)
    explained: ClassVar = {
        "coefficient": "pearson, spearman, or kendall, which is tau-b",
        "over": "item or system: the mean of correlations within each; means: of systems' means",
    }

    @property
    def name(self) -> str:
        return _NAMES[self.over].format(self.coefficient)

    def explain_undefined(self, tally: Tally) -> str:
        return "because no correlation is defined: the scores of people or the metric are constant"

    def measure(self, grid: Grid) -> Values:
        if self.over == "item":
            items, places = np.nonzero(grid.known)
            sides = grid.gold[items, places], grid.output[items, places]
            own = self._correlate(items, len(grid.gold), sides, np.ones(len(items), np.int64))
            return _average(own, grid.weights)
        if self.over == "system":
            places, items = np.nonzero(grid.known.T)
            sides = grid.gold[items, places], grid.output[items, places]
            counts = grid.weights.astype(np.int64)[:, items]
            own = self._correlate(places, grid.gold.shape[1], sides, counts)
            return _average(own, np.ones_like(own))
        return self._correlate_means(grid.average_systems())

    def _correlate_means(self, sides: tuple[Values, Values]) -> Values:
        means = np.stack(sides)
        resamples, places = np.nonzero(~np.isnan(means).any(0))
        return self._correlate(
            resamples,
            means.shape[1],
            (means[0, resamples, places], means[1, resamples, places]),
            np.ones(len(resamples), np.int64),
        )

    def move(self, grid: Grid) -> Values:
        if self.over == "means":
            far = 1.0 if self.coefficient == "pearson" else len(grid.gold) ** 0.5
            return _move_means(grid, far, self._correlate_means)
        known = grid.known
        places, items = np.nonzero(known.T)
        sides = grid.gold[items, places], grid.output[items, places]
        if self.over == "item":
            items, places = np.nonzero(known)
            sides = grid.gold[items, places], grid.output[items, places]
            own = self._correlate(items, len(known), sides, np.ones(len(items), np.int64))
            defined = ~np.isnan(own)
            size = max(int(defined.sum()), 1)
            return np.where(defined, np.nan_to_num(own) - np.nansum(own) / size, 0) / size
        cells = _list_cells(places, known.shape[1], sides, np.ones(len(items), np.int64))
        slopes = _COEFFICIENTS[self.coefficient].influence(cells)
        assert slopes is not None
        defined = ~np.isnan(_COEFFICIENTS[self.coefficient].score(cells))
        moves = np.where(defined[places], np.nan_to_num(slopes), 0) / max(int(defined.sum()), 1)
        return np.bincount(items, moves, len(known)).astype(np.float64)

    def _correlate(
        self,
        owners: NDArray[np.intp],
        size: int,
        sides: tuple[Values, Values],
        counts: NDArray[np.int64],
    ) -> Values:
        if not len(owners):
            return np.full((*counts.shape[:-1], size), np.nan)
        found: Values = _COEFFICIENTS[self.coefficient].score(
            _list_cells(owners, size, sides, counts)
        )
        return found


def _list_cells(
    owners: NDArray[np.intp], size: int, sides: tuple[Values, Values], counts: NDArray[np.int64]
) -> Cells:
    gold, output = (own + 0.0 for own in sides)
    n, names = np.bincount(owners, minlength=size), (("",), tuple(range(size)), (), ())
    return Cells(NumberCells(), *names, owners.astype(np.int64), gold, output[None], counts, n)


def _average(values: Values, weights: Values) -> Values:
    known = ~np.isnan(values)
    total = (np.nan_to_num(values) * weights).sum(-1)
    return divide(Ratio(total, (known * weights).sum(-1)), np.nan)


def _move_means(
    grid: Grid, far: float, measure: Callable[[tuple[Values, Values]], Values]
) -> Values:
    """How fast a function of the systems' means rises with the weight of each item.

    Steps have no slope, so each item gets as much more, or less, weight as the root of their
    number, by which resamples vary.
    """
    ends = (measure(grid.move_means(side * far)) for side in (1, -1))
    found = np.nan_to_num((next(ends) - next(ends)) / (2 * far))
    return np.asarray(found - found.mean())


_MOST_PERMUTATIONS = 10_000
_RAGGED = "because random permutations need a score of every rated system for every item"


def _list_pairs(grid: Grid) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The pairs of rated systems that share an item."""
    known = grid.known.astype(np.float64)
    one, other = np.nonzero(np.triu(known.T @ known, 1))
    return one, other


class PairwiseAccuracy(_RatedMetric, frozen=True):
    """Proportion of pairs of rated systems that a metric ranks as people do.

    Rated systems are scored by their mean over the items that people and the metric scored. Those
    that share no item, such as systems of two language pairs, are not compared, so several language
    pairs are pooled, as at WMT.

    Formula: pairs with the same sign of the difference of means / pairs
    Undefined: with fewer than two rated systems that share an item.
    Source: Kocmi et al. 2021, WMT (To Ship or Not to Ship); values as mt-metrics-eval's Agreement
        of such means.
    """

    short = "pairwise_accuracy"
    zero = "it ranks every pair of rated systems the other way round"

    def measure(self, grid: Grid) -> Values:
        return self._agree(_list_pairs(grid), grid.average_systems())

    def move(self, grid: Grid) -> Values:
        pairs = _list_pairs(grid)
        return _move_means(grid, len(grid.gold) ** 0.5, lambda sides: self._agree(pairs, sides))

    def _agree(
        self, pairs: tuple[NDArray[np.intp], NDArray[np.intp]], sides: tuple[Values, Values]
    ) -> Values:
        one, other = pairs
        signs = [np.sign(means[:, one] - means[:, other]) for means in sides]
        known = ~np.isnan(signs[0])
        return divide(Ratio((known & (signs[0] == signs[1])).sum(-1), known.sum(-1)), np.nan)


class SoftPairwiseAccuracy(_RatedMetric, frozen=True):
    """Closeness of a metric's p-values for pairs of rated systems to those of people.

    Each p-value is from a one-sided paired permutation test on the items that both scored: exact
    for scores such as ratings, else by saddlepoint. With `permutations` it is from as many random
    ones (1000 as published). Intervals use the Edgeworth series.

    Formula: 1 - mean over pairs of |p of people - p of the metric|
    Undefined: with fewer than two rated systems that share an item; with `permutations` also
        where an item does not have a score of a rated system that others have.
    Source: Thompson et al. 2024, WMT (Improving Statistical Significance in Human Evaluation of
        Automatic Metrics via Soft Pairwise Accuracy); with permutations=1000 values as
        mt-metrics-eval's PairwiseConfidenceError.
    """

    permutations: int | None = None

    short = "soft_pairwise_accuracy"
    explained: ClassVar = {
        "permutations": "from how many random permutations p-values come; None takes all"
    }

    def __post_init__(self) -> None:
        whole = isinstance(self.permutations, int) and not isinstance(self.permutations, bool)
        if self.permutations is not None and not (
            whole and 1 <= self.permutations <= _MOST_PERMUTATIONS
        ):
            raise UsageError(
                f"permutations must be a whole number from 1 to {_MOST_PERMUTATIONS:,}, not "
                f"{show(self.permutations)}"
            )

    def explain_undefined(self, tally: Tally) -> str:
        return _APART if self.permutations is None else _RAGGED

    def measure(self, grid: Grid) -> Values:
        if self.permutations is not None and grid.times is None:
            scored, items = grid.known.any(0), np.flatnonzero(grid.known.any(axis=1))
            items = items[np.argsort(grid.order[items])]
            if scored.sum() < 2 or not grid.known[np.ix_(items, scored)].all():
                return np.array([np.nan])
            sides = (own[np.ix_(items, scored)] for own in (grid.gold, grid.output))
            people, metric = (permute_tails(own, self.permutations) for own in sides)
            return np.array([1 - np.abs(people - metric)[np.triu_indices(len(people), 1)].mean()])
        one, other = _list_pairs(grid)
        common = grid.known[:, one] & grid.known[:, other]
        tails = []
        for scores in (grid.gold, grid.output):
            terms = np.where(common, scores[:, one] - scores[:, other], 0.0)
            tails.append(
                np.array([[find_tail(own) for own in terms.T]])
                if grid.times is None
                else approximate_tails(grid.times, terms)
            )
        compared = grid.weights @ common > 0
        apart = np.abs(tails[0] - tails[1]).reshape(compared.shape)
        return 1 - divide(Ratio((apart * compared).sum(-1), compared.sum(-1)), np.nan)

    def move(self, grid: Grid) -> Values:
        """By the normal tails of sums whose signs are random, moved as `_move_means` says."""
        one, other = _list_pairs(grid)
        common = grid.known[:, one] & grid.known[:, other]
        if not common.any():
            return np.zeros(len(common))
        tails = []
        for scores in (grid.gold, grid.output):
            terms = np.where(common, scores[:, one] - scores[:, other], 0.0)
            scale = np.sqrt((terms**2).sum(0))
            terms = terms / np.where(scale > 0, scale, 1)
            steps = len(terms) ** 0.5 * terms
            tails.append([erfc((terms.sum(0) + side * steps) / 2**0.5) / 2 for side in (1, -1)])
        ends = [1 - np.abs(people - metric).mean(1) for people, metric in zip(*tails, strict=True)]
        found = (ends[0] - ends[1]) / (2 * len(common) ** 0.5)
        return np.asarray(found - found.mean())


class AccEq(_RatedMetric, frozen=True):
    """Proportion of pairs of rated systems of an item that a metric orders or ties as people do.

    Metrics rarely give equal scores, so scores that differ by at most a threshold are ties: the
    threshold at which the metric scores best on these items (and again on each resample).
    Proportions are averaged over items.

    Formula: mean over items of (concordant pairs + pairs tied by both) / pairs, at the best
        threshold
    Undefined: if no item has two rated systems.
    Source: Deutsch, Foster and Freitag 2023, EMNLP (Ties Matter); values as mt-metrics-eval's
        KendallWithTiesOpt, by item, with variant="acc23" and sample_rate=1.
    """

    short = "acc_eq"
    title = "Accuracy with Tie Calibration"
    zero = "it orders no pair of rated systems as people do"

    def measure(self, grid: Grid) -> Values:
        """The best accuracy over all thresholds, of each resample."""
        items, right, pairs, (owners, steps, last) = self._list_steps(grid)
        weighed = grid.weights * np.where(pairs > 0, 1 / np.maximum(pairs, 1), 0)
        base = weighed @ np.bincount(items, right, len(pairs))
        best, start = np.zeros(len(weighed)), 0
        for size in split(len(weighed), len(steps)):
            here = slice(start, start + size)
            rises = (weighed[here][:, owners] * steps).cumsum(-1)[:, last]
            best[here] = rises.max(-1, initial=0)
            start += size
        return divide(Ratio(base + best, grid.weights @ (pairs > 0)), np.nan)

    def move(self, grid: Grid) -> Values:
        """By the accuracy on each item at the best threshold."""
        items, right, pairs, (owners, steps, last) = self._list_steps(grid)
        rises = np.where(last, (steps / np.maximum(pairs, 1)[owners]).cumsum(), -np.inf)
        end = int(rises.argmax()) + 1 if rises.max(initial=0) > 0 else 0
        gained = np.bincount(owners[:end], steps[:end], len(pairs))
        own = (np.bincount(items, right, len(pairs)) + gained) / np.maximum(pairs, 1)
        scored = pairs > 0
        size = max(int(scored.sum()), 1)
        return np.where(scored, own - own.sum() / size, 0) / size

    def _list_steps(self, grid: Grid) -> tuple[Any, Any, Any, tuple[Any, ...]]:
        """Returns the item of each pair, whether it is right, pairs by item, and steps.

        Steps are the items of pairs by distance, what is gained if these are ties, and whether the
        next pair is farther apart.
        """
        one, other = _list_pairs(grid)
        known = grid.known[:, one] & grid.known[:, other]
        items = np.nonzero(known)[0]
        people, metric = (
            (scores[:, one] - scores[:, other])[known] for scores in (grid.gold, grid.output)
        )
        right = np.sign(people) == np.sign(metric)
        gains = (people == 0) * 1.0 - right  # of taking the pair for a tie
        moved = np.flatnonzero(gains)
        moved = moved[np.argsort(np.abs(metric[moved]), kind="stable")]
        gaps = np.abs(metric[moved])
        last = np.append(gaps[1:] != gaps[:-1], True)[: len(gaps)]
        return items, right, known.sum(1), (items[moved], gains[moved], last)
