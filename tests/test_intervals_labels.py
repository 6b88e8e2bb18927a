"""Facts about how means over labels vary, against scikit-learn's scores and drawn samples."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, f1_score, fbeta_score, precision_score

import tallystick
from systems import pair, pair_sets
from tallystick.kinds.labels.counters import Confusion, LabelSets
from tallystick.metrics import F1, BalancedAccuracy, FBeta, Precision
from tallystick.scoring.intervals.bounds import Side
from tallystick.scoring.intervals.labels import find_moments
from tallystick.statistics.means import measure_ratio

SCORES = {
    "macro_f1": (F1("macro"), lambda g, o, w: _score(f1_score, g, o, w, "macro")),
    "weighted_f1": (
        F1("weighted"),
        lambda g, o, w: _score(f1_score, g, o, w, "weighted"),
    ),
    "weighted_precision": (
        Precision("weighted"),
        lambda g, o, w: _score(precision_score, g, o, w, "weighted"),
    ),
    "fbeta": (
        FBeta(0.5, "macro"),
        lambda g, o, w: _score(fbeta_score, g, o, w, "macro", beta=0.5),
    ),
    "balanced_accuracy": (
        BalancedAccuracy(),
        lambda g, o, w: balanced_accuracy_score(g, o, sample_weight=w),
    ),
    "some_labels": (
        F1("macro", labels=(0, 2)),
        lambda g, o, w: _score(f1_score, g, o, w, "macro", labels=["a", "c"]),
    ),
    "label_twice": (
        F1("macro", labels=(0, 0, 2)),
        lambda g, o, w: (
            (
                2 * _score(f1_score, g, o, w, "macro", labels=["a"])
                + _score(f1_score, g, o, w, "macro", labels=["c"])
            )
            / 3
        ),
    ),
    "binary": (
        F1("binary", positive=1),
        lambda g, o, w: _score(f1_score, g, o, w, "macro", labels=["b"]),
    ),
}


@pytest.mark.parametrize("name", SCORES)
def test_the_deviation_is_the_root_of_the_sum_of_squared_slopes(name):
    """Slopes are those of scikit-learn's score in the weight of each example."""
    metric, score = SCORES[name]
    gold, outputs = _draw(np.random.default_rng(1), 2000)
    base, slopes = np.ones(len(gold)), {}
    for cell in {*zip(gold, outputs, strict=True)}:
        here = (gold == cell[0]) & (outputs == cell[1])
        sides = [score(gold, outputs, base + step * here) for step in (1e-5, -1e-5)]
        slopes[cell] = (sides[0] - sides[1]) / 2e-5 / here.sum()
    squares = sum(slopes[cell] ** 2 for cell in zip(gold, outputs, strict=True))

    assert pytest.approx(np.sqrt(squares), rel=2e-3) == _measure(metric, gold, outputs).deviation


@pytest.mark.parametrize("name", ["macro_f1", "weighted_f1", "binary", "balanced_accuracy"])
@pytest.mark.parametrize("size", [40, 400])
def test_moments_are_those_of_drawn_samples(name, size):
    """Few examples, and many; means within a fifth of a deviation, as samples may lack a label."""
    metric, score = SCORES[name]
    generator = np.random.default_rng(2)
    gold, outputs = _draw(generator, size)
    drawn = []
    for _ in range(500):
        picked = generator.integers(0, size, size)
        drawn.append(score(gold[picked], outputs[picked], np.ones(size)))
    found = _measure(metric, gold, outputs)

    assert pytest.approx(np.std(drawn), rel=0.15) == found.deviation
    assert pytest.approx(np.mean(drawn), abs=0.2 * np.std(drawn)) == found.expected


def test_the_bias_of_f1_is_found():
    """Samples of few examples have a lower F1 than the examples, which the mean shows."""
    gold, outputs = np.repeat(["a", "b", "a", "b"], [3, 3, 2, 2]), np.repeat(["a", "b"], [5, 5])
    outputs[3:5], outputs[5:8], outputs[8:] = "b", "a", "b"
    metric, score = SCORES["macro_f1"]
    generator = np.random.default_rng(3)
    rows = generator.integers(0, 10, (2000, 10))
    drawn = [score(gold[row], outputs[row], np.ones(10)) for row in rows]
    found, value = _measure(metric, gold, outputs), score(gold, outputs, np.ones(10))

    assert np.mean(drawn) < value
    assert pytest.approx(value - np.mean(drawn), rel=0.5) == value - found.expected


@pytest.mark.parametrize(("hits", "errors"), [(1, 1), (5, 2), (40, 40), (0, 3), (7, 0)])
def test_few_counts_vary_as_drawn_ones(hits, errors):
    """A ratio of Poisson's counts such as F1, without samples that have neither."""
    generator = np.random.default_rng(4)
    drawn = generator.poisson([hits, errors], (400_000, 2)).astype(float)
    drawn = drawn[drawn.sum(1) > 0]
    ratio = 2 * drawn[:, 0] / (2 * drawn[:, 0] + drawn[:, 1])
    mean, variance = measure_ratio(np.array(hits), np.array(errors), (2.0, 1.0))

    assert pytest.approx(ratio.mean(), abs=2e-3) == float(mean)
    assert pytest.approx(ratio.var(), abs=1e-3) == float(variance)


def test_label_sets_are_measured_alike():
    """Macro F1 of label sets has the deviation of scikit-learn's score in drawn samples."""
    generator = np.random.default_rng(5)
    gold = generator.random((800, 3)) < (0.5, 0.3, 0.2)
    outputs = gold ^ (generator.random((800, 3)) < 0.2)
    rows = generator.integers(0, 800, (300, 800))
    drawn = [f1_score(gold[row], outputs[row], average="macro") for row in rows]
    sides = [[np.flatnonzero(row).tolist() for row in side] for side in (gold, outputs)]
    tally = LabelSets().count(pair_sets(*sides))
    found = find_moments(F1("macro"), Side(tally, F1("macro").score(tally)))

    assert pytest.approx(np.std(drawn), rel=0.15) == float(found.deviation[0])


def test_intervals_do_not_depend_on_the_seed():
    """Means over labels are not resampled."""
    gold, outputs = _draw(np.random.default_rng(6), 300)
    names = ["macro_f1", "weighted_f1"]
    one, other = (
        tallystick.score(
            gold, outputs, metrics=names, intervals=tallystick.Intervals(random_seed=seed)
        )
        for seed in (1, 2)
    )

    assert [(score.low, score.high) for score in one.scores] == [
        (score.low, score.high) for score in other.scores
    ]
    assert "bootstrap" not in one.scores[0].method


def _score(function, gold, outputs, weights, average, **options):
    with np.errstate(invalid="ignore"):
        return function(
            gold,
            outputs,
            average=average,
            sample_weight=weights,
            zero_division=np.nan,
            **options,
        )


def _draw(generator, size):
    gold = generator.choice(["a", "b", "c"], size, p=[0.5, 0.3, 0.2])
    wrong = generator.choice(["a", "b", "c"], size)
    return gold, np.where(generator.random(size) < 0.6, gold, wrong)


def _measure(metric, gold, outputs):
    tally = Confusion().count(pair(*np.searchsorted(["a", "b", "c"], [gold, outputs])))
    found = find_moments(metric, Side(tally, metric.score(tally)))
    return type(found)(float(found.expected[0]), float(found.deviation[0]))
