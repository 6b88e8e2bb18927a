"""Columns of labels and of label sets, and the counters of how often each was predicted as each."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.io.tables.json_cells import read_literal
from tallystick.kinds.labels import LABEL_SETS, LABELS
from tallystick.model.codes import (
    INVALID,
    Label,
    Labels,
    Locate,
    Rows,
    list_labels,
    order,
    place_names,
    unify,
)
from tallystick.model.systems import Column, Systems
from tallystick.model.tallies.cells import Cells, count_patterns
from tallystick.model.tallies.groups import (
    count_groups,
    count_rows,
    group_codes,
    sum_by,
    weigh_rows,
)
from tallystick.model.tallies.per_label import CodeSets, encode_labels


class LabelRows(Struct, frozen=True, eq=False):
    """A set of labels per example: `sets` of the places of labels among all `names`."""

    several: ClassVar[bool] = True
    sets: CodeSets
    names: tuple[Label, ...]

    def __len__(self) -> int:
        return len(self.sets)

    def take(self, rows: Rows) -> "LabelRows":
        """The sets of some of the examples."""
        return LabelRows(self.sets.take(rows), self.names)

    def count_each(self) -> NDArray[np.int64]:
        """How many examples have each label."""
        return np.bincount(self.sets.codes, minlength=len(self.names)).astype(np.int64)

    def list_names(self, row: int) -> list[Label]:
        """The labels of an example."""
        own = slice(*self.sets.offsets[row : row + 2].tolist())
        return [self.names[code] for code in self.sets.codes[own].tolist()]

    def recode(self, names: Sequence[Label]) -> "LabelRows":
        """The same sets over `names`, which must hold every name."""
        if tuple(names) == self.names:
            return self
        table = np.array(place_names(self.names, names), np.int64)
        return LabelRows(self.sets.recode(table), tuple(names))


def from_matrix(matrix: NDArray[Any], names: Sequence[Label], locate: Locate) -> LabelRows:
    """Reads a matrix of 0 and 1, or of booleans, of shape (examples, labels)."""
    if matrix.ndim != 2 or matrix.shape[1] != len(names):
        raise InputError(
            f"{len(names)} labels need a matrix with as many columns, not the shape {matrix.shape}"
        )
    broken = np.argwhere((matrix != 0) & (matrix != 1))
    if len(broken):
        row, column = broken[0]
        raise InputError(
            f"{locate(int(row))}, column '{names[column]}': expected 0 or 1, found "
            f"{matrix[row, column]}"
        )
    sets = CodeSets.from_sizes(np.count_nonzero(matrix, axis=1), np.nonzero(matrix)[1])
    return LabelRows(sets, tuple(names))


def from_lists(
    lists: Sequence[Sequence[Label]], locate: Locate, names: Sequence[Label] | None = None
) -> LabelRows:
    """Reads a list of labels per example; an empty list is an example without labels."""
    for row, labels in enumerate(lists):
        for name in labels:
            if not isinstance(name, str | int) or name == "":
                raise InputError(
                    f"{locate(row)}: {name!r} is not a label; labels are text or whole numbers"
                )
    seen = {name for labels in lists for name in labels}
    if len({isinstance(name, str) for name in seen}) > 1:
        raise InputError(f"{locate(0)}: mixed types: labels are text or whole numbers, not both")
    known = tuple(names) if names is not None else order(seen)
    places = {name: place for place, name in enumerate(known)}
    sizes, codes = np.empty(len(lists), np.int64), list[int]()
    for row, labels in enumerate(lists):
        own = sorted({places.get(name, -1) for name in labels})
        if len(own) < len(labels) or own[:1] == [-1]:
            odd = next(x for at, x in enumerate(labels) if x not in known or x in labels[:at])
            twice = "occurs twice in one example; `task='tokens'` scores a label for each token"
            why = twice if odd in known else f"is not one of {list_labels(known)}"
            raise InputError(f"{locate(row)}: label {odd!r} {why}")
        sizes[row] = len(own)
        codes += own
    return LabelRows(CodeSets.from_sizes(sizes, np.array(codes, np.int64)), known)


def split_cells(cells: Sequence[str], delimiter: str, locate: Locate) -> list[list[Label]]:
    """Splits cells such as `sport|travel`, or JSON lists such as `["sport"]`; empty means none."""
    return [
        _read_json(cell, locate(row))
        if cell.lstrip().startswith("[")
        else [part.strip() for part in cell.split(delimiter) if part.strip()]
        for row, cell in enumerate(cells)
    ]


def _read_json(cell: str, where: str) -> list[Label]:
    import msgspec

    try:
        return [str(name) for name in msgspec.convert(read_literal(cell), list[str | int])]
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: {cell!r} is not a JSON list of labels ({error})") from None


class Output(Struct, frozen=True, eq=False):
    """Labels or label sets of one system over the names of the gold, and their probabilities.

    These are the positive label's, of shape (examples,), or every label's, of shape (examples,
    labels); `misfit` is why they are scores of another scale. Invalid outputs are no labels and
    count as wrong; the threshold is None if labels were given.
    """

    labels: Labels | LabelRows
    probabilities: NDArray[Any] | None = None
    invalid: NDArray[np.bool_] | None = None
    threshold: float | None = None
    confidence: NDArray[np.float64] | None = None
    misfit: str | None = None

    def take(self, rows: Rows) -> "Output":
        """What it said about some of the examples."""
        return replace(
            self,
            labels=self.labels.take(rows),
            probabilities=None if self.probabilities is None else self.probabilities[rows],
            invalid=None if self.invalid is None else self.invalid[rows],
            confidence=None if self.confidence is None else self.confidence[rows],
        )


class LabelColumn(Column, frozen=True, eq=False):
    """Labels, or label sets, of gold and of every system.

    The names of the gold of a binary task are (negative, positive).
    """

    gold: Labels | LabelRows
    outputs: tuple[Output, ...]

    def __len__(self) -> int:
        return len(self.gold)

    @property
    def label_names(self) -> tuple[Label, ...]:
        """The labels that gold and outputs share."""
        return self.gold.names

    def of(self, places: Sequence[int]) -> "LabelColumn":
        return replace(self, outputs=tuple(self.outputs[place] for place in places))

    def take(self, rows: Rows) -> "LabelColumn":
        return LabelColumn(self.gold.take(rows), tuple(own.take(rows) for own in self.outputs))

    def find_right(self) -> NDArray[np.bool_]:
        """Which examples each system got right; of a set, all of it."""
        right = np.stack([_find_equal(self.gold, own.labels) for own in self.outputs])
        for own, output in zip(right, self.outputs, strict=True):
            if output.invalid is not None:
                own[output.invalid] = False
        return right

    def tell_gold(self, row: int) -> str:
        return _write(self.gold, row)

    def tell_output(self, place: int, row: int) -> str:
        own = self.outputs[place]
        invalid = own.invalid is not None and bool(own.invalid[row])
        return INVALID if invalid else _write(own.labels, row)


def _write(column: Labels | LabelRows, row: int) -> str:
    if isinstance(column, Labels):
        return str(column.names[int(column.codes[row])])
    return "|".join(map(str, column.list_names(row)))


def _find_equal(gold: Labels | LabelRows, predicted: Labels | LabelRows) -> NDArray[np.bool_]:
    if isinstance(gold, Labels) and isinstance(predicted, Labels):
        return np.asarray(gold.codes == predicted.codes)
    if isinstance(gold, LabelRows) and isinstance(predicted, LabelRows):
        both = CodeSets.concatenate([gold.recode(predicted.names).sets, predicted.sets])
        _, codes = both.encode()
        return np.asarray(codes[: len(gold)] == codes[len(gold) :])
    return np.zeros(len(predicted), bool)


def read_scores(output: Output) -> NDArray[Any]:
    """The probabilities of a system, in which there is one zero only."""
    scores = np.asarray(output.probabilities)
    return scores + 0 if np.signbit(scores).any() else scores


_MOST_CELLS = 1 << 20
"""Up to this many possible cells are counted in a full table, without looking them up."""


class Confusion(Struct, frozen=True):
    """Counts patterns of a gold label and the label that each system predicted."""

    kind = LABELS

    def count(self, systems: Systems) -> Cells:
        column = LABELS.of(systems)
        gold, columns = column.gold, [own.labels for own in column.outputs]
        labels = [own for own in columns if isinstance(own, Labels)]
        if not isinstance(gold, Labels) or len(labels) < len(columns):
            raise UsageError("label sets are counted by LabelSets, not by Confusion")
        gold, *labels = unify(gold, *labels, names=gold.names)
        codes, outputs = encode_labels(gold, labels, [own.invalid for own in column.outputs])
        if systems.clusters is None and len(outputs) == 1:
            groups = 1 if systems.groups is None else len(systems.groups.names)
            cells = groups * (len(gold.names) + 1) ** 2
            if cells <= min(_MOST_CELLS, 4 * len(codes) + 256):
                return _tabulate(self, systems, gold.names, codes, outputs[0])
        return count_patterns(self, systems, gold.names, gold.names, codes, outputs)


def _tabulate(
    counter: "Confusion",
    systems: Systems,
    labels: tuple[Label, ...],
    gold: NDArray[Any],
    predicted: NDArray[Any],
) -> Cells:
    names, owners = group_codes(systems)
    wide = len(labels) + 1
    cells = (owners.astype(np.int64) * wide + gold) * wide + predicted
    counts = np.bincount(cells, systems.counts, len(names) * wide**2).astype(np.int64)
    filled = np.flatnonzero(counts)
    places, codes = np.divmod(filled, wide)
    place, codes_gold = np.divmod(places, wide)
    weights, masses = weigh_rows(systems), None
    if weights is not None:
        masses = sum_by(weights, cells, len(counts))[:, filled]
        counts = sum_by(count_rows(systems), cells, len(counts))
    return Cells(
        counter,
        systems.names,
        names,
        labels,
        labels,
        place,
        codes_gold.astype(gold.dtype),
        codes.astype(gold.dtype)[None],
        counts[filled],
        count_groups(systems),
        masses,
    )


_VERDICTS = ("wrong", "right")


def count_verdicts(systems: Systems, numbers: NDArray[np.float64]) -> Cells | None:
    """Whether systems were right, where their numbers are nothing but 1 and 0; None if none are.

    Numbers have shape (systems, examples); those of weight 0 may be anything.
    """
    seen = numbers if systems.weights is None else numbers[:, systems.weights > 0]
    own = np.flatnonzero(((seen == 0) | (seen == 1)).all(axis=1)).tolist()
    if not own:
        return None
    gold = Labels(np.ones(len(systems), np.uint8), _VERDICTS)
    outputs = tuple(Output(Labels((one == 1).astype(np.uint8), _VERDICTS)) for one in numbers[own])
    names = tuple(systems.names[place] for place in own)
    column = LabelColumn(gold, outputs)
    return Confusion().count(replace(systems, names=names, columns={LABELS.side: column}))


class LabelSets(Struct, frozen=True):
    """Counts patterns of a gold label set and the set that each system predicted."""

    kind = LABEL_SETS

    def count(self, systems: Systems) -> Cells:
        column = LABEL_SETS.of(systems)
        gold, columns = column.gold, [own.labels for own in column.outputs]
        sets = [own for own in columns if isinstance(own, LabelRows)]
        if not isinstance(gold, LabelRows) or len(sets) < len(columns):
            raise UsageError("single labels are counted by Confusion, not by LabelSets")
        names = (*gold.names, *order({name for own in sets for name in own.names} - {*gold.names}))
        rows = [gold.recode(names).sets]
        for own, output in zip(sets, column.outputs, strict=True):
            rows.append(_mark_invalid(own.recode(names).sets, output.invalid, len(names)))
        distinct, codes = CodeSets.concatenate(rows).encode()
        golden, *outputs = codes.reshape(len(rows), len(gold))
        sides = (golden, np.stack(outputs))
        cells = count_patterns(self, systems, names, gold.names, *sides)
        return replace(cells, sets=distinct).drop_strangers()


def _mark_invalid(sets: CodeSets, invalid: NDArray[np.bool_] | None, code: int) -> CodeSets:
    if invalid is None:
        return sets
    marked = CodeSets(np.arange(2), np.array([code]))
    rows = np.where(invalid, len(sets), np.arange(len(sets)))
    return CodeSets.concatenate([sets, marked]).take(rows)
