"""Label sets as codes, and the counts of each label against all others."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick import _native
from tallystick.errors import UsageError
from tallystick.model.codes import Label, Labels, Rows, place_names
from tallystick.model.reading import Kind
from tallystick.model.systems import Column
from tallystick.model.tallies.groups import sum_by, widen
from tallystick.model.tallies.storage import LARGEST, Stored

Codes = NDArray[np.int64]
Members = tuple[Codes, Codes]
"""The members of sets: the row, and the code, of each; rows, and codes within them, ascend."""

_BYTE = np.dtype([("place", ">u4"), ("bits", "u1")])
"""A byte of packed bits, such that sets ascend as their bytes that are not 0 do."""


class CodeSets(Struct, frozen=True, eq=False):
    """A set of codes for each row i: codes[offsets[i] : offsets[i + 1]], which ascend."""

    offsets: Codes
    codes: Codes

    @classmethod
    def from_sizes(cls, sizes: NDArray[Any], codes: Codes) -> "CodeSets":
        """The sets that have this many of the codes each."""
        return cls(np.append(0, np.cumsum(sizes, dtype=np.int64)), codes)

    @classmethod
    def concatenate(cls, parts: Sequence["CodeSets"]) -> "CodeSets":
        """The rows of some, one after another."""
        sizes = np.concatenate([own.sizes for own in parts])
        return cls.from_sizes(sizes, np.concatenate([own.codes for own in parts]))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> Codes:
        """How many codes each row has."""
        return np.diff(self.offsets)

    def list_members(self) -> Members:
        """The row and the code of each member."""
        return np.repeat(np.arange(len(self)), self.sizes), self.codes

    def take(self, rows: Rows | NDArray[np.uint32]) -> "CodeSets":
        """The sets of some of the rows."""
        sizes, starts = self.sizes[rows], self.offsets[:-1][rows]
        taken = CodeSets.from_sizes(sizes, self.codes[:0])
        places = np.repeat(starts - taken.offsets[:-1], sizes) + np.arange(taken.offsets[-1])
        return CodeSets(taken.offsets, self.codes[places])

    def recode(self, table: Codes) -> "CodeSets":
        """The sets of other codes, which the table has for each code."""
        owners, codes = self.list_members()
        codes = table[codes]
        return CodeSets(self.offsets, codes[np.lexsort((codes, owners))])

    def encode(self) -> tuple["CodeSets", NDArray[np.uint32]]:
        """The distinct sets, ascending, and which of them each row has."""
        order = np.argsort(self.sizes, kind="stable")
        ends = np.flatnonzero(np.diff(self.sizes[order])) + 1
        first, places, count = list[Codes](), np.empty(len(self), np.int64), 0
        for here in np.split(order, ends) if len(self) else ():
            rows = self.take(here).codes.astype(np.uint32).reshape(len(here), -1)
            # A byte more, so that empty sets have one too.
            found, where = _native.group_rows(np.pad(rows.view(np.uint8), ((0, 0), (0, 1))))
            places[here] = where + count
            first.append(here[found])
            count += len(found)
        distinct = self.take(np.concatenate([*first, order[:0]]))
        ranks = distinct._rank()
        codes = np.empty(count, np.uint32)
        codes[ranks] = np.arange(count)
        return distinct.take(ranks), codes[places]

    def _rank(self) -> Codes:
        owners, codes = self.list_members()
        first = np.flatnonzero(np.diff(owners, prepend=-1) | np.diff(codes >> 3, prepend=-1))
        bytes_ = np.empty(len(first), _BYTE)
        bytes_["place"] = np.iinfo(np.uint32).max - (codes[first] >> 3)
        if len(first):
            bytes_["bits"] = np.add.reduceat(1 << (codes & 7), first)
        data = bytes_.tobytes()
        ends = np.searchsorted(owners[first], np.arange(len(self) + 1)) * _BYTE.itemsize
        keys = [data[start:end] for start, end in pairwise(ends.tolist())]
        return np.array(sorted(range(len(self)), key=keys.__getitem__), np.int64)

    def compare(
        self, one: NDArray[np.uint32], other: NDArray[np.uint32]
    ) -> tuple[Members, Members, Members]:
        """The members that both sets of a pair have, the first alone, and the second alone.

        Args:
            one: Which set is the first of each pair; the pairs are the rows of members.
            other: Which is the second.
        """
        wide = int(self.codes.max(initial=0)) + 1
        sides = [self.take(own).list_members() for own in (one, other)]
        left, right = (owners * wide + codes for owners, codes in sides)
        both = np.intersect1d(left, right, assume_unique=True)
        alone = (np.setdiff1d(own, both, assume_unique=True) for own in (left, right))
        shared, first, second = (np.divmod(own, wide) for own in (both, *alone))
        return shared, first, second


def check_side(kind: Kind[Column], column: NDArray[Any], labels: int, *, gold: bool) -> None:
    """Raises a ValueError if the patterns of a kind cannot have such a gold or output column."""
    name = "gold" if gold else "outputs"
    if kind.side == "numbers":
        if column.ndim != 1 or column.dtype != np.float64 or not (np.abs(column) <= LARGEST).all():
            raise ValueError(f"its {name} are not numbers that can be read")
    elif column.ndim != 1 or column.dtype != _code_type(labels):
        raise ValueError(f"its {name} are not codes of its labels")
    elif column.max(initial=0) >= max(labels, 1) + (not gold):
        raise ValueError(f"its {name} point beyond its labels")


def read_sides(
    kind: Kind[Column], stored: Stored, labels: int, size: int
) -> tuple[NDArray[Any], NDArray[Any], CodeSets | None]:
    """Gold and outputs of this many patterns; raises a ValueError where they mean nothing."""
    gold, outputs = stored.read("gold"), stored.read("outputs")
    if gold.shape[:1] != (size,) or outputs.shape[:2] != (len(stored.systems), size):
        raise ValueError("its gold and outputs are not one for each of its cells")
    if kind.name == "label sets":
        return _read_sets(stored, gold, outputs)
    check_side(kind, gold, labels, gold=True)
    for own in outputs:
        check_side(kind, own, labels, gold=False)
    return gold, outputs, None


def _read_sets(
    stored: Stored, gold: NDArray[Any], outputs: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], CodeSets]:
    labels, listed = len(stored.list_names("labels")), len(stored.list_names("listed"))
    offsets = stored.read_whole("sets.offsets", (None,))
    codes = stored.read_whole("sets.codes", (None,), most=labels)
    if offsets[:1] != 0 or offsets[-1:] != len(codes) or (np.diff(offsets) < 0).any():
        raise ValueError("its sets are not parts of its codes")
    sets = CodeSets(offsets, codes)
    ascending = np.diff(sets.recode(np.arange(labels + 1)).codes, prepend=-1) > 0
    starts = offsets[:-1][sets.sizes > 0]
    ascending[starts] = True
    distinct, ranks = sets.encode()
    owners, _ = sets.list_members()
    alone = sets.sizes[owners[codes == labels]] == 1
    ranked = np.array_equal(ranks, np.arange(len(distinct))) and len(distinct) == len(sets)
    if not (ascending.all() and alone.all() and ranked and np.array_equal(codes, distinct.codes)):
        raise ValueError("its sets are not different sets of its labels in their order")
    for own in (gold, *outputs):
        if own.ndim != 1 or own.dtype != np.uint32 or own.max(initial=0) >= max(len(sets), 1):
            raise ValueError("its gold and outputs are not codes of its sets")
    if (sets.take(gold).codes >= listed).any():
        raise ValueError("its gold has labels that it does not list")
    return gold, outputs, sets


def recode(
    column: NDArray[Any], names: tuple[Label, ...], wanted: tuple[Label, ...]
) -> NDArray[Any]:
    """A column of gold or outputs over other names, among which all of its own are."""
    if names == wanted:
        return column
    table = [*place_names(names, wanted), len(wanted)]
    return np.asarray(np.array(table, _code_type(len(wanted)))[column])


def _code_type(labels: int) -> type[np.unsignedinteger[Any]]:
    return np.uint8 if labels < np.iinfo(np.uint8).max else np.uint32


def encode_labels(
    gold: Labels, columns: Sequence[Labels], invalid: Sequence[NDArray[np.bool_] | None]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The codes of gold and outputs in one type; what is no label is coded beyond them."""
    wide = len(gold.names)
    kind = _code_type(wide)
    outputs = [
        own.codes.astype(kind, copy=False)
        if wrong is None
        else np.where(wrong, kind(wide), own.codes).astype(kind)
        for own, wrong in zip(columns, invalid, strict=True)
    ]
    return gold.codes.astype(kind, copy=False), np.stack(outputs)


Counts = NDArray[Any]
"""int64, or float64 sums of weights."""


class PerLabel(Struct, frozen=True, eq=False):
    """How often each label was right, predicted, and gold; arrays of shape (..., labels).

    Attributes:
        hits: Examples that have the label in gold and prediction (true positives).
        predicted: Examples that have it in the prediction.
        gold: Examples that have it in the gold.
        negatives: Examples that do not have it in the gold; exactly 0 where there are none, which
            `total - gold` would not be for weights.
        total: All examples, of shape (..., 1).
        used: Which labels occur in gold or prediction, be it with the weight 0 next to others.
    """

    labels: tuple[Label, ...]
    hits: Counts
    predicted: Counts
    gold: Counts
    negatives: Counts
    total: Counts
    used: NDArray[np.bool_]

    @property
    def false_positives(self) -> Counts:
        """Examples that have the label in the prediction only."""
        return self.predicted - self.hits

    @property
    def false_negatives(self) -> Counts:
        """Examples that have the label in the gold only."""
        return self.gold - self.hits

    @property
    def true_negatives(self) -> Counts:
        """Examples that have the label on neither side."""
        return self.negatives - self.false_positives

    @property
    def covariance(self) -> Counts:
        """How far gold and prediction go together: n^2 times their covariance, over all labels."""
        hits, misses = self.hits.astype(np.float64), self.false_negatives.astype(np.float64)
        sums: Counts = (hits * self.true_negatives - misses * self.false_positives).sum(-1)
        return sums

    def pick(self, labels: Sequence[Label]) -> "PerLabel":
        """The counts of these labels in this order; a label never seen has counts of zero."""
        _check_types(labels, self.labels)
        known = {label: place for place, label in enumerate(self.labels)}
        places = [known.get(label, -1) for label in labels]

        def at(counts: Counts, unseen: Counts) -> Counts:
            if len(places) == 1:  # needs no copy
                return unseen if places[0] < 0 else counts[..., places[0] : places[0] + 1]
            return np.concatenate([counts, unseen], -1)[..., places]

        zero = np.zeros_like(self.total)
        return PerLabel(
            tuple(labels),
            at(self.hits, zero),
            at(self.predicted, zero),
            at(self.gold, zero),
            at(self.negatives, self.total),
            self.total,
            at(self.used, np.zeros_like(self.total, bool)),
        )

    def pool(self) -> "PerLabel":
        """All labels taken together, as micro averages see them: one column, `total` per label."""
        return PerLabel(
            ("micro",),
            self.hits.sum(-1, keepdims=True),
            self.predicted.sum(-1, keepdims=True),
            self.gold.sum(-1, keepdims=True),
            self.negatives.sum(-1, keepdims=True),
            self.total * len(self.labels),
            np.asarray(self.used.any(-1, keepdims=True)),
        )


def sum_others(counts: Counts) -> Counts:
    """For each entry of the last axis the sum of all others: exactly 0 where all others are."""
    if counts.dtype.kind == "i":
        return np.asarray(counts.sum(-1, keepdims=True) - counts)
    return _sum_before(counts) + _sum_before(counts[..., ::-1])[..., ::-1]


def _sum_before(counts: Counts) -> Counts:
    sums = np.zeros_like(counts)
    np.cumsum(counts[..., :-1], -1, out=sums[..., 1:])
    return sums


def _check_types(wanted: Sequence[Label], known: Sequence[Label]) -> None:
    kinds = {isinstance(label, str) for label in known}
    for label in wanted:
        if kinds and isinstance(label, str) not in kinds:
            raise UsageError(
                f"no label can be {label!r}: the labels are "
                f"{'text' if kinds == {True} else 'numbers'}, such as {known[0]!r}"
            )


def count_labels(
    labels: tuple[Label, ...],
    owners: NDArray[np.int64],
    groups: int,
    gold: NDArray[Any],
    predicted: NDArray[Any],
    mass: Counts,
) -> PerLabel:
    """Counts each label against all others, of shape (..., groups, labels), in cells of labels."""
    wide = len(labels)

    def count(chosen: NDArray[np.bool_] | bool, codes: NDArray[Any]) -> Counts:
        places = np.where(chosen, owners * wide + codes, -1)
        sums = widen(sum_by(mass, places, groups * wide))
        return sums.reshape(*sums.shape[:-1], groups, wide)

    hits, outputs = count(gold == predicted, gold), count(predicted < wide, predicted)
    all_gold = count(True, gold)
    total = widen(sum_by(mass, owners, groups))[..., None]
    used = all_gold + outputs > 0
    return PerLabel(labels, hits, outputs, all_gold, sum_others(all_gold), total, used)


def count_members(
    labels: tuple[Label, ...],
    owners: NDArray[np.int64],
    groups: int,
    mass: Counts,
    members: Sequence[Members],
) -> PerLabel:
    """The same of label sets: of the members that both sides share, the predicted, and the gold."""
    wide = len(labels)

    def count(items: NDArray[np.int64], codes: NDArray[np.int64]) -> Counts:
        places = np.where(codes < wide, owners[items] * wide + codes, -1)
        sums = widen(sum_by(mass, places, groups * wide, items))
        return sums.reshape(*sums.shape[:-1], groups, wide)

    hits, outputs, all_gold = (count(*own) for own in members)
    total = widen(sum_by(mass, owners, groups))[..., None]
    used = np.ones_like(all_gold, bool)
    return PerLabel(labels, hits, outputs, all_gold, total - all_gold, total, used)
