"""The options of the commands that have few: metrics, view, demo and completion."""

import argparse

from tallystick.cli.options.figures import add_figures
from tallystick.cli.options.option_tables import add_options

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
