"""The notes on a result by importance: plain strings, and strings of the classes below."""

from collections.abc import Iterable, Sequence
from typing import final


@final
class Read(str):
    """How the data was read; always shown, before all that is uncertain."""

    __slots__ = ()


@final
class Reason(str):
    """Why a score is exactly 0, or means little; always shown, and first."""

    __slots__ = ()


@final
class Danger(str):
    """A note on what makes a result wrong, or less certain than it looks."""

    __slots__ = ()


@final
class Caution(str):
    """A note that an interval may be too optimistic, which programs know by its code."""

    __slots__ = ()


def list_notes(notes: tuple[str, ...]) -> dict[str, object]:
    """Returns the notes, and the cautions among them with their code, as parts of JSON."""
    found = [
        {"code": "interval_too_narrow", "note": str(one)}
        for one in dict.fromkeys(notes)
        if isinstance(one, Caution)
    ]
    return {"notes": notes} | ({"cautions": found} if found else {})


@final
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
