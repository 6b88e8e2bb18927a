"""The one tree of errors: whatever goes wrong is a `TallystickError`.

TallystickError
├── InputError   something is wrong with the data
└── UsageError   something is wrong with how the data was asked to be scored
"""

__all__ = ["InputError", "TallystickError", "UsageError"]


def say_count(number: int, what: str) -> str:
    """Returns a number of things in words: `1 line`, `2,000 lines`."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


class TallystickError(ValueError):
    """Any error that Tallystick raises on purpose; its text is one sentence for the user."""


class InputError(TallystickError):
    """The data is wrong: names the file, the row and the column, and what was expected."""


class UsageError(TallystickError):
    """The request is wrong: an unknown metric, an option that does not fit the task."""


class PositiveError(UsageError):
    """The positive label of a binary task is not one of its labels, or nothing tells it."""


class NoRoomError(InputError):
    """There is no room for temporary files."""
