"""Resamples in which two systems differ even where they never did."""

import numpy as np
import pytest

from tallystick.examples.task import Task
from tallystick.reading.input_plan import Source
from tallystick.scoring.given import count_input
from tallystick.tallies.resampling import SMOOTHING, resample_smoothed


def _tally(gold, new, old, task="multiclass", by=None):
    source, layout = Source(gold, {"new": new, "old": old}), {"by": by, "task": Task(task)}
    counted = count_input(source, layout, ["micro_f1"])
    return counted.tally(counted.metrics[0])


def _resample(pair, resamples=4000, seed=1):
    return next(resample_smoothed(pair, resamples, seed))


def _find_discordant(cells, group=0):
    """The mean number of examples that only the first, and only the second system has right."""
    right = cells.outputs == cells.gold
    here = cells.owners == group
    return [
        (cells.counts * (won & ~lost & here)).sum(1).mean() for won, lost in (right, right[::-1])
    ]


def test_each_label_is_missed_by_either_system_for_a_part():
    """Three labels of 100 each: three times 3/4 of 302.25 on each side."""
    gold = np.repeat(list("abc"), 100)
    expected = 3 * SMOOTHING * 300 / (300 + 6 * SMOOTHING)

    assert [pytest.approx(expected, rel=0.1)] * 2 == _find_discordant(
        _resample(_tally(gold, gold, gold))
    )


def test_as_many_examples_are_drawn_as_there_are():
    """In every resample and group."""
    gold, groups = np.array(list("aabbab") * 5), np.array(["x", "y", "y"] * 10)
    cells = _resample(_tally(gold, gold, gold[::-1], by=groups), 50)

    assert {(10, 20)} == set(map(tuple, cells.sum_groups(cells.counts).tolist()))


def test_what_is_added_is_a_small_part_of_few_examples():
    """At most a tenth, so that ten labels of one example each are not drowned."""
    gold = np.array(list("abcdefghij"))
    won, lost = _find_discordant(_resample(_tally(gold, gold, gold)))

    assert pytest.approx(10 / 11, rel=0.1) == won + lost


def test_a_single_label_is_taken_for_another_one_that_may_occur():
    """A group whose gold and outputs are all alike has room for errors all the same."""
    gold, groups = np.array(list("aaaab")), np.array(["x"] * 4 + ["y"])

    assert min(_find_discordant(_resample(_tally(gold, gold, gold, by=groups)))) > 0


def test_sets_gain_and_lose_each_label():
    """Each of two labels is missed and wrongly given by one of the systems."""
    gold = [["x"], ["y"], ["x", "y"], []] * 50
    cells = _resample(_tally(gold, gold, gold, "multilabel"))
    differ = cells.outputs[0] != cells.outputs[1]
    expected = 8 * SMOOTHING * 200 / (200 + 8 * SMOOTHING)

    assert pytest.approx(expected, rel=0.1) == (cells.counts * differ).sum(1).mean()


def test_the_same_seed_gives_the_same_resamples():
    """And another one others."""
    gold = np.repeat(list("ab"), 20)
    pair = _tally(gold, gold, gold[::-1])
    first, again, other = (_resample(pair, 20, seed).counts for seed in (1, 1, 2))

    assert (first == again).all()
    assert (first != other).any()
