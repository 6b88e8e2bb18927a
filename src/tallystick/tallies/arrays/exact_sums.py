"""Sums of real numbers that are rounded once, when all is added: no order or partition shows.

A number is cut into digits to the base 2 ** 26, and the digits are added as whole numbers. A sum is
kept as terms: the sum as a float64, then what that lacks of the exact sum, again as a float64, and
so on until nothing is lacking. They are the same terms for the same sum, however it was added up.

Source: digits on a fixed grid as in Demmel and Nguyen 2015, IEEE Transactions on Computers 64;
terms as in Priest 1991, 10th IEEE Symposium on Computer Arithmetic.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.tallies.storage import Stored

Reals = NDArray[np.float64]

_BITS = 26
"""The bits of a digit: the sum of 2 ** 27 of them is a whole number that a float64 holds."""

_BLOCK = 1 << 17
"""So many numbers are cut at a time, which stay in the processor's cache."""

_SPARE = 3
"""Digits above the highest one, for carries, and zeros below the lowest, to round with."""

_INFINITE = 2.0**987
"""Numbers from here on (1e297) are taken for infinity: there is no room to cut them."""

_LARGE = 2.0**493
"""The products of numbers up to this one (1e148) are not infinite."""

_SMALL, _ROWS = 20, 1 << 14
"""Products of digits of so few bits, for so many rows, add up to less than 2 ** 53."""

_SPLIT = 2.0**27 + 1
"""Cuts a float64 into two halves whose products are exact."""


def sum_exactly(terms: Reals, places: NDArray[np.integer[Any]], size: int) -> Reals:
    """Adds up the numbers of each place.

    Args:
        terms: Of shape (terms, ..., items): an item is the sum of its terms.
        places: Where each item goes; not negative.
        size: How many places there are.

    Returns:
        The terms of the sums, of shape (terms, ..., size), as few as hold all of them. The first
        are the sums, correctly rounded.
    """
    inner = terms.shape[1:-1]
    columns = math.prod(inner)
    values = np.asarray(terms, np.float64).reshape(len(terms), columns, terms.shape[-1])
    wild = ~(np.abs(values) < _INFINITE)
    digits: dict[int, NDArray[np.int64]] = {}
    if values.size:
        clean = np.where(wild, 0, values) if wild.any() else values
        for term in clean:
            _add_digits(digits, term, places, size)
    flat = _round_all(digits, columns * size)
    found = flat.reshape(len(flat), *inner, size)
    if not wild.any():
        return found
    infinite = np.where(wild, values, 0)
    infinite[wild] *= np.inf
    return _add_infinite(found, infinite.sum(0), places)


def _add_digits(
    sums: dict[int, NDArray[np.int64]],
    values: Reals,
    places: NDArray[np.integer[Any]],
    size: int,
) -> None:
    """Adds the digits of numbers of shape (columns, items) to the sums of (columns * size)."""
    used, items = np.flatnonzero(values.any(1)), values.shape[1]
    columns, width = len(used), len(values) * size
    step = max(1, max(_BLOCK, width) // max(columns, 1))
    starts = used[:, None] * size
    for start in range(0, items, step):
        rest = values[used, start : start + step]
        where = None if size == 1 else (starts + places[start : start + step]).ravel()
        for place, part in _cut(rest, _BITS):
            if where is None:
                found = np.zeros(width)
                found[used] = part.sum(1)
            else:
                found = np.asarray(np.bincount(where, part.ravel(), width), np.float64)
            whole = np.ldexp(found, -_BITS * place).astype(np.int64)
            sums[place] = sums[place] + whole if place in sums else whole


def _cut(numbers: Reals, bits: int) -> Iterator[tuple[int, Reals]]:
    """The digits of numbers, the highest first: whole multiples of 2 ** (bits * place).

    The numbers are below 2 ** 987.
    """
    rest = numbers.copy()
    most = float(np.abs(rest).max(initial=0))
    place = -((bits - 1 - math.frexp(most)[1]) // bits)
    while rest.any():
        edge = math.ldexp(1.5, 52 + bits * place)
        part = rest + edge
        part -= edge  # the nearest multiple, as the sum has no smaller bits
        rest -= part
        yield place, part
        place -= 1


def _round_all(sums: dict[int, NDArray[np.int64]], size: int) -> Reals:
    """The terms of sums of digits, of shape (terms, size)."""
    if not sums:
        return np.zeros((1, size))
    lowest = min(sums) - _SPARE
    digits = np.zeros((max(sums) - lowest + 1 + _SPARE, size), np.int64)
    for place, own in sums.items():
        digits[place - lowest] = own
    terms: list[Reals] = []
    _carry(digits)
    while not terms or digits.any():
        rounded = _round(digits, lowest)
        for place, part in _cut(rounded, _BITS):
            digits[place - lowest] -= np.ldexp(part, -_BITS * place).astype(np.int64)
        _carry(digits)
        rounded[np.abs(rounded) >= _INFINITE] *= np.inf
        digits[:, np.isinf(rounded)] = 0
        terms.append(rounded)
    return np.stack(terms)


def _round(digits: NDArray[np.int64], lowest: int) -> Reals:
    """The float64 nearest to each number, whose digits have been carried; of two the even one."""
    signs = np.where(digits[-1] < 0, -1, 1)
    sizes = digits * signs
    _carry(sizes)
    filled = sizes != 0
    top = len(sizes) - 1 - filled[::-1].argmax(0)
    first, second, third, fourth = np.take_along_axis(sizes, top - np.arange(4)[:, None], 0)
    below = (filled & (np.arange(len(sizes))[:, None] < top - 3)).any(0)
    high = (first << _BITS) + second
    # Whatever is further below only tells on which side of a tie the number is.
    low = ((third << _BITS) + fourth) | below
    nearest = high.astype(np.float64) * 2.0 ** (2 * _BITS) + low
    return np.asarray(signs * np.ldexp(nearest, _BITS * (top - 3 + lowest)))


def _carry(digits: NDArray[np.int64]) -> None:
    """Makes each digit but the highest one of 0 to 2 ** 26 - 1."""
    for place, below in enumerate(digits[:-1]):
        digits[place + 1] += below >> _BITS
        digits[place] &= (1 << _BITS) - 1


def _add_infinite(terms: Reals, wild: Reals, places: NDArray[np.integer[Any]]) -> Reals:
    """Adds numbers of shape (columns, items) that are infinite, or none, and leave no rest."""
    size = terms.shape[-1]
    sums = np.stack([np.bincount(places, own, size) for own in wild]).reshape(terms.shape[1:])
    terms[0] += sums
    terms[1:, sums != 0] = 0
    return terms


def join_terms(parts: Sequence[Reals], axis: int) -> Reals:
    """Terms one after another along an axis, each with as many terms as the others."""
    most = max(map(len, parts))
    return np.concatenate(
        [np.concatenate([own, np.zeros((most - len(own), *own.shape[1:]))]) for own in parts], axis
    )


def sum_weights(weights: Reals, places: NDArray[np.integer[Any]], size: int) -> Reals:
    """Adds up weights by place: terms of shape (2 * terms, items), in pairs as `Cells` has them."""
    pairs = weights.reshape(len(weights) // 2, 2, weights.shape[-1])
    found = sum_exactly(pairs, places, size)
    return found.reshape(2 * len(found), size)


def add_terms(parts: Sequence[Reals]) -> Reals:
    """Adds up arrays of the same shape but for their terms, which come first."""
    if len(parts) == 1 and len(parts[0]) <= 2 and (np.abs(parts[0]) < _INFINITE).all():
        # The sum of two and what rounding leaves of it hold all; no zero is below 0.
        return trim(np.stack(_renormalize(list(parts[0] + 0.0))))
    shape = parts[0].shape[1:]
    size = math.prod(shape)
    joined = join_terms([own.reshape(len(own), size) for own in parts], -1)
    found = sum_exactly(joined, np.tile(np.arange(size), len(parts)), size)
    return found.reshape(len(found), *shape)


def multiply_exactly(values: Reals, counts: NDArray[np.int64]) -> Reals:
    """The terms of numbers of shape (..., items) times counts, of shape (terms, ..., items).

    Where a number is infinite, the products are rounded.
    """
    if not (np.abs(values) < _INFINITE).all():
        return (values * counts)[None]
    halves = [counts & ((1 << _BITS) - 1), counts >> _BITS << _BITS]
    parts = [part for _, part in _cut(values, _BITS)] or [values]
    used = [half for half in halves if half.any()] or halves[:1]
    return np.stack([part * half for half in used for part in parts])


def multiply_pairs(one: Reals, other: Reals) -> tuple[Reals, Reals]:
    """The products of float64, correctly rounded, and what rounding left of them.

    Both are exact unless a product is below 1e-290; where one is infinite it leaves no rest.

    Source: Dekker 1971, Numerische Mathematik 18.
    """
    product = one * other
    left, right = _split(one), _split(other)
    rest = left[1] * right[1] - (
        ((product - left[0] * right[0]) - left[1] * right[0]) - left[0] * right[1]
    )
    return product, np.where(np.isfinite(product), rest, 0.0)


def _split(values: Reals) -> tuple[Reals, Reals]:
    wide = values * _SPLIT
    high = wide - (wide - values)
    return high, values - high


def distill(terms: Sequence[Reals]) -> list[Reals]:
    """The same sum, element by element, as terms that do not overlap, the largest first.

    Where all that is added cancels, the only term is exactly 0.

    Source: Ogita, Rump and Oishi 2005, SIAM Journal on Scientific Computing 26 (error-free vector
        transformation), until nothing changes.
    """
    kept = _drop_zeros(terms)
    for _ in terms:
        before, kept = kept, _drop_zeros(_renormalize(kept))
        if len(before) == len(kept) and all(map(np.array_equal, before, kept)):
            break
    return kept


def _renormalize(terms: Sequence[Reals]) -> list[Reals]:
    """Adds each term to the one above it, from the last one on, and keeps what rounding leaves."""
    rests: list[Reals] = []
    total = terms[-1]
    for term in terms[-2::-1]:
        added = total + term
        gained = added - total
        rests.append((total - (added - gained)) + (term - gained))
        total = added
    return [total, *rests[::-1]]


def _drop_zeros(terms: Sequence[Reals]) -> list[Reals]:
    return [term for term in terms if term.any()] or list(terms[:1])


def square_exactly(rows: Reals) -> Reals:
    """The terms of the sum of the outer products of rows, each with a last column of 1 besides.

    They are exact unless numbers are below 1e-130, and NaN where one is above 1e148. The last
    column, and the last row, has the sums of the rows themselves.

    Args:
        rows: The terms of each row, of shape (terms, rows, width).

    Returns:
        An array of shape (terms, width + 1, width + 1).
    """
    size = rows.shape[2] + 1
    if not (np.abs(rows) < _LARGE).all():
        return np.full((1, size, size), np.nan)
    terms = np.zeros((1, size * size))
    for start in range(0, rows.shape[1], _ROWS):
        digits, units, owners = _list_digits(rows[:, start : start + _ROWS])
        found = (digits @ digits.T * units * units[:, None]).ravel()
        places = (owners[:, None] * size + owners).ravel()
        terms = add_terms([terms, sum_exactly(found[None], places, size * size)])
    return terms.reshape(len(terms), size, size)


def _list_digits(rows: Reals) -> tuple[Reals, Reals, NDArray[np.intp]]:
    """The digits of rows and of 1, of shape (digits, rows), their units, and their columns."""
    digits, scales, owners = [np.ones((1, rows.shape[1]))], [np.ones(1)], [np.array(rows.shape[2:])]
    for term in rows:
        columns = np.ascontiguousarray(term.T)
        # Each column on a grid of its own has the fewest digits.
        units = np.ldexp(1.0, np.frexp(np.abs(columns).max(1, initial=0))[1] - _SMALL + 1)
        for _, part in _cut(columns / units[:, None], _SMALL):
            used = np.flatnonzero(part.any(1))
            digits.append(part[used])
            scales.append(units[used])
            owners.append(used)
    return np.concatenate(digits), np.concatenate(scales), np.concatenate(owners)


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
