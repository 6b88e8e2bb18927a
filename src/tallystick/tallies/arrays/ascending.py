"""Rows of codes in ascending order, and what belongs to equal ones added up."""

import math

import numpy as np
from numpy.typing import NDArray


def merge_rows(
    rows: NDArray[np.int64], *values: NDArray[np.int64]
) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """The distinct rows, ascending, with the sums of their values."""
    order = _rank(rows)
    rows = rows[order]
    first = np.ones(len(rows), bool)
    first[1:] = (rows[1:] != rows[:-1]).any(1)
    starts = np.flatnonzero(first)
    sums = [
        np.add.reduceat(own[order], starts, axis=0) if len(starts) else own[:0] for own in values
    ]
    return rows[starts], sums


def _rank(rows: NDArray[np.int64]) -> NDArray[np.intp]:
    """The places of rows in ascending order."""
    wide = tuple((rows.max(0, initial=0) + 1).tolist())
    if math.prod(wide) > np.iinfo(np.int64).max:
        return np.lexsort(rows.T[::-1])
    # Stable sorting goes fast over parts that ascend already.
    return np.argsort(np.ravel_multi_index(tuple(rows.T), wide), kind="stable")


def add_at(values: NDArray[np.int64], places: NDArray[np.intp], size: int) -> NDArray[np.int64]:
    """The sums of the values of each place."""
    sums = np.zeros((size, *values.shape[1:]), np.int64)
    np.add.at(sums, places, values)
    return sums
