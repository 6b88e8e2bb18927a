"""The options of `tallystick plan`."""

import argparse

from tallystick.cli.options.shared_options import (
    COLUMNS,
    add_columns,
    add_inputs,
    add_output,
    add_resamples,
    add_run,
    add_what,
)

_EXAMPLES = """\
examples:
  tallystick plan gold.csv a.csv b.csv -m macro_f1           a quarter to 16 times the examples
  tallystick plan gold.csv a.csv b.csv -m f1 --sizes 500 1000 2000
  tallystick plan gold.txt a.txt b.txt -m accuracy --clusters documents.txt

power is how often `tallystick compare` would find the difference that a and b have here; the
minimum detectable difference is the one that it would find in 80% of all cases.
"""


def add_plan(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    parser.usage = "tallystick plan GOLD A B -m METRIC [options]"
    parser.epilog = _EXAMPLES
    add_inputs(
        parser,
        metavar="GOLD A B",
        purpose="gold, then a file of each of two systems (FILE or NAME=FILE), or one table that "
        "holds all",
    )
    add_what(parser.add_argument_group("what to compare by"))
    add_columns(parser.add_argument_group(COLUMNS))
    add_run(parser.add_argument_group("runs of one prediction file per language"))
    how = parser.add_argument_group("how")
    how.add_argument(
        "--sizes",
        action="extend",
        nargs="+",
        type=int,
        default=[],
        metavar="N",
        help="numbers of examples to plan with (default: from a quarter of those that there are "
        "to 16 times as many)",
    )
    add_resamples(
        how,
        confidence="the confidence level of the test",
        resamples="how many bootstrap resamples at most (default: 4000; 1000 for standard errors)",
    )
    add_output(
        parser.add_argument_group("output"),
        ("table", "csv", "json", "markdown", "latex", "html"),
    )
