"""Tallies of labels in which what was seen too rarely to vary is smoothed."""

from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.model.tallies.cells import Cells
from tallystick.model.tallies.per_label import CodeSets

_MOST = 0.1
"""At most so large a share of the examples is added, however many labels there are."""


PRIOR = 0.25
"""So much of an example is added to each way in which a label can come out, as by Jeffreys."""


def smooth_labels(tally: Cells) -> tuple[Cells, NDArray[np.float64]]:
    """The tally of one system with a part of an example that is right, and that is wrong.

    There is one of each for each label that a group has on either side, and for both of two
    labels. So labels of few examples that all came out alike are known to vary. Counts are not
    whole numbers then; how much was added to each cell follows.

    Source: Jeffreys' prior, as in Brown, Cai and DasGupta 2001, Statistical Science 16.
    """
    found, seen, added = _smooth(tally, PRIOR)
    sizes = seen + added
    return replace(found, counts=sizes, weights=np.stack([sizes, sizes])), added


def _smooth(tally: Cells, size: float) -> tuple[Cells, NDArray[Any], NDArray[Any]]:
    """The cells with those that are added, how many examples each has, and what is added to it."""
    if tally.sets is None:
        parts = [_add_labels(tally, size)]
    else:
        tally, singles = _add_singles(tally, tally.sets)
        parts = [_add_sets(tally, group, size, singles) for group in range(len(tally.groups))]
    owners, gold, outputs, added = (
        np.concatenate([tally.owners, *(own[0] for own in parts)]),
        np.concatenate([tally.gold, *(own[1] for own in parts)]),
        np.concatenate([tally.outputs, *(own[2] for own in parts)], axis=1),
        np.concatenate([np.zeros(len(tally.owners)), *(own[3] for own in parts)]),
    )
    seen = np.concatenate([tally.counts, np.zeros(len(owners) - len(tally.owners), np.int64)])
    rows = replace(tally, owners=owners, gold=gold, outputs=outputs, weights=None, clusters=None)
    smooth, parted = (replace(rows, counts=own).merge() for own in (seen, added))
    return smooth, smooth.counts, parted.counts


Added = tuple[NDArray[np.int64], NDArray[Any], NDArray[Any], NDArray[np.float64]]
"""The groups, gold and outputs of each system of what is added, and its size."""


def _add_labels(tally: Cells, size: float) -> Added:
    wide, owners = len(tally.labels), tally.owners
    pairs = owners * wide + tally.gold
    gold = _sort(pairs)
    if len(tally.systems) == 1 and wide == 2:
        gold = (_sort(owners)[:, None] * wide + np.arange(wide)).ravel()
    if wide < 2:
        gold = gold[:0]
    codes = tally.outputs.astype(np.int64)
    used = _sort(np.append(gold, (owners * wide + codes)[codes < wide]))
    if len(tally.systems) == 1 and wide > 1:
        gold = used
    groups, own = np.divmod(gold, wide)
    # The label that follows among those of the group, after the last one the first.
    places = np.searchsorted(used, gold, "right")
    first = used[np.searchsorted(used, groups * wide)]
    after = np.append(used, -1)[places]
    after = np.where(after // wide == groups, after, first)
    others = np.where(after == gold, (own + 1) % max(wide, 1), after % max(wide, 1))
    each = np.bincount(groups, minlength=len(tally.groups))[groups]
    added = np.minimum(size, _MOST * tally.n[groups] / np.maximum(2 * each, 1))
    outputs = np.stack([np.append(own, others), np.append(others, own)])[: len(tally.systems)]
    kind = tally.gold.dtype
    return (
        np.tile(groups, 2),
        np.tile(own, 2).astype(kind),
        outputs.astype(tally.outputs.dtype),
        np.tile(added, 2),
    )


def _sort(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Distinct codes in ascending order; np.unique takes long to load."""
    codes = np.sort(codes).astype(np.int64)
    return codes[np.diff(codes, prepend=codes[:1] - 1) > 0]


def _add_singles(tally: Cells, sets: CodeSets) -> tuple[Cells, NDArray[np.uint32]]:
    wide = len(tally.labels)
    alone = CodeSets.from_sizes(np.arange(wide + 1) < wide, np.arange(wide))
    added, codes = CodeSets.concatenate([sets, alone]).encode()
    gold, outputs = codes[tally.gold], codes[tally.outputs]
    return replace(tally, gold=gold, outputs=outputs, sets=added), codes[len(sets) :]


def _add_sets(tally: Cells, group: int, size: float, singles: NDArray[np.uint32]) -> Added:
    """The same of label sets: each label alone, missed and wrongly given by one of the systems."""
    assert tally.sets is not None
    here = tally.owners == group
    seen = np.unique([tally.gold[here], *tally.outputs[:, here]])
    used = np.unique(tally.sets.take(seen).codes)
    alone = singles[used[used < len(tally.labels)]]
    none = np.full_like(alone, singles[-1])
    gold = np.concatenate([alone, alone, none, none])
    outputs = np.stack(
        [np.concatenate([alone, none, alone, none]), np.concatenate([none, alone, none, alone])]
    )
    outputs = outputs[: len(tally.systems)]
    added = min(size, _MOST * int(tally.n[group]) / max(len(gold), 1))
    return np.full(len(gold), group), gold, outputs, np.full(len(gold), added)
