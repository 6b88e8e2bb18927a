"""The places of systems by one metric, with those of teams and of an earlier ranking."""

import re
from collections.abc import Callable, Collection, Sequence
from typing import Literal, get_args

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict, replace
from numpy.typing import NDArray

from tallystick.comparison.comparable import keep_systems
from tallystick.comparison.contributions import score_rows
from tallystick.comparison.ranking.orders import (
    Scale,
    find_clusters,
    find_letters,
    find_ranges,
    mean_ranks,
    order,
    rank,
    share_best,
    to_quality,
)
from tallystick.errors import InputError, UsageError
from tallystick.io.files.datasets import is_page
from tallystick.io.files.opening import name_source, open_binary
from tallystick.model.tallies.metric import Metric
from tallystick.output.results.ranking import Ranking
from tallystick.output.results.records import Place, Score
from tallystick.scoring.counted import Counted

PerTeam = Literal["all", "best", "last"]
"""Which runs of a team are ranked."""


def keep_runs(
    counted: Counted,
    per_team: PerTeam,
    baselines: Collection[str],
    shown: Callable[[str, float], float] | None = None,
) -> tuple[Counted, tuple[str, ...]]:
    """Keeps all runs of each team, its best by the first metric, or its last by name."""
    if per_team not in get_args(PerTeam):
        raise UsageError(
            f"per_team must be one of {', '.join(get_args(PerTeam))}, not {per_team!r}"
        )
    teams: dict[str, list[str]] = {}
    for name in counted.systems:
        if name not in baselines and "/" in name:
            teams.setdefault(name.partition("/")[0], []).append(name)
    several = {team: runs for team, runs in teams.items() if len(runs) > 1}
    if per_team == "all" or not several:
        return counted, ()
    chosen = {
        team: _find_best(counted, runs, shown) if per_team == "best" else max(runs, key=_natural)
        for team, runs in several.items()
    }
    dropped = {run for team, runs in several.items() for run in runs} - {*chosen.values()}
    kept = keep_systems(counted, [name for name in counted.systems if name not in dropped])
    return kept, (_tell(counted, per_team, several),)


def _find_best(
    counted: Counted, runs: Sequence[str], shown: Callable[[str, float], float] | None
) -> str:
    """The run with the best value of the first metric, on the mean over groups where there are."""
    metric, row = counted.metrics[0], -2 if counted.groups else 0
    formula, tally = counted.formula(metric)
    values = [score_rows([formula], tally.of(run), counted.groups)[0, 0, row] for run in runs]
    values = values if shown is None else [shown(metric.name, float(one)) for one in values]
    quality = to_quality(np.array(values), Scale(metric.name, metric.better, *metric.bounds))
    return runs[0] if np.isnan(quality).all() else runs[int(np.nanargmax(quality))]


def _natural(run: str) -> list[tuple[int, int | str]]:
    parts = re.findall(r"\d+|\D+", run)
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in parts]


def _tell(counted: Counted, per_team: PerTeam, several: dict[str, list[str]]) -> str:
    counts = ", ".join(f"{team} {len(runs)}" for team, runs in several.items())
    if per_team == "last":
        return f"of several runs of a team the last by name is ranked (runs: {counts})."
    return (
        f"of several runs of a team the best by {counted.metrics[0].name} on these examples is "
        f"ranked (runs: {counts}). The best of many runs scores higher by chance alone, which "
        "favours teams with more runs, and neither intervals nor tests correct for it."
    )


class _Place(Struct, frozen=True):
    """What counts of an earlier place; further fields are left alone."""

    track: str | None
    group: str | None
    metric: str
    system: str
    rank: int | None


class Earlier(Struct, frozen=True):
    """What counts of an earlier ranking."""

    places: tuple[_Place, ...]


def add_previous(ranking: Ranking, previous: Ranking | Earlier | str | None) -> Ranking:
    """Adds the ranks of an earlier ranking, of which a path is its JSON or its report."""
    if previous is None:
        return ranking
    earlier = read_previous(previous) if isinstance(previous, str) else previous
    ranks = {(one.track, one.group, one.metric, one.system): one.rank for one in earlier.places}
    places = tuple(
        replace(place, previous_rank=ranks.get((*place.criterion, place.system)))
        for place in ranking.places
    )
    if all(place.previous_rank is None for place in places):
        raise UsageError(
            "the previous ranking has no system that is ranked by the same metric here"
        )
    return replace(ranking, places=places)


def read_previous(path: str) -> Earlier:
    """Reads the places of a ranking that was written as JSON, or as a report."""
    import msgspec

    from tallystick.output.report.page import read_data

    with open_binary(path) as file:
        content = file.read()
    try:
        page = read_data(content.decode()) if is_page(path) else None
        if page is not None:
            return msgspec.convert(page["result"], Earlier)
        return msgspec.json.decode(content, type=Earlier)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"{name_source(path)}: contains no ranking in JSON, as `rank -o ranking.json` writes "
            f"it ({error})"
        ) from error


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
    """The place of each system, best first; baselines have no rank."""
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
