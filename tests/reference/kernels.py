"""The kernels in plain Python: same arguments, same results, no check of what comes in."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def count_concordance(left: Array, right: Array, weights: Array, n_right: int) -> Array:
    counts = np.zeros_like(weights)
    for i in range(len(left)):
        for j in range(len(left)):
            if left[j] < left[i]:
                counts[i] += weights[j] * np.sign(right[i] - right[j])
    return counts


def group_rows(rows: Array) -> tuple[Array, Array]:
    numbers: dict[bytes, int] = {}
    inverse = [numbers.setdefault(row.tobytes(), len(numbers)) for row in rows]
    first = [inverse.index(number) for number in range(len(numbers))]
    return np.array(first, np.int64), np.array(inverse, np.int64)
