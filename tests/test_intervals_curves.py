"""Intervals of metrics of probabilities, from what each example changes."""

import math
from typing import Any

import numpy as np
import pytest

import tallystick
from systems import pair_scores
from tallystick import Intervals, Task
from tallystick.kinds.probabilities.areas import Curve
from tallystick.metrics import BrierScore
from tallystick.model.tallies.curve import CurveTally
from tallystick.statistics.calibration import bound_gaps

BINARY = Task("binary", (0, 1), 1)


def draw(labels: int, n: int = 60, seed: int = 1) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    gold = rng.integers(labels, size=n)
    odds = np.round(rng.normal(size=(n, labels)), 1)
    odds[np.arange(n), gold] += 1
    chances = np.exp(odds)
    chances /= chances.sum(1, keepdims=True)
    return gold, chances[:, 1] if labels == 2 else chances, rng.integers(1, 4, n).astype(float)


def tally_of(gold: Any, scores: Any, weights: Any = None, **beside: Any) -> CurveTally:
    return Curve().count_one(pair_scores(gold, scores, weights=weights, **beside))


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize(
    "metric", ["roc_auc", "average_precision", "brier_score", "log_loss", "ece"]
)
def test_neither_rows_nor_seeds_nor_resamples_matter(metric, labels):
    gold, scores, _ = draw(labels)
    task = BINARY if labels == 2 else Task("multiclass")
    found = [
        tallystick.score(gold[rows], scores[rows], metric, task=task, intervals=own).scores[0]
        for rows, own in (
            (slice(None), Intervals()),
            (slice(None, None, -1), Intervals(resamples=100, random_seed=7)),
        )
    ]

    assert pytest.approx([found[0].low, found[0].high], rel=1e-12) == [found[1].low, found[1].high]


def test_copies_in_one_cluster_leave_the_interval_as_it_is():
    gold, scores, _ = draw(2)
    names, by = np.arange(60), np.arange(60) % 3
    metrics = ["roc_auc", "average_precision", "brier_score", "log_loss", "ece"]
    once = tallystick.score(gold, scores, metrics, by=by, clusters=names, task=BINARY)
    rows = np.repeat(names, 3)
    copied = tallystick.score(
        gold[rows], scores[rows], metrics, by=by[rows], clusters=names[rows], task=BINARY
    )
    ends = [[(one.low, one.high) for one in result.scores] for result in (once, copied)]

    assert pytest.approx(np.array(ends[0])) == np.array(ends[1])


def test_a_thinned_tally_scatters_like_the_whole():
    gold, scores, _ = draw(2, 50_000)
    thin, sizes = tally_of(gold, scores).thin(1000)
    metric = BrierScore()

    assert (50_000, True) == (round(float(sizes.sum())), len(thin.scores) <= 2000)
    assert pytest.approx(metric.score(tally_of(gold, scores)), rel=0.01) == metric.score(thin)


def test_losses_of_one_example_have_no_interval():
    found = tallystick.score([1], [0.2], ["brier_score", "log_loss"], task=BINARY).scores

    assert all(math.isnan(one.low) and one.method is None for one in found)


def test_one_gap_among_noise_may_be_all_there_is():
    gaps = np.array([0.1, *[0.008, -0.008] * 5, 0.015])

    assert bound_gaps(gaps, np.full(12, 0.01), 1.96)[0] < 0.1


def test_unlike_gaps_may_be_alike():
    assert bound_gaps(np.array([0.02, 0.002] * 5), np.full(10, 0.015), 1.96)[1] > 0.14


def test_gaps_that_are_noise_may_be_none():
    low, high = bound_gaps(np.array([0.02, -0.02]), np.array([0.02, 0.02]), 1.96)

    assert (0.0, True) == (low, 0.04 < high < 0.12)


def test_one_gap_far_from_0_has_the_normal_interval():
    found = bound_gaps(np.array([0.5]), np.array([0.01]), 1.96)

    assert pytest.approx([0.4804, 0.5196]) == list(found)


def test_no_gap_tells_no_upper_end():
    assert math.isnan(bound_gaps(np.zeros(3), np.ones(3), 1.96)[1])


def average_gaps(gold: Any, scores: Any) -> float:
    bins = [(scores > edge / 10) & (scores <= (edge + 1) / 10) for edge in range(10)]
    return float(sum(abs((scores - gold)[one].sum()) for one in bins) / len(gold))
