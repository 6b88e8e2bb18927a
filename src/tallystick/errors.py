"""The one tree of errors, and the notes on results, which are strings by their importance.

TallystickError
├── InputError   something is wrong with the data
└── UsageError   something is wrong with how the data was asked to be scored
"""

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from typing import ParamSpec, TypeVar

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


_P = ParamSpec("_P")
_R = TypeVar("_R")


def short_traceback(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Lets what a caller did wrong end at the call, without the frames below it."""

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        __tracebackhide__ = True
        try:
            return function(*args, **kwargs)
        except TallystickError as error:
            raise error.with_traceback(None) from None

    return call


class PositiveError(UsageError):
    """The positive label of a binary task is not one of its labels, or nothing shows it."""


class Read(str):
    """How the data was read; always shown, before all that is uncertain."""

    __slots__ = ()


class Reason(str):
    """Why a score is exactly 0, or means little; always shown, and first."""

    __slots__ = ()


class Danger(str):
    """A note on what makes a result wrong, or less certain than it looks."""

    __slots__ = ()


class Caution(str):
    """A note that an interval may be too optimistic, which programs know by its code."""

    __slots__ = ()


class Hint(str):
    """A note that readers may skip."""

    __slots__ = ()


_ORDER: dict[type[str], int] = {Reason: 0, Read: 1, Caution: 2, Danger: 2, str: 3, Hint: 4}
"""The most important class first; any other string is a fact."""
NOTES = {kind.__name__: kind for kind in _ORDER}
"""The classes by name."""


def sort_notes(notes: Iterable[str]) -> tuple[str, ...]:
    """Returns each note once by importance, those of one class in their order."""
    return tuple(sorted(dict.fromkeys(notes), key=lambda note: _ORDER[type(note)]))


def count_shown(notes: Sequence[str], most: int | None) -> int:
    """Returns how many of the sorted notes are shown: at most `most`, but all of the first two."""
    if most is None:
        return len(notes)
    return max(min(most, len(notes)), sum(isinstance(note, Read | Reason) for note in notes))


def lead_with(lead: str, note: str) -> str:
    """Returns a note with its subject before it, of the same importance."""
    return type(note)(f"{lead}: {note}")


def list_notes(notes: tuple[str, ...]) -> dict[str, object]:
    """Returns the notes, and the cautions among them with their code, as parts of JSON."""
    found = [
        {"code": "interval_too_narrow", "note": str(one)}
        for one in dict.fromkeys(notes)
        if isinstance(one, Caution)
    ]
    return {"notes": notes} | ({"cautions": found} if found else {})
