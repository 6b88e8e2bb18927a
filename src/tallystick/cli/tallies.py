"""Saved tallies as inputs: what `tallystick count` wrote stands for the files that it counted."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tallystick.errors import UsageError
from tallystick.io.progress import Progress
from tallystick.scoring.counted import Counted

if TYPE_CHECKING:
    from tallystick.metrics.metric import Metric

__all__ = ["add_tallies", "are_tallies"]

_ENDING = ".tally"
_SETTLED = (
    "by",
    "task",
    "labels",
    "positive",
    "threshold",
    "fold_case",
    "clusters",
    "gold_column",
    "predicted_column",
    "probability_column",
    "id_column",
    "weight_column",
    "count_column",
    "delimiter",
    "input_format",
    "system_column",
    "submissions",
    "pred_dir",
    "ref",
    "blank_is_missing",
)
"""Options that say how examples are read, which is done."""
_OF_EXAMPLES = ("segments", "flips")
"""Options that need the examples themselves."""


def are_tallies(files: Sequence[str]) -> bool:
    """Returns whether files are saved tallies, by their ending.

    Raises:
        UsageError: Some are and some are not.
    """
    saved = [path for path in files if path.lower().endswith(_ENDING)]
    if saved and len(saved) < len(files):
        other = next(path for path in files if path not in saved)
        raise UsageError(
            f"{saved[0]} holds counts and {other} does not; count that too, or name files alone"
        )
    return bool(saved)


def add_tallies(
    options: argparse.Namespace, *, against: str | None, watch: Progress | None
) -> Counted:
    """Adds the saved tallies that the options name.

    Args:
        options: Parsed options.
        against: A further system, which comes last.
        watch: What counts the bytes as they are read.
    """
    # Imported here because most commands read no saved tallies.
    from tallystick.comparison.comparable import keep_systems
    from tallystick.scoring.adding import name_anew
    from tallystick.scoring.saved import load_counted

    _refuse(options, _SETTLED, "goes with `tallystick count`: a saved tally has been counted")
    _refuse(options, _OF_EXAMPLES, "needs the examples, which a saved tally does not hold")
    counted = load_counted(options.files, watch=watch)
    named: Sequence[Metric | str] | None = options.metrics
    counted = name_anew(counted, named)
    names = [*(options.systems or counted.systems)]
    names = [*(name for name in names if name != against), *([against] if against else [])]
    unknown = next((name for name in names if name not in counted.systems), None)
    if unknown is not None:
        known = ", ".join(counted.systems)
        raise UsageError(f"there is no system {unknown!r} in these tallies, only {known}")
    return keep_systems(counted, names)


def _refuse(options: argparse.Namespace, names: Sequence[str], reason: str) -> None:
    """Raises a UsageError where one of these options was given."""
    for name in names:
        if getattr(options, name, None) not in (None, False, (), []):
            raise UsageError(f"--{name.replace('_', '-')} {reason}")
