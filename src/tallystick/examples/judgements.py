"""Reads gold and outputs where an example is worth more than one number: soft labels, and votes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from tallystick.examples.columns import Columns
from tallystick.examples.distributions import (
    Cells,
    Distributions,
    read_gold_cells,
    read_output_cells,
)
from tallystick.examples.numbers import Form, Needed, Numbers
from tallystick.examples.sides import Side
from tallystick.examples.systems import Systems
from tallystick.examples.task import Task
from tallystick.examples.votes import Votes

Golden = Mapping[Form, Distributions | Votes]
"""The gold of each form that is needed, beside which no system stands yet."""

Judged = Mapping[Form, NDArray[Any]]
"""What one system says, by form."""


def judge(open_cells: Callable[[], Cells], task: Task, needed: Sequence[Needed]) -> Golden:
    """Returns the gold in the cells of a column, which is opened where a form asks for it.

    Raises:
        InputError: There is no such column, or a cell is not of the form.
    """
    found: dict[Form, Distributions | Votes] = {}
    for form in dict.fromkeys(one.form for one in needed):
        if form == "distribution":
            found[form] = Distributions.of_gold(open_cells(), task)
        elif form == "votes":
            found[form] = Votes.of_gold(open_cells())
    return found


def read_golden(
    left: Side, columns: Columns, task: Task, needed: Sequence[Needed], *, alone: bool
) -> Golden:
    """Reads gold from a table; `alone` says whether it shares its table with the outputs.

    Raises:
        InputError: There is no gold column, or a cell is not of the form.
    """
    return judge(lambda: read_gold_cells(left, columns, alone=alone), task, needed)


def read_judged(golden: Golden, left: Side, right: Side, columns: Columns) -> Judged:
    """Reads what one system says.

    Raises:
        InputError: There is no column of outputs, or a cell does not fit the gold.
    """
    if not golden:
        return {}
    cells = read_output_cells(left, right, columns)
    return {form: own.match(cells) for form, own in golden.items()}


def add_judgements(systems: Systems, golden: Golden, judged: Sequence[Judged]) -> Systems:
    """The same systems with gold, and with what each of them says, whose labels are the task's."""
    if not golden:
        return systems
    added = {form: own.add([one[form] for one in judged]) for form, own in golden.items()}
    numbers = Numbers() if systems.numbers is None else systems.numbers
    numbers = replace(numbers, judgements=added)
    soft, task = golden.get("distribution"), systems.task
    if isinstance(soft, Distributions) and systems.gold is None:
        task = replace(task, labels=soft.labels)
    return replace(systems, numbers=numbers, task=task)
