"""The options of `tallystick plan`."""

import argparse

from tallystick.cli.options.option_tables import add_options
from tallystick.cli.options.shared_options import add_examples, add_output, add_resamples

_EXAMPLES = """\
examples:
  tallystick plan gold.csv a.csv b.csv -m macro_f1
  tallystick plan gold.csv a.csv b.csv -m f1 --sizes 500 1000 2000
  tallystick plan gold.txt a.txt b.txt -m accuracy --clusters documents.txt

power is how often `tallystick compare` would find the difference that a and b have here; the
minimum detectable difference is the one that it would find in 80% of all cases.
"""


def add_plan(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    parser.usage = "tallystick plan GOLD A B -m METRIC [options]"
    parser.epilog = _EXAMPLES
    add_examples(
        parser,
        metavar="GOLD A B",
        purpose="gold, then a file of each of two systems (FILE or NAME=FILE), or one table that "
        "holds all",
        what="what to compare by",
    )
    how = parser.add_argument_group("how")
    sizes = (
        "numbers of examples to plan with (default: from a quarter of those that there are to 16 "
        "times as many)"
    )
    add_options(how, {"--sizes N...": sizes})
    add_resamples(
        how,
        confidence="the confidence level of the test",
        resamples="how many bootstrap resamples at most (default: 4000; 1000 for standard errors)",
    )
    add_output(parser.add_argument_group("output"), "table|csv|json|markdown|latex|html")
