"""Votes: the label that each annotator gave an example, and what systems say that they gave."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import Label
from tallystick.errors import InputError
from tallystick.examples.distribution_cells import Cells, spell_label
from tallystick.examples.systems import Column
from tallystick.frozen import dataclass, replace


@dataclass(frozen=True, slots=True, eq=False)
class Votes(Column):
    """The labels that annotators gave, and those that each system says they gave.

    Attributes:
        annotators: Who rated each example: names, or places in a list.
        gold: The label that each annotator gave, example after example.
        outputs: What each system says, of shape (systems, votes).
    """

    annotators: tuple[tuple[Label, ...], ...]
    gold: NDArray[np.str_]
    outputs: NDArray[np.str_]

    @classmethod
    def of_gold(cls, cells: Cells) -> "Votes":
        """Gold votes, beside which no system stands yet."""
        votings = [_read_votes(cells, index) for index in range(len(cells.values))]
        flat = np.array(list(chain.from_iterable(own.values() for own in votings)), np.str_)
        return cls(tuple(map(tuple, votings)), flat, flat[None][:0])

    def match(self, cells: Cells) -> NDArray[np.str_]:
        """What a system says of the same annotators."""
        if len(cells.values) != len(self):
            raise InputError(f"there are votes on {len(cells.values)} examples, not {len(self)}")
        found: list[str] = []
        for index, annotators in enumerate(self.annotators):
            own = _read_votes(cells, index)
            if own.keys() != {*annotators}:
                raise _miss(cells.locate(index), own, annotators)
            found += [own[name] for name in annotators]
        return np.array(found, np.str_)

    def add(self, outputs: Sequence[NDArray[np.str_]]) -> "Votes":
        """The same gold beside what `match` gave of each system."""
        return replace(self, outputs=np.stack(outputs))

    def __len__(self) -> int:
        return len(self.annotators)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many annotators rated each example."""
        return np.fromiter(map(len, self.annotators), np.int64, len(self))

    def of(self, places: Sequence[int]) -> "Votes":
        return replace(self, outputs=self.outputs[list(places)])

    def take(self, rows: slice) -> "Votes":
        ends = np.concatenate([[0], self.sizes.cumsum()])
        first, last = ends[[rows.start, min(rows.stop, len(self))]]
        return Votes(self.annotators[rows], self.gold[first:last], self.outputs[:, first:last])

    def tell_gold(self, row: int) -> str:
        return ", ".join(self.take(slice(row, row + 1)).gold.tolist())

    def tell_output(self, place: int, row: int) -> str:
        return ", ".join(self.take(slice(row, row + 1)).outputs[place].tolist())


def _read_votes(cells: Cells, index: int) -> dict[Label, str]:
    """The label of each annotator of an example; those who gave none are left out."""
    cell: Any = cells.values[index]
    named: dict[Label, Any] = {}
    if isinstance(cell, Mapping):
        named = {name: label for name, label in cell.items() if label is not None}
    elif isinstance(cell, Sequence | np.ndarray):
        named = dict(enumerate(cell))
    if not named or not all(map(_is_label, named.values())):
        raise InputError(
            f"{cells.locate(index)}: {repr(cell)[:60]} stands where the label of each annotator "
            'was expected: a list such as ["no", "yes"], or an object such as {"ann1": "no"}'
        )
    return {name: spell_label(label, cells.fold_case) for name, label in named.items()}


def _is_label(value: object) -> bool:
    return isinstance(value, str | int) or (isinstance(value, float) and value.is_integer())


def _miss(where: str, own: Mapping[Label, str], annotators: Sequence[Label]) -> InputError:
    lacking = [name for name in annotators if name not in own]
    strange = [name for name in own if name not in annotators]
    if len(own) != len(annotators) and isinstance(next(iter(own)), int):
        return InputError(
            f"{where}: the number of votes is {len(own)} here, and {len(annotators)} in the gold"
        )
    name, what = (lacking[0], "lacks") if lacking else (strange[0], "holds")
    rest = "" if lacking else ", which the gold has not"
    return InputError(f"{where}: it {what} a vote of the annotator {name!r}{rest}")
