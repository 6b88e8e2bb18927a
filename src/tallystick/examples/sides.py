"""One table beside the gold: its values in the order of the gold's rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import Labels, Locate, as_text, encode
from tallystick.errors import InputError
from tallystick.examples.columns import Columns
from tallystick.examples.number_values import read_numbers
from tallystick.io.tables.building import build_places
from tallystick.io.tables.nested import as_list
from tallystick.io.tables.table import Table
from tallystick.io.tables.values import plain, write_numbers


@dataclass(frozen=True, slots=True)
class Whole:
    """The longer table that a block was joined from.

    Attributes:
        examples: How many examples there are in all.
        absent: How many of them it lacks.
        first: How many come before those of the block.
    """

    examples: int
    absent: int
    first: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """A table with its rows in the order of the gold.

    Attributes:
        table: The table.
        rows: Where each example stands in it, -1 where it does not; None where the order is the
            same.
        whole: What these are a block of; None where they are all there are.
        stood: Where each row of the table stood among those of its file; None where it still does.
    """

    table: Table
    rows: NDArray[np.int64] | None = None
    whole: Whole | None = None
    stood: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.table) if self.rows is None else len(self.rows)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.table.names()

    def has(self, name: str) -> bool:
        """Whether there is a column of that name, or one that a dotted name reaches into."""
        parts = name.split(".")
        return any(".".join(parts[: end + 1]) in self.names for end in range(len(parts)))

    @property
    def absent(self) -> NDArray[np.bool_] | None:
        """Which examples the table lacks; None where all of it has all of them."""
        if self.rows is None:
            return None
        lacking = self.rows < 0
        some = lacking.any() if self.whole is None else self.whole.absent
        return lacking if some else None

    def values(self, name: str) -> Any:
        """A column as an Arrow array; null where the table lacks an example."""
        column = write_numbers(plain(self.table.column(name)))
        if self.rows is None or np.array_equal(self.rows, np.arange(len(column))):
            return column
        return column.take(build_places(self.rows))

    def cells(self, name: str) -> list[Any]:
        """The values of a column as Python has them; None where the table lacks an example."""
        return as_list(self.values(name), f"{self.table.source}: column {name!r}")

    def locate_row(self, index: int) -> str:
        """Where an example stands."""
        row = index if self.rows is None else int(self.rows[index])
        if row < 0:
            before = 0 if self.whole is None else self.whole.first
            return f"{self.table.source}, which lacks example {before + index + 1}"
        row = row if self.stood is None else int(self.stood[row])
        return f"{self.table.source}, {self.table.locate(row)}"

    def locate(self, name: str) -> Locate:
        """Tells where an example stands in a column."""
        return lambda index: f"{self.locate_row(index)}, column '{name}'"

    def labels(self, name: str, columns: Columns) -> Labels:
        """A column of labels."""
        labels = encode(self.values(name), self.locate(name))
        return as_text(labels, fold_case=columns.fold_case)

    def numbers(self, name: str) -> NDArray[Any]:
        """A column of numbers, of which none may be missing."""
        self._need_all(f"numeric column {name!r}")
        return read_numbers(self.values(name), self.locate(name))

    def objects(self, name: str) -> list[Any]:
        """A column of the objects and lists of JSON, of which none may be missing."""
        self._need_all(f"column {name!r}")
        found = self.table.values(name)
        return found if self.rows is None else [found[row] for row in self.rows.tolist()]

    def _need_all(self, what: str) -> None:
        if self.absent is not None:
            whole = self.whole or Whole(len(self), int(self.absent.sum()))
            raise InputError(
                f"{self.table.source}: lacks {whole.absent} of {whole.examples} examples, "
                f"which cannot count as wrong in the {what}"
            )
