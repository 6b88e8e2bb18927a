"""The options of intervals, and what they ask for."""

import argparse

from tallystick.errors import UsageError
from tallystick.intervals.settings import Intervals

__all__ = ["add_intervals", "read_intervals"]


def add_intervals(group: argparse._ArgumentGroup) -> None:
    """Adds the options to a group of a command's parser."""
    usual = Intervals()
    group.add_argument(
        "--intervals",
        action=argparse.BooleanOptionalAction,
        help="in tables and JSON they stand anyway; this puts them into CSV and lines too",
    )
    group.add_argument(
        "--level",
        type=float,
        metavar="P",
        help=f"the share of samples whose interval holds the true value (default: {usual.level})",
    )
    group.add_argument(
        "--draws", type=int, metavar="N", help=f"replicates (default: {usual.draws})"
    )
    group.add_argument(
        "--seed", type=int, metavar="N", help=f"where the draws begin (default: {usual.seed})"
    )
    group.add_argument(
        "--clusters",
        metavar="COLUMN",
        help="examples that hang together, such as a document, are drawn together; "
        "a file of names where the examples are lines of text",
    )


def read_intervals(options: argparse.Namespace) -> Intervals | bool:
    """The intervals that parsed options ask for; False where they are left out or not shown."""
    named = {
        name: getattr(options, name)
        for name in ("level", "draws", "seed")
        if getattr(options, name) is not None
    }
    unseen = options.intervals is None and options.format in ("csv", "lines")
    if options.intervals is not False and not unseen:
        return Intervals(**named)
    if named or options.clusters:
        name = next(iter(named), "clusters")
        raise UsageError(f"--{name} goes with intervals, so leave out --no-intervals")
    return False
