"""The options of `tallystick compare`."""

import argparse

from tallystick.cli.options.figures import add_figures
from tallystick.cli.options.option_tables import add_options
from tallystick.cli.options.shared_options import add_examples, add_output, add_report, add_testing

_EXAMPLES = """\
examples:
  tallystick compare gold.csv old.csv a.csv b.csv -m f1
  tallystick compare gold.csv a.csv old.csv -m f1 --baseline old
  tallystick compare gold.csv a.csv b.csv -m f1 --all-pairs
  tallystick compare gold.txt a.txt b.txt -m accuracy --test mcnemar-midp
  tallystick compare gold.csv a.csv b.csv -m f1 --by lang --clusters author
  tallystick compare all.jsonl --systems gpt llama -m accuracy       a column for each system
  tallystick compare old.eval new.eval                               two logs, on common samples
  tallystick compare ref.txt a.txt b.txt -m bleu chrf --flips flips.csv
                                                                     and where they differ
  tallystick compare gold.csv old.csv a.csv b.csv -m f1 -o forest.pdf
                                                                     a figure for a paper
"""


_PAIRS = {
    "--baseline SYSTEM": "the system that all others are compared with (default: the first)",
    "--all-pairs": "compare every two systems with each other",
}
_EQUIVALENCE = {
    "--equivalent-within D": "also test whether systems are equivalent, that is, differ by at "
    "most D (two one-sided tests)",
}
_OUTPUT = {
    "--details": "one row for each difference, with its interval and p-value, in each group too",
    "--flips FILE": "write the examples on which systems differ to this file, with gold, both "
    "outputs, and the input text where the gold has one (.csv or .json)",
    "--text-column NAME": "the input text of each example for --flips (text, input, source, "
    "question, ...)",
}


def add_compare(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    parser.usage = "tallystick compare GOLD A B ... [options]"
    parser.epilog = _EXAMPLES
    add_examples(
        parser,
        metavar="GOLD A B ...",
        purpose="gold, then one file per system (FILE or NAME=FILE), or one table that holds all",
        what="what to compare by",
    )
    how = parser.add_argument_group("how")
    add_options(how.add_mutually_exclusive_group(), _PAIRS)
    add_options(how, _EQUIVALENCE)
    add_testing(how, confidence="the confidence level of intervals")
    output = parser.add_argument_group("output")
    add_output(output, "table|csv|json|markdown|latex|html")
    add_report(output)
    add_figures(output, "compare (default), or groups")
    add_options(output, _OUTPUT)
