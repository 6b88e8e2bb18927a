"""Counters of numbers of which ranks or quantiles are taken: how often each pattern occurs."""

import numpy as np
from numpy.typing import NDArray

from tallystick.examples.reading import Needed
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass
from tallystick.kinds.numbers import NUMBERS
from tallystick.kinds.numbers.number_sums import (
    check_plain,
    find_numbers,
    find_pairs,
    leave_out_gaps,
)
from tallystick.tallies.cells import Cells, count_patterns


@dataclass(frozen=True, slots=True)
class NumberCells:
    """Counts patterns of a gold number and the number that each system gave out.

    Attributes:
        column: The column of numbers; None is the output of a system.
    """

    kind = NUMBERS
    column: str | None = None

    @property
    def needs(self) -> Needed:
        """The column, and gold."""
        return Needed(self.column, gold=True)

    def count(self, systems: Systems) -> Cells:
        """Tallies every system's examples by group."""
        check_plain(systems)
        return _gather(self, systems, *find_pairs(systems, self.column))


@dataclass(frozen=True, slots=True)
class NumberValues:
    """Counts patterns of the numbers that the systems have for the same example; gold is 0.

    Attributes:
        column: The column of numbers; None is the output of a system.
    """

    kind = NUMBERS
    column: str | None = None

    @property
    def needs(self) -> Needed:
        """The column."""
        return Needed(self.column)

    def count(self, systems: Systems) -> Cells:
        """Tallies every system's examples by group."""
        check_plain(systems)
        systems = leave_out_gaps(systems, self.column)
        return _gather(self, systems, np.zeros(len(systems)), find_numbers(systems, self.column))


def _gather(
    counter: NumberCells | NumberValues,
    systems: Systems,
    gold: NDArray[np.float64],
    outputs: NDArray[np.float64],
) -> Cells:
    """The patterns of numbers of some systems."""
    return count_patterns(counter, systems, (), (), gold + 0.0, outputs + 0.0)  # -0.0 is 0.0
