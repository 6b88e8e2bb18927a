"""Resamples of sums: of rows, or of their covariance where rows are too many."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.model.codes import Labels
from tallystick.model.tallies.arrays.moments import Movable, find_lost
from tallystick.model.tallies.arrays.units import (
    DRAW,
    find_units,
    open_streams,
    slice_chunks,
    split,
)
from tallystick.model.tallies.second_moments import Products, Rows

_SINGULAR = 1e-14
"""A smaller eigenvalue, as a share of the largest, is rounding: a column follows from others."""


def draw_products(
    counter: Any, products: Products, resamples: int, seed: int
) -> Iterator[NDArray[np.float64]]:
    """Normal resamples of sums, of shape (systems, resamples, groups, columns), in chunks."""
    number = counter.kind.numeric
    for drawn in _draw_normal(products, resamples, seed, scaled=number):
        # No count is negative, but a number may be.
        yield np.maximum(drawn, -np.inf if number else 0)


def draw_rows(
    counter: Any,
    rows: Rows,
    values: NDArray[np.float64],
    pivots: NDArray[np.float64] | None,
    resamples: int,
    seed: int,
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64] | None]]:
    """Resamples of sums, in chunks: of shape (systems, resamples, groups, columns), and pivots."""
    clusters = None if rows.clusters is None else rows.clusters.codes.astype(np.int64)
    units = find_units(rows.groups.codes.astype(np.int64), clusters, rows.groups.names)
    wide = len(rows.groups.names) * math.prod(values.shape[1:])
    drawn = (
        weights[here]
        for weights in units.draw(resamples, seed)
        for here in slice_chunks(len(weights), wide)
    )
    for weights in drawn:
        own = weights if rows.clusters is None else weights[:, units.of]
        sums = _mix(own, values, rows.groups)
        if pivots is None:
            yield sums, None
        else:
            yield _restore_digits(counter, sums, pivots, rows, own)


def _mix(weights: NDArray[Any], values: NDArray[np.float64], owners: Labels) -> NDArray[np.float64]:
    """Weighted sums of rows, of shape (systems, resamples, groups, columns)."""
    codes, groups = owners.codes, len(owners.names)
    flat = values.reshape(len(values), -1)
    mixed = np.zeros((len(weights), groups, flat.shape[1]))
    for group in range(groups):
        here = np.flatnonzero(codes == group)
        every = len(here) == len(codes)
        own = weights if every else weights[:, here]
        np.matmul(own.astype(np.float64, copy=False), flat[here], out=mixed[:, group])
    shaped = mixed.reshape(len(weights), groups, *values.shape[1:])
    return np.asarray(np.moveaxis(shaped, 2, 0))


def _restore_digits(
    counter: Movable,
    sums: NDArray[np.float64],
    pivots: NDArray[np.float64],
    rows: Rows,
    weights: NDArray[Any],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sums about pivots of their own in groups that drew hardly any variance."""
    lost = np.logical_or.reduce(find_lost(counter, sums))
    if not lost.any():
        return sums, pivots
    pivots = np.repeat(pivots[:, None], len(weights), axis=1)
    for group in np.flatnonzero(lost.any(0)):
        here, again = np.flatnonzero(rows.groups.codes == group), np.flatnonzero(lost[:, group])
        found = sum_apart(counter, rows.take(here), weights[np.ix_(again, here)])
        sums[:, again, group], pivots[:, again, group] = found
    return sums, pivots


def sum_apart(
    counter: Movable, rows: Rows, weights: NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sums of rows of numbers about the pivot of one that has a weight, so that none is lost.

    Returns:
        The sums, of shape (systems, resamples, columns), and the pivots.
    """
    assert rows.pivots is not None
    mass = rows.values[:, 0, counter.columns.index("examples")]
    pivots = rows.pivots[(weights * mass > 0).argmax(1)]
    sums = np.zeros((*pivots.shape[:2], rows.values.shape[2]))
    for here in slice_chunks(len(weights), rows.values.size):
        moved = rows.move(counter, pivots[here, None])
        sums[here] = np.einsum("mr,mrsc->msc", weights[here].astype(np.float64), moved)
    return sums.swapaxes(0, 1), pivots.swapaxes(0, 1)


def _draw_normal(
    scatter: Products, resamples: int, seed: int, *, scaled: bool
) -> Iterator[NDArray[np.float64]]:
    """Normal resamples of sums, of shape (systems, resamples, groups, columns)."""
    groups, systems, columns = scatter.sums.shape
    flat = scatter.sums.reshape(groups, -1).astype(np.float64)
    products = scatter.products.reshape(groups, systems * columns, -1)
    roots = [
        _find_root(product - np.outer(own, own) / max(n, 1), scaled=scaled)
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


def _find_root(spread: NDArray[np.float64], *, scaled: bool) -> NDArray[np.float64]:
    """A matrix whose product with its transpose, from the left, is the covariance.

    It is the symmetric root; scaled it is that of the correlations times standard deviations, so
    that columns of small numbers keep their digits beside large ones.
    """
    sizes = np.sqrt(np.maximum(np.diagonal(spread), 0)) if scaled else np.ones(len(spread))
    sizes = np.where(sizes > 0, sizes, 1)
    values, vectors = np.linalg.eigh(spread / sizes / sizes[:, None])
    known = np.where(values > _SINGULAR * values.max(initial=0), values, 0)
    root: NDArray[np.float64] = (vectors * np.sqrt(known)) @ vectors.T
    return root * sizes
