"""Systems on the same examples, scored as they are, on examples drawn anew, and after exchanges."""

import abc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tallystick.intervals.randomisation import count_extremes, draw_swaps
from tallystick.metrics.averages import Ratio, divide
from tallystick.metrics.metric import Metric
from tallystick.tallies.draws import draw_counts, open_streams, split_draws
from tallystick.tallies.joint import Joint

__all__ = [
    "Contest",
    "JointContest",
    "Pairs",
    "judge",
    "score_rows",
]

Values = NDArray[np.float64]
Pairs = Sequence[tuple[int, int]]
"""The two systems of each comparison, by number."""


class Contest(abc.ABC):
    """Systems on the same examples, and metrics to compare them by.

    Rows are the groups, their mean, and their sum, as in an evaluation; or one for all examples.

    Attributes:
        metrics: The metrics, all of which the examples fit.
        grouped: Whether there is a row for each group.
    """

    __slots__ = ()

    metrics: tuple[Metric, ...]
    grouped: bool

    @property
    @abc.abstractmethod
    def clustered(self) -> bool:
        """Whether examples are drawn and exchanged in clusters."""

    @abc.abstractmethod
    def narrow(self, metrics: tuple[Metric, ...]) -> "Contest":
        """The same contest with some of its metrics."""

    @abc.abstractmethod
    def observe(self) -> Values:
        """The scores, of shape (metrics, systems, rows)."""

    @abc.abstractmethod
    def resample(self, draws: int, seed: int) -> Values:
        """The scores on examples drawn with replacement: (metrics, systems, draws, rows).

        All systems and metrics get the same examples. Where a score is undefined, it is NaN.
        """

    @abc.abstractmethod
    def randomise(self, pairs: Pairs, draws: int, seed: int) -> tuple[NDArray[np.int64], ...]:
        """Exchanges the outputs of each pair of systems for half of the examples, at random.

        Returns:
            Of shape (metrics, pairs, rows): how many exchanges led to a difference at least as
            large as the observed one, and to a defined one at all.
        """


@final
@dataclass(frozen=True, slots=True, eq=False)
class JointContest(Contest):
    """Systems whose joint tally is all that the metrics need.

    Attributes:
        joint: The tally.
    """

    metrics: tuple[Metric, ...]
    grouped: bool
    joint: Joint

    @property
    def clustered(self) -> bool:
        return self.joint.items.clustered

    def narrow(self, metrics: tuple[Metric, ...]) -> Contest:
        return replace(self, metrics=metrics)

    def observe(self) -> Values:
        return self._score_all(self.joint.project(self.joint.items.units.counts[None]))[:, :, 0]

    def resample(self, draws: int, seed: int) -> Values:
        units, streams = self.joint.items.units, open_streams(seed, self.joint.groups)
        chunks = (
            self._score_all(
                self.joint.project(draw_counts(units.counts, units.strata, size, streams))
            )
            for size in self._chunks(draws)
        )
        return np.concatenate(list(chunks), axis=2)

    def randomise(self, pairs: Pairs, draws: int, seed: int) -> tuple[NDArray[np.int64], ...]:
        units, streams = self.joint.items.units, open_streams(seed, self.joint.groups, 1)
        whole, observed = self.joint.project(units.counts[None]), self.observe()
        found = np.zeros((2, len(self.metrics), len(pairs), observed.shape[-1]), np.int64)
        for size in self._chunks(draws):
            moved = self.joint.project(draw_swaps(units.counts, units.strata, size, streams))
            for place, (a, b) in enumerate(pairs):
                change = moved[b] - moved[a]
                sides = np.concatenate([whole[a] + change, whole[b] - change], axis=-1)
                scores = self._score_all(sides[None])[:, 0].reshape(len(found[0]), 2, size, -1)
                found[:, :, place] += judge(observed[:, [a, b]], scores)
        return found[0], found[1]

    def _score_all(self, sums: NDArray[Any]) -> Values:
        """Sums (systems, cells, draws) as scores (metrics, systems, draws, rows)."""
        tallies = [self.joint.tally(own) for own in sums]
        return np.stack(
            [
                np.stack([score_rows(metric, tally, self.grouped) for tally in tallies])
                for metric in self.metrics
            ]
        )

    def _chunks(self, draws: int) -> Iterator[int]:
        units = self.joint.items.units
        widest = max(len(units), self.joint.systems * self.joint.cells)
        return split_draws(draws, widest)


def score_rows(metric: Metric, tally: Any, grouped: bool) -> Values:
    """The score of each row, of shape (..., rows)."""
    whole = metric.score(tally.total())
    if not grouped:
        return whole
    values = metric.score(tally)
    defined = ~np.isnan(values) & (not metric.adds_up)
    mean = divide(Ratio(np.where(defined, values, 0).sum(-1), defined.sum(-1)), np.nan)
    return np.concatenate([values, mean[..., None], whole], axis=-1)


def judge(observed: Values, sides: Values) -> NDArray[np.int64]:
    """Counts the exchanges that are as extreme as what was observed, and those that are defined.

    Args:
        observed: The scores of both systems, of shape (metrics, 2, rows).
        sides: Those after each exchange, of shape (metrics, 2, draws, rows).

    Returns:
        Of shape (2, metrics, rows).
    """
    drawn = np.moveaxis(sides[:, 0] - sides[:, 1], 1, -1)
    scale = np.abs(observed).max(1)
    extremes = count_extremes(drawn, observed[:, 0] - observed[:, 1], scale)
    return np.stack([extremes, (~np.isnan(drawn)).sum(-1, dtype=np.int64)])
