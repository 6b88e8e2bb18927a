"""The rows behind sums while they are few, else their products, and resamples of both."""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick import _native
from tallystick.limits import LIMITS
from tallystick.model.codes import Label, Labels, append, place_names, unify, union
from tallystick.model.tallies.clusters import DRAW, find_units, open_streams, slice_chunks, split
from tallystick.model.tallies.groups import (
    Movable,
    Reals,
    add_by,
    add_rows,
    find_lost,
    list_known,
    move,
    spread_columns,
)
from tallystick.model.tallies.storage import Stored, drop_missing

_MOST_KEYS = 1 << 10
"""So many columns are sorted by without looking for those that are alike."""

_ROUNDING = 1e-9


Parts = tuple[dict[str, tuple[Label, ...]], dict[str, NDArray[Any]]]
"""Names and arrays, as they are stored."""


class Products(Struct, frozen=True, eq=False):
    """Sums of the rows' outer products, for any number of rows.

    Attributes:
        n: How many rows each group has.
        sums: The sums of rows, of shape (groups, systems, columns).
        products: The sums of their outer products, float64 of shape (groups, systems, columns,
            systems, columns).
        pivots: What both are about, of shape (groups, systems, variables); None where that is 0.
    """

    groups: tuple[Label, ...]
    n: NDArray[np.int64]
    sums: NDArray[Any]
    products: Reals
    pivots: Reals | None = None

    def move(self, counter: Movable, pivots: Reals) -> "Products":
        """The same about other pivots."""
        assert self.pivots is not None
        away = pivots - self.pivots
        half = move(counter, self.products, away[:, None, None])
        both = move(counter, half.transpose(0, 3, 4, 1, 2), away[:, None, None])
        even = (both + both.transpose(0, 3, 4, 1, 2)) / 2
        return Products(self.groups, self.n, move(counter, self.sums, away), even, pivots)

    def multiply(self, counter: object) -> "Products":
        """The sums of the rows' outer products: itself."""
        return self

    def add(self, counter: object) -> tuple[NDArray[Any], Reals | None]:
        """The sums of rows, and their pivots."""
        return self.sums, self.pivots

    def count(self) -> tuple[tuple[Label, ...], NDArray[np.int64]]:
        """The groups, and how many rows each has."""
        return self.groups, self.n

    def store(self) -> Parts:
        """Its names and arrays."""
        arrays = {"n": self.n, "sums": self.sums, "products": self.products, "pivots": self.pivots}
        named = {f"products.{name}": array for name, array in arrays.items()}
        return {"products": self.groups}, drop_missing(named)

    @classmethod
    def load(cls, stored: Stored, counter: Any, shape: tuple[int, int]) -> "Products":
        """The products of this many systems and columns; ValueError if an array is malformed."""
        groups = stored.list_names("products")
        n = stored.read_whole("products.n", (len(groups),))
        sums = read_sums(stored, "products.sums", counter, (len(groups), *shape))
        products = stored.read_reals("products.products", (len(groups), *shape, *shape))
        pivots = read_pivots(stored, "products.pivots", counter, (len(groups), shape[0]))
        loaded = cls(groups, n, sums, products, pivots)
        loaded._check()
        return loaded

    def _check(self) -> None:
        """Raises a ValueError where no rows have such products."""
        wide = math.prod(self.sums.shape[1:])
        flat = self.products.reshape(len(self.n), wide, wide)
        if (flat != flat.swapaxes(1, 2)).any():
            raise ValueError("its products are not those of rows with each other")
        sums, squares = self.sums.reshape(len(self.n), wide), np.einsum("gii->gi", flat)
        with np.errstate(all="ignore"):
            most = squares * np.maximum(self.n, 1)[:, None] * (1 + _ROUNDING)
            if not (np.square(sums, dtype=np.float64) <= most).all():
                raise ValueError("its products are not those of so many rows with such sums")
            if not (flat**2 <= squares[:, :, None] * squares[:, None] * (1 + _ROUNDING)).all():
                raise ValueError("its products are larger than those of any rows")

    def spread(self, places: NDArray[np.intp], size: int) -> "Products":
        """The same with the columns at these places among this many, all others 0."""
        products = spread_columns(self.products, places, size).swapaxes(-1, -3)
        return replace(
            self,
            sums=spread_columns(self.sums, places, size),
            products=spread_columns(products, places, size).swapaxes(-1, -3),
        )

    def of(self, places: Sequence[int]) -> "Products":
        """The products of some of the systems."""
        return replace(
            self,
            sums=self.sums[:, places],
            products=self.products[:, places][:, :, :, places],
            pivots=None if self.pivots is None else self.pivots[:, places],
        )


class Rows(Struct, frozen=True, eq=False):
    """The rows themselves, at most so many that resampling them is cheap.

    Attributes:
        values: One row per example, of shape (rows, systems, columns), in the order in which they
            were read; one per cluster and group where there are clusters.
        groups: The group of each row.
        find_keys: Returns a number for each row that no system's outputs change, by which rows are
            put into an order that depends on no order of files; None where clusters do that.
        clusters: The cluster of each row, all different within a group; or None.
        pivots: What the values are about, for each row by itself: float64 of shape (rows, systems,
            variables); None where that is 0.
    """

    values: NDArray[Any]
    groups: Labels
    find_keys: Callable[[], NDArray[np.uint32]] | None = None
    clusters: Labels | None = None
    pivots: Reals | None = None

    @property
    def keys(self) -> NDArray[np.uint32] | None:
        """The numbers that `find_keys` returns; most scores need none."""
        return None if self.find_keys is None else self.find_keys()

    def count(self) -> tuple[tuple[Label, ...], NDArray[np.int64]]:
        """The groups, and how many rows each has."""
        return self.groups.names, np.bincount(self.groups.codes, minlength=len(self.groups.names))

    def add(self, counter: object) -> tuple[NDArray[Any], Reals | None]:
        """The sums of rows, of shape (groups, systems, columns), and their pivots."""
        rows, size = self.settle(counter), len(self.groups.names)
        return add_rows(counter, rows.values, rows.pivots, rows.groups.codes, size)

    def store(self) -> Parts:
        """The names and arrays of rows that have been sorted."""
        names = {"rows": self.groups.names}
        arrays = {
            "rows.values": self.values,
            "rows.groups": self.groups.codes,
            "rows.keys": self.keys,
            "rows.pivots": self.pivots,
        }
        if self.clusters is not None:
            names["clusters"], arrays["rows.clusters"] = self.clusters.names, self.clusters.codes
        return names, drop_missing(arrays)

    @classmethod
    def load(cls, stored: Stored, counter: Any, shape: tuple[int, int]) -> "Rows":
        """The rows of this many systems and columns; ValueError if an array is malformed."""
        size = len(stored.read("rows.values", (None, *shape)))
        values = read_sums(stored, "rows.values", counter, (size, *shape))
        pivots = read_pivots(stored, "rows.pivots", counter, (size, shape[0]))
        groups, clusters = stored.read_labels("rows.groups", "rows", size), None
        if "clusters" in stored.names:
            clusters = stored.read_labels("rows.clusters", "clusters", size)
            pairs = np.unique(np.stack([groups.codes, clusters.codes]), axis=1)
            if pairs.shape[1] < size:
                raise ValueError("its clusters have several rows in a group")
        keys = None if clusters is not None else stored.read("rows.keys", (size,))
        if keys is not None and keys.dtype != np.uint32:
            raise ValueError("its rows.keys are not whole numbers of 32 bits")
        return cls(values, groups, _give(keys), clusters, pivots)

    def spread(self, places: NDArray[np.intp], size: int) -> "Rows":
        """The same with the columns at these places among this many, all others 0."""
        return replace(self, values=spread_columns(self.values, places, size))

    def of(self, places: Sequence[int]) -> "Rows":
        """The rows of some of the systems."""
        pivots = None if self.pivots is None else self.pivots[:, places]
        return replace(self, values=self.values[:, places], pivots=pivots)

    def move(self, counter: Movable, pivots: Reals) -> Reals:
        """The values about pivots of shape (..., rows, systems, variables)."""
        assert self.pivots is not None
        return move(counter, self.values, pivots - self.pivots)

    def multiply(self, counter: Any) -> Products:
        """The sums of the rows' outer products."""
        (sums, pivots), (names, n) = self.add(counter), self.count()
        codes, inner = self.groups.codes, self.values.shape[1:]
        values = self.values if pivots is None else self.move(counter, pivots[codes])
        flat = values.reshape(len(values), math.prod(inner)).astype(np.float64, copy=False)
        if len(names) > 1:
            flat = flat[np.argsort(codes, kind="stable")]
        parts = [flat[start:end] for start, end in pairwise([0, *n.cumsum().tolist()])]
        # Not by BLAS, whose sums depend on the number of threads.
        products = [np.einsum("ri,rj->ij", part, part) for part in parts]
        shaped = np.reshape(products, (len(names), *inner, *inner))
        return Products(names, n, sums, shaped, pivots)

    def sort(self, counter: Any) -> "Rows":
        """The rows in an order that depends neither on their own nor on other systems."""
        plain = self.values if self.pivots is None else move(counter, self.values, -self.pivots)
        wide = np.ascontiguousarray(plain.reshape(len(plain), math.prod(plain.shape[1:])).T)
        if wide.size and len(wide) > _MOST_KEYS:  # of columns that are alike the first decides
            first, _ = _native.group_rows(wide.view(np.uint8))
            wide = wide[np.sort(first)]
        clusters = None if self.clusters is None else self.clusters.codes
        own = [column for column in (self.keys, clusters) if column is not None]
        return self.take(np.lexsort((*wide[::-1], *own, self.groups.codes)))

    def settle(self, counter: object) -> "Rows":
        """The same, in which no order of few rows of real numbers changes a sum by rounding."""
        few = len(self.values) <= LIMITS.moment_rows
        return self.sort(counter) if few and self.values.dtype == np.float64 else self

    def tell_apart(self, one: int, other: int) -> NDArray[np.bool_]:
        """Which rows differ between two systems."""
        found = (self.values[:, one] != self.values[:, other]).any(-1)
        if self.pivots is not None:
            found |= (self.pivots[:, one] != self.pivots[:, other]).any(-1)
        return np.asarray(found)

    def take(self, rows: NDArray[np.intp]) -> "Rows":
        """Some of the rows."""
        keys = self.keys
        return Rows(
            self.values[rows],
            self.groups.take(rows),
            _give(None if keys is None else keys[rows]),
            None if self.clusters is None else self.clusters.take(rows),
            None if self.pivots is None else self.pivots[rows],
        )


Scatter = Rows | Products


def read_sums(stored: Stored, name: str, counter: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    """Sums of a shape: whole numbers from 0 on, or real ones, which may be negative of numbers."""
    if stored.read(name, shape).dtype == np.int64:
        return stored.read_whole(name, shape)
    return stored.read_reals(name, shape, least=-np.inf if counter.kind.numeric else 0)


def read_pivots(stored: Stored, name: str, counter: object, shape: tuple[int, ...]) -> Reals | None:
    """The pivots of numbers, of a shape but for the variables; None where nothing has a pivot."""
    if not isinstance(counter, Movable):
        return None
    return stored.read_reals(name, (*shape, len(counter.variables)))


def scatter_rows(counter: object, rows: Rows) -> Scatter:
    """How rows scatter, one per example."""
    if rows.clusters is not None:
        return _gather(counter, rows)
    return rows if len(rows.values) <= LIMITS.moment_rows else rows.multiply(counter)


def _give(keys: NDArray[np.uint32] | None) -> Callable[[], NDArray[np.uint32]] | None:
    return None if keys is None else lambda: keys


def join_scatters(counter: object, parts: Sequence[Scatter]) -> Scatter:
    """How the rows of all parts scatter."""
    if len(parts) == 1:
        return parts[0]
    rows = [part for part in parts if isinstance(part, Rows)]
    products = [part for part in parts if isinstance(part, Products)]
    list_known([part.clusters if isinstance(part, Rows) else None for part in parts])
    joined = _join_rows(counter, rows) if rows else None
    if joined is not None and joined.clusters is None:
        if not products and len(joined.values) <= LIMITS.moment_rows:
            return joined
        products.append(joined.multiply(counter))
    return joined if joined is not None and not products else _add_products(counter, products)


def _join_rows(counter: object, parts: Sequence[Rows]) -> Rows:
    names = union(*(part.groups.names for part in parts))
    clusters = [part.clusters for part in parts if part.clusters is not None]
    keys = [part.keys for part in parts]
    pivots = [part.pivots for part in parts if part.pivots is not None]
    joined = Rows(
        np.concatenate([part.values for part in parts]),
        append([part.groups.recode(names) for part in parts]),
        None if clusters else _give(np.concatenate([own for own in keys if own is not None])),
        append(unify(*clusters)) if clusters else None,
        np.concatenate(pivots) if pivots else None,
    )
    return _gather(counter, joined) if clusters else joined


def _add_products(counter: Any, parts: Sequence[Products]) -> Products:
    groups = union(*(part.groups for part in parts))
    own = [np.array(place_names(part.groups, groups), np.int64) for part in parts]
    pivots = [part.pivots for part in parts if part.pivots is not None]
    places, size = np.concatenate(own), len(groups)
    sums, means = add_rows(
        counter,
        np.concatenate([part.sums for part in parts]),
        np.concatenate(pivots) if pivots else None,
        places,
        size,
    )
    if means is not None:
        parts = [part.move(counter, means[at]) for part, at in zip(parts, own, strict=True)]
    n, products = (
        add_by(np.concatenate([getattr(part, name) for part in parts]), places, size)
        for name in ("n", "products")
    )
    return Products(groups, n, sums, products, means)


def _gather(counter: object, rows: Rows) -> Rows:
    rows = rows.settle(counter)
    groups, clusters = rows.groups, rows.clusters
    assert clusters is not None
    keys = groups.codes.astype(np.int64) * len(clusters.names) + clusters.codes
    seen, places = np.unique(keys, return_inverse=True)
    sums, pivots = add_rows(counter, rows.values, rows.pivots, places, len(seen))
    codes, owners = np.divmod(seen, max(len(clusters.names), 1))
    named = Labels(owners, clusters.names)
    return Rows(sums, Labels(codes, groups.names), clusters=named, pivots=pivots)


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
    that columns of small numbers keep their digits next to large ones.
    """
    sizes = np.sqrt(np.maximum(np.diagonal(spread), 0)) if scaled else np.ones(len(spread))
    sizes = np.where(sizes > 0, sizes, 1)
    values, vectors = np.linalg.eigh(spread / sizes / sizes[:, None])
    known = np.where(values > _SINGULAR * values.max(initial=0), values, 0)
    root: NDArray[np.float64] = (vectors * np.sqrt(known)) @ vectors.T
    return root * sizes
