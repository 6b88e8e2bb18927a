"""Resamples of examples whose labels and probabilities are drawn together."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tallystick.errors import UsageError
from tallystick.tallies.joint import JointRows
from tallystick.tallies.resampling.units import find_units


def resample_joint(tally: JointRows, resamples: int, seed: int) -> Iterator[JointRows]:
    """Resamples of examples, or of clusters, in chunks with a leading axis."""
    if tally.times is not None:
        raise UsageError("resamples cannot be resampled")
    clusters = None if tally.clusters is None else tally.clusters.codes.astype(np.int64)
    units = find_units(tally.owners.codes.astype(np.int64), clusters, tally.groups)
    for drawn in units.draw(resamples, seed):
        yield replace(tally, times=drawn.astype(np.int64)[:, units.of])
