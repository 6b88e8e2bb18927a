"""What the options say of columns, labels, kinds and metrics, as all readers take it."""

import argparse

from tallystick.cli.arguments import NAMED, OTHERS
from tallystick.errors import UsageError
from tallystick.io.tables.formats import ROWS
from tallystick.reading.input_plan import Layout

OF_ENGINES = ("workers", "scheduler")
"""Options of who counts."""
_SAME = (
    *("by", "clusters", "delimiter", "fold_case", "invalid", "where", "language"),
    *("language_column", "round_scores", "scheme", "majority", "label_probability", "annotators"),
    *("corrected_by", "tag_names", "systems", "system_column", "task", "kind", "labels"),
    *("positive", "threshold", "blank_is_missing"),
)
"""What options and layouts call alike."""


def fill_layout(options: argparse.Namespace) -> Layout:
    """How the files are laid out, as the options say."""
    if options.round_scores is not None:
        from tallystick.kinds.probabilities.score_counter import check_digits

        check_digits(options.round_scores)
    if options.where is not None:
        from tallystick.model.where import Condition

        Condition(options.where)
    if options.rows is not None and options.input_format not in (None, "jsonl"):
        raise UsageError("--rows names a list of a JSON object, and goes with no other format")
    found = {name: getattr(options, f"{name}_column") for name in NAMED}
    found |= {name: getattr(options, name) for name in _SAME}
    found |= {name: getattr(options, own, None) for name, own in OTHERS.items()}
    found["input_format"] = options.input_format if options.rows is None else ROWS + options.rows
    return {  # type: ignore[return-value]
        name: own for name, own in found.items() if own not in (None, [], ())
    }
