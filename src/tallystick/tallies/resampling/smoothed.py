"""Resamples of two systems' labels in which they differ even where they never did."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.tallies.arrays.units import DRAW, open_streams, split
from tallystick.tallies.cells import Cells, Rows, gather

SMOOTHING = 0.75
"""So much of an example is added to each kind of example on which only one system is right.

A limit of a count k lies about as far above k + 3/4 as resamples of that number scatter; chosen by
benchmarks/gates.py.
"""

_MOST = 0.1
"""At most so large a share of the examples is added, however many labels there are."""


def resample_smoothed(pair: Cells, resamples: int, seed: int) -> Iterator[Cells]:
    """Resamples of a tally of two systems, in chunks with a leading axis.

    Before they are drawn, a part of an example is added where only one system is right: for each
    gold label of a group one that is missed by the first and one by the second, each taken for the
    label that follows. A few discordant examples, or none, so do not make resamples that agree.
    """
    smooth, sizes = _smooth(pair)
    streams = open_streams(seed, pair.groups, DRAW)
    bounds = np.searchsorted(smooth.owners, np.arange(len(pair.groups) + 1)).tolist()
    for chunk in split(resamples, len(sizes)):
        counts = np.zeros((chunk, len(sizes)), np.int64)
        for (start, stop), n, stream in zip(pairwise(bounds), pair.n, streams, strict=True):
            if start < stop:
                own = sizes[start:stop]
                counts[:, start:stop] = stream.multinomial(int(n), own / own.sum(), chunk)
        yield replace(smooth, counts=counts)


def _smooth(pair: Cells) -> tuple[Cells, NDArray[np.float64]]:
    """The cells with those that are added, and the number of examples of each, not whole."""
    find = _add_sets if pair.gold.ndim > 1 else _add_labels
    parts = [find(pair, group) for group in range(len(pair.groups))]
    owners, gold, outputs, added = (
        np.concatenate([pair.owners, *(np.full(len(own[2]), at) for at, own in enumerate(parts))]),
        np.concatenate([pair.gold, *(own[0] for own in parts)]),
        np.concatenate([pair.outputs, *(own[1] for own in parts)], axis=1),
        np.concatenate([np.zeros(len(pair.owners)), *(own[2] for own in parts)]),
    )
    seen = np.concatenate([pair.counts, np.zeros(len(owners) - len(pair.owners), np.int64)])
    smooth = gather(pair, Rows(owners, gold, outputs, seen))
    parted = gather(pair, Rows(owners, gold, outputs, added))
    return smooth, smooth.counts + parted.counts


def _add_labels(pair: Cells, group: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
    """Gold, both outputs, and the size of what is added to one group of single labels."""
    here = pair.owners == group
    gold = np.unique(pair.gold[here])
    used = np.union1d(gold, pair.outputs[:, here])
    used = used[used < len(pair.labels)]
    if len(used) == 1:
        used = np.arange(len(pair.labels), dtype=used.dtype)
    if len(used) < 2:
        return pair.gold[:0], pair.outputs[:, :0], np.zeros(0)
    others = used[(np.searchsorted(used, gold) + 1) % len(used)]
    outputs = np.stack([np.concatenate([gold, others]), np.concatenate([others, gold])])
    return np.tile(gold, 2), outputs, _weigh(2 * len(gold), int(pair.n[group]))


def _add_sets(pair: Cells, group: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
    """The same of label sets: each label alone, missed and wrongly given by one of the systems."""
    here, wide = pair.owners == group, len(pair.labels)
    seen = np.bitwise_or.reduce(np.concatenate([pair.gold[here], *pair.outputs[:, here]]), axis=0)
    used = np.flatnonzero(np.unpackbits(seen, count=wide, bitorder="little"))
    single = np.zeros((len(used), wide + 1), np.uint8)
    single[np.arange(len(used)), used] = 1
    alone = np.packbits(single, axis=1, bitorder="little")
    none = np.zeros_like(alone)
    gold = np.concatenate([alone, alone, none, none])
    outputs = np.stack(
        [np.concatenate([alone, none, alone, none]), np.concatenate([none, alone, none, alone])]
    )
    return gold, outputs, _weigh(len(gold), int(pair.n[group]))


def _weigh(cells: int, n: int) -> NDArray[np.float64]:
    return np.full(cells, min(SMOOTHING, _MOST * n / max(cells, 1)))
