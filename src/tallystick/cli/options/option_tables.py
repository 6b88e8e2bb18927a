"""Options as tables: what each is called on the left, as help shows it, and what it is for."""

import argparse
from collections.abc import Mapping
from typing import Any, TypeVar

_Parser = TypeVar("_Parser", bound=argparse.ArgumentParser)


def _grade(text: str) -> float:
    number = float(text)
    return int(number) if number.is_integer() else number


_TYPES = {"N": int, "K": int, "DIGITS": int, "GRADE": _grade, "P": float, "D": float, "X": float}
"""The type of values that are called so; any other value is text."""


def add_options(
    group: argparse._ActionsContainer, table: Mapping[str, str | None], **changes: Mapping[str, Any]
) -> None:
    """Adds the options of a table, in its order.

    A key has the names of an option and that of its value, such as `-o --output FILE`. `FILE...`
    takes several values, any number of times; `a|b` takes one of these in any case; an option
    without a value is a switch, and `--[no-]name` one that can be turned off as well.

    Args:
        group: A parser, or a group of its options.
        table: What each option is for.
        changes: What `add_argument` is told besides of some options, such as their defaults.
    """
    for key, purpose in table.items():
        names = [word for word in key.split() if word.startswith("-")]
        value = key.split()[len(names) :]
        told = _read_value(value[0]) if value else {"action": "store_true"}
        if names[0].startswith("--[no-]"):
            names = [names[0].replace("[no-]", "")]
            told = {"action": argparse.BooleanOptionalAction}
        first = next(name for name in names if name.startswith("--"))
        more = changes.get(first[2:].replace("-", "_"), {})
        group.add_argument(*names, help=purpose, **{**told, **more})


def _read_value(value: str) -> dict[str, Any]:
    if value.islower():
        return {"type": str.lower, "choices": tuple(value.split("|"))}
    name = value.removesuffix("...")
    several = {} if name == value else {"action": "extend", "nargs": "+", "default": []}
    return {"metavar": name, "type": _TYPES.get(name), **several}


def add_command(
    commands: "argparse._SubParsersAction[_Parser]", name: str, purpose: str, examples: str = ""
) -> _Parser:
    """Adds a command that does what its purpose says, whose options are to be added yet."""
    return commands.add_parser(
        name,
        help=purpose,
        description=purpose[0].upper() + purpose[1:] + ".",
        epilog=examples or None,
        allow_abbrev=False,
    )
