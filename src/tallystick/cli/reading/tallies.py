"""Saved tallies as inputs: what `tallystick count` wrote stands for the files that it counted."""

import argparse
from collections.abc import Sequence

from tallystick.cli.options.shared_options import READING, refuse
from tallystick.errors import UsageError
from tallystick.io.files.datasets import find_pieces
from tallystick.io.files.progress import Progress
from tallystick.io.files.stores import cut_options
from tallystick.scoring.counted import Counted
from tallystick.tallies.metric import Metric

_ENDING = ".tally"
_OF_EXAMPLES = ("segments", "flips")
"""Options that need the examples themselves."""


def are_tallies(files: Sequence[str]) -> bool:
    """Returns whether files are saved tallies, by their ending."""
    saved = [path for path in files if cut_options(path).lower().endswith(_ENDING)]
    if saved and len(saved) < len(files):
        other = next(path for path in files if path not in saved)
        raise UsageError(
            f"{saved[0]} holds counts and {other} does not; count that too, or name files alone"
        )
    return bool(saved)


def add_tallies(options: argparse.Namespace, *, watch: Progress | None) -> Counted:
    """Adds the saved tallies that the options name, for the metrics that they name."""
    # Imported here because most commands read no saved tallies.
    from tallystick.scoring.choosing import name_anew
    from tallystick.scoring.saved import load_counted

    refuse(options, READING, "goes with `tallystick count`: a saved tally has been counted")
    refuse(options, _OF_EXAMPLES, "needs the examples, which a saved tally does not hold")
    named: Sequence[Metric | str] | None = options.metrics
    paths = [piece.path for path in options.files for piece in find_pieces(path)]
    return name_anew(load_counted(paths, watch=watch), named)
