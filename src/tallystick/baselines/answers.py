"""Predictions that repeat the gold labels, or label sets, of training examples."""

import json
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import Labels
from tallystick.errors import UsageError
from tallystick.examples.columns import IDS, Columns, find
from tallystick.examples.task import Task
from tallystick.io.export import write_csv
from tallystick.io.files.opening import write_text
from tallystick.io.tables.table import Table, read_table
from tallystick.kinds.labels.sets import LabelRows
from tallystick.reading.tables import read_gold

Answers = Labels | LabelRows
Choose = Callable[[Answers, int], NDArray[np.int64]]
"""Chooses for each of so many test examples the training example whose answer it gets."""


def repeat_answers(
    train: str, test: str, output: str, choose: Choose, *, columns: Columns, task: Task
) -> None:
    """Writes predictions of a test file, each the answer of the training example that was chosen.

    The output is one answer a line where it ends in .txt, and a table where it ends in .csv:
    the ids of the test file where it has some, and y_pred, or the 0/1 columns of the training
    file.
    """
    if not output.endswith((".csv", ".txt")):
        raise UsageError(f"predictions are written as .csv or .txt, not as {output}")
    trained, tested = read_table(train), read_table(test)
    answers = read_gold(trained, columns, task)
    predicted = answers.take(choose(answers, len(tested)))
    if output.endswith(".txt"):
        write_text(output, "".join(f"{answer}\n" for answer in _spell(predicted)))
    else:
        _write_table(output, _tabulate(predicted, trained), tested, columns)


def _tabulate(predicted: Answers, trained: Table) -> dict[str, list[str]]:
    """The columns of predictions, in the form that the training file has."""
    in_columns = {str(name) for name in predicted.names} <= set(trained.names())
    if isinstance(predicted, Labels) or not in_columns:
        return {"y_pred": _spell(predicted)}
    bits = _unpack(predicted).astype(int).astype(str)
    return {str(name): bits[:, place].tolist() for place, name in enumerate(predicted.names)}


def _write_table(
    output: str, answers: dict[str, list[str]], tested: Table, columns: Columns
) -> None:
    import pyarrow

    ids = find(tested.names(), IDS, columns.id)
    known = {ids: tested.column(ids)} if ids else {}
    write_csv(output, pyarrow.table(known | answers), {})


def _spell(predicted: Answers) -> list[str]:
    """Each answer as a cell: a label as it is, a set as a JSON list."""
    if isinstance(predicted, Labels):
        return [str(predicted.names[code]) for code in predicted.codes]
    return [
        json.dumps(
            [name for name, bit in zip(predicted.names, row, strict=True) if bit],
            ensure_ascii=False,
        )
        for row in _unpack(predicted)
    ]


def _unpack(predicted: LabelRows) -> NDArray[np.uint8]:
    return np.unpackbits(predicted.bits, axis=1, count=len(predicted.names), bitorder="little")
