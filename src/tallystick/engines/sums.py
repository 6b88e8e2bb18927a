"""Adds parts in a tree whose shape depends on their order alone, never on who was finished when."""

from tallystick.scoring.adding import add_counted
from tallystick.scoring.counted import Counted

__all__ = ["Sums"]

_FAN = 16
"""So many neighbours are added at a time."""


class Sums:
    """The sums of neighbouring parts, each added as soon as all its parts are there."""

    def __init__(self, names: tuple[str, ...]) -> None:
        """Notes what messages call each part, in their order."""
        self._names = names
        self._found: dict[tuple[int, int], Counted] = {}

    def add(self, place: int, counted: Counted) -> None:
        """Takes what was counted of a part, and adds what is complete by it."""
        level = 0
        self._found[level, place] = counted
        while len(self._names) > _FAN ** (level + 1):
            first = place // _FAN * _FAN
            row = [(level, one) for one in range(first, first + _FAN)]
            if not all(key in self._found for key in row):
                return
            level, place = level + 1, place // _FAN
            self._found[level, place] = self._add(row)

    def total(self) -> Counted:
        """The sum of all parts."""
        keys = sorted(self._found, key=lambda key: key[1] * _FAN ** key[0])
        return self._add(keys)

    def _add(self, keys: list[tuple[int, int]]) -> Counted:
        named = [
            (self._names[place * _FAN**level], self._found.pop((level, place)))
            for level, place in keys
        ]
        return add_counted(named)
