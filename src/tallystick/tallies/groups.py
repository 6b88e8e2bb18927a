"""Arrays whose axes are named by groups and labels, brought onto the names of another."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.examples.labels import Label, order

__all__ = ["mix_sums", "place", "sum_owned", "union"]


def union(*names: Sequence[Label]) -> tuple[Label, ...]:
    """All names that occur; in the order they have if they all have one, else that of labels."""
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


def mix_sums(
    weights: NDArray[np.float64], sums: NDArray[Any], owners: NDArray[np.int64], groups: int
) -> NDArray[np.float64]:
    """Weighted sums of shape (draws, groups, ...) of arrays along their first axis.

    Args:
        weights: How often each array counts in each draw, of shape (draws, arrays).
        sums: The arrays.
        owners: The group that each array falls to.
        groups: How many groups there are.
    """
    flat = sums.reshape(len(sums), -1).astype(np.float64)
    mixed = np.zeros((len(weights), groups, flat.shape[1]))
    for group in range(groups):
        here = np.flatnonzero(owners == group)
        np.matmul(weights[:, here], flat[here], out=mixed[:, group])
    return mixed.reshape(len(weights), groups, *sums.shape[1:])


def sum_owned(n: NDArray[np.int64], owners: NDArray[np.int64], groups: int) -> NDArray[np.int64]:
    """Sums numbers of examples by the group that each falls to."""
    sums = np.zeros(groups, np.int64)
    np.add.at(sums, owners, n)
    return sums
