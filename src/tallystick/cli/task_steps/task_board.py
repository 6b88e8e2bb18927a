"""`tallystick task board`: the static site of a shared task, from a folder of submissions."""

import argparse
import os

from tallystick.cli.options.shared_options import read_testing
from tallystick.cli.output import read_style, tell
from tallystick.output.report.bundle import check_report
from tallystick.tasks.boards.board import build_board
from tallystick.tasks.entries import name_run
from tallystick.tasks.ranking import Publishing
from tallystick.tasks.task_file import read_task


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick task board`."""
    check_report()
    publishing = Publishing(options.per_team, read_testing(options), read_style(options))
    built = build_board(
        read_task(options.task),
        options.folder,
        options.output,
        publishing,
        manifest=options.manifest,
        task_file=options.task,
    )
    submissions = built.site.submissions
    for one in submissions:
        for reason in one.refused:
            about = f"{reason.track}: " if reason.track else ""
            tell(f"refused: {name_run(one.team, one.run)}: {about}{reason.words}")
    for note in built.site.notes:
        tell(f"note: {note}")
    print(os.path.join(options.output, "index.html"))
    refused = sum(bool(one.refused) for one in submissions)
    print(
        f"{len(submissions)} submissions: {built.scored} newly checked, {refused} refused in part "
        f"or in whole. {built.ranked} of {len(built.site.rankings)} rankings updated."
    )
