"""The options of `rank` and `gate` that no other command has."""

import argparse

__all__ = ["GATE", "RANK", "add_entrants", "add_limits"]

RANK = """\
examples:
  tallystick rank gold.csv a.csv b.csv c.csv -m macro_f1   three systems, joined by id
  tallystick rank gold.csv --submissions entries -m macro_f1 accuracy --baseline majority
                                                           a folder of one file per system
  tallystick rank all.csv --system-column team -m f1       gold and all systems in one table
  tallystick rank ref.txt a.txt b.txt -m bleu chrf         texts, one a line
  tallystick rank --config tracks.yaml -o ranking.tex      several tracks, for the paper
"""

GATE = """\
examples:
  tallystick gate new.csv --against old.csv gold.csv -m macro_f1 --max-drop 0.01
                            fails where macro F1 has dropped by more than 0.01
  tallystick gate new.csv --against old.csv gold.csv -m f1 --max-drop 0.02 --by language \\
      --floor 0.7 --junit gate.xml --summary auto

exit code 0 where every check passes, 1 where one fails or is inconclusive (unless
--allow-inconclusive), or where the data is wrong.
"""


def add_entrants(parser: argparse.ArgumentParser) -> None:
    """Adds who is ranked."""
    parser.add_argument(
        "files",
        nargs="*",
        metavar="GOLD [SYSTEM ...]",
        help="gold, then one file per system; files come before -m",
    )
    group = parser.add_argument_group("who is ranked")
    group.add_argument(
        "--submissions", metavar="DIR", help="a folder of one file per system, named as it is"
    )
    group.add_argument(
        "--system-column", metavar="NAME", help="one table holds gold and, by this column, systems"
    )
    group.add_argument(
        "--config", metavar="FILE", help="a YAML file with several tracks (see the guide)"
    )
    group.add_argument(
        "--baseline",
        action="extend",
        nargs="+",
        default=[],
        metavar="SYSTEM",
        help="is shown among the others, but has no rank",
    )
    group.add_argument(
        "--missing",
        choices=("exclude", "zero", "worst", "common"),
        help="a system that lacks a track, metric or group is left out, has 0 or the worst value "
        "there, or only what all systems have counts (default: exclude)",
    )


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Adds what a gate checks, and where its reports go."""
    parser.add_argument("new", metavar="NEW", help="the predictions that are put to the test")
    parser.add_argument("gold", metavar="GOLD", help="the gold, after the other options or NEW")
    group = parser.add_argument_group("the gate")
    group.add_argument(
        "--against", required=True, metavar="OLD", help="the predictions of the older system"
    )
    group.add_argument(
        "--max-drop",
        type=float,
        metavar="D",
        help="passes where, at --level, no score has dropped by more (a rise where lower is "
        "better)",
    )
    group.add_argument(
        "--floor",
        type=float,
        metavar="F",
        help="passes where, at --level, every score is at least this (at most where lower is "
        "better)",
    )
    group.add_argument(
        "--allow-inconclusive",
        action="store_true",
        help="let the system through where the examples do not decide",
    )
    group.add_argument("--junit", metavar="FILE", help="write JUnit XML there")
    group.add_argument(
        "--summary",
        metavar="FILE",
        help="append Markdown there; auto is the file that GITHUB_STEP_SUMMARY names",
    )
