"""Notes beside a result, by how much they matter: strings of which some are of a class of here."""

from collections.abc import Iterable, Sequence
from typing import final


@final
class Reason(str):
    """Why a score is exactly 0; always shown."""

    __slots__ = ()


@final
class Danger(str):
    """What makes a result wrong, or less certain than it looks."""

    __slots__ = ()


@final
class Hint(str):
    """What the reader may leave unread."""

    __slots__ = ()


_ORDER = (Reason, Danger, str, Hint)
"""What matters most comes first; any other string is a fact."""


def sort_notes(notes: Iterable[str]) -> tuple[str, ...]:
    """Returns each note once: reasons of zeros, dangers, facts, hints, each in their order."""
    return tuple(sorted(dict.fromkeys(notes), key=lambda note: _ORDER.index(type(note))))


def count_shown(notes: Sequence[str], most: int | None) -> int:
    """Returns how many of some sorted notes are shown: at most so many, but all reasons."""
    if most is None:
        return len(notes)
    return max(min(most, len(notes)), sum(isinstance(note, Reason) for note in notes))


def lead_with(lead: str, note: str) -> str:
    """Returns a note with what it is about before it, as important as before."""
    return type(note)(f"{lead}: {note}")
