"""`tallystick completion`: a script that lets a shell complete commands, options and metrics."""

import argparse
from collections.abc import Iterator

import shtab

from tallystick.cli.parser import build_parser
from tallystick.kinds.metrics.table import TABLE

_AVERAGES, _OF = ("macro", "micro", "weighted"), ("precision", "recall", "f1")
_METRICS = [*TABLE, *(f"{average}_{of}" for average in _AVERAGES for of in _OF)]
_FILES = ("FILE", "OLD", "SYSTEM")
"""What stands in help texts for the path of a file."""

_REGISTRATIONS = (
    "-F _shtab_tallystick tallystick",  # bash
    "#compdef tallystick",  # zsh, from a file
    "-N tallystick",  # zsh, in eval
)
_FISH = "complete -c tally -w tallystick\n"


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick completion` with parsed options."""
    parser = build_parser()
    for action in _list_actions(parser):
        _describe(action)
    script = shtab.complete(parser, shell=options.shell).rstrip() + "\n"
    for registration in _REGISTRATIONS:
        script = script.replace(registration, f"{registration} tally")
    print(script + (_FISH if options.shell == "fish" else ""), end="")


def _list_actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _list_actions(command)
        else:
            yield action


def _describe(action: argparse.Action) -> None:
    """Tells shtab what the values of an option are: metrics, folders or files."""
    if action.choices is not None or action.nargs == 0:
        return
    if action.dest in ("metrics", "metric", "name"):
        action.choices = _METRICS
    elif action.metavar == "DIR" and action.dest != "submissions":
        action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    elif action.metavar in _FILES or action.dest == "submissions" or not action.option_strings:
        action.complete = shtab.FILE  # type: ignore[attr-defined]
