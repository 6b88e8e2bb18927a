"""The examples on which two systems differ."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallystick.evaluate.system import System
from tallystick.examples.labels import Labels
from tallystick.examples.sets import LabelRows
from tallystick.results import Flip

__all__ = ["LabelFlips"]

_MARK = "|"


@dataclass(frozen=True, slots=True, eq=False)
class LabelFlips:
    """Finds the examples that one of two systems got right and the other one wrong.

    Attributes:
        systems: The systems; their examples have one order.
        ids: The id of each example; None takes the numbers of the rows.
    """

    systems: tuple[System, ...]
    ids: tuple[str, ...] | None

    def __call__(self, a: str, b: str) -> tuple[Flip, ...]:
        """Finds the flips of two systems: first what A got right, then what B did."""
        one, other = (
            next(system.parts[0] for system in self.systems if system.name == name)
            for name in (a, b)
        )
        gains = _find_right(one.gold, one.predicted).astype(np.int64)
        gains -= _find_right(other.gold, other.predicted)
        rows = np.concatenate([np.flatnonzero(gains == 1), np.flatnonzero(gains == -1)])
        gold, left, right = (
            _write(column, rows) for column in (one.gold, one.predicted, other.predicted)
        )
        groups = [None] * len(rows) if one.groups is None else _write(one.groups, rows)
        return tuple(
            Flip(
                str(row + 1) if self.ids is None else self.ids[row],
                groups[place],
                float(gains[row]),
                gold[place],
                left[place],
                right[place],
            )
            for place, row in enumerate(rows.tolist())
        )


def _find_right(gold: Labels | LabelRows, predicted: Labels | LabelRows) -> NDArray[np.bool_]:
    """Whether each prediction is right; of a set, whether all of it is."""
    if isinstance(gold, Labels) and isinstance(predicted, Labels):
        return np.asarray(gold.codes == predicted.codes)
    if isinstance(gold, LabelRows) and isinstance(predicted, LabelRows):
        return np.asarray((gold.bits == predicted.bits).all(1))
    return np.zeros(len(gold), bool)


def _write(column: Labels | LabelRows, rows: NDArray[np.int64]) -> list[str]:
    if isinstance(column, Labels):
        return [str(column.names[code]) for code in column.codes[rows].tolist()]
    bits = np.unpackbits(column.bits[rows], axis=1, count=len(column.names), bitorder="little")
    return [_MARK.join(str(column.names[place]) for place in np.flatnonzero(own)) for own in bits]
