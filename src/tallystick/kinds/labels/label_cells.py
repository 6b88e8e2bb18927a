"""Reads the labels, and the label sets, of a column.

Outputs that are missing or no label are an error, count as wrong, or are a class of their own.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.errors import InputError, MissingValueError
from tallystick.io.tables.values import build_places, parse_number
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
from tallystick.model.facts import Task
from tallystick.model.sides import Side
from tallystick.model.type_inference import find_fraction

_HINT = "to count outputs that are not a label as wrong, pass `invalid='wrong'`"
_DELIMITERS = ("|", ";", ",")

Mask = NDArray[np.bool_]


class Known(Struct, frozen=True):
    """The labels that an output may be: those of the task if it `named` some, else of the gold."""

    labels: Sequence[Label]
    named: bool
    ordered: bool = False


def read_labels(
    side: Side, name: str, columns: Columns, known: Known
) -> tuple[Labels, Mask | None]:
    """Predicted labels, and which examples have none, so that they count as wrong."""
    if columns.invalid == "error" and side.absent is None:
        return _read_strictly(side, name, columns, known), None
    absent = np.zeros(len(side), bool) if side.absent is None else side.absent
    empty = absent if columns.invalid == "error" else _find_empty(side.values(name))
    rows, locate = np.flatnonzero(~empty), side.locate(name)
    values = side.values(name).take(build_places(rows))
    labels = _encode(values, lambda index: locate(int(rows[index])), columns, known)
    names = labels.names or tuple(known.labels[:1])
    usual = frozenset(known.labels)
    codes = np.zeros(len(empty), np.uint32)
    codes[rows] = labels.codes
    strange = np.array([label not in usual for label in names], bool)[codes] & ~empty
    if columns.invalid == "wrong":
        kept = tuple(label for label in names if label in usual) or tuple(known.labels[:1])
        places = {label: place for place, label in enumerate(kept)}
        codes = np.array([places.get(label, 0) for label in names], np.uint32)[codes]
        return Labels(codes, kept), _find_any(empty | strange)
    odd = (empty & ~absent) | (strange & known.named)
    if columns.invalid == "class" and odd.any():
        codes[odd] = len(names)
        names = (*names, INVALID)
    if known.named:
        used, found = np.unique(codes, return_inverse=True)
        codes, names = found.astype(np.uint32), tuple(names[code] for code in used.tolist())
    return Labels(codes, names), _find_any(absent)


def _encode(values: Any, locate: Locate, columns: Columns, known: Known) -> Labels:
    if known.ordered and pa.types.is_floating(values.type):
        values = values.cast(pa.string())
    labels = as_text(encode(values, locate), fold_case=columns.fold_case)
    if known.ordered:
        labels = labels.rename(lambda label: round_label(label, known.labels))
    return adopt_truth(labels, known.labels)


def round_label(value: Label | float, scale: Sequence[Label]) -> Label:
    """A fraction as the nearest of labels that are numbers, of two the even one; else the value."""
    number, parsed = parse_number(str(value)), [parse_number(str(label)) for label in scale]
    places = [place for place in parsed if place is not None]
    if number is None or not number % 1 > 0 or len(places) < len(scale):
        return value if isinstance(value, str) else int(value)
    return scale[min(range(len(scale)), key=lambda at: (abs(places[at] - number), places[at] % 2))]


def _find_any(mask: Mask) -> Mask | None:
    return mask if mask.any() else None


def _read_strictly(side: Side, name: str, columns: Columns, known: Known) -> Labels:
    try:
        if known.ordered:
            return _encode(side.values(name), side.locate(name), columns, known)
        labels = side.labels(name, columns)
    except MissingValueError as error:
        raise MissingValueError(f"{error}; {_HINT}") from None
    fraction = find_fraction(labels, known.labels)
    if fraction is not None:
        raise InputError(
            f"{side.locate(name)(labels.first(fraction))}: {fraction} is not a label; if these "
            f"are probabilities, say so with `probability={name!r}`; `order=` rounds fractions"
        )
    return adopt_truth(labels, known.labels)


def _find_empty(values: Any) -> Mask:
    import pyarrow.compute as pc

    empty = pc.is_null(values)
    if is_text(values.type):
        empty = pc.or_(empty, pc.equal(pc.utf8_trim_whitespace(pc.fill_null(values, "")), ""))
    return np.asarray(empty)


def read_sets(side: Side, name: str, columns: Columns, task: Task) -> LabelRows:
    """Reads the label sets of the gold."""
    values, locate = side.cells(name), side.locate(name)
    _check_blank(values, locate, np.zeros(len(values), bool))
    task = task.spelled(fold_case=True) if columns.fold_case else task
    return from_lists(_split_sets(values, columns, locate), locate, task.labels)


def read_predicted_sets(
    side: Side, name: str, columns: Columns, task: Task, golden: Sequence[Label]
) -> tuple[LabelRows, Mask | None]:
    """Reads predicted sets, and which examples have none and count as wrong."""
    values, locate = side.cells(name), side.locate(name)
    blank = np.array([value is None for value in values], bool)
    absent = np.zeros(len(values), bool) if side.absent is None else side.absent
    _check_blank(values, locate, absent if columns.invalid == "error" else blank, f"; {_HINT}")
    nothing = "" if _are_cells(values) else []
    values = [nothing if value is None else value for value in values]
    names = (task.spelled(fold_case=True) if columns.fold_case else task).labels
    sets = _split_sets(values, columns, locate)
    usual = frozenset(names or golden)
    strange = np.array(
        [any(not isinstance(one, str | int) or one not in usual for one in own) for own in sets],
        bool,
    )
    wrong, odd = absent, np.zeros(len(blank), bool)
    if columns.invalid == "wrong":
        wrong = blank | strange
    elif columns.invalid == "class":
        odd = (blank & ~absent) | (strange & (names is not None))
    sets = [
        [] if lost else [INVALID] if other else one
        for one, lost, other in zip(sets, wrong.tolist(), odd.tolist(), strict=True)
    ]
    if names is not None and any(INVALID in one for one in sets):
        names = (*names, INVALID)
    return from_lists(sets, locate, names), _find_any(wrong)


def _check_blank(values: list[object], locate: Locate, allowed: Mask, hint: str = "") -> None:
    for index, value in enumerate(values):
        if value is None and not allowed[index]:
            raise MissingValueError(
                f"{locate(index)}: the value is missing; write [] or an empty "
                f"cell for no labels{hint}"
            )


def _split_sets(values: list[Any], columns: Columns, locate: Locate) -> list[list[Label]]:
    if _are_cells(values):
        odd = next((row for row, cell in enumerate(values) if not isinstance(cell, str)), None)
        if odd is not None:
            raise InputError(
                f"{locate(odd)}: {type(values[odd]).__name__} values are not label sets; write a "
                "list, or text with a mark between labels"
            )
        values = split_cells(values, _delimiter(values, columns, locate), locate)
    if columns.fold_case:
        return [[str(name).casefold() for name in names] for names in values]
    return values


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
