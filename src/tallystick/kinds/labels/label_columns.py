"""Columns of labels: gold beside outputs, and patterns beside which no gold stands."""

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tallystick.frozen import dataclass, replace
from tallystick.kinds.labels.sets import LabelRows
from tallystick.model.codes import INVALID, Label, Labels, Rows
from tallystick.model.systems import Column
from tallystick.model.tallies.code_sets import CodeSets


@final
@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """What one system said about labels.

    Attributes:
        labels: The predicted labels or label sets, over the names of the gold.
        probabilities: The positive label's, of shape (examples,); or every label's, of shape
            (examples, labels) in the order of the names; or None.
        invalid: Which outputs are no label and count as wrong; None where there are none.
        threshold: From which probability on the positive label was predicted; None where the
            labels were given.
        confidence: How sure it is of each predicted label, where a column of its own says so.
    """

    labels: Labels | LabelRows
    probabilities: NDArray[Any] | None = None
    invalid: NDArray[np.bool_] | None = None
    threshold: float | None = None
    confidence: NDArray[np.float64] | None = None

    def take(self, rows: Rows) -> "Output":
        """What it said about some of the examples."""
        return replace(
            self,
            labels=self.labels.take(rows),
            probabilities=None if self.probabilities is None else self.probabilities[rows],
            invalid=None if self.invalid is None else self.invalid[rows],
            confidence=None if self.confidence is None else self.confidence[rows],
        )


@final
@dataclass(frozen=True, slots=True, eq=False)
class LabelColumn(Column):
    """Labels of gold and of every system.

    Attributes:
        gold: What should have come out: labels, or label sets for a multilabel task. For a binary
            task the names are (negative, positive).
    """

    gold: Labels | LabelRows
    outputs: tuple[Output, ...]

    def __len__(self) -> int:
        return len(self.gold)

    @property
    def label_names(self) -> tuple[Label, ...]:
        """The labels that gold and outputs share."""
        return self.gold.names

    def of(self, places: Sequence[int]) -> "LabelColumn":
        return replace(self, outputs=tuple(self.outputs[place] for place in places))

    def take(self, rows: Rows) -> "LabelColumn":
        return LabelColumn(self.gold.take(rows), tuple(own.take(rows) for own in self.outputs))

    def find_right(self) -> NDArray[np.bool_]:
        """Which examples each system got right; of a set, all of it."""
        right = np.stack([_find_equal(self.gold, own.labels) for own in self.outputs])
        for own, output in zip(right, self.outputs, strict=True):
            if output.invalid is not None:
                own[output.invalid] = False
        return right

    def tell_gold(self, row: int) -> str:
        return _write(self.gold, row)

    def tell_output(self, place: int, row: int) -> str:
        own = self.outputs[place]
        invalid = own.invalid is not None and bool(own.invalid[row])
        return INVALID if invalid else _write(own.labels, row)


def _write(column: Labels | LabelRows, row: int) -> str:
    if isinstance(column, Labels):
        return str(column.names[int(column.codes[row])])
    return "|".join(map(str, column.list_names(row)))


def _find_equal(gold: Labels | LabelRows, predicted: Labels | LabelRows) -> NDArray[np.bool_]:
    if isinstance(gold, Labels) and isinstance(predicted, Labels):
        return np.asarray(gold.codes == predicted.codes)
    if isinstance(gold, LabelRows) and isinstance(predicted, LabelRows):
        both = CodeSets.concatenate([gold.recode(predicted.names).sets, predicted.sets])
        _, codes = both.encode()
        return np.asarray(codes[: len(gold)] == codes[len(gold) :])
    return np.zeros(len(predicted), bool)


def read_scores(output: Output) -> NDArray[Any]:
    """The probabilities of a system, in which there is one zero only."""
    scores = np.asarray(output.probabilities)
    return scores + 0 if np.signbit(scores).any() else scores
