"""Arrays whose axes are named by groups and labels, and the groups that examples belong to."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.examples.labels import Label, order
from tallystick.examples.systems import Systems

__all__ = ["count_groups", "group_codes", "place", "union", "weigh_rows"]

_BLOCK = 1 << 16


def union(*names: Sequence[Label]) -> tuple[Label, ...]:
    """All names that occur; as they stand where all have the same, else in the order of labels."""
    distinct = {tuple(one) for one in names if one}
    if len(distinct) > 1:
        return order({name for one in distinct for name in one})
    return distinct.pop() if distinct else ()


def place(
    counts: NDArray[Any], axis: int, names: Sequence[Label], wanted: Sequence[Label]
) -> NDArray[Any]:
    """The same counts with the axis that `names` names widened to `wanted`, zero where new."""
    if tuple(names) == tuple(wanted):
        return counts
    shape = list(counts.shape)
    shape[axis] = len(wanted)
    wide = np.zeros(shape, counts.dtype)
    index: list[Any] = [slice(None)] * counts.ndim
    index[axis] = [list(wanted).index(name) for name in names]
    wide[tuple(index)] = counts
    return wide


def group_codes(systems: Systems) -> tuple[tuple[Label, ...], NDArray[Any]]:
    """The names of the groups, and the group of each example; one called `all` where none are."""
    if systems.groups is None:
        return ("all",), np.zeros(len(systems), np.uint8)
    return systems.groups.names, systems.groups.codes


def count_groups(systems: Systems) -> NDArray[np.int64]:
    """The number of examples of each group; of all examples where there are no groups."""
    if systems.groups is None:
        return np.array([len(systems)], np.int64)
    codes, size = systems.groups.codes, len(systems.groups.names)
    # In blocks, because NumPy widens the codes it counts to eight bytes each.
    blocks = (codes[start : start + _BLOCK] for start in range(0, len(codes), _BLOCK))
    return sum((np.bincount(block, minlength=size) for block in blocks), np.zeros(size, np.int64))


def weigh_rows(weights: NDArray[np.float64] | None) -> Any:
    """The weight of each example and its square, of shape (2, examples); None without weights."""
    return None if weights is None else np.stack([weights, weights**2])
