"""The one tree of errors: whatever goes wrong is a `TallystickError`.

TallystickError
├── InputError   something is wrong with the data
└── UsageError   something is wrong with how the data was asked to be scored
"""

import re

__all__ = ["InputError", "TallystickError", "UsageError"]


def say_count(number: int, what: str) -> str:
    """Returns a number of things in words: `1 line`, `2,000 lines`."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


_LONG = re.compile(r"([^\s/]{60})[^\s/]{200,}?(\W{0,2})(?=[\s/]|$)")
_QUOTED = re.compile(r"""(?<![^\s(\[])(?P<quote>['"])(.{60}).{200,}?(?P=quote)(?!\w)""", re.DOTALL)
_MOST = 4_000


class TallystickError(ValueError):
    """Any error that Tallystick raises on purpose; its text is one sentence for the user.

    Cells and names of more than about 260 characters are cut.
    """

    def __init__(self, text: str = "") -> None:
        """Keeps the text with long words and long quotations cut."""
        text = _QUOTED.sub(r"\1\2…\1", _LONG.sub(r"\1…\2", text))
        super().__init__(text if len(text) < _MOST else f"{text[: _MOST // 2]} … {text[-500:]}")


class InputError(TallystickError):
    """The data is wrong: names the file, the row and the column, and what was expected."""


class MissingValueError(InputError):
    """A value is missing where one is needed: null, blank, or NaN for a number."""


class UsageError(TallystickError):
    """The request is wrong: an unknown metric, an option that does not fit the task."""


class PositiveError(UsageError):
    """The positive label of a binary task is not one of its labels, or nothing tells it."""
