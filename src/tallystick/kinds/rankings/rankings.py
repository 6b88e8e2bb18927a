"""The column of rankings: judged documents of each query, and what each run ranked."""

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.model.ragged import Array, Ragged
from tallystick.model.systems import Column

UNPOOLED = -math.inf
"""The grade of a document that the qrels do not list; other negative grades are unjudged too."""

SHOWN = 10
"""So many documents of each ranking are kept by name, to be shown."""

Grades = NDArray[np.float64]


class Run(Struct, frozen=True, eq=False):
    """What one system returned for each query, best document first.

    Attributes:
        grades: The grade of each document; below 0 where it is unjudged.
        tied: Whether each document has the score of the one before it.
        names: The first documents of each query, as bytes.
        answered: Which queries count: those that have results, or all where others count as wrong.
    """

    grades: Ragged
    tied: Ragged
    names: Ragged
    answered: NDArray[np.bool_]

    def take(self, rows: slice) -> "Run":
        """The rankings of some queries, which follow each other."""
        grades, tied, names = (own.take(rows) for own in (self.grades, self.tied, self.names))
        return Run(grades, tied, names, self.answered[rows])


class Rankings(Column, frozen=True, eq=False):
    """Judgements and runs, a query per row.

    Attributes:
        judged: The grades of the judged documents of each query, the highest first.
        names: These documents, as bytes.
        runs: What each system returned.
    """

    judged: Ragged
    names: Ragged
    runs: tuple[Run, ...]

    def __len__(self) -> int:
        return len(self.judged)

    def of(self, places: Sequence[int]) -> "Rankings":
        return replace(self, runs=tuple(self.runs[place] for place in places))

    def take(self, rows: slice) -> "Rankings":
        runs = tuple(run.take(rows) for run in self.runs)
        return Rankings(self.judged.take(rows), self.names.take(rows), runs)

    def tell_gold(self, row: int) -> str:
        """The relevant documents with their grades, the highest first."""
        grades = self.judged.row(row)
        relevant = int((grades > 0).sum())
        more = f", and {relevant - SHOWN} more" if relevant > SHOWN else ""
        shown = grades[: min(relevant, SHOWN)]
        return _list_documents(self.names.row(row), shown) + more if relevant else "none relevant"

    def tell_output(self, place: int, row: int) -> str:
        """The first documents that a system returned, with their grades.

        Beside one other system it tells how many places each stands above or below there.
        """
        run = self.runs[place]
        names = run.names.row(row)
        other = self.runs[1 - place].names.row(row).tolist() if len(self.runs) == 2 else None
        more = len(run.grades.row(row)) - len(names)
        listed = _list_documents(names, run.grades.row(row), other) or "no results"
        return f"{listed}, and {more} more" if more > 0 else listed


def _list_documents(names: Array, grades: Grades, other: list[bytes] | None = None) -> str:
    """Documents with their grades, such as `D7 (2), D3 (-, up 1)`; a dash is unjudged."""
    pairs = enumerate(zip(names.tolist(), grades.tolist(), strict=False))
    return ", ".join(
        f"{name.decode(errors='replace')} ({f'{grade:g}' if grade >= 0 else '-'}"
        f"{_move(at, name, other)})"
        for at, (name, grade) in pairs
    )


def _move(at: int, name: bytes, other: list[bytes] | None) -> str:
    """How a document at a place moved from where another system has it."""
    if other is None or other[at : at + 1] == [name]:
        return ""
    if name not in other:
        return f", new to the first {SHOWN}" if len(other) == SHOWN else ", new"
    steps = other.index(name) - at
    return f", up {steps}" if steps > 0 else f", down {-steps}"
