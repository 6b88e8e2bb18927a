"""Soft labels: gold and outputs as distributions over labels, or as votes that are counted."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import Label, Locate, as_column, list_labels, order, spell
from tallystick.errors import InputError
from tallystick.examples.columns import (
    BOTH,
    OUTPUT,
    PREDICTED,
    PROBABILITIES,
    PROBABILITY,
    Columns,
    find,
)
from tallystick.examples.number_values import check_probabilities
from tallystick.examples.sides import Side, find_gold, find_output
from tallystick.examples.systems import Column
from tallystick.examples.task import Task
from tallystick.frozen import dataclass, replace
from tallystick.io.tables.nested import as_list

SHARES = ("soft_label", "soft_labels", "distribution")
"""What columns are called that hold distributions over labels."""

SOFT = (*SHARES, "annotations", "votes")
"""What columns are called that hold the labels of annotators, or their shares."""

_GOLD = (*SOFT, *BOTH)
_OUTPUTS = (*PREDICTED, *PROBABILITY, *OUTPUT, *SOFT)
"""How the names of columns begin that hold the probability of one label each."""

EACH_GOLD = ("y_true_", "gold_")
"""How those of gold begin, which may stand in the table of the outputs."""


@cache
def spell_label(label: Label, fold_case: bool = False) -> str:
    """Returns a label as files hold it; True and False are 1 and 0."""
    return spell(int(label) if isinstance(label, bool) else label, fold_case=fold_case)


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """What stands in a column: an object or a list per example, or the numbers of some columns.

    Attributes:
        values: A list of objects and lists, or numbers of shape (examples, labels).
        locate: Tells where an example stands.
        labels: The labels of the numbers; None where their places are the labels.
        fold_case: Whether labels that differ only in case are the same.
    """

    values: list[Any] | NDArray[Any]
    locate: Locate
    labels: tuple[str, ...] | None = None
    fold_case: bool = False

    @classmethod
    def of(cls, values: object, locate: Locate, *, fold_case: bool = False) -> "Cells":
        """The cells of a column; text in them, as CSV files have it, is JSON.

        Raises:
            InputError: A cell is missing, or is text and no JSON.
        """
        column = values if isinstance(values, list) else as_column(values)
        if isinstance(column, np.ndarray) and column.ndim == 2 and column.dtype.kind in "biuf":
            return cls(column, locate)
        if isinstance(column, np.ndarray):
            cells = column.tolist()
        else:
            cells = list(column) if isinstance(column, list | tuple) else as_list(column, locate(0))
        for index, cell in enumerate(cells):
            if isinstance(cell, str):
                cells[index] = _load(cell, locate(index))
            elif isinstance(cell, np.ndarray):
                cells[index] = cell.tolist()
        return cls(cells, locate, fold_case=fold_case)

    def list_labels(self) -> tuple[str, ...]:
        """The labels of the cells: the keys of their objects, places in lists, or what was voted.

        Raises:
            InputError: The first cell is none of these.
        """
        if self.labels is not None:
            return self.labels
        if isinstance(self.values, np.ndarray):
            return _count_up(self.values.shape[1])
        first = self.values[0] if self.values else {}
        if find_votes(first) is not None:
            return self._order(vote for cell in self.values for vote in find_votes(cell) or ())
        if isinstance(first, Mapping):
            return self._order(first)
        if isinstance(first, Sequence):
            return _count_up(len(first))
        raise self._refuse(0)

    def spread(self, labels: tuple[str, ...]) -> NDArray[np.float64]:
        """The distributions over some labels, of shape (examples, labels).

        Raises:
            InputError: A cell is no distribution over them.
        """
        if isinstance(self.values, np.ndarray):
            rows: Any = self._pick(self.values, labels)
        else:
            rows = [self._spread(index, cell, labels) for index, cell in enumerate(self.values)]
        matrix = np.asarray(rows, np.float64).reshape(len(self.values), len(labels))
        return check_probabilities(matrix, self.locate)

    def _pick(self, values: NDArray[Any], labels: tuple[str, ...]) -> NDArray[Any]:
        own = self.labels or labels
        if values.shape[1] != len(labels) or {*own} != {*labels}:
            raise InputError(
                f"{self.locate(0)}: the probabilities are of {values.shape[1]} labels"
                f"{f' ({list_labels(self.labels)})' if self.labels else ''}, and the labels are "
                f"{list_labels(labels)}"
            )
        return values[:, [own.index(label) for label in labels]]

    def _spread(self, index: int, cell: Any, labels: tuple[str, ...]) -> list[float]:
        """The distribution in a cell over the labels in their order."""
        votes = find_votes(cell)
        if votes is not None:
            counts = self._count(votes)
            self._check_known(index, counts, labels)
            return [counts.get(label, 0) / len(votes) for label in labels]
        if isinstance(cell, Mapping):
            shares = self._pick_named(index, cell, labels)
        else:
            shares = list(cell) if isinstance(cell, Sequence) else []
        if not (shares and all(map(_is_number, shares))):
            raise self._refuse(index)
        if len(shares) != len(labels):
            raise InputError(
                f"{self.locate(index)}: {len(shares)} probabilities are given of the "
                f"{len(labels)} labels {list_labels(labels)}"
            )
        return shares

    def _pick_named(
        self, index: int, cell: Mapping[Label, Any], labels: tuple[str, ...]
    ) -> list[Any]:
        named = {self._spell(key): value for key, value in cell.items() if value is not None}
        self._check_known(index, named, labels)
        lacking = next((label for label in labels if label not in named), None)
        if lacking is not None:
            raise InputError(
                f"{self.locate(index)}: there is no probability of {lacking!r}; write 0 where a "
                "label has none"
            )
        return [named[label] for label in labels]

    def _check_known(self, index: int, named: Iterable[str], labels: tuple[str, ...]) -> None:
        strange = next((label for label in named if label not in labels), None)
        if strange is not None:
            raise InputError(
                f"{self.locate(index)}: {strange!r} is not one of the labels, which are "
                f"{list_labels(labels)}; if it should be one, name all of them with --labels"
            )

    def _count(self, votes: Iterable[Label]) -> dict[str, int]:
        counts: dict[str, int] = {}
        for vote in votes:
            label = self._spell(vote)
            counts[label] = counts.get(label, 0) + 1
        return counts

    def _order(self, labels: Iterable[Label]) -> tuple[str, ...]:
        return tuple(map(str, order({self._spell(label) for label in labels})))

    def _spell(self, label: Label) -> str:
        return spell_label(label, self.fold_case)

    def _refuse(self, index: int) -> InputError:
        cell = self.values[index]
        empty = isinstance(cell, Sequence | Mapping) and not cell
        what = "nothing" if cell is None or empty else repr(cell)[:60]
        return InputError(
            f"{self.locate(index)}: {what} stands where a distribution was expected: "
            'probabilities by label such as {"no": 0.3, "yes": 0.7}, a list of them in the order '
            'of the labels, or the label of each annotator such as ["no", "yes", "yes"]'
        )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _count_up(size: int) -> tuple[str, ...]:
    return tuple(map(str, range(size)))


def find_votes(cell: object) -> list[Label] | None:
    """Returns the labels that annotators gave, as a list or by their names; None if it holds none.

    An annotator who gave none is left out.
    """
    values = list(cell.values()) if isinstance(cell, Mapping) else cell
    if not isinstance(values, list | tuple):
        return None
    given = [value for value in values if value is not None]
    return given if given and all(isinstance(value, str | bool) for value in given) else None


def _load(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(
            f"{where}: {text[:60]!r} is no JSON, such as "
            '{"no": 0.3, "yes": 0.7} or [0.3, 0.7] or ["no", "yes", "yes"]'
        ) from None


@dataclass(frozen=True, slots=True, eq=False)
class Distributions(Column):
    """Distributions over labels, one per example: the gold ones, and those of all systems.

    Attributes:
        labels: The labels.
        gold: float64 of shape (examples, labels).
        outputs: float64 of shape (systems, examples, labels).
        ordered: Whether the order of the labels is known: they were named, are whole numbers, or
            are only two.
    """

    labels: tuple[str, ...]
    gold: NDArray[np.float64]
    outputs: NDArray[np.float64]
    ordered: bool

    @classmethod
    def of_gold(cls, cells: Cells, task: Task) -> "Distributions":
        """Gold distributions, beside which no system stands yet.

        Raises:
            InputError: A cell is no distribution over the labels that were named, or that gold has.
        """
        named = tuple(spell_label(label, cells.fold_case) for label in task.labels or ())
        labels = named or cells.list_labels()
        gold = cells.spread(labels)
        known = bool(named) or len(labels) < 3 or all(map(_is_whole, labels))
        return cls(labels, gold, np.zeros((0, *gold.shape)), known)

    def match(self, cells: Cells) -> NDArray[np.float64]:
        """The distributions of a system over the same labels, of shape (examples, labels).

        Raises:
            InputError: A cell is no distribution over these labels, or there are too few or many.
        """
        found = cells.spread(self.labels)
        if len(found) != len(self):
            raise InputError(f"there are {len(found)} distributions for {len(self)} examples")
        return found

    def add(self, outputs: Sequence[NDArray[np.float64]]) -> "Distributions":
        """The same gold beside what `match` gave of each system."""
        return replace(self, outputs=np.stack(outputs))

    def __len__(self) -> int:
        return len(self.gold)

    def of(self, places: Sequence[int]) -> "Distributions":
        """Those of some of the systems."""
        return replace(self, outputs=self.outputs[list(places)])

    def take(self, rows: slice) -> "Distributions":
        """Those of some of the examples."""
        return replace(self, gold=self.gold[rows], outputs=self.outputs[:, rows])

    def tell_gold(self, row: int) -> str:
        """The gold of an example in words."""
        return self._tell(self.gold[row])

    def tell_output(self, place: int, row: int) -> str:
        """What the system that stands at a place said of an example."""
        return self._tell(self.outputs[place, row])

    def _tell(self, shares: NDArray[np.float64]) -> str:
        pairs = zip(self.labels, shares.tolist(), strict=True)
        return ", ".join(f"{label} {share:.4g}" for label, share in pairs)


def _is_whole(label: str) -> bool:
    return label.removeprefix("-").isdecimal()


def read_gold_cells(left: Side, columns: Columns, *, alone: bool) -> Cells:
    """Reads the cells of gold distributions: one column, or one for each label.

    Args:
        left: The table of the gold.
        columns: Which column holds what.
        alone: Whether the only system's outputs stand in the same table.

    Raises:
        InputError: There is no gold column.
    """
    prefixes = EACH_GOLD if alone else (*EACH_GOLD, *PROBABILITIES)
    return _read_each(left, columns, columns.gold, prefixes) or _read_cells(
        left, find_gold(left, columns, alone=alone, usual=_GOLD), columns
    )


def read_output_cells(left: Side, right: Side, columns: Columns) -> Cells:
    """Reads the cells of a system's distributions likewise.

    Raises:
        InputError: There is no column of outputs.
    """
    return _read_each(right, columns, columns.predicted, PROBABILITIES) or _read_cells(
        right, find_output(left, right, columns, usual=(_OUTPUTS, _GOLD)), columns
    )


def _read_each(
    side: Side, columns: Columns, named: str | None, usual: Sequence[str]
) -> Cells | None:
    """The numbers of one column for each label; None where there are no such columns."""
    if named is not None and find(side.names, (named,)) is not None:
        return None
    prefixes = usual if named is None else (f"{named}_",)
    prefix = next((one for one in prefixes if any(map(_starts(one), side.names))), None)
    if prefix is None:
        return None
    names = [name for name in side.names if name.startswith(prefix)]
    labels = tuple(spell_label(name.removeprefix(prefix), columns.fold_case) for name in names)
    matrix = np.stack([side.numbers(name) for name in names], axis=1)
    return Cells(matrix, side.locate(names[0]), labels)


def _starts(prefix: str) -> Callable[[str], bool]:
    return lambda name: name.startswith(prefix)


def _read_cells(side: Side, name: str, columns: Columns) -> Cells:
    return Cells.of(side.objects(name), side.locate(name), fold_case=columns.fold_case)


def is_soft(left: Side, columns: Columns) -> bool:
    """Whether a column of distributions stands where no other is called gold."""
    found = find(left.names, (*BOTH, *SHARES), columns.gold)
    return found is not None and find((found,), SHARES) is not None
