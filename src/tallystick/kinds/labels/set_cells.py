"""Reads label sets in the cells of one column: lists, JSON lists, or delimited labels."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import INVALID, Label, Locate
from tallystick.errors import InputError
from tallystick.examples.columns import Columns
from tallystick.examples.sides import Side
from tallystick.examples.task import Task
from tallystick.kinds.labels.invalid import HINT, Known, settle_sets
from tallystick.kinds.labels.sets import LabelRows, from_lists, split_cells

_DELIMITERS = ("|", ";", ",")


def read_sets(side: Side, name: str, columns: Columns, task: Task) -> LabelRows:
    """The sets of the gold."""
    values = side.cells(name)
    _check_blank(values, side.locate(name), np.zeros(len(values), bool))
    task = task.spelled(fold_case=True) if columns.fold_case else task
    return from_lists(_split_sets(side, name, values, columns), side.locate(name), task.labels)


def read_predicted_sets(
    side: Side, name: str, columns: Columns, task: Task, golden: Sequence[Label]
) -> tuple[LabelRows, NDArray[np.bool_] | None]:
    """Predicted sets, and which examples have none, so that they count as wrong."""
    values = side.cells(name)
    blank = np.array([value is None for value in values], bool)
    absent = np.zeros(len(values), bool) if side.absent is None else side.absent
    allowed = absent if columns.invalid == "error" else blank
    _check_blank(values, side.locate(name), allowed, f"; {HINT}")
    nothing = "" if _are_cells(values) else []
    values = [nothing if value is None else value for value in values]
    task = task.spelled(fold_case=True) if columns.fold_case else task
    known = Known(task.labels or golden, task.labels is not None)
    sets = _split_sets(side, name, values, columns)
    sets, invalid = settle_sets(sets, blank, absent, columns, known)
    names = task.labels
    if names is not None and any(INVALID in one for one in sets):
        names = (*names, INVALID)
    return from_lists(sets, side.locate(name), names), invalid


def _check_blank(
    values: list[Any], locate: Locate, allowed: NDArray[np.bool_], hint: str = ""
) -> None:
    for index, value in enumerate(values):
        if value is None and not allowed[index]:
            raise InputError(
                f"{locate(index)}: the value is missing; write [] or an empty "
                f"cell for no labels{hint}"
            )


def _split_sets(side: Side, name: str, values: list[Any], columns: Columns) -> list[list[Label]]:
    if _are_cells(values):
        locate = side.locate(name)
        _check_text(values, locate)
        values = split_cells(values, _delimiter(values, columns, locate), locate)
    if columns.fold_case:
        return [[str(name).casefold() for name in names] for names in values]
    return values


def _check_text(cells: Sequence[Any], locate: Locate) -> None:
    for index, cell in enumerate(cells):
        if not isinstance(cell, str):
            raise InputError(
                f"{locate(index)}: {type(cell).__name__} values are not label sets; write a "
                "list, or text with a mark between labels"
            )


def _are_cells(values: list[Any]) -> bool:
    first = next((value for value in values if value is not None), None)
    return first is not None and not isinstance(first, list)


def _delimiter(cells: list[str], columns: Columns, locate: Locate) -> str:
    if columns.delimiter is not None:
        return columns.delimiter
    plain = [cell for cell in cells if not cell.lstrip().startswith("[")]
    used = [mark for mark in _DELIMITERS if any(mark in cell for cell in plain)]
    if len(used) > 1:
        raise InputError(
            f"{locate(0)}: both {used[0]!r} and {used[1]!r} occur in the cells; name the "
            "one that separates labels with --delimiter"
        )
    return used[0] if used else _DELIMITERS[0]
