"""The tally of texts: named columns of counts per example, summed by group."""

import os
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import pairwise
from typing import Any, Protocol, final

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.examples.kinds import TEXTS
from tallystick.examples.labels import Label, Labels
from tallystick.examples.systems import Systems
from tallystick.examples.text_columns import TextPart
from tallystick.examples.texts import TextExamples, Texts
from tallystick.examples.token_lists import TokenExamples
from tallystick.tallies.groups import count_groups, group_codes, need_examples, place, union
from tallystick.tallies.pivots import Movable, center, move
from tallystick.tallies.second_moments import (
    Products,
    Rows,
    Scatter,
    join_scatters,
    scatter_rows,
    spread_columns,
)
from tallystick.tallies.tally import Tally, check_addable

_MOST_AT_ONCE = 1 << 17
"""Rows are made for so many examples at a time, which takes less memory."""

Arrays = tuple[NDArray[Any], NDArray[np.int64], NDArray[Any], NDArray[np.int64], NDArray[np.int64]]


class TextCounter(Protocol):
    """A counter whose tally sums columns of numbers that each example has."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        ...

    def rows(self, examples: TextPart) -> NDArray[Any]:
        """One row of columns per example."""
        ...


@final
@dataclass(frozen=True, slots=True, eq=False)
class Sums(Tally):
    """Sums of named columns, by group.

    Attributes:
        counter: What counted; its columns are those of the sums.
        systems: The names of the systems.
        groups: The groups, in the order of labels.
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
    _sorted: list[Rows] = field(default_factory=list, init=False, repr=False)

    @property
    def numeric(self) -> bool:
        """Whether numbers were summed, which may be negative, and not counts."""
        return bool(self.counter.kind.numeric)

    def __add__(self, other: "Sums") -> "Sums":
        return self.join([self, other])

    @classmethod
    def join(cls, parts: Sequence["Sums"]) -> "Sums":
        """The sum of one tally or more."""
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
        joined = Sums(first.counter, first.systems, groups, sums, n, None, references, labels)
        return joined.settle(join_scatters(known)) if len(known) == len(parts) else joined

    def settle(self, scatter: Scatter) -> "Sums":
        """The same with the sums of these rows: correctly rounded, and of numbers about pivots."""
        if isinstance(self.counter, Movable):
            sums, pivots = center(self.counter, scatter.sum_terms.swapaxes(1, 2))
            return replace(self, sums=sums, scatter=scatter, pivots=pivots)
        return replace(self, sums=scatter.sum_terms[0].swapaxes(0, 1), scatter=scatter)

    def spread(self, labels: tuple[Label, ...]) -> "Sums":
        """The same sums among those of further labels, which are 0."""
        if labels == self.labels:
            return self
        width, of_label = len(self.counter.columns), np.arange(len(self.counter.columns))
        firsts = [labels.index(label) * width for label in self.labels]
        places = (np.array(firsts, np.intp)[:, None] + of_label).ravel()
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
        """One column likewise, summed about the pivots."""
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
        """The pivots of a variable of the only system."""
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
        return self if self.pivots is None else replace(self, reference=self.pivots[0])

    def series(self, prefix: str) -> NDArray[Any]:
        """The columns `prefix_1`, `prefix_2`, ... of the only system: (..., groups, orders)."""
        return self._own[..., _find_series(self.counter.columns, prefix)]

    @property
    def _own(self) -> NDArray[Any]:
        return self._take(self.sums)

    @property
    def _plain(self) -> NDArray[Any]:
        """The sums about 0."""
        if self.pivots is None:
            return self.sums
        return move(self.counter, self.sums, -self._widen_pivots())

    def _widen_pivots(self) -> NDArray[np.float64]:
        """The pivots with as many axes as the sums have."""
        assert self.pivots is not None
        inner = (1,) * (self.sums.ndim - self.pivots.ndim)
        return self.pivots.reshape(len(self.pivots), *inner, *self.pivots.shape[1:])

    def _take(self, sums: NDArray[Any]) -> NDArray[Any]:
        """Those of the only system."""
        if len(sums) != 1:
            raise UsageError("a metric scores the sums of one system at a time")
        only: NDArray[Any] = sums[0]
        return only

    def total(self) -> "Sums":
        """The sum over groups, as a tally of one group."""
        if self.groups == ("all",):
            return self
        sums, n = self.sums, self.n.sum(keepdims=True)
        pivots, reference = self.pivots, self.reference
        if pivots is not None:
            pivots = self._find_whole_pivots()
            sums = move(self.counter, sums, pivots - self._widen_pivots())
        if reference is not None:
            reference = reference[..., [self.n.argmax()], :]
        return replace(
            self,
            groups=("all",),
            sums=sums.sum(-2, keepdims=True),
            n=n,
            scatter=None,
            pivots=pivots,
            reference=reference,
        )

    def _find_whole_pivots(self) -> NDArray[np.float64]:
        """Pivots near the means of all groups together, of shape (systems, ..., 1, variables)."""
        pivots = self._widen_pivots()
        first = pivots[..., [self.n.argmax()], :]
        masses = self.sums[..., self.counter.columns.index("examples"), None]
        total = masses.sum(-2, keepdims=True)
        shares = masses / np.where(total > 0, total, 1)
        return np.asarray(first + ((pivots - first) * shares).sum(-2, keepdims=True))

    def of(self, *names: str) -> "Sums":
        """The tally of some of the systems."""
        if names == self.systems:
            return self
        places = [self.systems.index(name) for name in names]
        scatter = None if self.scatter is None else self.scatter.of(places)
        pivots = None if self.pivots is None else self.pivots[places]
        sums = self.sums[places]
        return replace(self, systems=names, sums=sums, scatter=scatter, pivots=pivots)

    def list_rows(self) -> Rows:
        """The rows in an order that no order of files changes; of numbers about their own pivots.

        Raises:
            UsageError: There are none.
        """
        if not isinstance(self.scatter, Rows):
            raise UsageError("resamples cannot be resampled")
        if not self._sorted:
            rows = self.scatter.sort()
            self._sorted.append(rows if self.pivots is None else rows.center(self.counter))
        return self._sorted[0]

    def move_rows(self, rows: Rows) -> NDArray[np.float64]:
        """The values of rows about the pivots of their groups: (rows, systems, columns)."""
        if self.pivots is None:
            return rows.values.astype(np.float64, copy=False)
        own = self.pivots.swapaxes(0, 1)[rows.groups.codes]
        return rows.move(self.counter, own)

    def list_products(self) -> Products:
        """The products of the rows, of numbers about the pivots."""
        assert isinstance(self.scatter, Products)
        if self.pivots is None:
            return self.scatter
        return self.scatter.move(self.counter, self.pivots)


@cache
def _find_series(columns: tuple[str, ...], prefix: str) -> slice:
    """Where the columns of a series are; they stand at equal distances."""
    places = [at for at, name in enumerate(columns) if name.rpartition("_")[0] == prefix]
    step = places[1] - places[0] if len(places) > 1 else 1
    return slice(places[0], places[-1] + 1, step)


def count_threads() -> int:
    """How many threads the kernels may use: as many as there are processors for this process."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def need_texts(examples: TextPart) -> TextExamples:
    """The examples, which must be strings: token lists have no characters to count."""
    if isinstance(examples, TokenExamples):
        raise UsageError(
            "this metric counts in strings, not in token lists, which only BLEU and its parts, "
            "WER, MER, WIL and Levenshtein(unit='words') take"
        )
    return examples


def spread(examples: TextPart) -> Arrays:
    """The arrays of examples in the order in which the kernels take them."""
    hypotheses, references = examples.hypotheses, examples.references
    left = hypotheses.data if isinstance(hypotheses, Texts) else hypotheses.ids
    right = references.data if isinstance(references, Texts) else references.ids
    return (left, hypotheses.offsets, right, references.offsets, examples.spans)


def sum_rows(counter: TextCounter, systems: Systems) -> Sums:
    """Counts every system's texts, and sums one row of columns per example by group."""
    parts = TEXTS.of(systems).parts
    need_examples(systems, "metrics of texts")
    if systems.weights is not None:
        raise UsageError("metrics of texts do not support weights")
    rows = np.stack([counter.rows(part) for part in _share_references(parts)], axis=1)
    references = frozenset(np.unique(np.diff(parts[0].spans)).tolist())
    tally = sum_values(counter, systems, rows, partial(_hash_references, parts[0]))
    return replace(tally, references=references)


def sum_values(
    counter: Any,
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
    return sum_terms(counter, systems, lambda part: rows[None, part], find_keys)


def sum_terms(
    counter: Any,
    systems: Systems,
    list_terms: Callable[[slice], NDArray[Any]],
    find_keys: Callable[[], NDArray[np.uint32]] | None = None,
) -> Sums:
    """Sums rows likewise, of which some at a time are made as terms: (terms, rows, ...)."""
    names, codes = group_codes(systems)
    clusters, size = systems.clusters, len(systems)
    keys = find_keys or (lambda: np.zeros(size, np.uint32))
    count = -(-size // max(_MOST_AT_ONCE, len(names))) or 1
    scatters = [
        scatter_rows(
            list_terms(part),
            Labels(codes[part], names),
            None if clusters is None else Labels(clusters.codes[part], clusters.names),
            keys,
        )
        for part in (slice(at * size // count, (at + 1) * size // count) for at in range(count))
    ]
    scatter = scatters[0] if count == 1 else join_scatters(scatters)
    n, columns = count_groups(systems), len(counter.columns)
    none = np.zeros((len(systems.names), len(names), columns))
    return Sums(counter, systems.names, names, none, n).settle(scatter)


def _share_references(parts: Sequence[TextPart]) -> list[TextPart]:
    """The same texts with the same references, which keep what is made of them while we count."""
    first = parts[0]
    if len(parts) == 1 or not isinstance(first, TextExamples):
        return list(parts)
    references = replace(first.references, kept={})
    return [
        replace(part, references=references)
        if isinstance(part, TextExamples) and part.references.equals(references)
        else part
        for part in parts
    ]


def sum_each(counter: TextCounter, part: TextPart) -> Sums:
    """The tally of one system in which every example is a group of its own."""
    rows = counter.rows(part)
    names, n = tuple(range(len(rows))), np.ones(len(rows), np.int64)
    return Sums(counter, ("",), names, rows[None], n)


def _hash_references(part: TextPart) -> NDArray[np.uint32]:
    """A number for the references of each example, which no system's outputs change."""
    if isinstance(part, TokenExamples):
        return np.zeros(len(part), np.uint32)
    data, ends = part.references.data, part.references.offsets[part.spans]
    hashes = (zlib.crc32(data[start:end].tobytes()) for start, end in pairwise(ends.tolist()))
    return np.fromiter(hashes, np.uint32, len(part))
