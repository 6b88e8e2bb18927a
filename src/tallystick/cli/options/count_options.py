"""The options of `tallystick count`."""

import argparse

from tallystick.cli.options.option_tables import add_options
from tallystick.cli.options.shared_options import add_examples

_EXAMPLES = """\
examples:
  tallystick count gold-1.csv a-1.csv -m macro_f1 --by lang -o part-1.tally
  tallystick count gold-2.csv a-2.csv -m macro_f1 --by lang -o part-2.tally
  tallystick score part-1.tally part-2.tally   as of all files at once
  tallystick count all.parquet -m f1 --workers 8 -o all.tally --resume
                                                 on 8 processes; goes on where a run has ended

score, compare, rank, plan and gate read such files in the place of gold and systems, and compute
any metric that reads what was counted. Name the labels with --labels where a part may lack one.
"""


_OUTPUT = {
    "-o --output FILE.tally": "where the counts go",
    "--resume": "count in parts, keep finished ones in FILE.tally.parts until all are, and skip "
    "those that an earlier run has finished of the same files with the same options",
    "--min-cell N": "write nothing where a count is of fewer than N examples, so that no "
    "example can be inferred",
}


def add_count(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    parser.usage = "tallystick count GOLD [SYSTEM ...] -o FILE.tally [options]"
    parser.epilog = _EXAMPLES
    add_examples(
        parser,
        metavar="GOLD [SYSTEM ...]",
        purpose="gold, then one file per system (FILE or NAME=FILE), or one table that holds all",
        what="what to count for",
    )
    add_options(parser.add_argument_group("output"), _OUTPUT, output={"required": True})
