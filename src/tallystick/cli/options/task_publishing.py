"""The options of `tallystick task` before a task is announced and once it is over."""

import argparse

from tallystick.cli.options.figures import add_figures
from tallystick.cli.options.option_tables import add_options
from tallystick.cli.options.rank_options import add_details, add_overall
from tallystick.cli.options.shared_options import add_numbers, add_output, add_testing
from tallystick.cli.options.task_platforms import add_path

SELFTESTS = """\
examples:
  tallystick task selftest                                the task.yaml here, all tracks and phases
  tallystick task selftest --task competition/task.yaml -o selftest.json
"""

BOARDS = """\
examples:
  tallystick task board entries -o site                   leaderboards, and a page for each team
  tallystick task board entries -o site --per-team best --percent

Called again, it scores new and changed submissions only. Any web server, or none, serves the site.
"""

RANKINGS = """\
examples:
  tallystick task rank entries                            the last submission of each team
  tallystick task rank entries --phase test --overall mean -o ranking.tex
"""

PAPERS = """\
examples:
  tallystick task paper entries -o results.tex            the last submission of each team
  tallystick task paper entries --phase test --percent
"""


_OUTPUT = {"-o --output FILE": "write to this file instead of the terminal"}
_CHECKS = {
    "--format table|csv|json|markdown": "default: by the ending of --output, else table",
    **_OUTPUT,
}
_PHASE = {"--phase NAME": "the phase (default: the last one)"}
_MANIFEST = {
    "--manifest FILE": "a table with the columns file and team, and perhaps run, phase and "
    "submitted, which lists the submissions instead of the names in the folder",
}
_PER_TEAM = {
    "--per-team last|best": "which submission of a team counts in a track (default: the last by "
    "time)",
}


def add_selftest(parser: argparse.ArgumentParser) -> None:
    """Adds the task, and where the checks are written."""
    add_path(parser)
    add_options(parser, _CHECKS)
    parser.set_defaults(digits=(), percent=False, columns=(), verbose=True)


def add_rank(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick task rank`."""
    _add_folder(parser)
    add_options(parser, _PHASE)
    who = parser.add_argument_group("how systems are ranked")
    _add_ranking(who)
    add_overall(who, "tracks")
    parser.set_defaults(by=("track",), pred_dir=None)  # whose groups the task file tells
    output = parser.add_argument_group("output")
    add_output(output, "table|csv|json|markdown|latex|html")
    add_figures(output, "rank (default), or rank TRACK")
    add_details(output)


def add_paper(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick task paper`."""
    _add_folder(parser)
    add_options(parser, _PHASE)
    _add_ranking(parser.add_argument_group("how systems are ranked"))
    output = parser.add_argument_group("output")
    add_options(output, _OUTPUT)
    add_numbers(output)
    parser.set_defaults(columns=())


def add_board(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick task board`."""
    _add_folder(parser)
    _add_ranking(parser.add_argument_group("how systems are ranked"))
    output = parser.add_argument_group("output")
    add_options(output, {"-o --output SITE": "the folder of the site"}, output={"required": True})
    add_numbers(output)
    parser.set_defaults(columns=())


def add_manifest(parser: argparse.ArgumentParser) -> None:
    """Adds the list of submissions."""
    add_options(parser, _MANIFEST)


def _add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder",
        metavar="DIR",
        help="the submissions: files, archives or folders named after their teams, or a "
        "folder for each team with several",
    )
    add_manifest(parser)
    add_path(parser)


def _add_ranking(group: argparse._ArgumentGroup) -> None:
    add_options(group, _PER_TEAM, per_team={"default": "last"})
    add_testing(group, confidence="the confidence level of intervals and tests")
