"""Arrays whose axes are named by groups and labels, and the groups that examples belong to."""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.model.codes import Label, place_names
from tallystick.model.systems import Systems

Given = TypeVar("Given")
_BLOCK = 1 << 16


def list_known(clusters: Sequence[Given | None]) -> list[Given]:
    """Returns the clusters of tallies that are added, of which all have some, or none has."""
    known = [one for one in clusters if one is not None]
    if 0 < len(known) < len(clusters):
        raise UsageError("a tally with clusters cannot be added to one without")
    return known


def place(
    counts: NDArray[Any], axis: int, names: Sequence[Label], wanted: Sequence[Label]
) -> NDArray[Any]:
    """Returns the counts with the axis of `names` widened to `wanted`, with zeros where new."""
    if tuple(names) == tuple(wanted):
        return counts
    shape = list(counts.shape)
    shape[axis] = len(wanted)
    wide = np.zeros(shape, counts.dtype)
    index: list[Any] = [slice(None)] * counts.ndim
    index[axis] = place_names(names, wanted)
    wide[tuple(index)] = counts
    return wide


def group_codes(systems: Systems) -> tuple[tuple[Label, ...], NDArray[Any]]:
    """Returns the group names and each example's group; one group `all` where there are none."""
    if systems.groups is None:
        return ("all",), np.zeros(len(systems), np.uint8)
    return systems.groups.names, systems.groups.codes


def count_groups(systems: Systems) -> NDArray[np.int64]:
    """Returns the number of examples in each group that have a weight above 0.

    Of all examples where there are no groups.
    """
    plain = systems.counts is None and systems.weights is None
    if systems.groups is None:
        size = len(systems) if plain else count_rows(systems).sum()
        return np.array([size], np.int64)
    codes, size = systems.groups.codes, len(systems.groups.names)
    if not plain:
        sums = np.zeros(size, np.int64)
        np.add.at(sums, codes, count_rows(systems))
        return sums
    # In blocks, because NumPy widens the codes it counts to eight bytes each.
    blocks = (codes[start : start + _BLOCK] for start in range(0, len(codes), _BLOCK))
    return sum((np.bincount(block, minlength=size) for block in blocks), np.zeros(size, np.int64))


def weigh_rows(systems: Systems) -> Any:
    """What rows weigh, and their squared weights: (2, rows); None without weights."""
    if systems.weights is None:
        return None
    each = np.stack([systems.weights, systems.weights**2])
    return each if systems.counts is None else each * systems.counts


def count_rows(systems: Systems) -> NDArray[np.int64]:
    """How many examples each row stands for; none where their weight is 0."""
    counts = np.ones(len(systems), np.int64) if systems.counts is None else systems.counts
    return counts if systems.weights is None else counts * (systems.weights > 0)


def need_examples(systems: Systems, what: str) -> None:
    """Raises a UsageError where rows stand for several examples."""
    if systems.counts is not None:
        raise UsageError(
            f"a column of counts goes with metrics of labels and label sets; {what} need a row for "
            "each example"
        )
