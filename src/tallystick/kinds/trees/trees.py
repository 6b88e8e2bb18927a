"""The column of trees, whose words have been aligned."""

from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from tallystick.examples.systems import Column
from tallystick.frozen import dataclass, replace

Told = tuple[str, ...]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Trees(Column):
    """What systems got right in each example, and their words in words.

    Attributes:
        counts: The columns of each example, of shape (examples, systems, columns).
        gold: The words of each example, with relations and heads.
        outputs: The same of each system.
    """

    counts: NDArray[np.int64]
    gold: Told
    outputs: tuple[Told, ...]

    def __len__(self) -> int:
        return len(self.counts)

    def of(self, places: Sequence[int]) -> "Trees":
        """The trees of some of the systems."""
        outputs = tuple(self.outputs[place] for place in places)
        return replace(self, counts=self.counts[:, list(places)], outputs=outputs)

    def take(self, rows: slice) -> "Trees":
        """Some of the examples."""
        outputs = tuple(own[rows] for own in self.outputs)
        return Trees(self.counts[rows], self.gold[rows], outputs)

    def tell_gold(self, row: int) -> str:
        """The words of an example, such as `She/nsubj/sleeps sleeps/root`."""
        return self.gold[row]

    def tell_output(self, place: int, row: int) -> str:
        """The words that a system has in place of those of an example."""
        return self.outputs[place][row]
