"""Metrics of labels that have an order, against scikit-learn and by hand."""

from typing import Any

import numpy as np
import pandas
import pytest
import sklearn.metrics as sk
from msgspec.structs import replace

import tallystick
from oracle import ask, near
from systems import hold
from tallystick import Columns, Task
from tallystick.errors import UsageError
from tallystick.kinds.labels.counters import Confusion
from tallystick.kinds.labels.label_columns import Output
from tallystick.metrics import AccuracyWithin, WeightedKappa
from tallystick.model.codes import Labels
from tallystick.model.systems import Systems

CASES = 400


def draw_ratings(cases: int, seed: int) -> tuple[list[Any], list[Any], Systems]:
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 9, cases)
    wide = np.repeat(random.integers(1, 6, cases), sizes)
    gold = (random.random(len(wide)) * wide).astype(np.int64)
    noise = random.integers(-2, 3, len(wide)) * (
        random.random(len(wide)) < np.repeat(random.random(cases), sizes)
    )
    predicted = np.clip(gold + noise, 0, 4)
    names = tuple(range(1, 6))
    owners = np.repeat(np.arange(cases), sizes)
    ends = sizes.cumsum()[:-1]
    groups = Labels(owners, tuple(range(cases)))
    outputs = (Output(Labels(predicted, names)),)
    systems = Systems(("a",), hold(Labels(gold, names), *outputs), groups=groups)
    return np.split(gold + 1, ends), np.split(predicted + 1, ends), systems


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_weighted_kappa_equals_scikit_learn(weights, seed):
    gold, predicted, systems = draw_ratings(CASES, seed)
    found = WeightedKappa(weights).score(Confusion().count(systems))
    expected = [
        ask(sk.cohen_kappa_score, one, other, weights=weights)
        for one, other in zip(gold, predicted, strict=True)
    ]

    assert np.isnan(found).any()
    assert np.allclose(expected, found, rtol=0, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_named_labels_count_whether_or_not_they_occur(weights):
    scale = ("low", "middle", "high", "top")
    gold, predicted = ["low", "high", "top", "low", "high"], ["high", "high", "low", "low", "top"]
    task = Task(labels=scale)
    found = tallystick.score(gold, predicted, WeightedKappa(weights), task=task, intervals=False)
    expected = ask(sk.cohen_kappa_score, gold, predicted, weights=weights, labels=list(scale))

    assert near(expected) == found.scores[0].value
    assert f"WeightedKappa({weights!r}, labels={scale!r})".replace("'quadratic', ", "") == (
        found.scores[0].signature.partition("|")[0].replace("weights=", "")
    )


def test_labels_without_an_order_are_refused():
    with pytest.raises(UsageError, match="have an order, and 'high' is not a number"):
        tallystick.score(["low", "high", "top"], ["low", "high", "low"], "qwk")


def test_a_label_beside_the_scale_is_refused():
    with pytest.raises(UsageError, match="weighted_kappa is over 1, 2, and an example has '3'"):
        tallystick.score(["1", "2", "3"], ["1", "2", "2"], WeightedKappa(labels=("1", "2")))


def test_an_output_that_is_no_label_is_as_far_as_can_be():
    gold = ["1", "3", "2", "1", "3"]
    metric, task = WeightedKappa(), Task("multiclass", ("1", "2", "3"))
    scores = {}
    for missed in ("1", "2", "3", "?"):
        table = {"y_true": gold, "y_pred": [missed, "3", "2", "1", "3"]}
        found = tallystick.score(
            pandas.DataFrame(table),
            metrics=metric,
            columns=Columns(invalid="wrong"),
            task=task,
            intervals=False,
        )
        scores[missed] = found.scores[0].value

    assert scores["?"] < scores["2"] < scores["1"] == 1.0


def test_accuracy_within_a_distance_counts_near_misses():
    gold, predicted = ["1", "2", "5", "10"], ["2", "4", "10", "10"]
    found = [
        tallystick.score(gold, predicted, AccuracyWithin(distance), intervals=False).scores[0].value
        for distance in (0, 1, 2, 5)
    ]

    assert [0.25, 0.5, 0.75, 1.0] == found


def test_accuracy_within_equals_its_definition():
    gold, predicted, systems = draw_ratings(CASES, 2)
    found = AccuracyWithin(1).score(Confusion().count(systems))
    expected = [
        float(np.mean(np.abs(one - other) <= 1)) for one, other in zip(gold, predicted, strict=True)
    ]

    assert np.allclose(expected, found, rtol=0, atol=1e-12)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_slopes_of_weighted_kappa_are_those_of_small_steps(weights):
    random = np.random.default_rng(5)
    gold, predicted = random.integers(0, 5, (2, 60)).astype(np.uint8)
    names = tuple(range(1, 6))
    output = Output(Labels(predicted, names), invalid=random.random(60) < 0.1)
    groups = Labels(np.arange(60, dtype=np.uint8) % 2, (0, 1))
    systems = Systems(("a",), hold(Labels(gold, names), output), groups=groups)
    tally = Confusion().count(systems).need_patterns()
    metric, steps = WeightedKappa(weights), 1e-5 * np.eye(len(tally.owners))
    ends = [metric.score(replace(tally, counts=tally.counts + side)) for side in (steps, -steps)]
    rise = (ends[0] - ends[1])[np.arange(len(steps)), tally.owners] / 2e-5
    slopes = metric.influence(tally)

    assert tally.invalid.sum() > 0
    assert slopes is not None
    assert np.allclose(rise, slopes, rtol=0, atol=1e-8)
