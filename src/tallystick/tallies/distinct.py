"""Distinct rows of codes, sorted, so that no order of examples shows in a tally."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import _native

__all__ = ["find_distinct", "sum_by", "to_bytes"]


def find_distinct(
    keys: Sequence[NDArray[np.uint8]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One example of each distinct key, ascending; and the key of each example.

    Args:
        keys: Matrices of bytes with a row per example, which are read side by side.
    """
    rows = np.ascontiguousarray(np.hstack(keys))
    found, places = _native.group_rows(rows)
    ranks = np.lexsort(rows[found].T[::-1])
    order = np.empty_like(ranks)
    order[ranks] = np.arange(len(ranks))
    return found[ranks], order[places]


def to_bytes(codes: NDArray[Any]) -> NDArray[np.uint8]:
    """Codes as rows of bytes that sort as the codes do."""
    wide = codes.astype(">u4")[:, None].view(np.uint8)
    return wide[:, 3:] if codes.dtype == np.uint8 else wide


def sum_by(values: NDArray[Any], places: NDArray[np.int64], size: int) -> NDArray[Any]:
    """Sums the last axis by the place of each of its items, to an axis of that size."""
    sums = np.zeros((*values.shape[:-1], size), values.dtype)
    if len(places):
        order = np.argsort(places, kind="stable")
        ranked = places[order]
        starts = np.flatnonzero(np.diff(ranked, prepend=-1))
        same = len(starts) == len(order)
        parts = values[..., order]
        sums[..., ranked[starts]] = parts if same else np.add.reduceat(parts, starts, axis=-1)
    return sums
