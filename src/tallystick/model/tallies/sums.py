"""The tally of texts: named columns of counts per example, summed by group."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.model.codes import Label, Labels, place_names, union
from tallystick.model.systems import Systems
from tallystick.model.tallies.clusters import slice_chunks
from tallystick.model.tallies.groups import (
    add_rows,
    count_groups,
    group_codes,
    move,
    place,
    spread_columns,
)
from tallystick.model.tallies.second_moments import (
    Products,
    Rows,
    Scatter,
    draw_products,
    draw_rows,
    join_scatters,
    scatter_rows,
)
from tallystick.model.tallies.storage import Stored, drop_missing
from tallystick.model.tallies.tally import Lighter, Owners, Tally, check_addable

if TYPE_CHECKING:
    from tallystick.model.tallies.cells import Cells
    from tallystick.model.tallies.unit_weights import UnitWeights

_ROUNDING = 1e-9

_MOST_AT_ONCE = 1 << 17
"""Rows are made for this many examples at a time, which takes less memory."""


class Sums(Tally, frozen=True, eq=False, dict=True):
    """Sums of named columns, by group.

    Attributes:
        sums: int64 of shape (systems, ..., groups, columns), or float64 where a column is
            real-valued. Axes in between are resamples of the whole tally.
        n: The number of examples of each group.
        scatter: How the examples' own rows scatter, which resampling needs; None for resamples.
        references: How many references examples have: each number that occurs.
        labels: The labels that columns are summed for, label by label: there are all columns of the
            first one, then all of the second; none where the columns are those of the counter.
        pivots: What the sums of numbers are about, of shape (systems, ..., groups, variables); None
            where that is 0. The rows behind them are as they were counted.
        reference: What means are told as differences from, of shape (..., groups, variables), so
            that those of two systems differ by all their digits; None where that is 0.
        verdicts: Right and wrong instead of the numbers of the systems that have nothing but 1 and
            0; None where none has, and not kept by resamples.
    """

    counter: Any
    systems: tuple[str, ...]
    groups: tuple[Label, ...]
    sums: NDArray[Any]
    n: NDArray[np.int64]
    scatter: Scatter | None = None
    references: frozenset[int] = frozenset({1})
    labels: tuple[Label, ...] = ()
    pivots: NDArray[np.float64] | None = None
    reference: NDArray[np.float64] | None = None
    verdicts: "Cells | None" = None

    @cached_property
    def _sorted(self) -> list[Rows]:
        return []

    @property
    def numeric(self) -> bool:
        """Whether numbers were summed, which may be negative, and not counts."""
        return bool(self.counter.kind.numeric)

    @classmethod
    def join(cls, parts: Sequence["Sums"]) -> "Sums":
        labels = union(*(one.labels for one in parts))
        parts = [one.spread(labels) for one in parts]
        first = parts[0]
        for other in parts[1:]:
            check_addable(first, other)
        groups = union(*(one.groups for one in parts))
        known = [one.scatter for one in parts if one.scatter is not None]
        n = np.sum([place(one.n, 0, one.groups, groups) for one in parts], axis=0)
        references = frozenset().union(*(one.references for one in parts))
        sums = np.sum([place(one._plain, -2, one.groups, groups) for one in parts], axis=0)
        joined = Sums(
            first.counter,
            first.systems,
            groups,
            sums,
            n,
            references=references,
            labels=labels,
            verdicts=_join_verdicts([one.verdicts for one in parts]),
        )
        if len(known) < len(parts):
            return joined
        return joined.settle(join_scatters(first.counter, known))

    def settle(self, scatter: Scatter) -> "Sums":
        """The same with the sums of these rows, and of numbers about pivots."""
        sums, pivots = scatter.add(self.counter)
        about = None if pivots is None else pivots.swapaxes(0, 1)
        return replace(self, sums=sums.swapaxes(0, 1), scatter=scatter, pivots=about)

    def spread(self, labels: tuple[Label, ...]) -> "Sums":
        """The same sums among those of further labels, which are 0."""
        if labels == self.labels:
            return self
        width, of_label = len(self.counter.columns), np.arange(len(self.counter.columns))
        firsts = np.array(place_names(self.labels, labels), np.intp) * width
        places = (firsts[:, None] + of_label).ravel()
        size = width * len(labels)
        scatter = None if self.scatter is None else self.scatter.spread(places, size)
        sums = spread_columns(self.sums, places, size)
        return replace(self, sums=sums, scatter=scatter, labels=labels)

    def by_label(self) -> NDArray[Any]:
        """The sums of the only system, of shape (..., groups, labels, columns)."""
        own = self._own
        return own.reshape(*own.shape[:-1], len(self.labels), len(self.counter.columns))

    def __getitem__(self, column: str) -> NDArray[Any]:
        """One column of the only system, of shape (..., groups)."""
        return self._take(self._plain)[..., self.counter.columns.index(column)]

    def about(self, column: str) -> NDArray[Any]:
        """One column of the only system, summed about the pivots."""
        return self._own[..., self.counter.columns.index(column)]

    def average(self, variable: str) -> NDArray[np.float64]:
        """The mean of a variable of the only system less its reference; NaN without examples."""
        return self._average(self.about(variable), self._level(variable) - self.refer(variable))

    def subtract(self, one: str, other: str) -> NDArray[np.float64]:
        """The mean of a variable of the only system less that of another one."""
        gap = self._level(one) - self._level(other)
        return self._average(self.about(one) - self.about(other), gap)

    def _average(
        self, sums: NDArray[np.float64], level: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        examples = self.about("examples")
        return np.asarray(sums / np.where(examples == 0, np.nan, examples) + level)

    def _level(self, variable: str) -> NDArray[np.float64]:
        if self.pivots is None:
            return np.zeros(1)
        return np.asarray(self.pivots[0, ..., self.counter.variables.index(variable)])

    def refer(self, variable: str) -> NDArray[np.float64]:
        """The reference of a variable, of a shape that broadcasts to (..., groups)."""
        if self.reference is None:
            return np.zeros(1)
        return np.asarray(self.reference[..., self.counter.variables.index(variable)])

    def relative(self) -> "Sums":
        """The same with the means of numbers told as differences from about the first system's."""
        if self.pivots is None:
            return self
        found = replace(self, reference=self.pivots[0])
        found._sorted.extend(self._sorted)
        return found

    def series(self, prefix: str) -> NDArray[Any]:
        """The columns `prefix_1`, `prefix_2`, ... of the only system: (..., groups, orders)."""
        return self._own[..., _find_series(self.counter.columns, prefix)]

    @property
    def _own(self) -> NDArray[Any]:
        return self._take(self.sums)

    @property
    def _plain(self) -> NDArray[Any]:
        if self.pivots is None:
            return self.sums
        return move(self.counter, self.sums, -self._widen_pivots())

    def _widen_pivots(self) -> NDArray[np.float64]:
        assert self.pivots is not None
        inner = (1,) * (self.sums.ndim - self.pivots.ndim)
        return self.pivots.reshape(len(self.pivots), *inner, *self.pivots.shape[1:])

    def _take(self, sums: NDArray[Any]) -> NDArray[Any]:
        if len(sums) != 1:
            raise UsageError("a metric scores the sums of one system at a time")
        return np.asarray(sums[0])

    def total(self) -> "Sums":
        if self.groups == ("all",):
            return self
        rows, reference = self.rows, self.reference
        if rows is not None:  # as where there are no groups, to the last bit
            merged = Labels(np.zeros(len(rows.values), np.uint8), ("all",))
            sums, pivots = replace(rows, groups=merged).add(self.counter)
        else:
            values = np.moveaxis(self.sums, -2, 0)
            pivots = None if self.pivots is None else np.moveaxis(self._widen_pivots(), -2, 0)
            places = np.zeros(len(values), np.int64)
            sums, pivots = add_rows(self.counter, values, pivots, places, 1)
        return replace(
            self,
            groups=("all",),
            sums=np.moveaxis(sums, 0, -2),
            n=self.n.sum(keepdims=True),
            scatter=None,
            pivots=None if pivots is None else np.moveaxis(pivots, 0, -2),
            reference=None if reference is None else reference[..., [self.n.argmax()], :],
            verdicts=self.verdicts and self.verdicts.total(),
        )

    def of(self, *names: str) -> "Sums":
        if names == self.systems:
            return self
        places = [self.systems.index(name) for name in names]
        scatter = None if self.scatter is None else self.scatter.of(places)
        pivots = None if self.pivots is None else self.pivots[places]
        return replace(
            self,
            systems=names,
            sums=self.sums[places],
            scatter=scatter,
            pivots=pivots,
            verdicts=_pick_verdicts(self.verdicts, names),
        )

    def rename_systems(self, *names: str) -> "Sums":
        places = dict(zip(self.systems, names, strict=True))
        own = self.verdicts
        own = own and own.rename_systems(*(places[name] for name in own.systems))
        return replace(self, systems=names, verdicts=own)

    def weight_sums(self) -> NDArray[np.float64] | None:
        if self.scatter is None or "examples" not in self.counter.columns:
            return None
        at = self.counter.columns.index("examples")
        found = self.scatter.of([0]).multiply(self.counter)
        return np.stack([found.sums[:, 0, at], found.products[:, 0, at, 0, at]])

    def store(self) -> Stored:
        names = {"groups": self.groups}
        if self.labels or not self.sums.shape[-1]:  # spans may all be missing, and so their types
            names |= {"labels": self.labels}
        references = np.array(sorted(self.references), np.int64)
        own = {"sums": self.sums, "pivots": self.pivots, "n": self.n, "references": references}
        arrays = drop_missing(own)
        if self.scatter is not None:
            more, found = (self.scatter if self.rows is None else self.list_rows()).store()
            names, arrays = names | more, arrays | found
        if self.verdicts is not None:
            inner = self.verdicts.store()
            names |= {f"verdicts.{name}": one for name, one in inner.names.items()}
            names["verdicts.systems"] = inner.systems
            arrays |= {f"verdicts.{name}": one for name, one in inner.arrays.items()}
        return Stored("sums", self.systems, names, arrays)

    @classmethod
    def load(cls, counter: Any, stored: Stored) -> "Sums":
        labels = stored.list_names("labels") if "labels" in stored.names else ()
        kinds = len(labels) if "labels" in stored.names else 1
        shape = (len(stored.systems), len(counter.columns) * kinds)
        groups = stored.list_names("groups")
        sums = stored.read("sums", (shape[0], len(groups), shape[1]))
        n = stored.read_whole("n", (len(groups),))
        references = stored.read_whole("references", (None,), most=1 << 31)
        fits = not n.any() or 0 < len(references) <= n.sum()
        if not fits or (counter.kind.numeric and references.tolist() != [1]):
            raise ValueError("its references are not those of its examples")
        kept = Products if "products" in stored.names else Rows
        scatter: Scatter = kept.load(stored, counter, shape)
        clustered, (known, sizes) = "clusters" in stored.names, scatter.count()
        if known != groups or not ((sizes <= n) if clustered else (sizes == n)).all():
            raise ValueError("its n are not the numbers of its rows")
        if isinstance(scatter, Rows) and scatter.values.dtype != sums.dtype:
            raise ValueError("its rows and their sums are of different types")
        for values in (sums, scatter.values) if isinstance(scatter, Rows) else (sums,):
            _check_limits(counter, values)
        verdicts = _load_verdicts(counter, stored)
        if verdicts is not None and (verdicts.groups, verdicts.n.tolist()) != (groups, n.tolist()):
            raise ValueError("its verdicts are not those of its examples")
        own = (groups, sums, n, None, frozenset(references.tolist()), labels)
        return cls(counter, stored.systems, *own, verdicts=verdicts).settle(scatter)

    def list_clusters(self) -> Owners | None:
        rows = self.rows
        if rows is None or rows.clusters is None:
            return None
        return rows.groups.codes.astype(np.int64), rows.clusters.codes.astype(np.int64)

    def weigh_units(self, units: int) -> "UnitWeights | None":
        rows = self.list_rows() if self.numeric and self.rows is not None else None
        if rows is None or rows.clusters is None:
            return None
        from tallystick.model.tallies.unit_weights import UnitWeights

        values = np.zeros((units, self.sums.shape[-1]))
        names = np.array(rows.clusters.names, np.int64)
        values[names[rows.clusters.codes]] = self.move_rows(rows)[:, 0]
        verdicts = self.counter.columns == ("sum", "examples")
        if verdicts:
            verdicts = bool(np.isin(values @ [1, self._level("sum")[0]], (0.0, 0.5, 1.0)).all())

        def form(sums: NDArray[np.float64]) -> "Sums":
            return replace(self, sums=sums[None, ..., None, :], scatter=None)

        return UnitWeights(values.shape[1], values, form, verdicts, verdicts)

    def resample(self, resamples: int, seed: int) -> Iterator["Sums"]:
        """Bootstrap resamples in chunks with a leading axis: of rows, or normal ones of sums."""
        if self.scatter is not None and self.rows is None:
            for sums in draw_products(self.counter, self.list_products(), resamples, seed):
                yield replace(self, sums=sums, scatter=None)
            return
        rows = self.list_rows()
        values = self.move_rows(rows)
        for sums, pivots in draw_rows(self.counter, rows, values, self.pivots, resamples, seed):
            yield replace(self, sums=sums, scatter=None, pivots=pivots)

    def leave_one_out(self, part: float) -> Iterator[Lighter]:
        rows = self.list_rows()
        values = self.move_rows(rows)[:, 0]
        starts = np.searchsorted(rows.groups.codes, np.arange(len(self.groups) + 1))
        missing, masses = np.full(len(values), part), self.weigh_rows()
        whole = np.bincount(rows.groups.codes, masses, len(self.groups))[rows.groups.codes]
        shares = np.asarray(masses / np.where(whole > 0, whole, 1))
        for here in slice_chunks(int(np.diff(starts).max(initial=0)), self.sums[0].size):
            places = starts[:-1] + np.arange(here.start, here.stop)[:, None]
            places = np.where(places < starts[1:], places, -1)
            own = np.repeat(self.sums[:, None].astype(np.float64), len(places), axis=1)
            chunk, groups = np.nonzero(places >= 0)
            own[0, chunk, groups] -= part * values[places[places >= 0]]
            yield replace(self, sums=own, scatter=None), places, missing, shares

    def weigh_rows(self, labels: tuple[Label, ...] | None = None) -> NDArray[np.float64]:
        """What each row of the only system weighs; those of nothing but 0 have no part at all.

        Args:
            labels: The labels that each have weights of their own, all where there are none, so
                that the shape is (labels, rows); None for one weight of each row.
        """
        values = self.list_rows().values[:, 0]
        if labels is not None and self.labels:
            some = (values.reshape(len(values), len(self.labels), -1) != 0).any(-1)
            known = np.append(some, np.zeros((len(values), 1), bool), axis=1)
            names = labels or self.labels
            places = [self.labels.index(one) if one in self.labels else -1 for one in names]
            return np.asarray(known[:, places].T, np.float64)
        if self.numeric and "examples" in self.counter.columns:
            return np.asarray(values[:, self.counter.columns.index("examples")], np.float64)
        return np.asarray((values != 0).any(-1), np.float64)

    def part_rows(self, rows: Rows) -> Iterator["Sums"]:
        """The tally of each system with its rows in the order of these, which are of all."""
        for at, name in enumerate(self.systems):
            one = replace(self, scatter=rows).of(name)
            one._sorted.append(rows.of([at]))
            yield one

    def merge_groups(self) -> "Sums":
        """The sum over groups with the rows in their order, whatever their groups were."""
        if len(self.groups) == 1:
            return self
        rows = self.list_rows()
        merged = replace(rows, groups=Labels(np.zeros_like(rows.groups.codes), ("all",)))
        whole = replace(self.total(), scatter=merged)
        whole._sorted.append(merged)
        return whole

    @property
    def rows(self) -> Rows | None:
        """The rows behind the sums as they were counted; None where they are not kept."""
        return self.scatter if isinstance(self.scatter, Rows) else None

    def list_rows(self) -> Rows:
        """The rows in an order that no order of files changes."""
        if self.rows is None:
            raise UsageError("resamples cannot be resampled")
        if not self._sorted:
            self._sorted.append(self.rows.sort(self.counter))
        return self._sorted[0]

    def move_rows(self, rows: Rows) -> NDArray[np.float64]:
        """The values of rows about the pivots of their groups: (rows, systems, columns)."""
        if self.pivots is None:
            return rows.values.astype(np.float64, copy=False)
        own = self.pivots.swapaxes(0, 1)[rows.groups.codes]
        return rows.move(self.counter, own)

    def list_products(self) -> Products:
        """The products of the rows, of numbers about the pivots."""
        assert self.scatter is not None
        return self.scatter.multiply(self.counter)


def _pick_verdicts(verdicts: "Cells | None", systems: Sequence[str]) -> "Cells | None":
    """The verdicts on some of the systems, as far as they have any."""
    own = () if verdicts is None else [name for name in systems if name in verdicts.systems]
    return verdicts.of(*own) if verdicts is not None and own else None


def _join_verdicts(parts: Sequence["Cells | None"]) -> "Cells | None":
    """Those on the systems that have verdicts in all parts."""
    known = [one for one in parts if one is not None]
    if len(known) < len(parts):
        return None
    shared = [name for name in known[0].systems if all(name in one.systems for one in known)]
    return known[0].join([one.of(*shared) for one in known]) if shared else None


def _load_verdicts(counter: Any, stored: Stored) -> "Cells | None":
    if "verdicts.systems" not in stored.names:
        return None
    from tallystick.model.tallies.cells import Cells

    first = "verdicts."
    names = {name.removeprefix(first): own for name, own in stored.names.items() if first in name}
    arrays = {name.removeprefix(first): own for name, own in stored.arrays.items() if first in name}
    systems = tuple(map(str, names.pop("systems")))
    if [name for name in stored.systems if name in systems] != [*systems]:
        raise ValueError("its verdicts are on other systems")
    if not hasattr(counter, "verdicts"):
        raise ValueError("its numbers have no verdicts")
    return Cells.load(counter.verdicts, Stored("cells", systems, names, arrays))


@cache
def _find_series(columns: tuple[str, ...], prefix: str) -> slice:
    places = [at for at, name in enumerate(columns) if name.rpartition("_")[0] == prefix]
    step = places[1] - places[0] if len(places) > 1 else 1
    return slice(places[0], places[-1] + 1, step)


def sum_values(
    counter: object,
    systems: Systems,
    rows: NDArray[Any],
    find_keys: Callable[[], NDArray[np.uint32]] | None = None,
) -> Sums:
    """Sums rows by group.

    Args:
        counter: What counted.
        systems: The examples.
        rows: One row of columns per example, of shape (examples, systems, columns); where examples
            are weighted, each counts as often as it weighs.
        find_keys: Gives a number for each row that no system's outputs change; None where there is
            none.
    """
    if systems.weights is not None:
        rows = rows * systems.weights[:, None, None]
    return sum_rows(counter, systems, lambda part: (rows[part], None), find_keys)


Given = tuple[NDArray[Any], NDArray[np.float64] | None]
"""The values of rows, and what they are about, as in `Rows`."""


def sum_rows(
    counter: Any,
    systems: Systems,
    list_rows: Callable[[slice], Given],
    find_keys: Callable[[], NDArray[np.uint32]] | None = None,
) -> Sums:
    """Sums rows by group, a part of them at a time."""
    names, codes = group_codes(systems)
    clusters, size = systems.clusters, len(systems)
    keys = find_keys or (lambda: np.zeros(size, np.uint32))
    count = -(-size // max(_MOST_AT_ONCE, len(names))) or 1
    scatters = []
    for part in (slice(at * size // count, (at + 1) * size // count) for at in range(count)):
        values, pivots = list_rows(part)
        own = None if clusters is None else clusters.take(part)
        rows = Rows(values, Labels(codes[part], names), keys, own, pivots)
        if systems.weights is not None:
            rows = rows.take(np.flatnonzero(systems.weights[part]))
        scatters.append(scatter_rows(counter, rows))
    n, columns = count_groups(systems), len(counter.columns)
    none = np.zeros((len(systems.names), len(names), columns))
    scatter = join_scatters(counter, scatters)
    return Sums(counter, systems.names, names, none, n).settle(scatter)


def _check_limits(counter: Any, values: NDArray[Any]) -> None:
    """Raises a ValueError where a column is more than one that its counter says it never is."""
    columns = counter.columns
    for small, large in getattr(counter, "at_most", ()):
        if small in columns and large in columns:
            own, most = (values[..., columns.index(one) :: len(columns)] for one in (small, large))
            if (own > np.maximum(most * (1 - _ROUNDING), most * (1 + _ROUNDING))).any():
                raise ValueError(f"its {small} are more than its {large}")
