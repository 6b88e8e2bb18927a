"""Numbers and soft labels, read from tables and from memory."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import row_of
from tallystick.errors import InputError, UsageError
from tallystick.examples.columns import Columns
from tallystick.examples.distribution_cells import Cells
from tallystick.examples.number_values import read_numbers
from tallystick.examples.reading import Form, Lists, Needed, Opened
from tallystick.examples.sides import Side
from tallystick.examples.systems import Systems
from tallystick.examples.task import Task
from tallystick.frozen import dataclass, field
from tallystick.kinds.numbers.numbers import (
    GOLDEN,
    SOFT_GOLDEN,
    Numbers,
    check_finite,
    read_gold_numbers,
    read_outputs,
    read_rated,
    read_widths,
)
from tallystick.kinds.numbers.soft_labels import (
    Distributions,
    Votes,
    is_soft,
    read_gold_cells,
    read_output_cells,
)

Golden = Mapping[Form, Distributions | Votes]
"""The gold of each form that is needed, beside which no system stands yet."""

Judged = Mapping[Form, NDArray[Any]]
"""What one system says, by form."""


def _judge(open_cells: Callable[[], Cells], task: Task, needed: Sequence[Needed]) -> Golden:
    """Returns the gold in the cells of a column, which is opened where a form asks for it."""
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
    """The systems with their numbers, and with what each of them says beside the gold."""
    added = {form: own.add([one[form] for one in judged]) for form, own in golden.items()}
    soft, task = golden.get("distribution"), systems.task
    if isinstance(soft, Distributions) and "labels" not in systems.columns:
        task = replace(task, labels=soft.labels)
    found = systems.beside("numbers", replace(numbers, judgements=added))
    return replace(found, task=task)


def _read_number_lists(given: Lists, needed: Sequence[Needed]) -> Numbers:
    """Reads numbers in memory; none where only distributions or votes are needed."""
    needed = [one for one in needed if one.form == "number"]
    columns = (name for one in needed for name in (*one.columns, one.width))
    named = next((name for name in columns if name is not None), None)
    if named is not None:
        raise UsageError(f"there is no column {named!r} in lists or arrays; pass a table")
    if not needed:
        return Numbers()
    own: list[dict[str | None, NDArray[np.float64]]] = []
    for name, values in given.outputs.items():
        if values is None:
            raise UsageError("outputs are missing; only a table can hold all")
        own.append({None: check_finite(read_numbers(values, row_of(name)), row_of(name))})
    golden = None
    if any(one.gold for one in needed):
        golden = check_finite(read_numbers(given.gold, row_of("gold")), row_of("gold"))
    length = len(own[0][None] if golden is None else golden)
    for name, one in zip(given.outputs, own, strict=True):
        if len(one[None]) != length:
            raise InputError(f"{name} has {len(one[None])} values for {length} examples")
    return Numbers(golden).beside(own)


@final
@dataclass(frozen=True, slots=True, eq=False)
class NumberReader:
    """Reads numbers, and distributions and what systems say of each annotator.

    Attributes:
        given: The gold numbers, beside which no system stands yet.
        golden: The gold distributions and annotators' labels.
    """

    left: Side
    needed: Sequence[Needed]
    given: Numbers
    golden: Golden
    found: dict[str, Mapping[str | None, NDArray[np.float64]]] = field(default_factory=dict)
    judged: dict[str, Judged] = field(default_factory=dict)

    def read(self, name: str, side: Side, columns: Columns) -> None:
        self.found[name] = read_outputs(self.left, side, columns, self.needed)
        cells = read_output_cells(self.left, side, columns) if self.golden else None
        self.judged[name] = {
            form: own.match(cells) for form, own in self.golden.items() if cells is not None
        }

    def add(self, systems: Systems) -> Systems:
        numbers = self.given.beside([self.found[name] for name in systems.names])
        judged = [self.judged[name] for name in systems.names]
        return _add_numbers(systems, numbers, self.golden, judged)


def read_lists(systems: Systems, given: Lists) -> Systems:
    """Returns the systems with columns in memory as what the metrics need."""
    needed, columns = given.reading.numbers or GOLDEN, given.outputs.items()
    golden = _judge(lambda: Cells.of(given.gold, row_of("gold")), given.reading.task, needed)
    cells = [Cells.of(own, row_of(name)) for name, own in columns if golden]
    judged = [{form: own.match(one) for form, own in golden.items()} for one in cells]
    return _add_numbers(systems, _read_number_lists(given, needed), golden, judged)


def open_numbers(gold: Opened) -> NumberReader:
    """Reads the gold of a table, where there is some."""
    left, columns, alone = gold.left, gold.columns, gold.alone
    needed = gold.reading.numbers or (SOFT_GOLDEN if is_soft(left, columns) else GOLDEN)
    numbers = None
    if any(one.gold and one.form == "number" for one in needed):
        numbers = read_gold_numbers(left, columns, alone=alone)
    given = Numbers(numbers, widths=read_widths(left, needed), rated=read_rated(left, columns))
    golden = _judge(lambda: read_gold_cells(left, columns, alone=alone), gold.reading.task, needed)
    return NumberReader(left, needed, given, golden)
