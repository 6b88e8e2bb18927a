"""Every tally of single labels tells the same of its gold, whatever it counts of outputs."""

import numpy as np
import pytest

from tallystick.kinds.labels.counters import Confusion
from tallystick.kinds.labels.label_reader import Predictions
from tallystick.kinds.probabilities.areas import Curve
from tallystick.model.reading import Reading
from tallystick.model.tallies.tally import Tally
from tallystick.model.task import Task
from tallystick.reading.arrays import add_columns, read_arrays

GOLD = [1, 0, 1, 1, 0, 1]
OUTPUTS = {"a": [0.9, 0.2, 0.6, 0.1, 0.7, 0.8], "b": [0.4, 0.3, 0.6, 0.9, 0.1, 0.8]}
GROUPS = ["x", "x", "x", "y", "y", "y"]


def _count(metric: str, digits: int | None) -> Tally:
    given = {name: Predictions(probabilities=own) for name, own in OUTPUTS.items()}
    reading = Reading(task=Task("binary", threshold=0.5))
    systems = add_columns(read_arrays(GOLD, given, reading), by=GROUPS)
    counter = Confusion() if metric == "f1" else Curve(digits)
    return counter.count(systems)


@pytest.mark.parametrize(("metric", "digits"), [("f1", None), ("roc_auc", None), ("roc_auc", 2)])
def test_gold_masses_count_each_gold_label_by_group(metric: str, digits: int | None) -> None:
    masses = _count(metric, digits).gold_masses()
    assert [[1, 2], [1, 2]] == np.asarray(masses).tolist()


def test_tallies_called_otherwise_hold_the_same_systems() -> None:
    renamed = _count("roc_auc", 2).rename_systems("c", "d")
    assert ("c", "d") == renamed.systems
