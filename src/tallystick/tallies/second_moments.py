"""The variation of the rows behind sums: the rows while they are few, else their products."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.examples.labels import Label, Labels, unify
from tallystick.tallies.exact_sums import add_terms, join_terms, square_exactly, sum_exactly
from tallystick.tallies.groups import place, union
from tallystick.tallies.pivots import Movable, center, move, move_exactly

_MOST_ROWS = 1 << 13
"""Above this number of rows, resampled sums are practically normal, and rows are not kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Products:
    """Sums of the rows' outer products, for any number of rows.

    Attributes:
        groups: The groups.
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
        found: NDArray[Any] = self.sum_terms[0]
        return found

    @property
    def products(self) -> NDArray[np.float64]:
        """The sums of their outer products: (groups, systems, columns, systems, columns)."""
        found: NDArray[np.float64] = self.product_terms[0]
        return found

    def move(self, counter: Movable, pivots: NDArray[np.float64]) -> "Products":
        """The same about the pivots of sums, of shape (systems, groups, variables)."""
        own = pivots.swapaxes(0, 1)
        sums = move_exactly(counter, self.sum_terms, own)
        half = move_exactly(counter, self.product_terms, own[:, None, None])
        turned = half.transpose(0, 1, 4, 5, 2, 3)
        products = move_exactly(counter, turned, own[:, None, None])
        return Products(self.groups, self.n, sums[:1], products[:1])

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
            sum_terms=_trim(self.sum_terms[:, :, places]),
            product_terms=_trim(self.product_terms[:, :, places][:, :, :, :, places]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows themselves, at most so many that resampling them is cheap.

    Attributes:
        values: One row per example, of shape (rows, systems, columns), in the order in which they
            were read; one per cluster and group where there are clusters.
        groups: The group of each row.
        keys: A number for each row that no system's outputs change, by which rows are put into an
            order that depends on no order of files; None where clusters do that.
        clusters: The cluster of each row, all different within a group; or None.
        rests: What values that are real-valued sums lack of the exact ones: their further terms,
            float64 of shape (terms, rows, systems, columns); None where they lack nothing.
        pivots: What the values are about, for each row by itself: float64 of shape (rows, systems,
            variables); None where that is 0.
    """

    values: NDArray[Any]
    groups: Labels
    keys: NDArray[np.uint32] | None = None
    clusters: Labels | None = None
    rests: NDArray[np.float64] | None = None
    pivots: NDArray[np.float64] | None = None

    @property
    def terms(self) -> NDArray[Any]:
        """The values and what they lack, of shape (terms, rows, systems, columns)."""
        own = self.values[None]
        return own if self.rests is None else np.concatenate([own, self.rests])

    @property
    def sum_terms(self) -> NDArray[Any]:
        """The terms of the sums of rows, of shape (terms, groups, systems, columns)."""
        return _sum_terms(self.terms, self.groups.codes, len(self.groups.names))

    def spread(self, places: NDArray[np.intp], size: int) -> "Rows":
        """The same with the columns at these places among so many, all others 0."""
        rests = None if self.rests is None else spread_columns(self.rests, places, size)
        return replace(self, values=spread_columns(self.values, places, size), rests=rests)

    def of(self, places: Sequence[int]) -> "Rows":
        """The rows of some of the systems."""
        values, *rests = _trim(self.terms[:, :, places])
        pivots = None if self.pivots is None else self.pivots[:, places]
        return replace(self, values=values, rests=np.stack(rests) if rests else None, pivots=pivots)

    def center(self, counter: Movable) -> "Rows":
        """The same about pivots of each row's own, so that no digit of a large mean is lost."""
        at = counter.columns.index
        if self.clusters is None and (self.values[..., at("examples")] == 1).all():
            return self._center_examples(list(map(at, counter.variables)), at("examples"))
        values, pivots = center(counter, self.terms)
        return replace(self, values=values, rests=None, pivots=pivots)

    def _center_examples(self, variables: list[int], examples: int) -> "Rows":
        """The same of rows that are an example each, whose numbers are the pivots."""
        values = np.zeros_like(self.values)
        values[..., examples] = 1
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
        products, sums = _trim(joined[..., :-1, :-1]), _trim(joined[..., -1, :-1])
        if terms.dtype != np.float64 or np.isnan(sums).any():
            sums = _sum_terms(terms, codes, len(names))
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
        left, right = self.of([one]), self.of([other])
        found = (left.values != right.values).any((1, 2))
        if left.pivots is not None and right.pivots is not None:
            found |= (left.pivots != right.pivots).any((1, 2))
        return np.asarray(found)

    def take(self, rows: NDArray[np.intp]) -> "Rows":
        """Some of the rows."""
        return Rows(
            self.values[rows],
            self.groups.take(rows),
            None if self.keys is None else self.keys[rows],
            None if self.clusters is None else self.clusters.take(rows),
            None if self.rests is None else self.rests[:, rows],
            None if self.pivots is None else self.pivots[rows],
        )


Scatter = Rows | Products


def spread_columns(values: NDArray[Any], places: NDArray[np.intp], size: int) -> NDArray[Any]:
    """The last axis with its entries at these places among so many, all others 0."""
    spread = np.zeros((*values.shape[:-1], size), values.dtype)
    spread[..., places] = values
    return spread


def scatter_rows(
    terms: NDArray[Any],
    groups: Labels,
    clusters: Labels | None,
    find_keys: Callable[[], NDArray[np.uint32]],
) -> Scatter:
    """How rows scatter, one per example, given as terms of shape (terms, rows, ...)."""
    if clusters is not None:
        return _gather(terms, groups, clusters)
    values, *rests = _trim(terms)
    rows = Rows(values, groups, rests=np.stack(rests) if rests else None)
    if len(values) > _MOST_ROWS:
        return rows.multiply()
    return replace(rows, keys=find_keys())


def join_scatters(parts: Sequence[Scatter]) -> Scatter:
    """How the rows of all parts scatter.

    Raises:
        UsageError: Some parts have clusters and others have not.
    """
    if len({isinstance(part, Rows) and part.clusters is not None for part in parts}) > 1:
        raise UsageError("a tally with clusters cannot be added to one without")
    rows = [part for part in parts if isinstance(part, Rows)]
    products = [part for part in parts if isinstance(part, Products)]
    joined = _join_rows(rows) if rows else None
    if joined is not None and joined.clusters is None:
        if not products and len(joined.values) <= _MOST_ROWS:
            return joined
        products.append(joined.multiply())
    return joined if joined is not None and not products else _add_products(products)


def _join_rows(parts: Sequence[Rows]) -> Rows:
    names = union(*(part.groups.names for part in parts))
    groups = _join([part.groups.recode(names) for part in parts])
    clusters = [part.clusters for part in parts if part.clusters is not None]
    terms = [part.terms for part in parts]
    real = parts[0].values.dtype == np.float64
    joined = join_terms(terms, 1) if real else np.concatenate(terms, 1)
    if clusters:
        return _gather(joined, groups, _join(unify(*clusters)))
    keys = np.concatenate([part.keys for part in parts if part.keys is not None])
    return Rows(joined[0], groups, keys, rests=joined[1:] if len(joined) > 1 else None)


def _add_products(parts: Sequence[Products]) -> Products:
    groups = union(*(part.groups for part in parts))
    n, sums, products = (
        [place(getattr(part, name), axis, part.groups, groups) for part in parts]
        for name, axis in (("n", 0), ("sum_terms", 1), ("product_terms", 1))
    )
    real = sums[0].dtype == np.float64
    added = add_terms(sums) if real else np.sum(sums, axis=0)
    return Products(groups, np.sum(n, axis=0), added, add_terms(products))


def _gather(terms: NDArray[Any], groups: Labels, clusters: Labels) -> Rows:
    """One row for each cluster of each group: the sum of its rows, which are given as terms."""
    keys = groups.codes.astype(np.int64) * len(clusters.names) + clusters.codes
    seen, places = np.unique(keys, return_inverse=True)
    sums = _sum_terms(terms, places, len(seen))
    group_codes, cluster_codes = np.divmod(seen, max(len(clusters.names), 1))
    return Rows(
        sums[0],
        Labels(group_codes, groups.names),
        clusters=Labels(cluster_codes, clusters.names),
        rests=sums[1:] if len(sums) > 1 else None,
    )


def _sum_terms(terms: NDArray[Any], places: NDArray[np.integer[Any]], size: int) -> NDArray[Any]:
    """Adds up rows by their place: terms of shape (terms, rows, systems, columns)."""
    if terms.dtype == np.float64:
        return np.moveaxis(sum_exactly(np.moveaxis(terms, 1, -1), places, size), -1, 1)
    if size == 1:
        return np.asarray(terms.sum(1, keepdims=True))
    sums = np.zeros((1, size, *terms.shape[2:]), terms.dtype)
    np.add.at(sums[0], places, terms[0])
    return sums


def _trim(terms: NDArray[Any]) -> NDArray[Any]:
    """The terms but for the last ones where these are 0."""
    used = [at for at, term in enumerate(terms, 1) if term.any()]
    return terms[: max(used, default=1)]


def _join(columns: Sequence[Labels]) -> Labels:
    """One column after another of the same names."""
    return Labels(np.concatenate([own.codes for own in columns]), columns[0].names)
