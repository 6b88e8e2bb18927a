"""The scores per class, and the confusion matrices with shades."""

from collections.abc import Sequence

from tallystick.frozen import dataclass
from tallystick.report.content import Content
from tallystick.report.tables import Table, write_grid

_STEPS = 8
"""How many shades a matrix has."""


@dataclass(frozen=True, slots=True)
class Cell:
    """How often a gold label was predicted as another; its shade is 0 to 8, by its row's share."""

    count: str
    full: str
    shade: int
    words: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """A confusion matrix: rows are gold labels, columns predicted ones."""

    system: str
    track: str | None
    labels: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def list_classes(content: Content) -> tuple[Table, ...]:
    """The scores per class."""
    grids = (grid for grid in content.document.grids if grid.kind == "classes")
    return tuple(write_grid(grid, content.style) for grid in grids)


def list_matrices(content: Content) -> tuple[Matrix, ...]:
    """The confusion matrix of each system."""
    return tuple(
        Matrix(
            one["system"],
            one.get("track"),
            tuple(one["labels"]),
            tuple(
                _write_row(gold, row, one["labels"])
                for gold, row in zip(one["labels"], one["counts"], strict=True)
            ),
        )
        for one in content.matrices
    )


def _write_row(gold: str, row: Sequence[float], labels: Sequence[str]) -> tuple[Cell, ...]:
    total = sum(row)
    cells = zip(labels, row, strict=True)
    return tuple(_write(gold, label, count, total) for label, count in cells)


def _write(gold: str, predicted: str, count: float, total: float) -> Cell:
    share = count / total if total else 0.0
    shown = f"{count:,}" if isinstance(count, int) else f"{count:,.4g}"
    words = f"gold {gold}, predicted {predicted}: {shown} ({share:.1%} of {gold})"
    return Cell(shown, repr(count), round(share * _STEPS), words)
