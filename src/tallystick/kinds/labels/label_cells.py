"""Reads the labels, and the label sets, of a column.

Outputs that are missing or no label are an error, count as wrong, or are a class of their own.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError, MissingValueError
from tallystick.frozen import dataclass
from tallystick.io.tables.building import build_places
from tallystick.kinds.labels.label_columns import LabelRows, from_lists, split_cells
from tallystick.model.codes import (
    INVALID,
    Label,
    Labels,
    Locate,
    adopt_truth,
    as_text,
    encode,
    is_text,
)
from tallystick.model.columns import Columns
from tallystick.model.guessed import find_fraction
from tallystick.model.sides import Side
from tallystick.model.task import Task

_HINT = "to count outputs that are not a label as wrong, pass `invalid='wrong'`"
_DELIMITERS = ("|", ";", ",")

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Known:
    """The labels that an output may hold.

    Attributes:
        labels: Those of the task where it names some, else those of the gold.
        named: Whether the task names them; else an output may well be another label.
    """

    labels: Sequence[Label]
    named: bool


def read_labels(
    side: Side, name: str, columns: Columns, known: Known
) -> tuple[Labels, Mask | None]:
    """Predicted labels, and which examples have none, so that they count as wrong."""
    if columns.invalid == "error" and side.absent is None:
        return _read_strictly(side, name, columns, known), None
    absent = np.zeros(len(side), bool) if side.absent is None else side.absent
    empty = absent if columns.invalid == "error" else _find_empty(side, name)
    labels = adopt_truth(_read_rest(side, name, columns, empty), known.labels)
    names = labels.names or tuple(known.labels[:1])
    usual = frozenset(known.labels)
    codes = np.zeros(len(empty), np.uint32)
    codes[~empty] = labels.codes
    strange = np.array([label not in usual for label in names], bool)[codes] & ~empty
    if columns.invalid == "wrong":
        return _drop(Labels(codes, names), empty | strange, known)
    if columns.invalid == "class":
        odd = (empty & ~absent) | (strange & known.named)
        if odd.any():
            codes[odd] = len(names)
            names = (*names, INVALID)
    labels = _forget(Labels(codes, names)) if known.named else Labels(codes, names)
    return labels, absent if absent.any() else None


def _read_strictly(side: Side, name: str, columns: Columns, known: Known) -> Labels:
    try:
        labels = side.labels(name, columns)
    except MissingValueError as error:
        raise MissingValueError(f"{error}; {_HINT}") from None
    fraction = find_fraction(labels, known.labels)
    if fraction is not None:
        raise InputError(
            f"{side.locate(name)(labels.first(fraction))}: {fraction} is not a label; if these "
            f"are probabilities, say so with `probability={name!r}`"
        )
    return adopt_truth(labels, known.labels)


def _find_empty(side: Side, name: str) -> Mask:
    import pyarrow.compute as pc

    values = side.values(name)
    empty = pc.is_null(values)
    if is_text(values.type):
        empty = pc.or_(empty, pc.equal(pc.utf8_trim_whitespace(pc.fill_null(values, "")), ""))
    return np.asarray(empty)


def _read_rest(side: Side, name: str, columns: Columns, empty: Mask) -> Labels:
    rows = np.flatnonzero(~empty)
    locate = side.locate(name)
    values = side.values(name).take(build_places(rows))
    labels = encode(values, lambda index: locate(int(rows[index])))
    return as_text(labels, fold_case=columns.fold_case)


def _drop(labels: Labels, wrong: Mask, known: Known) -> tuple[Labels, Mask | None]:
    usual = frozenset(known.labels)
    kept = tuple(name for name in labels.names if name in usual) or tuple(known.labels[:1])
    places = {name: place for place, name in enumerate(kept)}
    table = [places.get(name, 0) for name in labels.names]
    codes = np.array(table, np.uint32)[labels.codes]
    return Labels(codes, kept), wrong if wrong.any() else None


def _forget(labels: Labels) -> Labels:
    used, codes = np.unique(labels.codes, return_inverse=True)
    return Labels(codes.astype(np.uint32), tuple(labels.names[code] for code in used.tolist()))


def read_sets(side: Side, name: str, columns: Columns, task: Task) -> LabelRows:
    """The sets of the gold."""
    values = side.cells(name)
    _check_blank(values, side.locate(name), np.zeros(len(values), bool))
    task = task.spelled(fold_case=True) if columns.fold_case else task
    return from_lists(_split_sets(side, name, values, columns), side.locate(name), task.labels)


def read_predicted_sets(
    side: Side, name: str, columns: Columns, task: Task, golden: Sequence[Label]
) -> tuple[LabelRows, Mask | None]:
    """Predicted sets, and which examples have none, so that they count as wrong."""
    values = side.cells(name)
    blank = np.array([value is None for value in values], bool)
    absent = np.zeros(len(values), bool) if side.absent is None else side.absent
    allowed = absent if columns.invalid == "error" else blank
    _check_blank(values, side.locate(name), allowed, f"; {_HINT}")
    nothing = "" if _are_cells(values) else []
    values = [nothing if value is None else value for value in values]
    task = task.spelled(fold_case=True) if columns.fold_case else task
    known = Known(task.labels or golden, task.labels is not None)
    sets = _split_sets(side, name, values, columns)
    sets, invalid = _settle_sets(sets, blank, absent, columns, known)
    names = task.labels
    if names is not None and any(INVALID in one for one in sets):
        names = (*names, INVALID)
    return from_lists(sets, side.locate(name), names), invalid


def _settle_sets(
    sets: Sequence[Sequence[Label]], blank: Mask, absent: Mask, columns: Columns, known: Known
) -> tuple[list[list[Label]], Mask | None]:
    """Predicted sets, and which examples have none, so that they count as wrong.

    Args:
        sets: What was read; an empty set where there was nothing.
        blank: Where there was nothing, though nothing was not meant.
        absent: Where the example is missing.
        columns: What becomes of such outputs.
        known: The labels that a set may hold.
    """
    if columns.invalid == "error":
        return [list(one) for one in sets], absent if absent.any() else None
    usual = frozenset(known.labels)
    strange = np.array([not usual.issuperset(one) for one in sets], bool)
    if columns.invalid == "wrong":
        wrong, odd = blank | strange, np.zeros(len(blank), bool)
    else:
        wrong, odd = absent, (blank & ~absent) | (strange & known.named)
    settled: list[list[Any]] = [
        [] if lost else [INVALID] if other else list(one)
        for one, lost, other in zip(sets, wrong.tolist(), odd.tolist(), strict=True)
    ]
    return settled, wrong if wrong.any() else None


def _check_blank(values: list[object], locate: Locate, allowed: Mask, hint: str = "") -> None:
    for index, value in enumerate(values):
        if value is None and not allowed[index]:
            raise MissingValueError(
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


def _check_text(cells: Sequence[object], locate: Locate) -> None:
    for index, cell in enumerate(cells):
        if not isinstance(cell, str):
            raise InputError(
                f"{locate(index)}: {type(cell).__name__} values are not label sets; write a "
                "list, or text with a mark between labels"
            )


def _are_cells(values: list[object]) -> bool:
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
            "one that separates labels with `delimiter=`"
        )
    return used[0] if used else _DELIMITERS[0]
