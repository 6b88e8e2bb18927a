"""The places of systems by one metric, from their scores, their resamples, and who beats whom."""

from collections.abc import Collection

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict
from numpy.typing import NDArray

from tallystick.comparison.ranking.orders import Scale, to_quality
from tallystick.comparison.ranking.ranks import (
    find_clusters,
    find_letters,
    find_ranges,
    mean_ranks,
    order,
    rank,
    share_best,
)
from tallystick.model.tallies.metric import Metric
from tallystick.output.results.records import Place, Score

_OF_SCORES = (
    *("group", "metric", "name", "system", "value", "low", "high", "method", "n", "signature"),
    *("peer_signature", "left_out", "all_wrong", "all_right"),
)
"""What a place takes over from the score of its system."""


class Leaderboard(Struct, frozen=True, eq=False):
    """All systems by one metric on one row of scores.

    Scores on the same resamples have shape (resamples, systems); `beats`, of shape (systems,
    systems), is whether one is significantly better than another, and `resolution` the minimum
    detectable difference of two.
    """

    metric: Metric
    scores: tuple[Score, ...]
    resampled: NDArray[np.float64]
    beats: NDArray[np.bool_]
    confidence: float
    resolution: float = np.nan

    @property
    def quality(self) -> NDArray[np.float64]:
        """The values of all systems, turned so that higher is better."""
        return to_quality(np.array([score.value for score in self.scores]), self.scale)

    @property
    def scale(self) -> Scale:
        """What the values mean."""
        return Scale(self.metric.name, self.metric.better, *self.metric.bounds)


class _Found(Struct, frozen=True):
    """What is told of a system that has a rank, by the names of `Place`."""

    rank: int | None = None
    best_rank: int | None = None
    worst_rank: int | None = None
    cluster: int | None = None
    letters: str = ""
    best_share: float = np.nan
    mean_rank: float = np.nan


def list_places(board: Leaderboard, baselines: Collection[str] = ()) -> list[Place]:
    """The place of each system, best first and undefined ones last.

    Baselines stand among the others by their scores, but have no rank and take none from them.
    """
    quality = board.quality
    baseline = np.array([score.system in baselines for score in board.scores])
    ranked = np.flatnonzero(~baseline & ~np.isnan(quality))
    found = dict(zip(ranked.tolist(), _compare(board, ranked), strict=True))
    return [
        _write(board, system, found.get(system, _Found()), bool(baseline[system]))
        for system in order(quality).tolist()
    ]


def _compare(board: Leaderboard, ranked: NDArray[np.intp]) -> list[_Found]:
    quality, beats = board.quality[ranked], board.beats[np.ix_(ranked, ranked)]
    resampled = to_quality(board.resampled[:, ranked], board.scale)
    if len(ranked) < 2:  # nobody to compare with
        return [_Found(rank=1)] * len(ranked)
    columns = (
        rank(quality).astype(int).tolist(),
        *find_ranges(beats).T.tolist(),
        find_clusters(quality, beats).tolist(),
        find_letters(quality, beats),
        share_best(resampled).tolist(),
        mean_ranks(resampled).tolist(),
    )
    return [_Found(*row) for row in zip(*columns, strict=True)]


def _write(board: Leaderboard, system: int, found: _Found, baseline: bool) -> Place:
    score, metric = board.scores[system], board.metric
    return Place(
        track=None,
        baseline=baseline,
        confidence=board.confidence,
        resolution=board.resolution,
        better=metric.better,
        lowest=metric.bounds[0],
        highest=metric.bounds[1],
        **{name: getattr(score, name) for name in _OF_SCORES},
        **asdict(found),
    )
