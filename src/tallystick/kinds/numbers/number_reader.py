"""Numbers and soft labels, read from tables and from memory."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.kinds.numbers.numbers import (
    GOLDEN,
    SOFT_GOLDEN,
    Distributions,
    Numbers,
    Rated,
    Votes,
    are_words,
    is_soft,
    read_gold_cells,
    read_output_cells,
)
from tallystick.model.codes import Labels, Locate, combine, encode, list_labels, row_of
from tallystick.model.columns import BOTH, NUMERIC, Columns, find
from tallystick.model.facts import Task, count_wrong
from tallystick.model.number_values import Cells, check_each, read_numbers
from tallystick.model.reading import Form, Needed, Reading
from tallystick.model.sides import Side, find_gold, find_output, read_names
from tallystick.model.systems import Systems
from tallystick.model.tallies.metric import ComputedName
from tallystick.model.tallies.storage import LARGEST

Golden = Mapping[Form, Distributions | Votes]
Judged = Mapping[Form, NDArray[Any]]


def _judge(open_cells: Callable[[], Cells], task: Task, needed: Sequence[Needed]) -> Golden:
    """Returns the gold of each form that is needed; opens the cells where one is."""
    found: dict[Form, Distributions | Votes] = {}
    for form in dict.fromkeys(one.form for one in needed):
        if form == "distribution":
            found[form] = Distributions.of_gold(open_cells(), task)
        elif form == "votes":
            found[form] = Votes.of_gold(open_cells())
    return found


def _add_numbers(
    systems: Systems, numbers: Numbers, golden: Golden, judged: Sequence[Judged]
) -> Systems:
    added = {form: own.add([one[form] for one in judged]) for form, own in golden.items()}
    soft, task = golden.get("distribution"), systems.facts.task
    if isinstance(soft, Distributions) and "labels" not in systems.columns:
        task = replace(task, labels=soft.labels)
    return systems.beside("numbers", replace(numbers, judgements=added)).know(task=task)


def _read_number_lists(
    gold: object, outputs: Mapping[str, object], needed: Sequence[Needed], task: Task
) -> Numbers:
    """Reads numbers in memory; none where only distributions or votes are needed."""
    needed = [one for one in needed if one.form == "number"]
    columns = (name for one in needed for name in (*one.columns, one.width))
    named = next((one for one in columns if not isinstance(one, ComputedName | None)), None)
    if named is not None:
        raise UsageError(f"there is no column {named!r} in lists or arrays; pass a table")
    if not needed:
        return Numbers()
    own: list[dict[str | None, NDArray[np.float64]]] = []
    for name, values in outputs.items():
        if values is None:
            raise UsageError("outputs are missing; only a table can contain both")
        found = _compute_lists(gold, values, needed, row_of(name))
        if any(None in one.columns for one in needed):
            found[None] = _read_list(values, name, task)
        own.append(found)
    golden = None
    if any(one.gold for one in needed):
        golden = _check_scale(_read_list(gold, "gold", task), task, row_of("gold"))
    sizes = [len(next(iter(one.values()))) for one in own]
    length = sizes[0] if golden is None else len(golden)
    for name, size in zip(outputs, sizes, strict=True):
        if size != length:
            raise InputError(f"{name} has {size} values for {length} examples")
    return Numbers(golden).beside(own)


def _compute_lists(
    gold: object, outputs: object, needed: Sequence[Needed], locate: Locate
) -> dict[str | None, NDArray[np.float64]]:
    """What functions of a row return of columns in memory, which are `gold` and `output`."""
    columns = dict.fromkeys(column for one in needed for column in one.columns)
    names = [one for one in columns if isinstance(one, ComputedName)]
    if not names:
        return {}
    values: list[object] = list(outputs)  # type: ignore[call-overload]
    golden = [None] * len(values) if gold is None else list(gold)  # type: ignore[call-overload]
    if len(golden) != len(values):
        raise InputError(f"there are {len(golden)} gold examples but {len(values)} outputs")
    rows = [{"gold": own, "output": value} for own, value in zip(golden, values, strict=True)]
    return {
        name: np.array([name.compute(row, locate(at)) for at, row in enumerate(rows)], float)
        for name in names
    }


def _read_list(values: object, name: str, task: Task) -> NDArray[np.float64]:
    if are_words(task):
        return _rank(encode(values, row_of(name)), task, row_of(name))
    return _check_finite(read_numbers(values, row_of(name)), row_of(name))


def _read_ranks(side: Side, name: str, reading: Reading) -> NDArray[np.float64]:
    """Numbers, or the places of words on the scale of labels."""
    if not are_words(reading.task):
        gaps = name in side.table.gaps
        return _check_finite(side.numbers(name), side.locate(name), gaps=gaps)
    task = reading.task.spelled(fold_case=reading.columns.fold_case)
    return _rank(side.labels(name, reading.columns), task, side.locate(name))


def _rank(labels: Labels, task: Task, locate: Locate) -> NDArray[np.float64]:
    scale = task.labels or ()
    odd = next((name for name in labels.names if name not in scale), None)
    if odd is not None:
        where = locate(labels.first(odd))
        raise InputError(f"{where}: label {str(odd)!r:.60} is not one of {list_labels(scale)}")
    return np.asarray(np.array([*map(scale.index, labels.names)], np.float64)[labels.codes])


def _check_scale(gold: NDArray[np.float64], task: Task, locate: Locate) -> NDArray[np.float64]:
    """Checks that gold numbers are among the labels, where these are numbers."""
    if task.labels and not are_words(task):
        known = np.isin(gold, [float(label) for label in task.labels])
        check_each(known, gold, locate, f"is not one of {list_labels(task.labels)}", form="g")
    return gold


class NumberReader(Struct, frozen=True, eq=False):
    """Reads numbers, and distributions and what systems say of each annotator."""

    left: Side
    needed: Sequence[Needed]
    reading: Reading
    given: Numbers
    golden: Golden
    found: dict[str, Mapping[str | None, NDArray[np.float64]]] = field(default_factory=dict)
    judged: dict[str, Judged] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)

    def read(self, name: str, side: Side, columns: Columns) -> None:
        reading = replace(self.reading, columns=columns)
        self.found[name] = _read_outputs(self.left, side, reading, self.needed)
        cells = read_output_cells(self.left, side, columns) if self.golden else None
        self.judged[name] = {
            form: own.match(cells) for form, own in self.golden.items() if cells is not None
        }
        if side.absent is not None and columns.missing == "wrong":
            self.lost[name] = int(side.absent.sum())

    def add(self, systems: Systems) -> Systems:
        numbers = self.given.beside([self.found[name] for name in systems.names])
        judged = [self.judged[name] for name in systems.names]
        lost = ((name, self.lost.get(name, 0)) for name in systems.names)
        notes = (count_wrong(name, count) for name, count in lost if count)
        return _add_numbers(systems.tell(*notes), numbers, self.golden, judged)


def read_lists(
    systems: Systems, gold: object, outputs: Mapping[str, object], reading: Reading
) -> Systems:
    """Returns the systems with columns in memory as what the metrics need."""
    needed = reading.numbers or GOLDEN
    golden = _judge(lambda: Cells.of(gold, row_of("gold")), reading.task, needed)
    cells = [Cells.of(own, row_of(name)) for name, own in outputs.items() if golden]
    judged = [{form: own.match(one) for form, own in golden.items()} for one in cells]
    numbers = _read_number_lists(gold, outputs, needed, reading.task)
    return _add_numbers(systems, numbers, golden, judged)


def open_numbers(left: Side, reading: Reading, *, alone: bool) -> NumberReader:
    """Reads the gold of a table, where there is some."""
    columns = reading.columns
    needed = reading.numbers or (SOFT_GOLDEN if is_soft(left, columns) else GOLDEN)
    numbers = None
    if any(one.gold and one.form == "number" for one in needed):
        name = find_gold(left, columns, alone=alone)
        numbers = _read_ranks(left, name, reading)
        numbers = _check_scale(numbers, reading.task, left.locate(name))
    given = Numbers(numbers, widths=_read_widths(left, needed), rated=_read_rated(left, columns))
    golden = _judge(lambda: read_gold_cells(left, columns, alone=alone), reading.task, needed)
    return NumberReader(left, needed, reading, given, golden)


def _read_outputs(
    left: Side, right: Side, reading: Reading, needed: Sequence[Needed]
) -> dict[str | None, NDArray[np.float64]]:
    found: dict[str | None, NDArray[np.float64]] = {}
    columns, plain = reading.columns, replace(reading, task=Task())
    asked = [own for one in needed if one.form == "number" for own in one.columns]
    for column in dict.fromkeys(asked):
        usual = (NUMERIC, BOTH if any(one.gold for one in needed) or len(right.names) > 1 else ())
        name = find_output(left, right, columns, column, usual)
        worst = [one.worst for one in needed if one.column == column and one.worst == one.worst]
        golden = any(one.gold for one in needed if column in one.columns)
        own = reading if golden else plain
        found[column] = _read_column(right, name, own, worst[0] if worst else math.nan)
    return found


def _read_column(side: Side, name: str, reading: Reading, worst: float) -> NDArray[np.float64]:
    absent = side.absent
    if absent is None or not absent.any():
        return _read_ranks(side, name, reading)
    if math.isnan(worst):
        range_of = f"tell its range, as in 'mean({name}, bounds=(0, 1))', or "
        side.need_all(f"numeric column {name!r}", range_of)
    found, kept = np.full(len(side), worst, np.float64), side.keep(~absent)
    found[~absent] = _read_ranks(kept, name, reading)
    return found


def _read_rated(left: Side, columns: Columns) -> Rated | None:
    """Reads the items and the rated systems; None where no column names them.

    If an item of a rated system occurs once in each of several groups, such as language pairs,
    the columns of groups are part of the names of items and rated systems.
    """
    if columns.rated is None or columns.id is None:
        return None
    items, systems = (read_names([left], name) for name in (columns.id, columns.rated))
    pairs = np.stack([items.codes, systems.codes])
    apart = [name for name in columns.by if left.has(name)]
    if apart and np.unique(pairs, axis=1).shape[1] < len(items):
        groups = [read_names([left], name) for name in apart]
        items, systems = (combine([*groups, own]) for own in (items, systems))
    return Rated(items, systems)


def _read_widths(left: Side, needed: Sequence[Needed]) -> dict[str, NDArray[np.float64]]:
    """Reads from the table of the gold how far examples may be off."""
    found: dict[str, NDArray[np.float64]] = {}
    for name in dict.fromkeys(one.width for one in needed if one.width is not None):
        own, locate = find(left.names, (), name) or name, left.locate(name)
        found[name] = _check_finite(left.numbers(own), locate)
        said = "is below 0, and it says how far output may be off"
        check_each(found[name] >= 0, found[name], locate, said, form="g")
    return found


def _check_finite(
    values: NDArray[Any], locate: Locate, *, gaps: bool = False
) -> NDArray[np.float64]:
    """Checks that values, one for each example, are finite numbers whose squares are finite."""
    if values.ndim != 1:
        raise InputError(f"numbers are one for each example, and not of the shape {values.shape}")
    values = np.ascontiguousarray(values, np.float64)
    said = "is not a finite number; leave the example out, or write what it is worth"
    check_each(np.isfinite(values) | (gaps & np.isnan(values)), values, locate, said)
    limits = f"{-LARGEST:g} and {LARGEST:g}"
    said = f"is too large to be scored; numbers lie between {limits}, so divide all by the same"
    check_each(~(np.abs(values) > LARGEST), values, locate, said, form="g")
    return values
