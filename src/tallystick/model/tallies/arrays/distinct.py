"""Distinct rows of several columns, sums by place, and rows that ascend."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import _native

_WIDE = 32
"""Rows with at least this many numbers are added as a whole; narrower ones run by run."""

_LONG = 32
"""Up to this many rows of a run are added in step with those of all other runs."""

_WORD = 8
"""The bytes of a number that are compared at once."""

_SIGN = np.uint64(1 << 63)
"""The bit that tells whether a number is negative."""


def find_distinct(
    keys: Sequence[NDArray[np.uint8]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One example of each distinct key, ascending; and the key of each example.

    Args:
        keys: Matrices of bytes with a row per example, which are read side by side.
    """
    varying = [key for key in keys if (key != key[:1]).any()]
    rows = np.ascontiguousarray(np.hstack(varying or keys[:1]))
    found, places = _native.group_rows(rows)
    distinct = rows[found]
    del keys, varying, rows  # of many examples they take more than what is returned
    ranks = _rank_words(_write_words([distinct]), len(distinct))
    order = np.empty_like(ranks)
    order[ranks] = np.arange(len(ranks))
    return found[ranks], order[places]


def find_runs(columns: Sequence[NDArray[Any]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows of columns in the order of `find_distinct`, and where in it each distinct one begins.

    That is faster where most rows ascend already, and takes less memory.
    """
    words = _write_words(columns)
    order = _rank_words(words, len(columns[0]))
    begins = np.zeros(len(order), bool)
    begins[:1] = True
    for word in words:
        ranked = word[order]
        begins[1:] |= ranked[1:] != ranked[:-1]
    return order, np.flatnonzero(begins)


def _rank_words(words: Sequence[NDArray[np.uint64]], size: int) -> NDArray[np.intp]:
    """So many rows in ascending order of their words, those that are equal in their own."""
    if len(words) == 1:
        return np.argsort(words[0], kind="stable")
    return np.lexsort(words[::-1]) if words else np.arange(size)


def _write_words(columns: Sequence[NDArray[Any]]) -> list[NDArray[np.uint64]]:
    """The bytes of rows in which these differ, as numbers, eight bytes in each."""
    words, room = list[NDArray[np.uint64]](), 0
    for column in columns:
        for own in to_bytes(column).T:
            if (own == own[:1]).all():
                continue
            if not room:
                words.append(np.zeros(len(own), np.uint64))
            room = (room or _WORD) - 1
            words[-1] <<= np.uint64(8)
            words[-1] |= own
    return words


def to_bytes(codes: NDArray[Any]) -> NDArray[np.uint8]:
    """Codes, or numbers, as rows of bytes that sort as they do; rows of bytes as they are."""
    if codes.ndim > 1:
        return codes
    if codes.dtype == np.float64:
        bits = codes.view(np.uint64)
        ranked = np.where(np.signbit(codes), ~bits, bits | _SIGN)
        return ranked.astype(">u8")[:, None].view(np.uint8)
    wide = codes.astype(">u4")[:, None].view(np.uint8)
    return wide[:, 3:] if codes.dtype == np.uint8 else wide


def sum_by(
    values: NDArray[Any],
    places: NDArray[np.int64],
    size: int,
    items: NDArray[np.int64] | None = None,
) -> NDArray[Any]:
    """Sums the last axis by the place of each of its items, to an axis of that size.

    Where there are leading axes, their numbers stand side by side in the result, and are added
    fastest where they do so in the values too.

    Args:
        values: Of shape (..., items).
        places: Where each item goes; those at a negative place have no part.
        size: How many places there are.
        items: Which item each of the places is for; None where each item has one.
    """
    order = np.argsort(places, kind="stable")
    order = order[np.searchsorted(places, 0, sorter=order) :]
    ranked = places[order]
    starts = np.flatnonzero(np.diff(ranked, prepend=-1))
    sums = sum_runs(values, order if items is None else items[order], starts)
    if len(starts) == size:
        return sums
    spread = np.zeros((size, *values.shape[:-1]), values.dtype)
    spread[ranked[starts]] = np.moveaxis(sums, -1, 0)
    return np.moveaxis(spread, 0, -1)


def widen(sums: NDArray[Any]) -> NDArray[Any]:
    """Sums in a type in which formulas do not overflow; resamples have narrow counts."""
    return sums.astype(np.int64, copy=False) if sums.dtype.kind == "i" else sums


def sum_runs(
    values: NDArray[Any], order: NDArray[np.int64], starts: NDArray[np.int64]
) -> NDArray[Any]:
    """Sums runs of the last axis, as `sum_by` does: those of `order[start:next start]`."""
    rows = np.moveaxis(values, -1, 0)
    if len(starts) == len(order):
        sums = rows[order]
    elif rows[0].size < _WIDE:
        sums = np.add.reduceat(rows[order], starts, axis=0, dtype=rows.dtype)
    else:
        sizes = np.diff(starts, append=len(order))
        sums = rows[order[starts]]
        for step in range(1, min(int(sizes.max()), _LONG + 1)):
            longer = np.flatnonzero(sizes > step)
            sums[longer] += rows[order[starts[longer] + step]]
        for run in np.flatnonzero(sizes > _LONG + 1).tolist():
            rest = rows[order[starts[run] + _LONG + 1 : starts[run] + sizes[run]]]
            sums[run] += np.add.reduce(rest, axis=0, dtype=rows.dtype)
    return np.moveaxis(sums, 0, -1)
