"""The counter of label sets: how often each pair of gold and predicted set occurs."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tallystick.errors import UsageError
from tallystick.examples.kinds import LABEL_SETS
from tallystick.examples.sets import LabelRows
from tallystick.examples.systems import Systems
from tallystick.tallies.cells import Cells, Rows, gather
from tallystick.tallies.groups import count_groups, count_rows, group_codes, weigh_rows
from tallystick.tallies.sides import encode_sets


@dataclass(frozen=True, slots=True)
class LabelSets:
    """Counts patterns of a gold label set and the set that each system predicted."""

    kind: ClassVar = LABEL_SETS

    def count(self, systems: Systems) -> Cells:
        """Tallies examples of a multilabel task."""
        column = LABEL_SETS.of(systems)
        gold, columns = column.gold, [own.labels for own in column.outputs]
        sets = [own for own in columns if isinstance(own, LabelRows)]
        if not isinstance(gold, LabelRows) or len(sets) < len(columns):
            raise UsageError("single labels are counted by Confusion, not by LabelSets")
        invalid = [own.invalid for own in column.outputs]
        names, golden, outputs = encode_sets(gold, sets, invalid)
        groups, owners = group_codes(systems)
        none = np.zeros(0, np.int64)
        clusters = systems.clusters
        like = Cells(
            self,
            systems.names,
            groups,
            names,
            gold.names,
            none,
            golden[:0],
            outputs[:, :0],
            none,
            count_groups(systems),
        )
        rows = Rows(
            owners.astype(np.int64),
            golden,
            outputs,
            count_rows(systems),
            weigh_rows(systems),
            None if clusters is None else clusters.codes.astype(np.int64),
        )
        cells = gather(like, rows, None if clusters is None else clusters.names)
        return cells.drop_strangers()
