"""The parser of the command line; of the options, only those of the command that is named load."""

import argparse
import importlib
from collections.abc import Callable
from typing import NamedTuple

from tallystick import __version__
from tallystick.cli.options.workers import open_engine

_EPILOG = """\
example:
  tallystick score gold.csv predictions.csv

`tallystick COMMAND --help` explains a command and shows examples.

exit codes: 0 good; 1 a gate that failed; 2 a wrong call; 3 a gate that is inconclusive;
4 bad data.
"""


class _Command(NamedTuple):
    """What the list of commands says of one, and the module with its options."""

    name: str
    purpose: str
    options: str


_COMMANDS = (
    _Command("score", "score predictions against gold", "score_options"),
    _Command("tune", "tune the threshold of probabilities", "tune_options"),
    _Command("compare", "test whether systems differ significantly", "compare_options"),
    _Command("rank", "rank systems, and say who is significantly better", "rank_options"),
    _Command("gate", "check that a system is no worse than an older one", "gate_options"),
    _Command("plan", "estimate how many examples a comparison needs", "plan_options"),
    _Command("count", "count examples, to add and score them later", "count_options"),
    _Command("metrics", "list the metrics, or explain one", "few_options"),
    _Command("baseline", "make predictions to beat", "baseline_options"),
    _Command("sacrebleu", "score texts as sacreBLEU's own command does", "sacrebleu_options"),
    _Command("task", "run a shared task from one file", "task_options"),
    _Command("view", "open a saved result as a page in a browser", "few_options"),
    _Command("demo", "score the example data that comes with the package", "few_options"),
    _Command("completion", "print a script that completes commands in a shell", "few_options"),
)


def build_parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser of the command line; parsed options carry the command in `run`.

    Args:
        only: The one command whose options are needed; None where those of all are.
    """
    parser = argparse.ArgumentParser(
        prog="tallystick",
        description="Scores the predictions of NLP systems against gold.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"tallystick {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in _COMMANDS:
        own = commands.add_parser(
            command.name,
            help=command.purpose,
            description=command.purpose[0].upper() + command.purpose[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        own.set_defaults(run=_load(command.name))
        if only in (None, command.name):
            module = importlib.import_module(f"tallystick.cli.options.{command.options}")
            getattr(module, f"add_{command.name}")(own)
    return parser


def _load(name: str) -> Callable[[argparse.Namespace], int | None]:
    """The command's own module, imported when the command runs; it may return an exit code."""

    def run(options: argparse.Namespace) -> int | None:
        with open_engine(options):
            code: int | None = importlib.import_module(f"tallystick.cli.{name}").run(options)
        return code

    return run
