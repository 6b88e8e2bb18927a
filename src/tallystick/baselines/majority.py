"""The majority baseline: each example gets the most frequent label of the training file."""

import numpy as np
from numpy.typing import NDArray

from tallystick.baselines.answers import Answers, repeat_answers
from tallystick.examples.columns import Columns
from tallystick.examples.labels import Labels
from tallystick.examples.task import Task


def predict_majority(
    train: str, test: str, output: str, *, columns: Columns | None = None, task: Task | None = None
) -> None:
    """Writes the most frequent label of a training file for every example of a test file.

    For multilabel data it is the most frequent set of labels. Ties go to the first in label order.

    Args:
        train: A file of labels, one a line, or a table with a gold column.
        test: A file with as many lines or rows as predictions are wanted; its labels are not read.
        output: A .txt file, or a .csv file with the ids of the test file.
        columns: Which column holds what, where their names do not tell.
        task: `Task("multilabel")` where cells hold several labels and do not look so.

    Raises:
        InputError: A file cannot be read or written.
    """
    repeat_answers(train, test, output, _choose, columns=columns or Columns(), task=task or Task())


def _choose(answers: Answers, count: int) -> NDArray[np.int64]:
    rows = answers.codes[:, None] if isinstance(answers, Labels) else answers.bits
    _, first, counts = np.unique(rows, axis=0, return_index=True, return_counts=True)
    return np.full(count, first[counts.argmax()])
