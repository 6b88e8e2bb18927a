"""Reads the probability of every label, by column or in one cell, and how sure a system is."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.frozen import replace
from tallystick.io.tables.json_cells import read_literal
from tallystick.io.tables.values import parse_number
from tallystick.model.codes import Label, Labels, order, spell
from tallystick.model.columns import (
    CONFIDENCE,
    PROBABILITIES,
    PROBABILITY,
    PROBABILITY_CELLS,
    Columns,
    find,
)
from tallystick.model.sides import Side, list_probabilities
from tallystick.model.task import Task

_LOOKED_AT = 100


Probabilities = tuple[NDArray[np.floating], tuple[str, ...]]
"""Those of all labels, of shape (examples, labels), and the labels in the order of the columns."""


def find_probabilities(side: Side, columns: Columns) -> tuple[str, ...]:
    """The columns that hold the probabilities of all labels: one each, or one with all in a cell.

    Columns are taken by the names that are usual, or the one that was named; none where there are
    no such columns. One that was named as the output of a system is no part of them.
    """
    names, named = side.names, columns.probability
    if named is None:
        several = list_probabilities(side)
        if several and columns.predicted not in several:
            return tuple(several)
        usual = [find(names, (name,)) for name in (*PROBABILITY_CELLS, *PROBABILITY)]
        candidates = [columns.predicted, *usual]
    else:
        candidates = [named]
    held = (name for name in candidates if name in names and _holds_all(side, name))
    return tuple(name for name in (next(held, None),) if name is not None)


def read_probabilities(
    side: Side, names: Sequence[str], columns: Columns, gold: Labels, task: Task
) -> Probabilities:
    """Reads what `find_probabilities` found."""
    if len(names) == 1:
        return _read_cells(side, names[0], columns, gold, task)
    prefix = next(one for one in (*PROBABILITIES, "p_") if names[0].startswith(one))
    labels = tuple(spell(name.removeprefix(prefix), fold_case=columns.fold_case) for name in names)
    twice = next((name for name in labels if labels.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{side.table.source}: two columns hold probabilities of {twice!r}")
    return np.stack([side.numbers(name) for name in names], axis=1), labels


def read_confidence(side: Side, taken: Sequence[str]) -> NDArray[np.float64] | None:
    """How sure a system is of each label, where a column says so; NaN where it is no number."""
    name = find([one for one in side.names if one not in taken], CONFIDENCE)
    if name is None or side.absent is not None:
        return None
    try:
        return np.asarray(side.numbers(name), np.float64)
    except InputError:
        found = [parse_number(str(cell)) for cell in side.values(name).to_pylist()]
        return np.array(found, np.float64)


def _read_cells(side: Side, name: str, columns: Columns, gold: Labels, task: Task) -> Probabilities:
    from tallystick.model.number_values import Cells, spell_label

    given = [_name_scores(_load(cell)) for cell in side.objects(name)]
    cells = Cells.of(given, side.locate(name), fold_case=columns.fold_case)
    if task.labels is None and given and isinstance(given[0], Mapping):
        labels = cells.list_labels()
    else:
        known = task.labels or order(gold.names)
        labels = tuple(spell_label(label, columns.fold_case) for label in known)
    return cells.spread(labels), labels


def _holds_all(side: Side, name: str) -> bool:
    """Whether the first cell with something in it holds the probabilities of several labels."""
    only = replace(side.table, columns=side.table.columns.select([name]))
    try:
        values = only.cut(0, _LOOKED_AT).values(name)
    except InputError:
        return False
    first = next((one for one in values if one is not None), None)
    shares = _name_scores(_load(first))
    numbers = list(shares.values()) if isinstance(shares, Mapping) else shares
    if not isinstance(numbers, list | tuple) or len(numbers) < 2:
        return False
    return all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers)


def _load(cell: object) -> object:
    """The object or the list that text in a cell is in JSON; else the cell."""
    if isinstance(cell, str) and cell.lstrip()[:1] in ("{", "["):
        try:
            return read_literal(cell)
        except (ValueError, RecursionError):
            return cell
    return cell


def _name_scores(cell: object) -> object:
    """A list of objects with a label and its score, as pipelines write it, as one object."""
    if not isinstance(cell, list) or not cell:
        return cell
    named: dict[Label, object] = {}
    for one in cell:
        if not isinstance(one, Mapping) or {*one} != {"label", "score"} or one["label"] in named:
            return cell
        named[one["label"]] = one["score"]
    return named
