"""The options of `tallystick task`, a command for each step of a shared task."""

import argparse
from collections.abc import Callable
from typing import NamedTuple

from tallystick.cli.options.option_tables import add_options
from tallystick.cli.options.shared_options import add_intervals, add_output
from tallystick.cli.options.task_platforms import BUNDLES, RUNS, add_bundle, add_path, add_run
from tallystick.cli.options.task_publishing import (
    BOARDS,
    PAPERS,
    RANKINGS,
    SELFTESTS,
    add_board,
    add_manifest,
    add_paper,
    add_rank,
    add_selftest,
)

_TASKS = """\
examples:
  tallystick task init gold.csv        a task file, by asking the gold
  tallystick task check team.zip       what the server would say of a submission
  tallystick task score entries        the scores of all teams, by track

`tallystick task COMMAND --help` explains a command and shows examples.
"""

_INIT = """\
examples:
  tallystick task init gold.csv                           writes task.yaml beside it
  tallystick task init track1=a.csv track2=b.csv -o competition/task.yaml
                                                          a track for each gold file
  tallystick task init --schema > task.schema.json        for editors

An editor completes and checks a task file that begins with the line

# yaml-language-server: $schema=task.schema.json
"""

_CHECK = """\
examples:
  tallystick task check team.zip                          all tracks, by the task.yaml here
  tallystick task check predictions.csv --task kit/task.yaml --phase test
"""

_SCORE = """\
examples:
  tallystick task score team.zip                          one submission, by track
  tallystick task score entries                           a folder with a submission of each team
  tallystick task score entries --phase test -o scores.json
"""


class Command(NamedTuple):
    """A command of `tallystick task`; the module `tallystick.cli.task_NAME` runs it."""

    name: str
    purpose: str
    add: Callable[[argparse.ArgumentParser], None]
    examples: str


def add_task(parser: argparse.ArgumentParser) -> None:
    """Adds a command for each step, whose name parsed options carry in `step`."""
    parser.epilog = _TASKS
    steps = parser.add_subparsers(metavar="COMMAND", dest="step", required=True)
    for command in _COMMANDS:
        command.add(
            steps.add_parser(
                command.name,
                help=command.purpose,
                description=command.purpose[0].upper() + command.purpose[1:] + ".",
                epilog=command.examples,
                allow_abbrev=False,
            )
        )


def add_task_file(parser: argparse.ArgumentParser) -> None:
    """Adds the file of the task, and the phase."""
    add_path(parser)
    add_options(parser, {"--phase NAME": "the phase (default: the gold of the tracks themselves)"})


def _add_init(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "gold", nargs="*", metavar="[TRACK=]GOLD", help="a gold file for each track"
    )
    table = {
        "--schema": "print the JSON schema of task files instead",
        "-o --output FILE": "default: task.yaml",
    }
    add_options(parser, table, output={"default": "task.yaml"})


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "submission", metavar="SUBMISSION", help="a zip archive, a folder or a file"
    )
    add_task_file(parser)
    told = "default: table, a line for each finding and for each track"
    add_options(parser, {"--format table|json": told})


def _add_score(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "submission",
        metavar="SUBMISSION|DIR",
        help="a submission, or a folder of them, each named after its team; in a folder of a team "
        "each is one of its runs",
    )
    add_task_file(parser)
    told = (
        "which runs of a team to show: all, its best by the first metric of each track, or "
        "its last by name (default: all)"
    )
    add_options(parser, {"--per-team all|best|last": told})
    add_manifest(parser)
    parser.set_defaults(clusters=None)  # they stand in the file
    add_intervals(parser.add_argument_group("confidence intervals"), "CSV")
    add_output(parser.add_argument_group("output"), "table|csv|json|markdown|latex")


_COMMANDS = (
    Command("init", "write a task file by asking the gold", _add_init, _INIT),
    Command("check", "say what the server would say of a submission", _add_check, _CHECK),
    Command("score", "score submissions, by track", _add_score, _SCORE),
    Command("rank", "rank the teams, by track and overall", add_rank, RANKINGS),
    Command("selftest", "test the task itself", add_selftest, SELFTESTS),
    Command("bundle", "make what a platform needs to run the task", add_bundle, BUNDLES),
    Command("run", "score a submission as a platform calls it", add_run, RUNS),
    Command("board", "build the site of a task, with its leaderboards", add_board, BOARDS),
    Command("paper", "write the results table of an overview paper", add_paper, PAPERS),
)
