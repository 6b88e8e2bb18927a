"""The places of systems by one metric, from their scores, their draws, and who beats whom."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallystick.comparison.aggregates import to_quality
from tallystick.comparison.ranks import (
    find_clusters,
    find_letters,
    find_ranges,
    find_resolution,
    mean_ranks,
    order,
    rank,
    share_best,
)
from tallystick.metrics.metric import Metric
from tallystick.results import Place, Score

__all__ = ["Race", "list_places"]


@dataclass(frozen=True, slots=True, eq=False)
class Race:
    """All systems by one metric on one row of scores.

    Attributes:
        metric: The metric.
        scores: The score of each system.
        draws: The paired draws of the scores, of shape (draws, systems).
        beats: Whether a system is significantly better than another, of shape (systems, systems).
        level: The confidence level of intervals and tests.
    """

    metric: Metric
    scores: tuple[Score, ...]
    draws: NDArray[np.float64]
    beats: NDArray[np.bool_]
    level: float

    @property
    def quality(self) -> NDArray[np.float64]:
        """The values of all systems, turned so that higher is better."""
        return to_quality(np.array([score.value for score in self.scores]), self.metric)


@dataclass(frozen=True, slots=True)
class _Found:
    """What is told of a system that has a rank, by the names of `Place`."""

    rank: int | None = None
    best_rank: int | None = None
    worst_rank: int | None = None
    cluster: int | None = None
    letters: str = ""
    p_best: float = np.nan
    mean_rank: float = np.nan


def list_places(race: Race, baselines: Collection[str] = ()) -> list[Place]:
    """The place of each system, best first and undefined ones last.

    Baselines stand among the others by their scores, but have no rank and take none from them.
    """
    quality = race.quality
    baseline = np.array([score.system in baselines for score in race.scores])
    ranked = np.flatnonzero(~baseline & ~np.isnan(quality))
    found = dict(zip(ranked.tolist(), _compare(race, ranked), strict=True))
    # All that have a value say what the examples resolve, baselines too.
    defined = race.draws[:, ~np.isnan(quality)]
    resolution = find_resolution(defined, race.level)
    return [
        _write(race, system, found.get(system, _Found()), bool(baseline[system]), resolution)
        for system in order(quality).tolist()
    ]


def _compare(race: Race, ranked: NDArray[np.intp]) -> list[_Found]:
    quality, beats = race.quality[ranked], race.beats[np.ix_(ranked, ranked)]
    draws = to_quality(race.draws[:, ranked], race.metric)
    if len(ranked) < 2:  # nobody to compare with
        return [_Found(rank=1)] * len(ranked)
    columns = (
        rank(quality).astype(int).tolist(),
        *find_ranges(beats).T.tolist(),
        find_clusters(quality, beats).tolist(),
        find_letters(quality, beats),
        share_best(draws).tolist(),
        mean_ranks(draws).tolist(),
    )
    return [_Found(*row) for row in zip(*columns, strict=True)]


def _write(race: Race, system: int, found: _Found, baseline: bool, resolution: float) -> Place:
    score = race.scores[system]
    return Place(
        track=None,
        group=score.group,
        metric=score.metric,
        name=score.name,
        system=score.system,
        baseline=baseline,
        rank=found.rank,
        value=score.value,
        low=score.low,
        high=score.high,
        confidence=race.level,
        method=score.method,
        best_rank=found.best_rank,
        worst_rank=found.worst_rank,
        cluster=found.cluster,
        letters=found.letters,
        p_best=found.p_best,
        mean_rank=found.mean_rank,
        resolution=resolution,
        n=score.n,
        signature=score.signature,
    )
