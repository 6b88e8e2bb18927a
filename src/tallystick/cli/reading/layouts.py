"""What the options say of files, columns, labels, kinds and metrics, as all readers take it."""

import argparse
import os

from tallystick.cli.arguments import NAMED, OTHERS
from tallystick.cli.reading.saved_inputs import are_reports, are_tallies
from tallystick.errors import InputError, UsageError
from tallystick.io.names import split_name
from tallystick.io.tables.formats import ROWS
from tallystick.io.tables.table import iterate_tables
from tallystick.kinds.metrics.requirements import find_kinds, find_numbers, needs_gold
from tallystick.model.columns import BOTH, NUMERIC
from tallystick.model.sides import Side, find_output
from tallystick.reading.input_plan import Files, Layout, Source, read_columns

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


def check_files(options: argparse.Namespace) -> None:
    """Raises a UsageError where no files are named, or two are standard input."""
    if not options.files:
        hint = "; files come before -m" if options.metrics else ", or a folder with --pred-dir"
        raise UsageError(f"name a gold file and the systems' files{hint}")
    files = options.files[1:] if options.own_gold else options.files
    if [*files, *list_against(options)].count("-") > 1:
        raise UsageError("only one file can be read from standard input")


def place_gold(options: argparse.Namespace) -> None:
    """Puts the gold before the systems: `--gold`, or the first system where no metric needs gold.

    Raises:
        InputError: No metric needs gold, and the first file has no column for them.
        UsageError: `--gold` was given with systems that have no gold file.
    """
    gold, counted = options.gold, are_tallies(options.files) or are_reports(options.files)
    if gold is not None:
        kinds = find_kinds(options.metrics) or ()
        if counted or options.pred_dir or any(kind.repeated or kind.in_rows for kind in kinds):
            raise UsageError("--gold goes with files of outputs, which these metrics or files lack")
        options.files, options.gold, options.own_gold = [gold, *options.files], None, False
    elif options.own_gold is None and not needs_gold(options.metrics):
        if not options.files and options.submissions:
            from tallystick.io.submissions import find_submissions

            options.files = [*find_submissions(options.submissions).found.values()][:1]
        one = (options.systems, options.system_column, options.submissions, options.annotators)
        several = len([*options.files, *list_against(options)]) > 1
        options.own_gold = several and not (any(one) or counted or options.logs)
        if options.own_gold:
            first = split_name(options.files[0])[1]
            options.own_gold = _is_system(first, options)
            options.files = [first, *options.files] if options.own_gold else options.files


def _is_system(path: str, options: argparse.Namespace) -> bool:
    """Whether the first of several files has numbers of a system; without columns it is gold.

    Raises:
        InputError: It lacks a column that a metric names.
    """
    layout = fill_layout(options)
    side = Side(next(iterate_tables(path, format=layout.get("input_format"), rows=1)))
    usual = (NUMERIC, BOTH if len(side.names) > 1 else ())
    columns = read_columns(Source(path, Files()), layout)
    needed = (column for one in find_numbers(options.metrics) for column in one.columns)
    for column in dict.fromkeys(needed):
        try:
            side.table.column(find_output(side, side, columns, column, usual))
        except InputError as error:
            if column is None:
                return False
            raise InputError(f"{error}; if {path} is the gold, pass --gold {path}") from None
    return True


def list_against(options: argparse.Namespace) -> list[str]:
    """The system that the others are held against, which only a gate may have."""
    against = getattr(options, "against", None)
    return [] if against is None else [against]


def list_paths(options: argparse.Namespace) -> list[str]:
    """All files that the options name, by which the size of the work is known."""
    paths = [split_name(argument)[1] for argument in options.files]
    for folder in (options.pred_dir, options.submissions):
        if folder and os.path.isdir(folder):
            paths += [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    return paths
