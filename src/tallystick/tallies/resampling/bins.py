"""Resamples of the clusters of binned probabilities, one by one."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.tallies.bins import Bins
from tallystick.tallies.resampling.units import find_units

UNPAIRED = (
    "bins count the probabilities of each system on its own, so that nothing tells which of them "
    "are of the same example, as tests and ranks need it; leave out --bins, or name --clusters, "
    "whose counts are paired"
)


def resample_bins(tally: Bins, resamples: int, seed: int) -> Iterator[Bins]:
    """Resamples of binned probabilities: clusters drawn as for probabilities without bins.

    Raises:
        UsageError: There are no clusters.
    """
    if tally.clusters is None:
        raise UsageError(UNPAIRED)
    pairs, of_owners = np.unique(tally.owners[:, 1:3], axis=0, return_inverse=True)
    width = len(tally.clusters)
    of_cells = np.searchsorted(pairs @ (width, 1), tally.cells[:, 1:3] @ (width, 1))
    units = find_units(pairs[:, 0], pairs[:, 1], tally.groups)
    cells, to_cells = np.unique(tally.cells * (1, 1, 0, 1, 1, 1), axis=0, return_inverse=True)
    owners, to_owners = np.unique(tally.owners * (1, 1, 0, 1), axis=0, return_inverse=True)
    sizes = np.zeros((len(tally.groups), len(units.strata)), np.int64)
    first = (tally.cells[:, 0] == 0) & (tally.cells[:, 3] == 0)
    np.add.at(sizes, (tally.cells[first, 1], units.of[of_cells[first]]), tally.counts[first])
    for weights in units.draw(resamples, seed):
        for own in weights.astype(np.int64):
            times = own[units.of]
            counts = _add(tally.counts * times[of_cells], to_cells.ravel(), len(cells))
            held = counts > 0
            sums = _add(tally.sums * times[of_cells], to_cells.ravel(), len(cells))
            many = times[of_owners.ravel()][:, None, None, None]
            yield replace(
                tally,
                clusters=None,
                cells=cells[held],
                counts=counts[held],
                sums=sums[held],
                owners=owners,
                losses=_add(tally.losses * many, to_owners.ravel(), len(owners)),
                n=sizes @ own,
            )


def _add(values: NDArray[np.int64], places: NDArray[np.intp], size: int) -> NDArray[np.int64]:
    sums = np.zeros((size, *values.shape[1:]), np.int64)
    np.add.at(sums, places, values)
    return sums
