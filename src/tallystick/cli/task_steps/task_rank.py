"""`tallystick task rank`: who is better in each track of a shared task, and overall."""

import argparse
from collections.abc import Mapping

from tallystick.cli.options.shared_options import read_testing
from tallystick.cli.output import read_style, show, tell
from tallystick.cli.reading.checks import check_options
from tallystick.comparison.ranking.overall_ranking import rank_tracks
from tallystick.comparison.ranking.previous import add_previous, read_previous
from tallystick.comparison.settings import Testing
from tallystick.errors import InputError, UsageError
from tallystick.frozen import replace
from tallystick.output.results.ranking import Overall, Ranking
from tallystick.output.results.records import Missing
from tallystick.tasks.ranking import Publishing, check_round, rank_entries
from tallystick.tasks.task_file import SharedTask, read_task


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick task rank`."""
    check_options(options, "rank")
    testing = read_testing(options)
    previous = options.previous and read_previous(options.previous)
    task = read_task(options.task)
    if options.missing_tracks and not (options.overall or task.overall):
        raise UsageError("--missing-tracks needs --overall: it is about the overall order")
    missing: Missing = options.missing_tracks or task.missing_tracks or "exclude"
    rankings = rank_round(task, options, testing)
    overall: Overall | None = options.overall or (task.overall if len(rankings) > 1 else None)
    ranking = rank_tracks(rankings, overall=overall, missing_tracks=missing)
    show(replace(add_previous(ranking, previous), details=options.details), options)


def rank_round(
    task: SharedTask, options: argparse.Namespace, testing: Testing
) -> Mapping[str, Ranking]:
    """Ranks the submissions to a phase by track, and tells what was refused, and why."""
    entered = check_round(task, options.folder, phase=options.phase, manifest=options.manifest)
    for reason in entered.refused:
        tell(f"refused: {reason}")
    for note in entered.notes:
        tell(f"note: {note}")
    publishing = Publishing(options.per_team, testing, read_style(options))
    rankings = rank_entries(entered.task, entered.entries, publishing)
    if not rankings:
        raise InputError(f"{options.folder}: every submission was refused")
    return rankings
