"""Facts about intervals where labels, clusters or weights leave few examples."""

import numpy as np

import tallystick
from tallystick import Task
from tallystick.results import Score


def find(result: tallystick.results.Evaluation, group: str | None = None) -> Score:
    (score,) = (one for one in result.scores if one.group == group)
    return score


def test_a_label_that_no_example_has_is_told():
    gold = np.zeros((40, 4), np.int64)
    gold[:, 0], gold[::2, 1], gold[::3, 2] = 1, 1, 1
    result = tallystick.score(gold, gold, "macro_f1", task=Task("multilabel"))

    assert 0.75 == find(result).value
    assert any("no example of '3' in the gold" in note for note in result.notes)
