"""Which outputs leave a question open."""

import numpy as np
from numpy.typing import NDArray

from tallystick.examples.labels import Label
from tallystick.tallies.cells import Cells

__all__ = ["find_label", "find_unanswered"]


def find_unanswered(tally: Cells, unanswered: Label | None) -> NDArray[np.bool_]:
    """Returns which cells are of outputs that are no answer.

    Args:
        tally: The tally of one system.
        unanswered: The label that stands for no answer; None takes outputs that are no label.
    """
    code = len(tally.labels) if unanswered is None else find_label(tally, unanswered)
    return np.asarray(tally.predicted == code)


def find_label(tally: Cells, label: Label) -> int:
    """Returns the code of a label; -1, which no cell has, where it does not occur."""
    return tally.labels.index(label) if label in tally.labels else -1
