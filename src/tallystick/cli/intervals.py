"""The options of draws and intervals, and what they ask for."""

import argparse
from typing import Any

from tallystick.errors import UsageError
from tallystick.intervals.settings import Intervals

__all__ = ["add_draws", "add_intervals", "read_draws", "read_intervals"]


def add_intervals(group: argparse._ArgumentGroup) -> None:
    """Adds the options of a command whose intervals may be left out."""
    group.add_argument(
        "--intervals",
        action=argparse.BooleanOptionalAction,
        help="in tables and JSON they stand anyway; this puts them into CSV and lines too",
    )
    meaning = "the share of samples whose interval holds the true value"
    add_draws(group, level=meaning, draws=f"replicates (default: {Intervals().draws})")


def add_draws(group: argparse._ArgumentGroup, *, level: str, draws: str) -> None:
    """Adds the options of every command that draws; `level` and `draws` say what they mean."""
    usual = Intervals()
    group.add_argument("--level", type=float, metavar="P", help=f"{level} (default: {usual.level})")
    group.add_argument("--draws", type=int, metavar="N", help=draws)
    group.add_argument(
        "--seed", type=int, metavar="N", help=f"where the draws begin (default: {usual.seed})"
    )
    group.add_argument(
        "--clusters",
        metavar="COLUMN",
        help="examples that hang together, such as a document, are drawn together; "
        "a file of names where the examples are lines of text",
    )


def read_draws(options: argparse.Namespace) -> dict[str, Any]:
    """The level, the number of draws and the seed, as far as they were given."""
    names = ("level", "draws", "seed")
    return {name: getattr(options, name) for name in names if getattr(options, name) is not None}


def read_intervals(options: argparse.Namespace) -> Intervals | bool:
    """The intervals that parsed options ask for; False where they are left out or not shown."""
    named = read_draws(options)
    unseen = options.intervals is None and options.format in ("csv", "lines")
    if options.intervals is not False and not unseen:
        return Intervals(**named)
    if named or options.clusters:
        name = next(iter(named), "clusters")
        raise UsageError(f"--{name} goes with intervals, so leave out --no-intervals")
    return False
