"""Resamples and exchanges of sums: of rows, or of their covariance where rows are too many."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.tallies.resampling.units import (
    DRAW,
    SWAP,
    Pair,
    Units,
    find_units,
    open_streams,
    split,
)
from tallystick.tallies.scatter import Products, Rows
from tallystick.tallies.sums import Sums

__all__ = ["exchange_sums", "resample_sums"]

_TOGETHER = 64
"""For so many pairs at a time it is found what tied rows change, which bounds the memory."""


def _find_row_units(rows: Rows) -> Units:
    clusters = None if rows.clusters is None else rows.clusters.codes.astype(np.int64)
    return find_units(rows.groups.codes.astype(np.int64), clusters, rows.groups.names)


def resample_sums(tally: Sums, resamples: int, seed: int) -> Iterator[Sums]:
    """Resamples of sums, in chunks with a leading axis."""
    scatter = tally.scatter
    if scatter is None:
        raise UsageError("resamples cannot be resampled")
    if isinstance(scatter, Products):
        for sums in _draw_normal(scatter, resamples, seed):
            yield replace(tally, sums=np.maximum(sums, 0), scatter=None)
        return
    rows = scatter.sort()
    units = _find_row_units(rows)
    for weights in units.draw(resamples, seed):
        yield replace(tally, sums=_mix(weights[:, units.of], rows), scatter=None)


def _mix(weights: NDArray[Any], rows: Rows) -> NDArray[np.float64]:
    """Weighted sums of rows, of shape (systems, resamples, groups, columns)."""
    codes, groups = rows.groups.codes, len(rows.groups.names)
    flat = rows.values.reshape(len(rows.values), -1).astype(np.float64)
    mixed = np.zeros((len(weights), groups, flat.shape[1]))
    for group in range(groups):
        here = np.flatnonzero(codes == group)
        every = len(here) == len(codes)
        own = weights if every else weights[:, here]
        np.matmul(own.astype(np.float64, copy=False), flat[here], out=mixed[:, group])
    shaped = mixed.reshape(len(weights), groups, *rows.values.shape[1:])
    return np.asarray(np.moveaxis(shaped, 2, 0))


def _draw_normal(scatter: Products, resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """Normal resamples of sums, of shape (systems, resamples, groups, columns)."""
    groups, systems, columns = scatter.sums.shape
    flat = scatter.sums.reshape(groups, -1).astype(np.float64)
    products = scatter.products.reshape(groups, systems * columns, -1)
    roots = [
        _find_root(product - np.outer(own, own) / max(n, 1))
        for product, own, n in zip(products, flat, scatter.n.tolist(), strict=True)
    ]
    streams = open_streams(seed, scatter.groups, DRAW)
    for chunk in split(resamples, flat.size):
        drawn = [
            own + stream.standard_normal((chunk, len(own))) @ root
            for own, root, stream in zip(flat, roots, streams, strict=True)
        ]
        shaped = np.stack(drawn, 1).reshape(chunk, groups, systems, columns)
        yield np.moveaxis(shaped, 2, 0)


def _find_root(spread: NDArray[np.float64]) -> NDArray[np.float64]:
    """The symmetric square root of a covariance."""
    values, vectors = np.linalg.eigh(spread)
    root: NDArray[np.float64] = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    return root


def exchange_sums(
    tally: Sums, pairs: Sequence[Pair], resamples: int, seed: int
) -> Iterator[tuple[int, Sums, Sums]]:
    """The number of each pair with the sums of both systems after exchanges, in chunks."""
    scatter = tally.scatter
    if scatter is None:
        raise UsageError("resamples have nothing to exchange")
    places = [(tally.systems.index(a), tally.systems.index(b)) for a, b in pairs]
    if isinstance(scatter, Products):
        for number, (a, b) in enumerate(places):
            for change in _draw_changes(scatter, a, b, resamples, seed):
                yield number, *_apply(tally, (a, b), change)
        return
    rows = scatter.sort()
    units, ties = _find_row_units(rows), rows.find_ties()
    starts = range(0, len(places), _TOGETHER)
    blocks = [places[start : start + _TOGETHER] for start in starts]
    gains = [_reorder(rows, ties, block) for block in blocks]
    for swaps in units.swap(resamples, seed):
        moved, tied = _mix(swaps[:, units.of], rows), swaps[:, units.of[ties]].astype(np.float64)
        for start, block, own in zip(starts, blocks, gains, strict=True):
            more = np.zeros(len(block)) if own is None else _mix(tied, own)
            for number, (a, b) in enumerate(block):
                change = moved[b] - moved[a] + more[number]
                yield start + number, *_apply(tally, (a, b), change)


def _reorder(rows: Rows, ties: NDArray[np.intp], pairs: Sequence[tuple[int, int]]) -> Rows | None:
    """What exchanges change more where tied rows stand as each pair alone orders them.

    The order of rows with the same key would else depend on the other systems, and with it what is
    exchanged.

    Returns:
        Rows of shape (ties, pairs, columns); None without ties.
    """
    if not len(ties):
        return None
    tied, gains = rows.take(ties), []
    for pair in pairs:
        own = tied.of(pair)
        change = own.sort().values - own.values
        gains.append(change[:, 1] - change[:, 0])
    return replace(tied, values=np.stack(gains, axis=1))


def _apply(tally: Sums, pair: tuple[int, int], change: NDArray[np.float64]) -> tuple[Sums, Sums]:
    """Both systems after an exchange that changes their sums by so much."""
    a, b = pair
    one, other = tally.sums[a] + change, tally.sums[b] - change
    names = tally.systems
    return (
        replace(tally, systems=names[a : a + 1], sums=one[None], scatter=None),
        replace(tally, systems=names[b : b + 1], sums=other[None], scatter=None),
    )


def _draw_changes(
    scatter: Products, a: int, b: int, resamples: int, seed: int
) -> Iterator[NDArray[np.float64]]:
    """Normal changes of sums with the mean and the covariance that random exchanges have."""
    products, sums = scatter.products, scatter.sums.astype(np.float64)
    means = (sums[:, b] - sums[:, a]) / 2
    spread = (
        products[:, b, :, b] - products[:, a, :, b] - products[:, b, :, a] + products[:, a, :, a]
    ) / 4
    roots = [_find_root(own) for own in spread]
    streams = open_streams(seed, scatter.groups, SWAP)
    for chunk in split(resamples, means.size):
        drawn = [
            mean + stream.standard_normal((chunk, len(mean))) @ root
            for mean, root, stream in zip(means, roots, streams, strict=True)
        ]
        yield np.stack(drawn, 1)
