"""The baselines that need no text: the majority label, and labels drawn at random."""

import json
from collections.abc import Callable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.io.files.opening import write_text
from tallystick.io.tables.table import Table, read_table
from tallystick.kinds.labels.label_columns import LabelRows
from tallystick.model.codes import Labels
from tallystick.model.columns import IDS, Columns, find
from tallystick.model.facts import Task
from tallystick.output.tables.formats import write_csv
from tallystick.reading.tables import read_gold

Answers = Labels | LabelRows
Choose = Callable[[Answers, int], NDArray[np.int64]]
"""Chooses for each of this many test examples the training example whose answer it gets."""


def predict_majority(
    train: str, test: str, output: str, *, columns: Columns | None = None, task: Task | None = None
) -> None:
    """Writes the most frequent label of a training file for every example of a test file.

    For multilabel data it is the most frequent set of labels. Ties go to the first in label order.

    Args:
        train: A file of labels, one a line, or a table with a gold column.
        test: A file with as many lines or rows as predictions are wanted; its labels are not read.
        output: A .txt file, or a .csv file with the ids of the test file.
        columns: Which column contains what, where their names do not tell.
        task: `Task("multilabel")` where cells hold several labels and do not look so.

    Raises:
        InputError: A file cannot be read or written.
    """
    _repeat_answers((train, test, output), _choose, columns, task)


def _choose(answers: Answers, count: int) -> NDArray[np.int64]:
    codes = answers.codes if isinstance(answers, Labels) else answers.sets.encode()[1]
    _, first, counts = np.unique(codes, return_index=True, return_counts=True)
    return np.full(count, first[counts.argmax()])


def predict_random(
    train: str,
    test: str,
    output: str,
    *,
    random_seed: int = 0,
    columns: Columns | None = None,
    task: Task | None = None,
) -> None:
    """Writes for every example of a test file the label of a training example drawn at random.

    Labels are thus drawn as often as they are in the training file; for several labels an
    example, a whole set is drawn. The arguments are those of `predict_majority`.

    Raises:
        InputError: A file cannot be read or written.
        UsageError: The seed is negative.
    """
    if random_seed < 0:
        raise UsageError(f"a random seed must be a whole number of 0 or more, not {random_seed}")

    def draw(answers: Answers, count: int) -> NDArray[np.int64]:
        return np.random.default_rng(random_seed).integers(len(answers), size=count)

    _repeat_answers((train, test, output), draw, columns, task)


def _repeat_answers(
    files: tuple[str, str, str], choose: Choose, columns: Columns | None, task: Task | None
) -> None:
    """Writes for each row of a test file the answer of the training example that was chosen."""
    train, test, output = files
    if not output.endswith((".csv", ".txt")):
        raise UsageError(f"predictions are written as .csv or .txt, not as {output}")
    columns = columns or Columns()
    trained, tested = read_table(train), read_table(test)
    answers = read_gold(trained, columns, task or Task())
    predicted = answers.take(choose(answers, len(tested)))
    if output.endswith(".txt"):
        write_text(output, "".join(f"{answer}\n" for answer in _spell(predicted)))
        return

    ids = find(tested.names(), IDS, columns.id)
    known = {ids: tested.column(ids)} if ids else {}
    write_csv(output, pa.table(known | _tabulate(predicted, trained)), {})


def _tabulate(predicted: Answers, trained: Table) -> dict[str, list[str]]:
    in_columns = {str(name) for name in predicted.names} <= set(trained.names())
    if isinstance(predicted, Labels) or not in_columns:
        return {"y_pred": _spell(predicted)}
    bits = np.zeros((len(predicted.names), len(predicted)), int)
    owners, codes = predicted.sets.list_members()
    bits[codes, owners] = 1
    columns = zip(predicted.names, bits.astype(str).tolist(), strict=True)
    return {str(name): column for name, column in columns}


def _spell(predicted: Answers) -> list[str]:
    if isinstance(predicted, Labels):
        return [str(predicted.names[code]) for code in predicted.codes]
    rows = range(len(predicted))
    return [json.dumps(predicted.list_names(row), ensure_ascii=False) for row in rows]
