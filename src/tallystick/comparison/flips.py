"""The examples on which two systems differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.evaluate.system import System
from tallystick.evaluate.texts import TextPart
from tallystick.examples.labels import Labels
from tallystick.examples.sets import LabelRows
from tallystick.examples.token_lists import TokenExamples
from tallystick.metrics.metric import Metric
from tallystick.results import Flip
from tallystick.tallies.sums import SumsTally

__all__ = ["LabelFlips", "TextFlips"]

_MARK = "|"
_MOST = 100


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


@dataclass(frozen=True, slots=True, eq=False)
class TextFlips:
    """Finds the examples whose own scores differ most between two systems.

    Attributes:
        parts: The examples of each system.
        metric: What scores the examples.
        counter: What counted them.
        rows: Its counts of each system's examples.
        ids: The id of each example; None takes the numbers of the rows.
    """

    parts: Mapping[str, TextPart]
    metric: Metric
    counter: Any
    rows: Sequence[NDArray[Any]]
    ids: Sequence[str] | None

    def __call__(self, a: str, b: str) -> tuple[Flip, ...]:
        """Finds the examples with the largest differences, the largest first."""
        names = list(self.parts)
        one, other = (self._score(names.index(name)) for name in (a, b))
        gains = np.nan_to_num(one - other)
        rows = np.argsort(-np.abs(gains), kind="stable")[:_MOST]
        rows = rows[gains[rows] != 0]
        left, right = (_read_texts(self.parts[name], rows) for name in (a, b))
        groups = self.parts[a].groups
        shown = [None] * len(rows) if groups is None else _write(groups, rows)
        return tuple(
            Flip(
                str(row + 1) if self.ids is None else self.ids[row],
                shown[place],
                float(gains[row]),
                None,
                left[place],
                right[place],
            )
            for place, row in enumerate(rows.tolist())
        )

    def _score(self, system: int) -> NDArray[np.float64]:
        rows = self.rows[system]
        tally = SumsTally(("all",), self.counter.columns, rows[:, None], np.ones(1, np.int64))
        return self.metric.score(tally)[:, 0]


def _read_texts(part: TextPart, rows: NDArray[np.int64]) -> list[str]:
    """The hypotheses of some examples; token lists have lost their spelling."""
    if isinstance(part, TokenExamples):
        return [""] * len(rows)
    data, offsets = part.hypotheses.data, part.hypotheses.offsets
    return [data[offsets[row] : offsets[row + 1]].tobytes().decode() for row in rows.tolist()]
