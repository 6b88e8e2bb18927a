"""Resamples of sums: of rows, or of their covariance where rows are too many."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.examples.numbers import NumberCounter
from tallystick.tallies.resampling.units import (
    DRAW,
    Units,
    find_units,
    open_streams,
    split,
)
from tallystick.tallies.scatter import Products, Rows
from tallystick.tallies.sums import Sums

__all__ = ["resample_sums"]


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
            # No count is negative, but a number may be.
            least = -np.inf if isinstance(tally.counter, NumberCounter) else 0
            yield replace(tally, sums=np.maximum(sums, least), scatter=None)
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
