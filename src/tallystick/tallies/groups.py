"""Arrays whose axes are named by groups and labels, brought onto the names of another."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.examples.labels import Label, order

__all__ = ["place", "union"]


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
