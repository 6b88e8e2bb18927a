"""Resamples of labels: of other sizes, smoothed, within strata, and posterior tables."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.tallies.arrays.units import DRAW, find_units, open_streams, split
from tallystick.tallies.cells import Cells
from tallystick.tallies.code_sets import CodeSets
from tallystick.tallies.tally import Tally


def resample_at(tally: Cells, ratio: float, resamples: int, seed: int) -> Cells:
    """Returns resamples with `ratio` times as many examples, or clusters, on a leading axis.

    They are drawn from the cells, so that what they cost does not grow with their size. As in
    other resamples, examples are drawn within their group, at least one of each. The tally has no
    weights.
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
    singles = None
    if pair.sets is not None:
        pair, singles = _add_singles(pair, pair.sets)
    parts = [
        _add_labels(pair, group) if singles is None else _add_sets(pair, group, singles)
        for group in range(len(pair.groups))
    ]
    owners, gold, outputs, added = (
        np.concatenate([pair.owners, *(np.full(len(own[2]), at) for at, own in enumerate(parts))]),
        np.concatenate([pair.gold, *(own[0] for own in parts)]),
        np.concatenate([pair.outputs, *(own[1] for own in parts)], axis=1),
        np.concatenate([np.zeros(len(pair.owners)), *(own[2] for own in parts)]),
    )
    seen = np.concatenate([pair.counts, np.zeros(len(owners) - len(pair.owners), np.int64)])
    rows = replace(pair, owners=owners, gold=gold, outputs=outputs, weights=None, clusters=None)
    smooth, parted = (replace(rows, counts=own).merge() for own in (seen, added))
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


def _add_singles(pair: Cells, sets: CodeSets) -> tuple[Cells, NDArray[np.uint32]]:
    """The tally with the set of each label alone; the codes of these, and of the empty set."""
    wide = len(pair.labels)
    alone = CodeSets.from_sizes(np.arange(wide + 1) < wide, np.arange(wide))
    added, codes = CodeSets.concatenate([sets, alone]).encode()
    gold, outputs = codes[pair.gold], codes[pair.outputs]
    return replace(pair, gold=gold, outputs=outputs, sets=added), codes[len(sets) :]


def _add_sets(
    pair: Cells, group: int, singles: NDArray[np.uint32]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
    """The same of label sets: each label alone, missed and wrongly given by one of the systems."""
    assert pair.sets is not None
    here = pair.owners == group
    seen = np.unique([pair.gold[here], *pair.outputs[:, here]])
    used = np.unique(pair.sets.take(seen).codes)
    alone = singles[used[used < len(pair.labels)]]
    none = np.full_like(alone, singles[-1])
    gold = np.concatenate([alone, alone, none, none])
    outputs = np.stack(
        [np.concatenate([alone, none, alone, none]), np.concatenate([none, alone, none, alone])]
    )
    return gold, outputs, _weigh(len(gold), int(pair.n[group]))


def _weigh(cells: int, n: int) -> NDArray[np.float64]:
    return np.full(cells, min(SMOOTHING, _MOST * n / max(cells, 1)))


_ADDED = 0.5
"""So much of an example is added to each output of each gold label, so that none is impossible."""


def resample_strata(tally: Cells, resamples: int, seed: int) -> Cells:
    """Returns resamples of one system's labels, drawn within each group and gold label.

    Half an example of each label is added to the outputs of each gold label before they are drawn:
    a label that was never, or always, found could have been by other examples.
    The examples of a group and gold label weigh the same, and there are no clusters.
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


_PRIOR = 0.5
"""What Jeffreys' prior adds to the count of each cell."""


def is_table(tally: Tally) -> bool:
    """Whether a tally is of two labels on both sides, one an example, and nothing else."""
    cells: Cells | None = tally.patterns
    if cells is None or not cells.labelled or cells.sets is not None or len(cells.labels) != 2:
        return False
    return cells.plain and bool((cells.outputs < 2).all())


def sample_tables(tally: Cells, samples: int, seed: int) -> Iterator[Cells]:
    """Tables that may be behind that of each group, in chunks with a leading axis.

    They are drawn from the posterior distribution with Jeffreys' prior. Where resamples of three
    positives that were all found never miss one, these do. The tally is of one system and two
    labels, without weights and clusters.

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
