"""Counts how often problems that were tried several times were solved."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tallystick.examples.kinds import TRIES
from tallystick.examples.labels import unify
from tallystick.examples.systems import Systems
from tallystick.examples.tries import Outcome
from tallystick.tallies.cells import Cells, Rows, gather
from tallystick.tallies.groups import count_groups, count_rows, group_codes

_PROBLEM = ""
"""The label that stands for gold, of which repeated tries have none but right."""


@dataclass(frozen=True, slots=True)
class Tries:
    """Counts patterns of how often each system solved a problem, such as `3/8`.

    Every number of tries k is scored from the same counts.
    """

    kind: ClassVar = TRIES

    def describe(self, tally: Cells) -> str:
        """How many tries the problems of a tally had, such as `8` or `5-8`."""
        sizes = [Outcome.parse(str(label)).tries for label in tally.labels[1:]]
        return f"{min(sizes)}" if min(sizes) == max(sizes) else f"{min(sizes)}-{max(sizes)}"

    def count(self, systems: Systems) -> Cells:
        """Tallies problems; the labels of the cells are the outcomes of their tries."""
        tries = unify(*TRIES.of(systems).outputs, names=(_PROBLEM,))
        names, clusters = tries[0].names, systems.clusters
        groups, owners = group_codes(systems)
        none = np.zeros(0, np.int64)
        codes = np.stack([own.codes for own in tries])
        gold = np.zeros(len(systems), codes.dtype)
        sizes = count_groups(systems)
        like = Cells(
            self, systems.names, groups, names, names[:1], none, gold[:0], codes[:, :0], none, sizes
        )
        of_clusters = None if clusters is None else clusters.codes.astype(np.int64)
        rows = Rows(owners.astype(np.int64), gold, codes, count_rows(systems), clusters=of_clusters)
        return gather(like, rows, None if clusters is None else clusters.names)
