"""The variation of the rows behind sums: the rows while they are few, else their products."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import Label, Labels, append, unify
from tallystick.frozen import dataclass, replace
from tallystick.tallies.arrays.exact_sums import (
    add_terms,
    join_terms,
    read_terms,
    spread_columns,
    square_exactly,
    sum_terms_by,
    trim,
)
from tallystick.tallies.arrays.pivots import Movable, center, move, move_exactly
from tallystick.tallies.groups import list_known, place, union
from tallystick.tallies.storage import Stored, drop_missing

_MOST_ROWS = 1 << 13
"""Above this number of rows, resampled sums are practically normal, and rows are not kept."""

_ROUNDING = 1e-9

Parts = tuple[dict[str, tuple[Label, ...]], dict[str, NDArray[Any]]]
"""Names and arrays, as they are stored."""


@dataclass(frozen=True, slots=True, eq=False)
class Products:
    """Sums of the rows' outer products, for any number of rows.

    Attributes:
        n: How many rows each group has.
        sum_terms: The sums of rows, of shape (terms, groups, systems, columns): int64 of a single
            term, or float64 terms as `sum_exactly` gives them.
        product_terms: The sums of their outer products, likewise, float64 of shape (terms, groups,
            systems, columns, systems, columns).
    """

    groups: tuple[Label, ...]
    n: NDArray[np.int64]
    sum_terms: NDArray[Any]
    product_terms: NDArray[np.float64]

    @property
    def sums(self) -> NDArray[Any]:
        """The sums of rows, of shape (groups, systems, columns)."""
        return np.asarray(self.sum_terms[0])

    @property
    def products(self) -> NDArray[np.float64]:
        """The sums of their outer products: (groups, systems, columns, systems, columns)."""
        return np.asarray(self.product_terms[0])

    def move(self, counter: Movable, pivots: NDArray[np.float64]) -> "Products":
        """The same about the pivots of sums, of shape (systems, groups, variables)."""
        own = pivots.swapaxes(0, 1)
        sums = move_exactly(counter, self.sum_terms, own)
        half = move_exactly(counter, self.product_terms, own[:, None, None])
        turned = half.transpose(0, 1, 4, 5, 2, 3)
        products = move_exactly(counter, turned, own[:, None, None])
        return Products(self.groups, self.n, sums[:1], products[:1])

    def multiply(self) -> "Products":
        """The sums of the rows' outer products: itself."""
        return self

    def count(self) -> tuple[tuple[Label, ...], NDArray[np.int64]]:
        """The groups, and how many rows each has."""
        return self.groups, self.n

    def store(self) -> Parts:
        """Its names and arrays."""
        arrays = {"n": self.n, "sums": self.sum_terms, "products": self.product_terms}
        names = {"products": self.groups}
        return names, {f"products.{name}": array for name, array in arrays.items()}

    @classmethod
    def load(cls, stored: Stored, shape: tuple[int, int], *, real: bool) -> "Products":
        """The products of so many systems and columns; a ValueError where a part means nothing.

        Args:
            stored: What they are stored as.
            shape: How many systems and columns there are.
            real: Whether numbers are summed, which may be negative, and not counts.
        """
        groups = stored.list_names("products")
        n = stored.read_whole("products.n", (len(groups),))
        sums = read_terms(stored, "products.sums", (len(groups), *shape), real=real)
        found = stored.read_reals("products.products", (None, len(groups), *shape, *shape))
        products = add_terms([found]) if len(found) else found
        loaded = cls(groups, n, sums, products)
        loaded._check()
        return loaded

    def _check(self) -> None:
        """Raises a ValueError where no rows have such products."""
        wide = math.prod(self.sums.shape[1:])
        flat = self.products.reshape(len(self.n), wide, wide) if len(self.product_terms) else None
        if flat is None or (flat != flat.swapaxes(1, 2)).any():
            raise ValueError("its products are not those of rows with each other")
        sums, squares = self.sums.reshape(len(self.n), wide), np.einsum("gii->gi", flat)
        with np.errstate(all="ignore"):
            most = squares * np.maximum(self.n, 1)[:, None] * (1 + _ROUNDING)
            if not (np.square(sums, dtype=np.float64) <= most).all():
                raise ValueError("its products are not those of so many rows with such sums")
            if not (flat**2 <= squares[:, :, None] * squares[:, None] * (1 + _ROUNDING)).all():
                raise ValueError("its products are larger than those of any rows")

    def spread(self, places: NDArray[np.intp], size: int) -> "Products":
        """The same with the columns at these places among so many, all others 0."""
        products = spread_columns(self.product_terms, places, size)
        return replace(
            self,
            sum_terms=spread_columns(self.sum_terms, places, size),
            product_terms=spread_columns(products.swapaxes(-1, -3), places, size).swapaxes(-1, -3),
        )

    def of(self, places: Sequence[int]) -> "Products":
        """The products of some of the systems."""
        return replace(
            self,
            sum_terms=trim(self.sum_terms[:, :, places]),
            product_terms=trim(self.product_terms[:, :, places][:, :, :, :, places]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows themselves, at most so many that resampling them is cheap.

    Attributes:
        values: One row per example, of shape (rows, systems, columns), in the order in which they
            were read; one per cluster and group where there are clusters.
        groups: The group of each row.
        find_keys: Returns a number for each row that no system's outputs change, by which rows are
            put into an order that depends on no order of files; None where clusters do that.
        clusters: The cluster of each row, all different within a group; or None.
        rests: What values that are real-valued sums lack of the exact ones: their further terms,
            float64 of shape (terms, rows, systems, columns); None where they lack nothing.
        pivots: What the values are about, for each row by itself: float64 of shape (rows, systems,
            variables); None where that is 0.
    """

    values: NDArray[Any]
    groups: Labels
    find_keys: Callable[[], NDArray[np.uint32]] | None = None
    clusters: Labels | None = None
    rests: NDArray[np.float64] | None = None
    pivots: NDArray[np.float64] | None = None

    @property
    def keys(self) -> NDArray[np.uint32] | None:
        """The numbers that `find_keys` returns; most scores need none."""
        return None if self.find_keys is None else self.find_keys()

    def count(self) -> tuple[tuple[Label, ...], NDArray[np.int64]]:
        """The groups, and how many rows each has."""
        return self.groups.names, np.bincount(self.groups.codes, minlength=len(self.groups.names))

    def store(self) -> Parts:
        """The names and arrays of the rows in an order that no order of files changes."""
        rows, names = self.sort(), {"rows": self.groups.names}
        arrays = {
            "rows.values": rows.values,
            "rows.groups": rows.groups.codes,
            "rows.keys": rows.keys,
            "rows.rests": rows.rests,
        }
        if rows.clusters is not None:
            names["clusters"], arrays["rows.clusters"] = rows.clusters.names, rows.clusters.codes
        return names, drop_missing(arrays)

    @classmethod
    def load(cls, stored: Stored, shape: tuple[int, int], *, real: bool) -> "Rows":
        """The rows of so many systems and columns; a ValueError where a part means nothing."""
        values = stored.read("rows.values", (None, *shape))
        size, rests = len(values), stored.arrays.get("rows.rests")
        if rests is not None:
            stored.read_reals("rows.rests", (None, size, *shape))
        terms = values[None] if rests is None else np.concatenate([values[None], rests])
        whole = replace(stored, arrays={"rows.values": terms})
        terms = read_terms(whole, "rows.values", (size, *shape), real=real)
        groups, clusters = stored.read_labels("rows.groups", "rows", size), None
        if "clusters" in stored.names:
            clusters = stored.read_labels("rows.clusters", "clusters", size)
            pairs = np.unique(np.stack([groups.codes, clusters.codes]), axis=1)
            if pairs.shape[1] < size:
                raise ValueError("its clusters have several rows in a group")
        keys = None if clusters is not None else stored.read("rows.keys", (size,))
        if keys is not None and keys.dtype != np.uint32:
            raise ValueError("its rows.keys are not whole numbers of 32 bits")
        rests = terms[1:] if len(terms) > 1 else None
        return cls(terms[0], groups, _give(keys), clusters, rests)

    @property
    def terms(self) -> NDArray[Any]:
        """The values and what they lack, of shape (terms, rows, systems, columns)."""
        own = self.values[None]
        return own if self.rests is None else np.concatenate([own, self.rests])

    @property
    def sum_terms(self) -> NDArray[Any]:
        """The terms of the sums of rows, of shape (terms, groups, systems, columns)."""
        return sum_terms_by(self.terms, self.groups.codes, len(self.groups.names))

    def spread(self, places: NDArray[np.intp], size: int) -> "Rows":
        """The same with the columns at these places among so many, all others 0."""
        rests = None if self.rests is None else spread_columns(self.rests, places, size)
        return replace(self, values=spread_columns(self.values, places, size), rests=rests)

    def of(self, places: Sequence[int]) -> "Rows":
        """The rows of some of the systems."""
        values, *rests = trim(self.terms[:, :, places])
        pivots = None if self.pivots is None else self.pivots[:, places]
        return replace(self, values=values, rests=np.stack(rests) if rests else None, pivots=pivots)

    def center(self, counter: Movable) -> "Rows":
        """The same about pivots of each row's own, so that no digit of a large mean is lost."""
        at = counter.columns.index
        if self.clusters is None and (self.values[..., at("examples")] == 1).all():
            variables, products = (
                list(map(at, own)) for own in (counter.variables, counter.products)
            )
            return self._center_examples(variables, products)
        values, pivots = center(counter, self.terms)
        return replace(self, values=values, rests=None, pivots=pivots)

    def _center_examples(self, variables: list[int], products: list[int]) -> "Rows":
        """The same of rows that are an example each, whose numbers are the pivots."""
        values = self.values.copy()
        values[..., variables + products] = 0
        if self.rests is not None:
            values[..., variables] = self.rests.sum(0)[..., variables]
        return replace(self, values=values, rests=None, pivots=self.values[..., variables])

    def move(self, counter: Movable, pivots: NDArray[np.float64]) -> NDArray[np.float64]:
        """The values of centred rows about pivots of shape (..., rows, systems, variables)."""
        assert self.pivots is not None
        return move(counter, self.values, pivots - self.pivots)

    def multiply(self) -> Products:
        """The sums of the rows' outer products."""
        inner, names, codes = self.values.shape[1:], self.groups.names, self.groups.codes
        width, terms = math.prod(inner), self.terms
        wide = terms.reshape(*terms.shape[:2], width).astype(np.float64, copy=False)
        if len(names) > 1:
            wide = wide[:, np.argsort(codes, kind="stable")]
        n = np.bincount(codes, minlength=len(names))
        ends = [0, *n.cumsum().tolist()]
        found = [square_exactly(wide[:, start:end]) for start, end in pairwise(ends)]
        joined = join_terms([own[:, None] for own in found], 1)
        products, sums = trim(joined[..., :-1, :-1]), trim(joined[..., -1, :-1])
        if terms.dtype != np.float64 or np.isnan(sums).any():
            sums = sum_terms_by(terms, codes, len(names))
        return Products(
            names,
            n,
            sums.reshape(len(sums), len(names), *inner),
            products.reshape(len(products), len(names), *inner, *inner),
        )

    def sort(self) -> "Rows":
        """The rows in an order that depends neither on their own nor on other systems."""
        if self.clusters is not None:
            return self.take(np.lexsort((self.clusters.codes, self.groups.codes)))
        rows = self.take(self._rank(self.values[None]))
        if rows.rests is None:
            return rows
        tied = (rows.values[1:] == rows.values[:-1]).all((1, 2))
        apart = (rows.rests[:, 1:] != rows.rests[:, :-1]).any((0, 2, 3))
        return rows.take(rows._rank(rows.terms)) if (tied & apart).any() else rows

    def _rank(self, terms: NDArray[Any]) -> NDArray[np.intp]:
        wide = terms.swapaxes(0, 1).reshape(len(self.values), math.prod(terms[:, 0].shape)).T
        return np.lexsort((*wide[::-1], self.keys, self.groups.codes))

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
            None if self.rests is None else self.rests[:, rows],
            None if self.pivots is None else self.pivots[rows],
        )


Scatter = Rows | Products


def scatter_rows(
    terms: NDArray[Any],
    groups: Labels,
    clusters: Labels | None,
    find_keys: Callable[[], NDArray[np.uint32]],
) -> Scatter:
    """How rows scatter, one per example, given as terms of shape (terms, rows, ...)."""
    if clusters is not None:
        return _gather(terms, groups, clusters)
    few = terms.shape[1] <= _MOST_ROWS
    # As a saved tally has them: distinct terms, and no zero below 0.
    values, *rests = add_terms([terms]) if few and terms.dtype == np.float64 else trim(terms)
    rows = Rows(values, groups, rests=np.stack(rests) if rests else None)
    if not few:
        return rows.multiply()
    return replace(rows, find_keys=find_keys)


def _give(keys: NDArray[np.uint32] | None) -> Callable[[], NDArray[np.uint32]] | None:
    """Returns a function that returns keys which are known already."""
    return None if keys is None else lambda: keys


def join_scatters(parts: Sequence[Scatter]) -> Scatter:
    """How the rows of all parts scatter."""
    rows = [part for part in parts if isinstance(part, Rows)]
    products = [part for part in parts if isinstance(part, Products)]
    list_known([part.clusters if isinstance(part, Rows) else None for part in parts])
    joined = _join_rows(rows) if rows else None
    if joined is not None and joined.clusters is None:
        if not products and len(joined.values) <= _MOST_ROWS:
            return joined
        products.append(joined.multiply())
    return joined if joined is not None and not products else _add_products(products)


def _join_rows(parts: Sequence[Rows]) -> Rows:
    names = union(*(part.groups.names for part in parts))
    groups = append([part.groups.recode(names) for part in parts])
    clusters = [part.clusters for part in parts if part.clusters is not None]
    terms = [part.terms for part in parts]
    real = parts[0].values.dtype == np.float64
    joined = join_terms(terms, 1) if real else np.concatenate(terms, 1)
    if clusters:
        return _gather(joined, groups, append(unify(*clusters)))
    keys = np.concatenate([part.keys for part in parts if part.keys is not None])
    return Rows(joined[0], groups, _give(keys), rests=joined[1:] if len(joined) > 1 else None)


def _add_products(parts: Sequence[Products]) -> Products:
    groups = union(*(part.groups for part in parts))
    n = [place(part.n, 0, part.groups, groups) for part in parts]
    sums = [place(part.sum_terms, 1, part.groups, groups) for part in parts]
    products = [place(part.product_terms, 1, part.groups, groups) for part in parts]
    real = sums[0].dtype == np.float64
    added = add_terms(sums) if real else np.sum(sums, axis=0)
    return Products(groups, np.sum(n, axis=0), added, add_terms(products))


def _gather(terms: NDArray[Any], groups: Labels, clusters: Labels) -> Rows:
    """One row for each cluster of each group: the sum of its rows, which are given as terms."""
    keys = groups.codes.astype(np.int64) * len(clusters.names) + clusters.codes
    seen, places = np.unique(keys, return_inverse=True)
    sums = sum_terms_by(terms, places, len(seen))
    group_codes, cluster_codes = np.divmod(seen, max(len(clusters.names), 1))
    return Rows(
        sums[0],
        Labels(group_codes, groups.names),
        clusters=Labels(cluster_codes, clusters.names),
        rests=sums[1:] if len(sums) > 1 else None,
    )
