"""`tallystick rank`: gold and submissions in, ranks out."""

import argparse
from collections.abc import Sequence
from dataclasses import replace

from tallystick.cli.checks import (
    check_baselines,
    check_directions,
    check_options,
    check_overall,
    check_tests,
)
from tallystick.cli.inputs import count_inputs, list_paths, need_systems
from tallystick.cli.options import READING, read_testing, refuse
from tallystick.cli.output import show, tell
from tallystick.cli.progress import show_progress
from tallystick.comparison.overall_ranking import add_standings, rank_tracks
from tallystick.comparison.previous import add_previous, read_previous
from tallystick.comparison.rank import rank_counted
from tallystick.comparison.settings import Testing
from tallystick.comparison.teams import PerTeam
from tallystick.comparison.tracks import count_tracks
from tallystick.errors import UsageError
from tallystick.io.progress import Progress
from tallystick.io.tasks import read_task
from tallystick.results import Missing
from tallystick.results.ranking import Ranking
from tallystick.scoring.counted import Counted

_OF_ONE = ("systems", "metrics", *READING)
"""Options that say of one track what the file of --config says of each."""


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick rank` with parsed options."""
    check_options(options, "rank")
    if options.lacking and not options.overall:
        raise UsageError("--lacking is about an overall order; ask for it with --overall")
    testing = read_testing(options)
    previous = options.previous and read_previous(options.previous)
    with show_progress(list_paths(options)) as watch:
        ranking = (
            _rank_config(options, testing) if options.config else _rank(options, testing, watch)
        )
    show(replace(add_previous(ranking, previous), details=options.details), options)
    if options.output or options.format == "csv":  # else they stand where the ranking is read
        for refusal in ranking.list_refusals():
            tell(f"note: {refusal}")


def _rank(options: argparse.Namespace, testing: Testing, watch: Progress) -> Ranking:
    if not options.files and not options.pred_dir:
        raise UsageError("name a gold file and the systems' files, or tracks with --config")
    if not options.metrics:
        raise UsageError("name what to rank by with -m, such as -m macro_f1; files come before")
    need_systems(options)
    check_overall(options)
    check_baselines(options, options.baseline)
    check_directions(options)
    check_tests(options, testing)
    counted = count_inputs(options, tolerant=True, watch=watch)
    per_team: PerTeam = options.per_team or "all"
    missing: Missing = options.lacking or "exclude"
    ranking = rank_counted(counted, testing, baselines=options.baseline, per_team=per_team)
    return add_standings(ranking, options.overall, missing)


def _rank_config(options: argparse.Namespace, testing: Testing) -> Ranking:
    if options.files:
        raise UsageError("--config takes no files besides it")
    refuse(options, _OF_ONE, "goes into the file of --config")
    refuse(options, ("workers", "scheduler"), "does not go with --config")
    plan = read_task(options.config)
    baselines = (*plan.baselines, *options.baseline)
    counted = count_tracks(plan)
    _check_baselines(baselines, list(counted.values()))
    per_team: PerTeam = options.per_team or "all"
    rankings = {
        name: rank_counted(
            own,
            testing,
            baselines=[one for one in baselines if one in own.systems],
            per_team=per_team,
        )
        for name, own in counted.items()
    }
    missing: Missing = options.lacking or plan.missing or "exclude"
    return rank_tracks(rankings, overall=options.overall, missing=missing)


def _check_baselines(baselines: Sequence[str], counted: Sequence[Counted]) -> None:
    known = {name for own in counted for name in own.names}
    for name in baselines:
        if name not in known:
            raise UsageError(f"there is no system {name!r} to be a baseline in any track")
