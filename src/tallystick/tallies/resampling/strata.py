"""Resamples of binary labels in which every gold label keeps the number of its examples."""

from dataclasses import replace

import numpy as np

from tallystick.tallies.arrays.units import DRAW, open_streams
from tallystick.tallies.cells import Cells

_ADDED = 0.5
"""So much of an example is added to each output of each gold label, so that none is impossible."""


def resample_strata(tally: Cells, resamples: int, seed: int) -> Cells:
    """Returns resamples of one system's labels, drawn within each group and gold label.

    Half an example of each label is added to the outputs of each gold label before they are drawn:
    a label that was never, or always, found could have been by other examples.

    Args:
        tally: The tally of one system, in which the examples of a group and gold label weigh the
            same; without clusters.
        resamples: How many.
        seed: Where the random numbers begin.
    """
    groups, labels, codes = len(tally.groups), len(tally.labels), int(tally.outputs.max(initial=0))
    width = max(labels, codes + 1)  # an output that is no label has the code behind them
    counts, masses = np.zeros((2, groups, labels, width))
    places = (tally.owners, tally.gold, tally.predicted)
    np.add.at(counts, places, tally.counts)
    np.add.at(masses, places, tally.mass)
    sizes = counts.sum(-1)
    weight = masses.sum(-1) / np.maximum(sizes, 1)
    drawn = np.zeros((resamples, groups, labels, width), np.int64)
    chances = counts + np.where(np.arange(width) < labels, _ADDED, 0)
    for group, stream in enumerate(open_streams(seed, tally.groups, DRAW)):
        for label in range(labels):
            own = chances[group, label]
            size = int(sizes[group, label])
            drawn[:, group, label] = stream.multinomial(size, own / own.sum(), resamples)
    owners, gold, output = (axis.ravel() for axis in np.indices((groups, labels, width)))
    flat = drawn.reshape(resamples, -1)
    each = np.repeat(weight.ravel(), width)
    return replace(
        tally,
        owners=owners,
        gold=gold.astype(tally.gold.dtype),
        outputs=output.astype(tally.outputs.dtype)[None],
        counts=flat,
        weights=np.stack([flat * each, flat * each**2]),
    )
