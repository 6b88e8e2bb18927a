"""The baselines that need no text: the majority label, and labels drawn at random."""

import numpy as np
from numpy.typing import NDArray

from tallystick.baselines.answers import Answers, repeat_answers
from tallystick.codes import Labels
from tallystick.errors import UsageError
from tallystick.examples.columns import Columns
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

    Labels are thus drawn as often as they stand in the training file; for several labels an
    example, a whole set is drawn. The arguments are those of `predict_majority`.

    Raises:
        InputError: A file cannot be read or written.
        UsageError: The seed is negative.
    """
    if random_seed < 0:
        raise UsageError(f"a random seed must be a whole number of 0 or more, not {random_seed}")

    def draw(answers: Answers, count: int) -> NDArray[np.int64]:
        return np.random.default_rng(random_seed).integers(len(answers), size=count)

    repeat_answers(train, test, output, draw, columns=columns or Columns(), task=task or Task())
