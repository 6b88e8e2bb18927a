"""The labels that thresholds of probabilities predict, as a tally of labels."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.kinds.labels.counters import Confusion
from tallystick.tallies.cells import Cells


def build_cuts(tally: Any, group: int, sums: NDArray[Any]) -> Cells:
    """The labels predicted at each threshold.

    Args:
        tally: The probabilities of one system, binary.
        group: The group that they are of.
        sums: Counts, or sums of weights as float64, of shape (thresholds, 4): negatives below and
            from the threshold on, then positives.
    """
    cells, counts, weights = np.arange(4), sums, None
    if sums.dtype == np.float64:
        counts, weights = np.zeros(sums.shape, np.int64), np.stack([sums, np.zeros_like(sums)])
    return Cells(
        Confusion(),
        tally.systems,
        ("all",),
        tally.labels,
        tally.labels,
        np.zeros(4, np.int64),
        cells // 2,
        (cells % 2)[None],
        counts,
        tally.n[group : group + 1],
        weights,
    )
