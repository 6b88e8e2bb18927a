"""Facts about intervals where labels, clusters or weights leave few examples."""

import numpy as np
import pytest

import tallystick
from systems import pair
from tallystick import Task
from tallystick.kinds.labels.counters import Confusion
from tallystick.results import Score
from tallystick.scoring.intervals.resampled import widen_samples
from tallystick.tallies.cells import Cells


def find(result: tallystick.results.Evaluation, group: str | None = None) -> Score:
    """The only score of a group."""
    (score,) = (one for one in result.scores if one.group == group)
    return score


def test_a_label_that_no_example_has_may_score_anything():
    """Macro F1 over sets counts it as 0, and its interval reaches what it would be with a 1."""
    gold = np.zeros((40, 4), np.int64)
    gold[:, 0], gold[::2, 1], gold[::3, 2] = 1, 1, 1
    score = find(tallystick.score(gold, gold, "macro_f1", task=Task("multilabel")))

    assert 0.75 == score.value
    assert score.high >= 0.99


def test_a_group_without_a_label_may_have_it():
    """Where others have the label the mean over groups reaches higher than where none has it."""
    gold = np.array([*"aaaabbbb" * 5, *"aaaabbbbcccc" * 3])
    outputs = gold.copy()
    outputs[::7], outputs[:40:8] = "a", "c"
    by = np.array(["one"] * 40 + ["two"] * 36)
    macro = find(tallystick.score(gold, outputs, "macro_f1", by=by), "macro")
    cleared = np.where(gold == "c", "b", gold)
    without = find(tallystick.score(cleared, outputs, "macro_f1", by=by), "macro")

    assert macro.high - macro.value > without.high - without.value


def test_weights_widen_as_few_examples_do():
    """A few heavy examples count for all; weights that are all alike change nothing."""
    rng = np.random.default_rng(1)
    gold, outputs = rng.integers(0, 2, (2, 30))
    factors = []
    for weights in (np.full(30, 2.0), np.exp(rng.normal(size=30))):
        counted = pair(gold, outputs, weights=weights)
        tally = Confusion().count(counted)
        assert isinstance(tally, Cells)
        factors.append(float(widen_samples(tally.of(tally.systems[0]), 0.95)[1][0]))

    assert pytest.approx(1) == factors[0]
    assert 1.1 < factors[1] < 1.5
