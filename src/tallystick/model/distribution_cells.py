"""Cells that hold a distribution over labels: a JSON object, a list, or what annotators voted."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.frozen import dataclass
from tallystick.io.tables.literals import read_literal
from tallystick.io.tables.nested import as_list
from tallystick.io.tables.values import as_column
from tallystick.model.codes import Label, Locate, list_labels, order, spell
from tallystick.model.number_values import check_probabilities


@cache
def spell_label(label: Label, fold_case: bool = False) -> str:
    """Returns a label as files hold it; True and False are 1 and 0."""
    return spell(int(label) if isinstance(label, bool) else label, fold_case=fold_case)


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """What stands in a column: an object or a list per example, or the numbers of some columns.

    Attributes:
        values: A list of objects and lists, or numbers of shape (examples, labels).
        labels: The labels of the numbers; None where their places are the labels.
        fold_case: Whether labels that differ only in case are the same.
    """

    values: list[Any] | NDArray[Any]
    locate: Locate
    labels: tuple[str, ...] | None = None
    fold_case: bool = False

    @classmethod
    def of(cls, values: object, locate: Locate, *, fold_case: bool = False) -> "Cells":
        """The cells of a column; text in them, as CSV files have it, is JSON."""
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
        """The labels of cells: keys of their objects, places in their lists, or what was voted."""
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
        """The distributions over some labels, of shape (examples, labels)."""
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
        votes = find_votes(cell)
        if votes is not None:
            counts = Counter(map(self._spell, votes))
            self._check_known(index, counts, labels)
            return [counts[label] / len(votes) for label in labels]
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
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) < 1 << 53
    return isinstance(value, float)


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
        return read_literal(text)
    except (ValueError, RecursionError):
        raise InputError(
            f"{where}: {text[:60]!r} is not JSON such as "
            '{"no": 0.3, "yes": 0.7} or [0.3, 0.7] or ["no", "yes", "yes"]'
        ) from None
