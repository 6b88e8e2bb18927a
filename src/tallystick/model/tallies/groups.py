"""Arrays by group and label: distinct rows, sums by place, and sums of numbers about pivots."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tallystick import _native
from tallystick.errors import UsageError
from tallystick.model.codes import Label, place_names
from tallystick.model.systems import Systems

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
"""Some columns, the variable of each, and the column that each loses this many times."""


def _list_steps(counter: Movable) -> list[Step]:
    """The steps to another origin: products lose p v, then u and v move, then products lose q u."""
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
    """Sums, (..., columns), about other pivots, (..., variables)."""
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
    """Adds up rows by place, numbers about the mean of each variable; returns sums and pivots."""
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
    """Which sums, (..., columns), are so far from 0 that their variance is rounding."""
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
    """The last axis with its entries at these places among this many, all others 0."""
    spread = np.zeros((*values.shape[:-1], size), values.dtype)
    spread[..., places] = values
    return spread


_WIDE = 32
"""Rows with at least this many numbers are added as a whole; narrower ones run by run."""

_LONG = 32
"""Up to this many rows of a run are added in step with those of all other runs."""

_WORD = 8
"""The bytes of a number that are compared at once."""

_SIGN = np.uint64(1 << 63)
"""The bit that shows whether a number is negative."""


def find_distinct(
    keys: Sequence[NDArray[np.uint8]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One example of each distinct key of bytes, ascending, and the key of each example."""
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
    """Rows in the order of `find_distinct`, and where each distinct one begins; fast if sorted."""
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
    """Sums the last axis by place, without negative ones; `items` is the item of each place."""
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


Given = TypeVar("Given")
_BLOCK = 1 << 16


def list_known(clusters: Sequence[Given | None]) -> list[Given]:
    """Returns the clusters of tallies that are added, of which all have some, or none has."""
    known = [one for one in clusters if one is not None]
    if 0 < len(known) < len(clusters):
        raise UsageError("a tally with clusters cannot be added to one without")
    return known


def place(
    counts: NDArray[Any], axis: int, names: Sequence[Label], wanted: Sequence[Label]
) -> NDArray[Any]:
    """Returns the counts with the axis of `names` widened to `wanted`, with zeros where new."""
    if tuple(names) == tuple(wanted):
        return counts
    shape = list(counts.shape)
    shape[axis] = len(wanted)
    wide = np.zeros(shape, counts.dtype)
    index: list[Any] = [slice(None)] * counts.ndim
    index[axis] = place_names(names, wanted)
    wide[tuple(index)] = counts
    return wide


def group_codes(systems: Systems) -> tuple[tuple[Label, ...], NDArray[Any]]:
    """Returns the group names and each example's group; one group `all` where there are none."""
    if systems.groups is None:
        return ("all",), np.zeros(len(systems), np.uint8)
    return systems.groups.names, systems.groups.codes


def count_groups(systems: Systems) -> NDArray[np.int64]:
    """The number of examples with a weight above 0 in each group, or of all."""
    plain = systems.counts is None and systems.weights is None
    if systems.groups is None:
        size = len(systems) if plain else count_rows(systems).sum()
        return np.array([size], np.int64)
    codes, size = systems.groups.codes, len(systems.groups.names)
    if not plain:
        sums = np.zeros(size, np.int64)
        np.add.at(sums, codes, count_rows(systems))
        return sums
    # In blocks, because NumPy widens the codes it counts to eight bytes each.
    blocks = (codes[start : start + _BLOCK] for start in range(0, len(codes), _BLOCK))
    return sum((np.bincount(block, minlength=size) for block in blocks), np.zeros(size, np.int64))


def weigh_rows(systems: Systems) -> Any:
    """What rows weigh, and their squared weights: (2, rows); None without weights."""
    if systems.weights is None:
        return None
    each = np.stack([systems.weights, systems.weights**2])
    return each if systems.counts is None else each * systems.counts


def count_rows(systems: Systems) -> NDArray[np.int64]:
    """How many examples each row represents; none where their weight is 0."""
    counts = np.ones(len(systems), np.int64) if systems.counts is None else systems.counts
    return counts if systems.weights is None else counts * (systems.weights > 0)


def need_examples(systems: Systems, what: str) -> None:
    """Raises a UsageError where rows represent several examples."""
    if systems.counts is not None:
        raise UsageError(
            f"a column of counts can only be used with metrics of labels and label sets; {what} "
            "need a row for each example"
        )
