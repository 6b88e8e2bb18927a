"""The one tree of errors, and the notes on results, which are strings by their importance.

TallystickError
├── InputError   something is wrong with the data
└── UsageError   something is wrong with how the data was asked to be scored
"""

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
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


class NestedValueError(InputError):
    """An object or a list is where only single values, or lists of them, can be read."""


class UsageError(TallystickError):
    """The request is wrong: an unknown metric, an option that does not fit the task."""


class KeywordError(TypeError):
    """A keyword argument does not exist."""


_SYNONYMS = {
    **dict.fromkeys(("group_by", "groupby", "groups", "group"), "by"),
    **dict.fromkeys(("metric", "scores"), "metrics"),
    "against": "old",
    **dict.fromkeys(("weight", "sample_weight", "sample_weights"), "weights"),
    **dict.fromkeys(("y_true", "truth", "labels_true", "reference", "target"), "gold"),
    **dict.fromkeys(("y_pred", "hypothesis", "prediction"), "predicted"),
    **dict.fromkeys(("hypotheses", "predictions", "preds"), "outputs"),
    **dict.fromkeys(("y_prob", "y_score", "probabilities", "scores_column"), "probability"),
    **dict.fromkeys(("pos_label", "positive_label"), "positive"),
    **dict.fromkeys(("lang", "language_pair"), "language"),
    **dict.fromkeys(("n_resamples", "n_bootstrap", "bootstrap", "resamples"), "resamples"),
    **dict.fromkeys(("seed", "random_state", "random_seed"), "random_seed"),
    **dict.fromkeys(("alpha", "confidence", "confidence_level", "level"), "confidence"),
    "test": "test",
    **dict.fromkeys(("average", "tokenize", "lowercase", "zero_division"), "an option of metrics"),
}
"""What other tools call keywords."""


def explain_keyword(name: str, known: Iterable[str]) -> KeywordError:
    """The error about a keyword that does not exist, with the one that may have been meant."""
    from difflib import get_close_matches  # as inspect below: few runs need them

    known = [one for one in known if one != name]
    meant = name.removesuffix("_column") if name.endswith("_column") else _SYNONYMS.get(name)
    if meant in ("resamples", "random_seed", "confidence", "test") and meant not in known:
        among = "" if meant == "test" else f"intervals=Intervals({meant}=...) or "
        hint = f"; did you mean {meant!r}, as in {among}testing=Testing({meant}=...)?"
    elif meant == "an option of metrics":
        hint = "; options belong to metrics, such as metrics=\"F1(average='macro')\""
    else:
        near = [meant] if meant in known else get_close_matches(name, known, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
    return KeywordError(f"there is no keyword {name!r}{hint}")


_P = ParamSpec("_P")
_R = TypeVar("_R")


def short_traceback(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Lets what a caller did wrong end at the call, without the frames below it."""

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        __tracebackhide__ = True
        try:
            return function(*args, **kwargs)
        except (TallystickError, KeywordError) as error:
            raise error.with_traceback(None) from None
        except TypeError as error:
            named = re.search(r"\) got an unexpected keyword argument '(\w+)'$", str(error))
            if named is None or named[1] not in kwargs or error.__traceback__ is None:
                raise
            if error.__traceback__.tb_next is not None:  # raised by a call inside
                raise
            from inspect import signature

            known = signature(function).parameters
        raise explain_keyword(named[1], known)

    return call


def shorten_tracebacks(cls: type) -> None:
    """Lets errors of the public methods and properties of a class end at the call."""
    for name, member in list(vars(cls).items()):
        if name.startswith("_") and name not in ("__getitem__", "__post_init__"):
            continue
        if isinstance(member, FunctionType):
            setattr(cls, name, short_traceback(member))
        elif isinstance(member, property) and member.fget is not None:
            setattr(cls, name, property(short_traceback(member.fget), doc=member.__doc__))


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
