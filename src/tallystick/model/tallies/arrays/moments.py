"""Sums of rows, and of numbers about pivots near their means, so that large means lose no digits.

A counter of numbers names the columns that sum a variable, and those that sum the product of two.
Each row, or sum of rows, has a pivot for each variable, about which all that is summed. Sums with
other pivots are moved to a common one before they are added.

Source: Chan, Golub and LeVeque 1983, The American Statistician 37.
"""

import math
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]

_LOST = 1e-4
"""A variance that is a smaller share of the mean square about a pivot has lost digits."""


@runtime_checkable
class Movable(Protocol):
    """A counter whose sums can be taken about any origin."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns; one of them, `examples`, sums the weights."""

    @property
    def variables(self) -> tuple[str, ...]:
        """The columns that sum a variable."""

    @property
    def products(self) -> Mapping[str, tuple[str, str]]:
        """The columns that sum the product of two variables, or the square of one."""


Step = tuple[list[int], list[int], list[int]]
"""Some columns, the variable of each, and the column that each loses so many times."""


def _list_steps(counter: Movable) -> list[Step]:
    """The steps to another origin, in each of which columns lose a pivot times another column.

    A product uv loses p times v; then u and v themselves move, and lastly uv loses q times u.
    """
    names, at = counter.variables, counter.columns.index
    products = [at(column) for column in counter.products]
    firsts, lasts = zip(*counter.products.values(), strict=True) if products else ((), ())
    (first, u), (last, v) = (
        (list(map(names.index, own)), list(map(at, own))) for own in (firsts, lasts)
    )
    variables = list(map(at, names))
    own = (variables, list(range(len(names))), [at("examples")] * len(names))
    return [(products, first, v), own, (products, last, u)] if products else [own]


def move(counter: Movable, values: Reals, pivots: Reals) -> Reals:
    """Sums about pivots that lie so far from those that they are about now.

    Args:
        counter: What counted.
        values: Of shape (..., columns).
        pivots: Of shape (..., variables), which broadcasts.
    """
    shape = np.broadcast_shapes(values.shape[:-1], pivots.shape[:-1])
    moved = np.broadcast_to(values, (*shape, values.shape[-1])).copy()
    with np.errstate(all="ignore"):  # what is too large for a square is NaN
        for columns, variables, others in _list_steps(counter):
            moved[..., columns] -= pivots[..., variables] * moved[..., others]
    return moved


def add_by(values: NDArray[Any], places: NDArray[np.integer[Any]], size: int) -> NDArray[Any]:
    """Adds up rows by their place, pairwise: from shape (rows, ...) to (size, ...)."""
    inner = values.shape[1:]
    flat = np.ascontiguousarray(values.reshape(len(values), math.prod(inner)).T)
    if size == 1:
        return np.asarray(flat.sum(1).reshape(1, *inner))
    order = np.argsort(places, kind="stable")
    starts = np.flatnonzero(np.diff(places[order].astype(np.int64), prepend=-1))
    sums = np.zeros((len(flat), size), values.dtype)
    if len(starts):
        sums[:, places[order[starts]]] = np.add.reduceat(flat[:, order], starts, axis=1)
    return sums.T.reshape(size, *inner)


def add_rows(
    counter: Any,
    values: NDArray[Any],
    pivots: Reals | None,
    places: NDArray[np.integer[Any]],
    size: int,
) -> tuple[NDArray[Any], Reals | None]:
    """Adds up rows by their place, those of numbers about the mean of each variable.

    Numbers that are all equal have no sum of squares then, and others have one.

    Args:
        counter: What counted.
        values: Of shape (rows, ..., columns).
        pivots: What they are about, of shape (rows, ..., variables); None where that is 0.
        places: Where each row goes.
        size: How many places there are.

    Returns:
        The sums, of shape (size, ..., columns), and their pivots.
    """
    if pivots is None:
        return add_by(values, places, size), None
    at = counter.columns.index
    mass = values[..., at("examples"), None]
    used = np.flatnonzero(mass.reshape(len(mass), -1).any(1))[::-1]
    base = np.zeros((size, *pivots.shape[1:]))
    base[places[used]] = pivots[used]  # the first of each place
    with np.errstate(all="ignore"):
        away = (pivots - base[places]) * mass + values[..., list(map(at, counter.variables))]
        means = add_by(away, places, size) / add_by(mass, places, size)
    means = base + np.where(np.isfinite(means), means, 0.0)
    return add_by(move(counter, values, means[places] - pivots), places, size), means


def find_lost(counter: Movable, sums: Reals) -> NDArray[np.bool_]:
    """Which sums, of shape (..., columns), lie so far from their mean that a variance is rounding.

    Those of numbers that are all the pivot have lost nothing.
    """
    at = counter.columns.index
    lost = np.zeros(sums.shape[:-1], bool)
    with np.errstate(all="ignore"):
        for column, (u, v) in counter.products.items():
            if u == v:
                square, total = sums[..., at(column)], sums[..., at(u)]
                rest = square - total * total / sums[..., at("examples")]
                lost |= (square > 0) & (rest <= _LOST * square)
    return lost


def spread_columns(values: NDArray[Any], places: NDArray[np.intp], size: int) -> NDArray[Any]:
    """The last axis with its entries at these places among so many, all others 0."""
    spread = np.zeros((*values.shape[:-1], size), values.dtype)
    spread[..., places] = values
    return spread
