"""Systems compared by their probabilities: whole examples are drawn and exchanged, one by one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tallystick.comparison.contest import (
    Contest,
    Pairs,
    Values,
    judge,
    score_rows,
)
from tallystick.examples.examples import Examples
from tallystick.examples.labels import Labels
from tallystick.intervals.delong import find_areas
from tallystick.intervals.randomisation import draw_swaps
from tallystick.metrics.metric import Metric
from tallystick.tallies import Curve
from tallystick.tallies.draws import draw_counts, open_streams, split_draws
from tallystick.tallies.units import Items, itemise_examples

__all__ = ["CurveContest"]


@final
@dataclass(frozen=True, slots=True, eq=False)
class CurveContest(Contest):
    """Systems that give probabilities.

    Attributes:
        gold: The gold labels.
        groups: The group of each example.
        scores: The probabilities of each system.
        clusters: The cluster of each example, or None.
    """

    metrics: tuple[Metric, ...]
    grouped: bool
    gold: Labels
    groups: Labels
    scores: Sequence[NDArray[Any]]
    clusters: Labels | None

    @property
    def clustered(self) -> bool:
        return self.clusters is not None

    @property
    def single_scores(self) -> bool:
        """Whether there is one probability per example, as in a binary task."""
        return self.scores[0].ndim == 1

    def narrow(self, metrics: tuple[Metric, ...]) -> Contest:
        return replace(self, metrics=metrics)

    def observe(self) -> Values:
        everything = np.arange(len(self.gold))
        return np.stack([self._score(own, everything) for own in self.scores], axis=1)

    def resample(self, draws: int, seed: int) -> Values:
        items, streams = self._itemise(), open_streams(seed, self.groups.names)
        units, owners, everything = items.units, self._owners(items), np.arange(len(self.gold))
        drawn = []
        for size in split_draws(draws, len(self.gold)):
            for weights in draw_counts(units.counts, units.strata, size, streams):
                rows = np.repeat(everything, weights[owners])
                drawn.append(np.stack([self._score(own, rows) for own in self.scores], axis=1))
        return np.stack(drawn, axis=2)

    def randomise(self, pairs: Pairs, draws: int, seed: int) -> tuple[NDArray[np.int64], ...]:
        items, streams = self._itemise(), open_streams(seed, self.groups.names, 1)
        units, owners, observed = items.units, self._owners(items), self.observe()
        found = np.zeros((2, len(self.metrics), len(pairs), observed.shape[-1]), np.int64)
        for size in split_draws(draws, len(self.gold)):
            for moved in draw_swaps(units.counts, units.strata, size, streams):
                swapped = moved[owners] > 0
                for place, (a, b) in enumerate(pairs):
                    sides = self._exchange(a, b, swapped)[:, :, None]
                    found[:, :, place] += judge(observed[:, [a, b]], sides)
        return found[0], found[1]

    def find_areas(self) -> list[tuple[Values, Values]]:
        """The areas of all systems with their covariances, for each group and for all examples.

        Only binary tasks have them.
        """
        groups = len(self.groups.names) if self.grouped else 0
        chosen = [self.groups.codes == group for group in range(groups)]
        stacked = np.stack(list(self.scores)).astype(np.float64)
        positive = self.gold.codes == 1
        return [
            find_areas(stacked[:, here & positive], stacked[:, here & ~positive])
            for here in (*chosen, np.ones(len(self.gold), bool))
        ]

    def _exchange(self, a: int, b: int, swapped: NDArray[np.bool_]) -> Values:
        """The scores of both systems after an exchange, of shape (metrics, 2, rows)."""
        everything, one, other = np.arange(len(self.gold)), self.scores[a], self.scores[b]
        mask = swapped if one.ndim == 1 else swapped[:, None]
        mixed = (np.where(mask, other, one), np.where(mask, one, other))
        return np.stack([self._score(own, everything) for own in mixed], axis=1)

    def _score(self, scores: NDArray[Any], rows: NDArray[np.int64]) -> Values:
        """The scores of some examples, of shape (metrics, rows)."""
        gold = self.gold.take(rows)
        tally = Curve().count(Examples(gold, gold, scores[rows], self.groups.take(rows)))
        return np.stack([score_rows(metric, tally, self.grouped) for metric in self.metrics])

    def _itemise(self) -> Items:
        return itemise_examples(self.groups.codes, self.clusters)

    def _owners(self, items: Items) -> NDArray[np.int64]:
        """The unit of each example."""
        return items.owners[items.examples]
