"""The options of `tallystick task` before a task is announced and once it is over."""

import argparse

from tallystick.cli.options.figures import add_figures
from tallystick.cli.options.rank_options import add_details, add_overall
from tallystick.cli.options.shared_options import add_output, add_testing

SELFTESTS = """\
examples:
  tallystick task selftest                                the task.yaml here, all tracks and phases
  tallystick task selftest competition/task.yaml -o selftest.json
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


def add_selftest(parser: argparse.ArgumentParser) -> None:
    """Adds the task, and where the checks are written."""
    parser.add_argument(
        "task", nargs="?", default="task.yaml", metavar="TASK", help="default: task.yaml"
    )
    parser.add_argument(
        "--format",
        type=str.lower,
        choices=("table", "csv", "json", "markdown"),
        help="default: by the ending of --output, else table",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write to this file instead of the terminal"
    )
    parser.set_defaults(digits=None, decimals=(), percent=False, columns=(), verbose=True)


def add_rank(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick task rank`."""
    _add_folder(parser)
    _add_phase(parser)
    who = parser.add_argument_group("how systems are ranked")
    _add_ranking(who)
    add_overall(who, "tracks")
    parser.set_defaults(by=("track",), pred_dir=None)  # whose groups the task file tells
    output = parser.add_argument_group("output")
    add_output(output, ("table", "csv", "json", "markdown", "latex", "html"))
    add_figures(output, "rank (default), or rank TRACK")
    add_details(output)


def _add_phase(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--phase", metavar="NAME", help="the phase (default: the last one)")


def add_paper(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick task paper`."""
    _add_folder(parser)
    _add_phase(parser)
    _add_ranking(parser.add_argument_group("how systems are ranked"))
    output = parser.add_argument_group("output")
    output.add_argument(
        "-o", "--output", metavar="FILE", help="write to this file instead of the terminal"
    )
    _add_numbers(output)


def add_board(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick task board`."""
    _add_folder(parser)
    _add_ranking(parser.add_argument_group("how systems are ranked"))
    output = parser.add_argument_group("output")
    output.add_argument(
        "-o", "--output", required=True, metavar="SITE", help="the folder of the site"
    )
    _add_numbers(output)


def add_manifest(parser: argparse.ArgumentParser) -> None:
    """Adds the list of submissions."""
    parser.add_argument(
        "--manifest",
        metavar="FILE",
        help="a table with the columns file and team, and perhaps run, phase and submitted, which "
        "tells the submissions instead of the names in the folder",
    )


def _add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder",
        metavar="DIR",
        help="the submissions: files, archives or folders that are called as their teams, or "
        "folders of teams with several",
    )
    add_manifest(parser)
    parser.add_argument(
        "--task", default="task.yaml", metavar="FILE", help="the task file (default: task.yaml)"
    )


def _add_ranking(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--per-team",
        type=str.lower,
        choices=("last", "best"),
        default="last",
        help="which submission of a team counts in a track (default: the last by time)",
    )
    add_testing(group, confidence="the confidence level of intervals and tests")


def _add_numbers(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--digits",
        type=int,
        metavar="N",
        help="decimals in tables (default: 4; 2 of scores in percent)",
    )
    group.add_argument(
        "--percent",
        action="store_true",
        help="multiply fractions, such as accuracy and F1, by 100",
    )
    group.set_defaults(decimals=(), columns=())
