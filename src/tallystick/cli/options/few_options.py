"""The options of the commands that have few: tune, metrics, view, demo and completion."""

import argparse

from tallystick.cli.options.option_tables import add_options
from tallystick.cli.options.shared_options import add_figures, read_metric
from tallystick.io.tables.formats import OPTIONS

_TUNE = """\
examples:
  tallystick tune val.csv                                        the threshold of the best F1
  tallystick tune val.csv --apply test.csv --output pred.csv     predicts test.csv with it
  tallystick tune val.csv -m mcc --by lang --apply test.csv --output pred.csv
                                                                 one threshold for each language
  tallystick tune val.csv --cross-fit 5 --output pred.csv        predicts val.csv by cross-fitting
"""

_METRICS = """\
examples:
  tallystick metrics        one line for each metric
  tallystick metrics f1     formula, range, options and source of one
"""

_VIEW = """\
examples:
  tallystick rank gold.csv a.csv b.csv -m macro_f1 -o ranking.json
  tallystick view ranking.json                       the report of it, without the data
  tallystick view results                            one page for each saved result of a folder
  tallystick view scores.json -o roc.pdf --figure roc
                                                     a figure of it
"""

_DEMO = """\
example:
  tallystick demo
"""

_COMPLETION = """\
examples:
  eval "$(tallystick completion bash)"                in ~/.bashrc
  eval "$(tallystick completion zsh)"                 in ~/.zshrc, after compinit
  tallystick completion fish > ~/.config/fish/completions/tallystick.fish

It completes both names of the command, tallystick and tally.
"""


_TUNING = {
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
    f"--input-format {OPTIONS}": "the format of the tables, where their endings do not show it",
}


def add_tune(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick tune`."""
    parser.usage = "tallystick tune FILE [options]"
    parser.epilog = _TUNE
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a table with gold labels and probabilities, or saved tallies of them",
    )
    add_options(parser, _TUNING, metric={"type": read_metric, "default": "f1"})


def add_metrics(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick metrics`."""
    parser.epilog = _METRICS
    parser.add_argument("name", metavar="METRIC", nargs="?", help="a metric, such as f1")


def add_view(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick view`."""
    parser.epilog = _VIEW
    parser.add_argument(
        "path",
        metavar="RESULT.json|DIR",
        help="what -o result.json wrote, or a folder of such files",
    )
    output = "write the page here (.html), or a figure (.svg, .pdf, .png), and open no browser"
    add_options(parser, {"-o --output FILE": output})
    add_figures(parser, "any that the result has")


def add_demo(parser: argparse.ArgumentParser) -> None:
    """Says what `tallystick demo` does, which has no options."""
    parser.epilog = _DEMO


def add_completion(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tallystick completion`."""
    parser.epilog = _COMPLETION
    parser.add_argument(
        "shell", type=str.lower, choices=("bash", "zsh", "fish"), help="which shell"
    )
