"""The random baseline: each example gets the label of a random training example."""

import numpy as np
from numpy.typing import NDArray

from tallystick.baselines.answers import Answers, repeat_answers
from tallystick.errors import UsageError
from tallystick.examples.columns import Columns
from tallystick.examples.task import Task


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
