"""Human labels for some of the examples, read beside those of a judge for all of them.

Each example with a human label is repeated with that label in the place of the judge's, so that
every reader, and every counter after it, sees rows of one form.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.io.tables.building import build_strings
from tallystick.kinds.index import say_all
from tallystick.kinds.labels import LABELS
from tallystick.kinds.labels.label_column_reader import read_gold_column
from tallystick.kinds.numbers import NUMBERS
from tallystick.model.codes import Labels, adopt_truth
from tallystick.model.columns import Columns, find
from tallystick.model.number_values import check_each
from tallystick.model.reading import Kinds, Needed
from tallystick.model.sides import Side, find_gold, find_output
from tallystick.model.systems import People
from tallystick.reading.coverage import find_blank, list_known, rebuild

if TYPE_CHECKING:
    from tallystick.reading.tables import Tables

Mask = NDArray[np.bool_]

_FEWEST = 2
"""A single human label shows no scatter."""


Repeated = tuple[Side, dict[str, Side], People]
"""The table of the gold and those of the systems, with which of their rows hold human labels."""


def repeat_labelled(tables: "Tables", sides: Mapping[str, Side]) -> Repeated:
    """Repeats the examples that have human labels below all others."""
    judged = check_correctable(tables.reading.kinds or (), tables.reading.numbers)
    return (_repeat_gold if judged else _repeat_outputs)(tables, sides)


def check_correctable(kinds: Kinds, numbers: Sequence[Needed]) -> bool:
    """Returns whether human labels stand for the gold, and not for numbers that are averaged."""
    if not {*kinds} <= {LABELS, NUMBERS} or any(one.form != "number" for one in numbers):
        raise UsageError(
            "`corrected_by=` goes with metrics of labels and of numbers, such as f1, accuracy or "
            f"mean, not of {say_all(kinds)}"
        )
    golden = [*([True] if LABELS in kinds else []), *(one.gold for one in numbers)] or [True]
    if any(golden) and not all(golden):
        raise UsageError(
            "human labels stand for the gold of some of these metrics and for the numbers that "
            "others average; name them in calls of their own"
        )
    return all(golden)


def _repeat_gold(tables: "Tables", sides: Mapping[str, Side]) -> Repeated:
    left, columns = tables.left, tables.read_as().columns
    if len(columns.corrected_by) > 1:
        raise UsageError(
            "`corrected_by=` names one column of human labels where they stand for the gold"
        )
    human = _find_human(left, left, columns.corrected_by[0])
    known = _find_labelled(left, human, list_known(left, columns))
    order = np.concatenate([np.arange(len(known)), np.flatnonzero(known)])
    if LABELS in (tables.reading.kinds or ()):
        name, values = _join_labels(tables, human, known)
    else:
        name = find_gold(left, columns, alone=tables.alone)
        values = _join_numbers((left, name), (left, human), known, order)
    repeated = rebuild(left, order, {name: values})
    rebuilt = {
        name: repeated if side.beside(left) else rebuild(side, order, {})
        for name, side in sides.items()
    }
    chances = dict.fromkeys(sides, _read_chances(left, columns, known))
    return repeated, rebuilt, _list_people(order, dict.fromkeys(sides, known), chances)


def _repeat_outputs(tables: "Tables", sides: Mapping[str, Side]) -> Repeated:
    """Repeats what has a human label about any system; about others the judge's stands there."""
    left, columns = tables.left, tables.reading.columns
    together = [name for name, side in sides.items() if side.beside(left)]
    named = _name_each(columns.corrected_by, tuple(tables.entries), shared=len(together))
    found = {}
    for name, side in sides.items():
        own = side if side.has(find(side.names, (), named[name]) or named[name]) else left
        found[name] = own, _find_human(own, side, named[name])
    known = {name: _find_labelled(*own, frozenset()) for name, own in found.items()}
    some = np.any([*known.values()], axis=0)
    order = np.concatenate([np.arange(len(some)), np.flatnonzero(some)])
    changed: dict[str, dict[str, pa.Array]] = {name: {} for name in sides}
    asked = dict.fromkeys(name for one in tables.reading.numbers for name in one.columns)
    for name, side in sides.items():
        for column in asked:
            output = find_output(left, side, tables.read_as(name).columns, column)
            values = _join_numbers((side, output), found[name], known[name], order)
            changed[name][output] = values
    joined = {column: own for name in together for column, own in changed[name].items()}
    repeated = rebuild(left, order, joined)
    rebuilt = {
        name: repeated if name in together else rebuild(side, order, changed[name])
        for name, side in sides.items()
    }
    chances = {name: _read_chances(own[0], columns, known[name]) for name, own in found.items()}
    return repeated, rebuilt, _list_people(order, known, chances)


def _list_people(
    order: NDArray[np.int64],
    known: Mapping[str, Mask],
    chances: Mapping[str, NDArray[np.float64] | None],
) -> People:
    below = np.arange(len(order)) > order.max()
    told = {name: own[order] for name, own in chances.items() if own is not None}
    return People(order, {name: below & own[order] for name, own in known.items()}, told or None)


def _name_each(named: tuple[str, ...], systems: tuple[str, ...], *, shared: int) -> dict[str, str]:
    """The column of human labels about each system; `shared` says how many have one table."""
    if len(named) == len(systems):
        return dict(zip(systems, named, strict=True))
    if len(named) > 1 or shared > 1:
        raise UsageError(
            f"`corrected_by=` names {', '.join(named)}, and there are judgements of {len(systems)} "
            "systems; name a column of human labels for each, in their order"
        )
    return dict.fromkeys(systems, named[0])


def _find_human(side: Side, other: Side, name: str) -> str:
    found = find(side.names, (), name) or name
    if not side.has(found):
        raise InputError(
            f"{other.table.source}: has no column {name!r} of human labels; the columns are "
            f"{', '.join(other.names)}"
        )
    return found


def _find_labelled(side: Side, human: str, known: frozenset[str]) -> Mask:
    labelled = ~find_blank(side, human, known)
    if labelled.sum() < _FEWEST:
        raise InputError(
            f"{side.table.source}: column {human!r} has {labelled.sum()} human labels; at least "
            f"{_FEWEST} are needed, and some dozens for a useful interval"
        )
    return labelled


def _join_labels(tables: "Tables", human: str, known: Mask) -> tuple[str, pa.Array]:
    """The column of gold, and the labels of the judge with those of people below them."""
    reading = tables.read_as()
    found = read_gold_column(tables.left, reading.columns, reading.task, alone=tables.alone)
    judge = found.labels
    if not isinstance(judge, Labels):
        raise UsageError(
            "`corrected_by=` goes with one label for each example, not with label sets"
        )
    labels = tables.left.keep(known).labels(human, reading.columns)
    own = adopt_truth(labels, judge.names)
    names = [[str(labels.names[code]) for code in labels.codes] for labels in (judge, own)]
    return found.name, build_strings([*names[0], *names[1]])


def _join_numbers(
    judge: tuple[Side, str], human: tuple[Side, str], known: Mask, order: NDArray[np.int64]
) -> pa.Array:
    numbers = _read_known(*judge, ~find_blank(*judge, frozenset()))
    people = np.where(known, _read_known(*human, known), numbers)
    both = np.concatenate([numbers, people[order[len(known) :]]])
    return pa.array(both, mask=np.isnan(both))


def _read_known(side: Side, name: str, known: Mask) -> NDArray[np.float64]:
    """The numbers of some examples; NaN of all others."""
    found = np.full(len(known), np.nan)
    if known.any():
        found[known] = side.keep(known).numbers(name)
    return found


def _read_chances(side: Side, columns: Columns, known: Mask) -> NDArray[np.float64] | None:
    """The probability of a human label of each example that has one; 1 of all others."""
    name = columns.label_probability
    if name is None:
        return None
    found = np.ones(len(known))
    kept = side.keep(known)
    found[known] = kept.numbers(name)
    said = "is not a probability of a human label, which lies above 0 and up to 1"
    check_each((found > 0) & (found <= 1), found, side.locate(name), said, form="g")
    return found
