"""Adds parts in a tree whose shape depends on their order alone, never on who was finished when."""

from tallystick.errors import InputError
from tallystick.scoring.counted import Counted, add_counted
from tallystick.scoring.saved import stay_small

_FAN = 16
"""So many neighbours are added at a time."""

Key = tuple[int, int]
"""A level of the tree, of which 0 are the parts, and a place in it."""


class Sums:
    """The sums of neighbouring parts, each added as soon as all its parts are there."""

    def __init__(self) -> None:
        """Has no parts yet."""
        self._names: dict[int, str] = {}
        self._found: dict[Key, Counted | None] = {}

    def add(self, place: int, name: str, counted: Counted | None) -> None:
        """Takes what was counted of a part, if it has examples, and adds what is complete by it."""
        level = 0
        self._names[place] = name
        self._found[level, place] = counted
        while True:
            first = place // _FAN * _FAN
            row = [(level, one) for one in range(first, first + _FAN)]
            if not all(key in self._found for key in row) or not self._shrink(row):
                return
            level, place = level + 1, place // _FAN
            self._found[level, place] = self._add(row)

    def total(self) -> Counted:
        """The sum of all parts."""
        total = self._add(sorted(self._found, key=lambda key: key[1] * _FAN ** key[0]))
        if total is None:
            raise InputError("there are no examples to score")
        return total

    def _shrink(self, keys: list[Key]) -> bool:
        """Whether a sum is smaller than its parts; else all are best added at the end."""
        found = [one for one in map(self._found.get, keys) if one is not None]
        return stay_small(found)

    def _add(self, keys: list[Key]) -> Counted | None:
        found = [
            (self._names[place * _FAN**level], self._found.pop((level, place)))
            for level, place in keys
        ]
        there = [(name, counted) for name, counted in found if counted is not None]
        return add_counted(there) if there else None
