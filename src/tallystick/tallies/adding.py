"""Adds up tallies of one counter: the sum is the same whatever their order, to the last bit."""

from functools import reduce
from operator import add
from typing import Any

from tallystick.errors import UsageError
from tallystick.tallies.bins import Bins
from tallystick.tallies.cells import Cells
from tallystick.tallies.curve import CurveTally, merge_curves, sort_rows
from tallystick.tallies.joint import JointRows
from tallystick.tallies.score_rows import ScoreRows
from tallystick.tallies.sums import Sums
from tallystick.tallies.tally import check_addable

AT_ONCE = 64
"""How many tallies are joined at a time: what they hold is gone through a few times in all."""


def is_sorted_once(tally: Any) -> bool:
    """Whether a tally holds single scores, which are best joined and sorted once, at the end."""
    return isinstance(tally, CurveTally | JointRows | ScoreRows)


def is_due(tallies: list[Any]) -> bool:
    """Whether tallies are to be added up before more come, so that they take little memory."""
    first = tallies[0]
    if isinstance(first, Bins):
        return sum(len(one.counts) for one in tallies[1:]) > len(first.counts)
    return len(tallies) == AT_ONCE and not is_sorted_once(first)


def add_up(tallies: list[Any]) -> Any:
    """The sum of one tally or more; it empties the list, so that memory is given back."""
    first = tallies[0]
    for other in tallies[1:]:
        check_addable(first, other)
    if isinstance(first, ScoreRows):
        return _join(tallies).arrange()
    if not isinstance(first, CurveTally):
        return _join(tallies)
    rows = [one.rows for one in tallies if one.rows is not None]
    if not rows:
        return first if len(tallies) == 1 else merge_curves(tallies)
    if len(rows) < len(tallies):
        raise UsageError("a tally with clusters cannot be added to one without")
    tallies.clear()
    return sort_rows(ScoreRows.join(rows).arrange())


def _join(tallies: list[Any]) -> Any:
    """The sum of tallies, as a tree."""
    while len(tallies) > 1:
        parts = [tallies[at : at + AT_ONCE] for at in range(0, len(tallies), AT_ONCE)]
        tallies[:] = [_join_some(own) for own in parts]
    return tallies.pop()


def _join_some(tallies: list[Any]) -> Any:
    first = tallies[0]
    if len(tallies) == 1:
        return first
    if isinstance(first, Bins | Cells | JointRows | ScoreRows | Sums):
        return first.join(tallies)
    return reduce(add, tallies)
