"""Sums of rows as exact terms: the numbers nearest to them, and what these lack of them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.tallies.arrays.exact_sums import add_terms, sum_exactly
from tallystick.tallies.storage import Stored


def read_terms(stored: Stored, name: str, shape: tuple[int, ...], *, real: bool) -> NDArray[Any]:
    """The terms of sums of a shape: whole numbers from 0 on, or exact terms of real ones."""
    array = stored.read(name, (None, *shape))
    if not len(array):
        raise ValueError(f"its {name} have no terms")
    if array.dtype == np.int64:
        return stored.read_whole(name, (1, *shape))
    terms = add_terms([stored.read_reals(name, (None, *shape))])
    if not real and (terms[0] < 0).any():
        raise ValueError(f"its {name} are below 0")
    return trim(terms)


def spread_columns(values: NDArray[Any], places: NDArray[np.intp], size: int) -> NDArray[Any]:
    """The last axis with its entries at these places among so many, all others 0."""
    spread = np.zeros((*values.shape[:-1], size), values.dtype)
    spread[..., places] = values
    return spread


def sum_terms_by(terms: NDArray[Any], places: NDArray[np.integer[Any]], size: int) -> NDArray[Any]:
    """Adds up rows by their place: terms of shape (terms, rows, systems, columns)."""
    if terms.dtype == np.float64:
        return np.moveaxis(sum_exactly(np.moveaxis(terms, 1, -1), places, size), -1, 1)
    if size == 1:
        return np.asarray(terms.sum(1, keepdims=True))
    sums = np.zeros((1, size, *terms.shape[2:]), terms.dtype)
    np.add.at(sums[0], places, terms[0])
    return sums


def trim(terms: NDArray[Any]) -> NDArray[Any]:
    """The terms but for the last ones where these are 0."""
    used = [at for at, term in enumerate(terms, 1) if term.any()]
    return terms[: max(used, default=1)]
