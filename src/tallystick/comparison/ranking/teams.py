"""Teams with several runs, which are called TEAM/RUN: which of the runs is ranked."""

import re
from collections.abc import Callable, Collection, Sequence
from typing import Literal, get_args

import numpy as np

from tallystick.comparison.comparable import keep_systems
from tallystick.comparison.ranking.orders import Scale, to_quality
from tallystick.comparison.rows import score_rows
from tallystick.errors import UsageError
from tallystick.scoring.counted import Counted

PerTeam = Literal["all", "best", "last"]
"""Which runs of a team are ranked."""


def keep_runs(
    counted: Counted,
    per_team: PerTeam,
    baselines: Collection[str],
    shown: Callable[[str, float], float] | None = None,
) -> tuple[Counted, tuple[str, ...]]:
    """Returns the systems with one run of each team, and what a reader must know about that.

    `all` keeps every run, `best` each team's best by the first metric, and `last` its last by name,
    where run10 comes after run9; baselines stay in any case. `shown` rounds a value of a metric, by
    its name: of runs that are shown as equal the first is the best.
    """
    if per_team not in get_args(PerTeam):
        raise UsageError(f"per_team is one of {', '.join(get_args(PerTeam))}, not {per_team!r}")
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
    tally = counted.tally(metric)
    values = [score_rows([metric], tally.of(run), counted.groups)[0, 0, row] for run in runs]
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
