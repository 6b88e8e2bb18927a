"""The threshold of a toxicity run: the one of a fixed grid with the highest F1 on validation."""

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import Labels
from tallystick.examples.systems import Systems
from tallystick.kinds.labels.label_columns import LabelColumn, Output
from tallystick.kinds.labels.rates import F1
from tallystick.kinds.probabilities.best_thresholds import find_best_of_grid
from tallystick.kinds.probabilities.score_counter import Curve


def choose_threshold(
    gold: NDArray[np.bool_], probabilities: NDArray[np.float64], *, otherwise: float = 0.5
) -> float:
    """The lowest of 81 thresholds from 0.1 to 0.9 that has the highest F1.

    An example is predicted positive where its probability of the positive label is the
    threshold or more; `otherwise` is the threshold where none of the grid finds a positive
    example.
    """
    labels = Labels(gold.astype(np.uint8), (0, 1))
    column = LabelColumn(labels, (Output(labels, probabilities),))
    systems = Systems(("baseline",), {"labels": column})
    tally = Curve().count_one(systems)
    return find_best_of_grid(tally, 0, F1(positive=1), otherwise).threshold
