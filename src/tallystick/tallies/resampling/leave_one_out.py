"""Tallies with half an example less, one kind of example after the other."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tallystick.tallies.cells import Cells
from tallystick.tallies.resampling.units import split
from tallystick.tallies.second_moments import Rows
from tallystick.tallies.sums import Sums

HALF = 0.5
"""With half of an example no label disappears, and nothing that was defined becomes undefined."""

Lightened = tuple[slice, Cells | Sums, NDArray[np.float64]]


def lighten(tally: Cells | Sums) -> Iterator[Lightened]:
    """The tally of one system without a half of one example, for each kind of example.

    The kinds are the cells of labels, and the rows of sums: one for each example or cluster, in
    their own order, so that the rows of two systems stay side by side. They come in chunks: which
    kinds, their tallies with a leading axis, and how much weight is missing from each, which is
    half of what an example weighs on the average.

    Raises:
        UsageError: The sums have no rows.
    """
    return _lighten_cells(tally) if isinstance(tally, Cells) else _lighten_sums(tally)


def _lighten_cells(tally: Cells) -> Iterator[Lightened]:
    size = len(tally.owners)
    weights = np.stack([tally.counts] * 2) if tally.weights is None else tally.weights[:2]
    half = HALF * weights[0] / np.maximum(tally.counts, 1)
    start = 0
    for chunk in split(size, 2 * size):
        here = slice(start, start + chunk)
        own = np.repeat(weights[:, None].astype(np.float64), chunk, axis=1)
        own[:, np.arange(chunk), np.arange(start, start + chunk)] -= half[here]
        yield here, replace(tally, weights=own, clusters=None), half[here]
        start += chunk


def _lighten_sums(tally: Sums) -> Iterator[Lightened]:
    assert isinstance(tally.scatter, Rows)
    values, groups = tally.move_rows(tally.scatter)[:, 0], tally.scatter.groups.codes
    start = 0
    for chunk in split(len(values), tally.sums[0].size):
        here = slice(start, start + chunk)
        own = np.repeat(tally.sums[:, None].astype(np.float64), chunk, axis=1)
        own[0, np.arange(chunk), groups[here]] -= HALF * values[here]
        yield here, replace(tally, sums=own, scatter=None), np.full(chunk, HALF)
        start += chunk
