"""Resamples of labels and label sets with more or fewer examples than there are."""

from dataclasses import replace

import numpy as np

from tallystick.tallies.arrays.units import DRAW, find_units, open_streams
from tallystick.tallies.cells import Cells


def resample_at(tally: Cells, ratio: float, resamples: int, seed: int) -> Cells:
    """Returns resamples with `ratio` times as many examples, or clusters, on a leading axis.

    They are drawn from the cells, so that what they cost does not grow with their size. As in
    other resamples, examples are drawn within their group.

    Args:
        tally: The tally, without weights.
        ratio: How many times as many examples are drawn, above 0; at least one of each group.
        resamples: How many.
        seed: Where the random numbers begin.
    """
    own = tally.clusters
    if own is None:
        strata, sizes = tally.owners, tally.counts.astype(np.float64)
    else:
        units = find_units(tally.owners[own.cells], own.owners, tally.groups)
        strata, sizes = units.strata, np.ones(len(units.strata))
    drawn = np.zeros((resamples, len(strata)), np.int64)
    for place, stream in enumerate(open_streams(seed, tally.groups, DRAW)):
        here = np.flatnonzero(strata == place)
        if len(here):
            total = sizes[here].sum()
            size = max(1, round(ratio * total))
            drawn[:, here] = stream.multinomial(size, sizes[here] / total, resamples)
    if own is not None:
        table = np.zeros((len(strata), len(tally.owners)))
        np.add.at(table, (units.of, own.cells), own.counts)
        drawn = (drawn.astype(np.float64) @ table).astype(np.int64)  # exact below 2 ** 53
    return replace(tally, counts=drawn, clusters=None)
