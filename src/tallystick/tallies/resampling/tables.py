"""Posterior samples of the tables of two labels, which few examples leave open."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tallystick.tallies.arrays.units import DRAW, open_streams, split
from tallystick.tallies.cells import Cells
from tallystick.tallies.tally import Tally

_PRIOR = 0.5
"""What Jeffreys' prior adds to the count of each cell."""


def is_table(tally: Tally) -> bool:
    """Whether a tally is of two labels on both sides, one an example, and nothing else."""
    cells: Cells | None = tally.patterns
    if cells is None or not cells.labelled or cells.gold.ndim > 1 or len(cells.labels) != 2:
        return False
    return cells.plain and bool((cells.outputs < 2).all())


def sample_tables(tally: Cells, samples: int, seed: int) -> Iterator[Cells]:
    """Tables that may be behind that of each group, in chunks with a leading axis.

    They are drawn from the posterior distribution with Jeffreys' prior. Where resamples of three
    positives that were all found never miss one, these do.

    Args:
        tally: Of one system and two labels, without weights and clusters.
        samples: How many.
        seed: Where the random numbers begin.

    Source: Brown, Cai and DasGupta 2001, Statistical Science 16, for a share; Agresti and Hitchcock
        2005, Statistical Methods and Applications 14, for tables.
    """
    groups = len(tally.groups)
    counts = tally.tabulate().reshape(groups, 4)
    gold, output = np.divmod(np.tile(np.arange(4, dtype=tally.gold.dtype), groups), 2)
    full = replace(
        tally,
        owners=np.repeat(np.arange(groups), 4),
        gold=gold,
        outputs=output[None],
        clusters=None,
    )
    streams = open_streams(seed, tally.groups, DRAW)
    sizes = tally.n[:, None]
    for chunk in split(samples, 4 * groups):
        drawn = np.stack(
            [
                stream.standard_gamma(own + _PRIOR, (chunk, 4))
                for own, stream in zip(counts, streams, strict=True)
            ],
            axis=1,
        )
        scaled = drawn / drawn.sum(-1, keepdims=True) * sizes
        yield replace(full, counts=scaled.reshape(chunk, -1))
