"""The options of `tallystick tune`."""

import argparse

from tallystick.cli.options.shared_options import read_metric

_EXAMPLES = """\
examples:
  tallystick tune val.csv                                        the threshold of the best F1
  tallystick tune val.csv --apply test.csv --output pred.csv     predicts test.csv with it
  tallystick tune val.csv -m mcc --by lang --apply test.csv --output pred.csv
                                                                 one threshold for each language
  tallystick tune val.csv --cross-fit 5 --output pred.csv        predicts val.csv by cross-fitting
"""


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
    parser.add_argument(
        "-m",
        "--metric",
        type=read_metric,
        default="f1",
        help="the metric to optimise: any metric of labels (default: f1)",
    )
    parser.add_argument(
        "--by",
        action="extend",
        nargs="+",
        default=[],
        metavar="COLUMN",
        help="a threshold per value of these columns",
    )
    parser.add_argument(
        "--grid",
        type=str.lower,
        choices=("seed",),
        help="try 0.1, 0.11, ... 0.9 and take the first that is best, as the toxicity project's "
        "baselines do (default: all probabilities that occur)",
    )
    parser.add_argument("--positive", metavar="LABEL", help="the positive label")
    parser.add_argument(
        "--cross-fit",
        type=int,
        metavar="K",
        help="estimate the metric on rows that the threshold was not tuned on: the rows are split "
        "into K folds, within each group and gold label at random with a fixed random seed, and "
        "each fold is predicted with the threshold of the others",
    )
    parser.add_argument("--apply", metavar="FILE", help="the table to predict; it needs no gold")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="a CSV file for its columns, y_pred, best_threshold"
    )
    for name in ("gold", "probability"):
        parser.add_argument(f"--{name}-column", metavar="NAME", help=f"the {name} in each table")
    parser.add_argument(
        "--input-format",
        type=str.lower,
        choices=("csv", "tsv", "jsonl", "parquet"),
        help="what the tables are, where their endings do not tell",
    )
