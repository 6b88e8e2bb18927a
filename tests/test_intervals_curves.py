"""Intervals of metrics of probabilities, from what each example changes."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss

import tallystick
from systems import pair_scores
from tallystick import Intervals, Task
from tallystick.comparison import resamples
from tallystick.kinds.probabilities.score_counter import Curve
from tallystick.metrics import ECE, ROCAUC, AveragePrecision, BrierScore, LogLoss
from tallystick.statistics.areas import bound_precision
from tallystick.statistics.calibration import bound_gaps
from tallystick.statistics.means import bound_positive
from tallystick.tallies.curve import CurveTally

BINARY = Task("binary", (0, 1), 1)
STEP = 1e-6
METRICS = [AveragePrecision(), ROCAUC(), BrierScore(), LogLoss(), ECE(), ECE(5)]
SEVERAL = [
    *(ROCAUC("ovo"), ROCAUC("ovr", "weighted"), ROCAUC("ovo", "weighted")),
    AveragePrecision("weighted"),
]


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


def score_once(metric: Any, gold: Any, scores: Any, weights: Any) -> float:
    """The value of a metric."""
    return float(metric.score(tally_of(gold, scores, weights))[0])


@pytest.mark.parametrize(
    ("metric", "labels"),
    [*((metric, labels) for metric in METRICS for labels in (2, 3)), *((m, 3) for m in SEVERAL)],
    ids=repr,
)
def test_influences_are_derivatives(metric, labels):
    """What a little more weight of an example changes is what the metric says of its kind."""
    gold, scores, weights = draw(labels)
    own = scores[:, None] if labels == 2 else scores
    value = score_once(metric, gold, scores, weights)
    found = np.zeros(len(gold))
    tally = tally_of(gold, scores, weights)
    for column in range(own.shape[1]):
        steps, changes = metric.influence(tally, 0, column)
        found += changes[np.searchsorted(steps, own[:, column]), gold]
    found -= weights @ found / weights.sum()
    expected = []
    for place in range(len(gold)):
        more = weights.copy()
        more[place] += STEP
        expected.append((score_once(metric, gold, scores, more) - value) / STEP)

    assert pytest.approx(expected, abs=2e-6) == found


@pytest.mark.parametrize("metric", ["brier_score", "log_loss"])
def test_the_error_of_a_loss_is_that_of_a_mean(metric):
    """As SciPy's standard error and Student's t have it, on a scale of logarithms.

    The upper end is farther out by twice the term of Johnson (1978) for the skewness. Shares of
    both labels are as uncertain as with one more of each, which loses what the system expects.
    """
    gold, scores, _ = draw(2)
    gold[gold.argmax() + 1 :] = 0
    lose = {"brier_score": lambda right: (1 - right) ** 2, "log_loss": lambda right: -np.log(right)}
    sides = [lose[metric](1 - scores), lose[metric](scores)]
    losses = np.choose(gold, sides)
    means = [
        np.append(losses[gold == label], np.average(own, weights=chances)).mean()
        for label, own, chances in zip((0, 1), sides, (1 - scores, scores), strict=True)
    ]
    shares = np.array([gold.mean(), (gold.sum() + 1) / (len(gold) + 2)])
    _, more = np.diff(shares * (1 - shares), prepend=0) * (means[1] - means[0]) ** 2 / len(gold)
    error = math.sqrt(stats.sem(losses) ** 2 * (len(gold) - 1) / len(gold) + more)
    error *= math.sqrt(len(gold) / (len(gold) - 1))
    ratio = error / losses.mean() * stats.t.ppf(0.975, len(gold) - 1)
    (found,) = tallystick.score(gold, scores, metric, task=BINARY).scores

    z = stats.norm.ppf(0.975)
    lean = 1 + 2 * stats.skew(losses) / len(gold) ** 0.5 * (2 * z**2 + 1) / (6 * z)

    assert pytest.approx(
        [losses.mean() * math.exp(-ratio), losses.mean() * math.exp(lean * ratio)], rel=1e-10
    ) == [found.low, found.high]


@pytest.mark.parametrize("metric", ["brier_score", "log_loss"])
def test_a_loss_without_positives_allows_for_one(metric):
    """Fifty examples may have none by chance, and each would lose more than all others."""
    scores = np.linspace(0.01, 0.09, 50)
    lose = {"brier_score": lambda right: (1 - right) ** 2, "log_loss": lambda right: -np.log(right)}
    expected = scores * lose[metric](scores) + (1 - scores) * lose[metric](1 - scores)
    (found,) = tallystick.score(np.zeros(50, int), scores, metric, task=BINARY).scores

    assert found.low < expected.mean() < found.high
    assert found.high > 4 * found.value


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


def test_no_loss_at_all_is_bounded_as_a_share():
    """Wilson's upper end of no hit in so many trials; equal losses have no interval."""
    low, high = bound_positive(np.array([0.0, 0.5]), np.zeros(2), np.array([20.0, 20.0]), 0.95)

    assert pytest.approx([0, 1.959963984540054**2 / (20 + 1.959963984540054**2)]) == [
        low[0],
        high[0],
    ]
    assert np.isnan([low[1], high[1]]).all()


def test_average_precision_of_1_is_as_sure_as_a_share_of_positives():
    """Where nothing is out of place there is no scatter; elsewhere the error counts alone."""
    low, high = bound_precision(
        np.array([1.0, 0.8]), np.array([0, 0.02]), np.array([20, 100]), 0.95
    )

    assert pytest.approx([0.838875, 1], abs=1e-6) == [low[0], high[0]]
    assert 0.08 > high[1] - low[1] > 0.07


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
