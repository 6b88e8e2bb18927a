"""The counter of numbers that are compared by rank: how often each pattern of them occurs."""

from typing import ClassVar

import numpy as np

from tallystick.examples.reading import Needed
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass
from tallystick.kinds.numbers import NUMBERS
from tallystick.kinds.numbers.number_sums import check_plain, find_pairs
from tallystick.tallies.cells import Cells, Rows, gather
from tallystick.tallies.groups import count_groups, count_rows, group_codes


@dataclass(frozen=True, slots=True)
class NumberCells:
    """Counts patterns of a gold number and the number that each system gave out.

    Attributes:
        column: The column of numbers; None is the output of a system.
    """

    kind: ClassVar = NUMBERS
    column: str | None = None

    @property
    def needs(self) -> Needed:
        """The column, and gold."""
        return Needed(self.column, gold=True)

    def count(self, systems: Systems) -> Cells:
        """Tallies every system's examples by group."""
        check_plain(systems)
        gold, outputs = (side + 0.0 for side in find_pairs(systems, self.column))  # -0.0 is 0.0
        groups, owners = group_codes(systems)
        clusters, none = systems.clusters, np.zeros(0, np.int64)
        n = count_groups(systems)
        like = Cells(self, systems.names, groups, (), (), none, gold[:0], outputs[:, :0], none, n)
        rows = Rows(
            owners.astype(np.int64),
            gold,
            outputs,
            count_rows(systems),
            clusters=None if clusters is None else clusters.codes.astype(np.int64),
        )
        return gather(like, rows, None if clusters is None else clusters.names)
