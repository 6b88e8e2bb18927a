"""Sums of numbers about pivots near their means, so that numbers far from 0 keep their digits.

A counter of numbers tells which of its columns sum a variable, and which the product of two. Their
exact sums are moved to another origin without rounding; what is near its mean is then float64.
"""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tallystick.tallies.arrays.exact_sums import distill, multiply_pairs

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


def move_exactly(counter: Movable, terms: Reals, pivots: Reals) -> Reals:
    """Exact sums of shape (terms, ..., columns) about pivots, as terms of the same sums."""
    with np.errstate(all="ignore"):
        for columns, variables, others in _list_steps(counter):
            own = _subtract(terms[..., columns], pivots[..., variables], terms[..., others])
            terms = np.concatenate([terms, np.zeros((len(own), *terms.shape[1:]))])
            terms[..., columns] = 0
            terms[: len(own), ..., columns] = own
            terms = terms[: 1 + max(np.flatnonzero(list(map(np.any, terms))), default=0)]
    return terms


def _subtract(terms: Reals, pivots: Reals, others: Reals) -> Reals:
    """The terms of sums less pivots times others, of shape (terms, ...)."""
    lost = (part for own in others for part in multiply_pairs(-pivots, own))
    return np.stack(distill([*terms, *lost]))


def center(counter: Movable, terms: Reals) -> tuple[Reals, Reals]:
    """Exact sums about the float64 nearest to the mean of each variable.

    Numbers that are all equal have no sum of squares then, and others have one.

    Args:
        counter: What counted.
        terms: The terms of the sums, of shape (terms, ..., columns).

    Returns:
        The sums, and the pivots of shape (..., variables).
    """
    at = counter.columns.index
    pivots = find_means(counter, terms[0])
    with np.errstate(all="ignore"):
        sums = terms[..., list(map(at, counter.variables))]
        rest = _subtract(sums, pivots, terms[..., at("examples"), None])[0]
        more = rest / terms[0, ..., at("examples"), None]
    pivots = pivots + np.where(np.isfinite(more), more, 0.0)
    return move_exactly(counter, terms, pivots)[0], pivots


def find_means(counter: Movable, sums: Reals) -> Reals:
    """The mean of each variable from sums of shape (..., columns); 0 where it is not finite."""
    at = counter.columns.index
    with np.errstate(all="ignore"):
        means = sums[..., list(map(at, counter.variables))] / sums[..., at("examples"), None]
    return np.where(np.isfinite(means), means, 0.0)


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
