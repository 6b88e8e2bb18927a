"""Intervals of metrics of probabilities, from what each example changes."""

import math
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss

import tallystick
from systems import pair_scores
from tallystick import Intervals, Task
from tallystick.comparison import resamples
from tallystick.kinds.probabilities.score_counter import Curve
from tallystick.metrics import ECE, AveragePrecision, BrierScore, LogLoss
from tallystick.statistics.calibration import bound_gaps
from tallystick.tallies.curve import CurveTally

BINARY = Task("binary", (0, 1), 1)


def draw(labels: int, n: int = 60, seed: int = 1) -> tuple[Any, Any, Any]:
    """Gold, probabilities with ties, and weights."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(labels, size=n)
    odds = np.round(rng.normal(size=(n, labels)), 1)
    odds[np.arange(n), gold] += 1
    chances = np.exp(odds)
    chances /= chances.sum(1, keepdims=True)
    return gold, chances[:, 1] if labels == 2 else chances, rng.integers(1, 4, n).astype(float)


def tally_of(gold: Any, scores: Any, weights: Any = None, **beside: Any) -> CurveTally:
    """The tally of one system's probabilities."""
    return Curve().count_one(pair_scores(gold, scores, weights=weights, **beside))


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize(
    "metric", ["roc_auc", "average_precision", "brier_score", "log_loss", "ece"]
)
def test_neither_rows_nor_seeds_nor_resamples_matter(metric, labels):
    """Another order of the rows, another seed or more resamples give the same interval."""
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
    """Of metrics of probabilities too, by group, of the mean and of all."""
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
    """So many scores that only some are looked at give the same width within one percent."""
    gold, scores, _ = draw(2, 50_000)
    thin, sizes = tally_of(gold, scores).thin(1000)
    metric = BrierScore()

    assert (50_000, True) == (round(float(sizes.sum())), len(thin.scores) <= 2000)
    assert pytest.approx(metric.score(tally_of(gold, scores)), rel=0.01) == metric.score(thin)


def test_losses_of_one_example_have_no_interval():
    """Nothing shows how losses scatter."""
    found = tallystick.score([1], [0.2], ["brier_score", "log_loss"], task=BINARY).scores

    assert all(math.isnan(one.low) and one.method is None for one in found)


def test_one_gap_among_noise_may_be_all_there_is():
    """Eleven gaps of less than their errors, or little more, add what noise adds to one of 0.1."""
    gaps = np.array([0.1, *[0.008, -0.008] * 5, 0.015])

    assert bound_gaps(gaps, np.full(12, 0.01), 1.96)[0] < 0.1


def test_unlike_gaps_may_be_alike():
    """Ten gaps of 0.014 with errors of 0.015, of which noise made the half small."""
    assert bound_gaps(np.array([0.02, 0.002] * 5), np.full(10, 0.015), 1.96)[1] > 0.14


def test_gaps_that_are_noise_may_be_none():
    """One standard error in each of two bins: the interval of their sum begins at 0."""
    low, high = bound_gaps(np.array([0.02, -0.02]), np.array([0.02, 0.02]), 1.96)

    assert (0.0, True) == (low, 0.04 < high < 0.12)


def test_one_gap_far_from_0_has_the_normal_interval():
    """Where noise cannot turn its sign nothing is folded."""
    found = bound_gaps(np.array([0.5]), np.array([0.01]), 1.96)

    assert pytest.approx([0.4804, 0.5196]) == list(found)


def test_no_gap_tells_no_upper_end():
    """A sum of 0 is left to the number of examples."""
    assert math.isnan(bound_gaps(np.zeros(3), np.ones(3), 1.96)[1])


def average_gaps(gold: Any, scores: Any) -> float:
    """The expected calibration error of ten bins, bin by bin."""
    bins = [(scores > edge / 10) & (scores <= (edge + 1) / 10) for edge in range(10)]
    return float(sum(abs((scores - gold)[one].sum()) for one in bins) / len(gold))


@pytest.mark.parametrize(
    ("metric", "peer"),
    [
        (ECE(), average_gaps),
        (AveragePrecision(), average_precision_score),
        (BrierScore(), brier_score_loss),
        (LogLoss(), log_loss),
    ],
)
def test_resamples_of_many_scores_are_normal_and_scatter_as_drawn_ones(monkeypatch, metric, peer):
    """Their covariance is that of scikit-learn's scores of examples drawn within each group."""
    random = np.random.default_rng(8)
    gold = (random.random(1_200) < 0.4).astype(int)
    shared = random.normal(size=1_200) + gold
    outputs = {name: shared + random.normal(size=1_200) for name in "ab"}
    scores = {name: (1 / (1 + np.exp(-own))).round(3) for name, own in outputs.items()}
    groups = np.repeat(["x", "y"], [700, 500])
    tally = tallystick.count(gold, scores, metric, by=groups).tally(metric)
    monkeypatch.setattr(resamples, "_MOST_NUMBERS", 1_000)
    monkeypatch.setattr(resamples, "_LEAST_LABELS", 100)
    drawn = resamples.score_resamples([metric], tally, ("x", "none", "y"), 10_000, 1)
    found = np.stack([own[0].T for own in drawn.values()])
    absent, found = found[:, 1], np.delete(found, 1, axis=1)
    expected = np.empty((2, 4, 300))
    for draw in range(300):
        ends = random.integers(700, size=700), 700 + random.integers(500, size=500)
        for place, own in enumerate(scores.values()):
            parts = (*ends, np.concatenate(ends))
            x, y, whole = (peer(gold[rows], own[rows]) for rows in parts)
            expected[place, :, draw] = x, y, (x + y) / 2, whole

    # Gaps of bins are normal, and so is no mean of their sizes.
    assert resamples.are_normal([metric], tally) == (metric != ECE())
    assert np.isnan(absent).all()
    assert found.mean(2) == pytest.approx(expected.mean(2), abs=0.005)
    for row in range(4):
        assert np.cov(found[:, row]) == pytest.approx(np.cov(expected[:, row]), rel=0.25)


def test_gaps_and_losses_are_drawn_together_as_alone(monkeypatch):
    """A metric's resamples do not depend on what else is compared, nor on its place."""
    random = np.random.default_rng(2)
    gold = random.integers(0, 2, 600)
    scores = {name: random.random(600).round(3) for name in "ab"}
    monkeypatch.setattr(resamples, "_MOST_NUMBERS", 500)
    tally = tallystick.count(gold, scores, [LogLoss()]).tally(LogLoss())
    metrics = [LogLoss(), ECE(), ECE(5)]
    together = resamples.score_resamples(metrics, tally, (), 50, 1)
    alone = [resamples.score_resamples([one], tally, (), 50, 1) for one in metrics]

    for name, own in together.items():
        assert np.array_equal(own, np.concatenate([one[name] for one in alone]))


def test_few_examples_of_a_label_are_drawn_one_by_one(monkeypatch):
    """As are calibration errors of any; losses are not."""
    gold = np.arange(300) < 60
    scores = {"a": np.linspace(1, 0, 300), "b": np.linspace(0.9, 0, 300)}
    tally = tallystick.count(gold.astype(int), scores, AveragePrecision()).tally(AveragePrecision())
    monkeypatch.setattr(resamples, "_MOST_NUMBERS", 100)

    assert not resamples.are_normal([AveragePrecision()], tally)
    monkeypatch.setattr(resamples, "_LEAST_LABELS", 60)
    assert resamples.are_normal([AveragePrecision()], tally)
    assert not resamples.are_normal([AveragePrecision(), ECE()], tally)
    monkeypatch.setattr(resamples, "_LEAST_LABELS", 100)
    assert resamples.are_normal([BrierScore(), LogLoss()], tally)
