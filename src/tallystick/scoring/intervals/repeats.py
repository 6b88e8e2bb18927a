"""The intervals of metrics of repeated tries, from how much their problems scatter."""

from dataclasses import replace

import numpy as np

from tallystick.scoring.intervals.bounds import Bounds, Observed, Side, Spread, contain_values, take
from tallystick.statistics.wilson import bound_effectively
from tallystick.tallies.cells import Cells
from tallystick.tallies.metric import Metric

_ADDED = 0.5
"""So much of a problem that is always solved, and of one that never is, adds to the scatter."""


def bound_tries(metric: Metric, observed: Observed, confidence: float) -> Spread:
    """The intervals of a mean over problems that are neither weighted nor in clusters.

    They are Wilson's at the number of problems at which a share would scatter as much. Half a
    problem of each kind is added to the scatter alone: where hardly any problem is solved, those
    that are do not show how much the others could add.
    """
    groups, whole = (_bound_side(metric, side, confidence) for side in observed.sides())
    return Spread(groups, take(whole), "Wilson at the effective size of the problems")


def _bound_side(metric: Metric, side: Side, confidence: float) -> Bounds:
    tally = side.tally.need_patterns()
    worths = metric.score(part_cells(tally))
    size = tally.n + 2 * _ADDED
    mean = (tally.sum_groups(tally.counts * worths) + _ADDED) / size
    squares = (tally.sum_groups(tally.counts * worths**2) + _ADDED) / size
    trials = np.where(tally.n > 0, tally.n * mean * (1 - mean) / (squares - mean**2), 0)
    ends = bound_effectively(side.values, trials, confidence)
    return contain_values(side.values, Bounds(*ends))


def part_cells(tally: Cells) -> Cells:
    """One example of each cell, each as a group of its own."""
    cells = np.arange(len(tally.owners))
    return replace(
        tally,
        groups=tuple(cells.tolist()),
        owners=cells,
        counts=np.ones_like(tally.counts),
        n=np.ones_like(cells),
        weights=None,
        clusters=None,
    )
