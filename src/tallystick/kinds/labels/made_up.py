"""Labels that are dealt in turn in place of gold, and submissions that answer the gold."""

from collections.abc import Sequence
from itertools import cycle, islice
from typing import Any

from tallystick.io.tables.building import build_lists, build_numbers, build_strings
from tallystick.kinds.labels.answers import read_gold_column
from tallystick.model.codes import Label, Labels, spell
from tallystick.model.columns import GOLD, find
from tallystick.model.reading import Drafted, MadeUp, Sample
from tallystick.model.sides import Side, find_gold


def make_labels(sample: Sample, name: str) -> MadeUp:
    """Deals labels in turn: as a column of them, as columns of 0 and 1, or as lists."""
    table, task, columns = sample.table, sample.reading.task, sample.reading.columns
    labels, several = sample.labels, task.kind == "multilabel"
    gold: tuple[Label, ...] = ()
    open_ended = False
    named = columns.gold is not None or columns.delimiter is not None
    matrix = not named and find(table.names(), GOLD) is None
    if sample.golden:
        truth = read_gold_column(Side(table), columns, task, alone=False)
        several, matrix, gold = truth.labels.several, bool(truth.matrix), truth.labels.names
        # Nothing but the gold tells which labels there are.
        open_ended = labels is None and not matrix
        labels = (sample.dealt if open_ended else None) or labels or gold
    if not labels:
        return MadeUp(None, open_ended=open_ended)
    dealt = [*islice(cycle(map(str, labels)), len(table))]
    if not several:
        made = {name: build_strings(dealt)}
    elif matrix:
        made = {one: build_numbers([int(own == one) for own in dealt]) for one in map(str, labels)}
    else:
        made = {name: build_lists([[one] for one in dealt])}
    return MadeUp(made, open_ended=open_ended, known=(*labels, *gold))


def draft_labels(sample: Sample, name: str) -> Drafted:
    """Returns columns of labels, label sets, one column for each label, or probabilities.

    Probabilities are those of a system that is sure of the gold.
    """
    table, columns, task = sample.table, sample.reading.columns, sample.reading.task
    side = Side(table)
    gold = read_gold_column(side, columns, task, alone=False).labels
    if task.positive is not None:
        task.spelled().settle(gold.names, scores=False)
    in_columns = {str(label) for label in gold.names} <= set(table.names())
    if not isinstance(gold, Labels) and in_columns:
        return Drafted({str(one): table.column(str(one)).to_pylist() for one in gold.names})
    values = table.column(find_gold(side, columns, alone=False)).to_pylist()
    answers: dict[str, Sequence[Any]] = {name: values}
    if columns.probability is None and not sample.scored:
        return Drafted(answers)
    names, spelled = list(map(spell, gold.names)), list(map(spell, values))
    task = task.spelled().settle(names, scores=len(names) < 3)
    if task.kind == "binary":
        answers[columns.probability or "y_prob"] = [float(one == task.positive) for one in spelled]
    else:
        for label in task.labels or names:
            answers[f"prob_{label}"] = [float(one == label) for one in spelled]
    return Drafted(answers)
