"""A column of label sets: one bit per label and example."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import Label, Locate, Rows, list_labels, order
from tallystick.errors import InputError
from tallystick.frozen import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class LabelRows:
    """A set of labels per example.

    Attributes:
        bits: Bytes of shape (examples, ceil(labels / 8)); label j is bit j % 8 of byte j // 8.
        names: All labels a set could hold, whether or not one does.
        several: Whether an example may have several labels.
    """

    several: ClassVar[bool] = True
    bits: NDArray[np.uint8]
    names: tuple[Label, ...]

    def __len__(self) -> int:
        return len(self.bits)

    def take(self, rows: Rows) -> "LabelRows":
        """The sets of some of the examples."""
        return LabelRows(self.bits[rows], self.names)

    def count_each(self) -> NDArray[np.int64]:
        """How many examples have each label."""
        return np.asarray(self.unpack().sum(axis=0), np.int64)

    def unpack(self) -> NDArray[np.uint8]:
        """The sets as 0 and 1, of shape (examples, labels)."""
        return np.unpackbits(self.bits, axis=1, count=len(self.names), bitorder="little")

    def recode(self, names: Sequence[Label]) -> "LabelRows":
        """The same sets over `names`, which must hold every name."""
        if tuple(names) == self.names:
            return self
        places = [list(names).index(name) for name in self.names]
        matrix = np.zeros((len(self), len(names)), bool)
        matrix[:, places] = self.unpack()
        return LabelRows(_pack(matrix), tuple(names))


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
            f"{locate(int(row))}, column '{names[column]}': "
            f"{matrix[row, column]} stands where 0 or 1 was expected"
        )
    return LabelRows(_pack(matrix.astype(bool)), tuple(names))


def from_lists(
    lists: Sequence[Sequence[Label]], locate: Locate, names: Sequence[Label] | None = None
) -> LabelRows:
    """Reads a list of labels per example; an empty list is an example without labels."""
    _check_labels(lists, locate)
    seen = {name for labels in lists for name in labels}
    if len({isinstance(name, str) for name in seen}) > 1:
        raise InputError(f"{locate(0)}: mixed types: labels are text or whole numbers, not both")
    known = tuple(names) if names is not None else order(seen)
    places = {name: place for place, name in enumerate(known)}
    matrix = np.zeros((len(lists), len(known)), bool)
    for row, labels in enumerate(lists):
        for name in labels:
            if name not in places:
                raise InputError(
                    f"{locate(row)}: label {name!r} is not one of {list_labels(known)}"
                )
            if matrix[row, places[name]]:
                raise InputError(f"{locate(row)}: label {name!r} occurs twice in one example")
            matrix[row, places[name]] = True
    return LabelRows(_pack(matrix), known)


def _check_labels(lists: Sequence[Sequence[Label]], locate: Locate) -> None:
    for row, labels in enumerate(lists):
        for name in labels:
            if not isinstance(name, str | int) or name == "":
                raise InputError(
                    f"{locate(row)}: {name!r} is not a label; labels are text or whole numbers"
                )


def split_cells(cells: Sequence[str], delimiter: str, locate: Locate) -> list[list[Label]]:
    """Splits cells such as `sport|travel`, or JSON lists such as `["sport"]`; empty means none."""
    return [
        _read_json(cell, locate(row))
        if cell.lstrip().startswith("[")
        else [part.strip() for part in cell.split(delimiter) if part.strip()]
        for row, cell in enumerate(cells)
    ]


def _pack(matrix: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.packbits(matrix, axis=1, bitorder="little")


def _read_json(cell: str, where: str) -> list[Label]:
    import msgspec

    try:
        return [str(name) for name in msgspec.json.decode(cell, type=list[str | int])]
    except msgspec.DecodeError as error:
        raise InputError(f"{where}: {cell!r} is not a JSON list of labels ({error})") from None
