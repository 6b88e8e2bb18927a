"""The notes on a result by importance: plain strings, and strings of the classes below."""

from collections.abc import Iterable, Sequence
from typing import final


@final
class Reason(str):
    """Why a score is exactly 0; always shown."""

    __slots__ = ()


@final
class Danger(str):
    """A note on what makes a result wrong, or less certain than it looks."""

    __slots__ = ()


@final
class Hint(str):
    """A note that readers may skip."""

    __slots__ = ()


_ORDER = (Reason, Danger, str, Hint)
"""The most important class first; any other string is a fact."""


def sort_notes(notes: Iterable[str]) -> tuple[str, ...]:
    """Returns each note once: reasons of zeros, dangers, facts, hints, each in their order."""
    return tuple(sorted(dict.fromkeys(notes), key=lambda note: _ORDER.index(type(note))))


def count_shown(notes: Sequence[str], most: int | None) -> int:
    """Returns how many of the sorted notes are shown: at most `most`, but all reasons."""
    if most is None:
        return len(notes)
    return max(min(most, len(notes)), sum(isinstance(note, Reason) for note in notes))


def lead_with(lead: str, note: str) -> str:
    """Returns a note with its subject before it, of the same importance."""
    return type(note)(f"{lead}: {note}")
