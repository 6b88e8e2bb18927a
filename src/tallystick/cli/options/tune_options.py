"""The options of `tallystick tune`."""

import argparse

from tallystick.cli.options.option_tables import add_options
from tallystick.cli.options.shared_options import read_metric

_EXAMPLES = """\
examples:
  tallystick tune val.csv                                        the threshold of the best F1
  tallystick tune val.csv --apply test.csv --output pred.csv     predicts test.csv with it
  tallystick tune val.csv -m mcc --by lang --apply test.csv --output pred.csv
                                                                 one threshold for each language
  tallystick tune val.csv --cross-fit 5 --output pred.csv        predicts val.csv by cross-fitting
"""


_OPTIONS = {
    "-m --metric METRIC": "the metric to optimise: any metric of labels (default: f1)",
    "--by COLUMN...": "a threshold per value of these columns",
    "--grid seed": "try 0.1, 0.11, ... 0.9 and take the first that is best, as the toxicity "
    "project's baselines do (default: all probabilities that occur)",
    "--positive LABEL": "the positive label",
    "--cross-fit K": "estimate the metric on rows that the threshold was not tuned on: the rows "
    "are split into K folds, within each group and gold label at random with a fixed random seed, "
    "and each fold is predicted with the threshold of the others",
    "--apply FILE": "the table to predict; it needs no gold",
    "-o --output FILE": "a CSV file for its columns, y_pred, best_threshold",
    "--gold-column NAME": "the gold in each table",
    "--probability-column NAME": "the probability in each table",
    "--input-format csv|tsv|jsonl|parquet": "the format of the tables, where their endings do "
    "not show it",
}


def add_tune(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    parser.usage = "tallystick tune FILE [options]"
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a table with gold labels and probabilities, or saved tallies of them",
    )
    add_options(
        parser,
        _OPTIONS,
        metric={"type": read_metric, "default": "f1"},
    )
